/*
 * Counts, in the file that COUNTERS names, how often each thread of a process takes memory with malloc and its relatives
 * (as LD_PRELOAD), and how often a JVM calls each native method (as -agentpath). Whoever reads the file has to know the
 * layout of struct counters.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <jvmti.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS 1024
#define METHODS 2048

static struct counters {
  struct {
    uint64_t thread, calls;
  } mallocs[THREADS];
  struct {
    char name[120];
    uint64_t calls;
  } natives[METHODS];
} *counters;

static uint32_t threads, methods;

/* No call of malloc for its first use */
static __thread uint64_t *calls __attribute__((tls_model("initial-exec")));

__attribute__((constructor)) static void map_counters(void) {
  const char *path = getenv("COUNTERS");
  int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (file == -1 || ftruncate(file, sizeof *counters) == -1) return;
  void *mapped = mmap(NULL, sizeof *counters, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) counters = memset(mapped, 0, sizeof *counters);
  close(file);
}

static void count(void) {
  if (!counters) return;
  if (!calls) {
    uint32_t thread = __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED) % THREADS;
    counters->mallocs[thread].thread = syscall(SYS_gettid);
    calls = &counters->mallocs[thread].calls;
  }
  __atomic_fetch_add(calls, 1, __ATOMIC_RELAXED);
}

/* The functions of glibc behind its own */
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
  count();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count();
  return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
  count();
  return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  count();
  return (*memory = __libc_memalign(alignment, size)) ? 0 : ENOMEM;
}

#define CODE 32

static unsigned char *code;

/* The code of a function that adds one to a number and goes on with another function, whatever its parameters are */
static void *counting(unsigned char *start, uint64_t *number, void *function) {
#ifdef __x86_64__
  static const unsigned char template[] = {
    0x49, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0, /* movabs $number, %r11 */
    0xf0, 0x49, 0xff, 0x03,             /* lock incq (%r11) */
    0x49, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0, /* movabs $function, %r11 */
    0x41, 0xff, 0xe3};                  /* jmp *%r11 */
  memcpy(start, template, sizeof template);
  memcpy(start + 2, &number, 8);
  memcpy(start + 16, &function, 8);
  return start;
#else
  (void)start, (void)number;
  return function;
#endif
}

static void JNICALL bound(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jmethodID method, void *function, void **replaced) {
  (void)jni, (void)thread;
  jclass type;
  char *signature = NULL, *name = NULL;
  uint32_t index = __atomic_fetch_add(&methods, 1, __ATOMIC_RELAXED);
  if (!counters || index >= METHODS || (*jvmti)->GetMethodDeclaringClass(jvmti, method, &type) ||
      (*jvmti)->GetClassSignature(jvmti, type, &signature, NULL) || (*jvmti)->GetMethodName(jvmti, method, &name, NULL, NULL))
    return;
  snprintf(counters->natives[index].name, sizeof counters->natives[index].name, "%s%s", signature, name);
  *replaced = counting(code + CODE * index, &counters->natives[index].calls, function);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
  (void)options, (void)reserved;
  jvmtiEnv *jvmti;
  jvmtiCapabilities capabilities = {.can_generate_native_method_bind_events = 1};
  jvmtiEventCallbacks callbacks = {.NativeMethodBind = bound};
  code = mmap(NULL, CODE * METHODS, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return code == MAP_FAILED || (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) ||
         (*jvmti)->AddCapabilities(jvmti, &capabilities) ||
         (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) ||
         (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_NATIVE_METHOD_BIND, NULL);
}
