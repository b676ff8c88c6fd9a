#!/usr/bin/env bash
#
# Builds the bundled library: Tomcat Native with APR and OpenSSL inside, for one platform or several, on one Linux
# machine. The same versions give the same bytes, in any folder.
#
#   natives/build.sh [PLATFORM...]    linux-x86_64, linux-aarch_64, linux-x86_64-musl, linux-aarch_64-musl,
#                                     osx-x86_64, osx-aarch_64, windows-x86_64, or all; without one, the platform of
#                                     this machine
#   natives/build.sh --or-skip ...    where something is missing, says so and succeeds
#
# Writes .cache/natives/PLATFORM/libtcnative-2.so (.dylib for macOS, tcnative-2.dll for Windows), with its SHA-256
# beside it, and keeps what is there if it was built from the same versions by the same script. All sources and the
# compiler are pinned in versions.properties.
#
# Environment, all of it optional: JAVA_HOME (a JDK, for its jni.h), NATIVES_CACHE (instead of .cache/natives),
# MAVEN_REPO_LOCAL and MAVEN_USER_SETTINGS as for docker/build-tcnative.sh
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
cache=${NATIVES_CACHE:-$root/.cache/natives}
sources=$root/.cache/natives/sources
# The time in what records one, 2026-01-01
export SOURCE_DATE_EPOCH=1767225600

say() { echo "natives: $*" >&2; }
or_skip=false
fail() {
  $or_skip || { say "$*"; exit 1; }
  say "$*; going on without it"
  exit 0
}
version() { sed -n "s/^$1=//p" "$here/versions.properties"; }
checked() { echo "$2  $1" | sha256sum --check --status; }

[[ ${1-} != --or-skip ]] || { or_skip=true; shift; }
[[ $(uname -s) == Linux ]] || fail "the libraries are built on Linux only"

case $(uname -m) in
  x86_64) machine=linux-x86_64 ;;
  aarch64) machine=linux-aarch_64 ;;
  *) fail "no platform is known for a machine of type $(uname -m)" ;;
esac
# A musl system has its loader under this name
[[ -z $(compgen -G '/lib/ld-musl-*') || -e /lib64/ld-linux-x86-64.so.2 || -e /lib/ld-linux-aarch64.so.1 ]] || machine+=-musl

platforms=("${@:-$machine}")
[[ ${platforms[0]} != all ]] || platforms=(linux-x86_64 linux-aarch_64 linux-x86_64-musl linux-aarch_64-musl
  osx-x86_64 osx-aarch_64 windows-x86_64)

# The target as Zig calls it: glibc 2.17 is that of RHEL 7
target() {
  case $1 in
    linux-x86_64) echo x86_64-linux-gnu.2.17 ;;
    linux-aarch_64) echo aarch64-linux-gnu.2.17 ;;
    linux-x86_64-musl) echo x86_64-linux-musl ;;
    linux-aarch_64-musl) echo aarch64-linux-musl ;;
    osx-x86_64) echo x86_64-macos.11.0 ;;
    osx-aarch_64) echo aarch64-macos.11.0 ;;
    windows-x86_64) echo x86_64-windows-gnu ;;
    *) fail "unknown platform '$1'" ;;
  esac
}

# The name that Tomcat looks for first
library() {
  case $1 in
    linux-*) echo libtcnative-2.so ;;
    osx-*) echo libtcnative-2.dylib ;;
    windows-*) echo tcnative-2.dll ;;
  esac
}

stamp() { cat "$here/versions.properties" "$here/build.sh" "$here/exports.map" | sha256sum | cut -d ' ' -f 1; }

is_built() { [[ -f $cache/$1/$(library "$1") && -f $cache/$1/.stamp && $(cat "$cache/$1/.stamp") == "$(stamp)" ]]; }

todo=()
for platform in "${platforms[@]}"; do
  target "$platform" >/dev/null
  if is_built "$platform"; then
    say "keeping $cache/$platform/$(library "$platform")"
  else
    todo+=("$platform")
  fi
done
[[ ${#todo[@]} != 0 ]] || exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$sources"

missing=()
command -v make >/dev/null || missing+=(make)
command -v perl >/dev/null || missing+=(perl)
command -v bzip2 >/dev/null || missing+=(bzip2)
command -v python3 >/dev/null && python3 -m pip --version >/dev/null 2>&1 || missing+=(python3-pip)
if [[ ${#missing[@]} != 0 ]]; then
  [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null || fail "please install (Debian's package names): ${missing[*]}"
  say "installing ${missing[*]}"
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"; } \
    >"$work/apt.log" 2>&1 || { tail -n 5 "$work/apt.log" >&2; fail "apt-get could not install: ${missing[*]}"; }
fi

java_home=
for candidate in "${JAVA_HOME-}" /usr/lib/jvm/* \
  "$(command -v javac >/dev/null && dirname "$(dirname "$(readlink -f "$(command -v javac)")")")"; do
  [[ -z $candidate || ! -f $candidate/include/jni.h ]] || java_home=$candidate
done
[[ -n $java_home ]] || fail "no JDK found: set JAVA_HOME to a JDK, its include/jni.h is needed"

# source_package NAME FILE SHA256: the original archive of a Debian source package, from wherever this system gets its
# packages. The suites are those that may have the version.
source_package() {
  local file=$sources/$2 uri suite
  if [[ -f $file ]] && checked "$file" "$3"; then
    return
  fi
  command -v apt-get >/dev/null || fail "please put $2 (SHA-256 $3) into $sources"
  local apt=(-o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$work/lists"
    -o "Dir::Cache=$work/cache")
  if [[ ! -d $work/lists ]]; then
    mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
    apt-get indextargets --format '$(REPO_URI)' | sort -u | while read -r uri; do
      for suite in trixie trixie-security sid; do
        [[ $suite == *-security && $uri != *security* || $suite != *-security && $uri == *security* ]] \
          || echo "deb-src $uri $suite main"
      done
    done >"$work/sources.list"
    say "reading the list of source packages"
    apt-get "${apt[@]}" update >"$work/apt.log" 2>&1 || true
  fi
  uri=$(apt-cache "${apt[@]}" showsrc "$1" 2>/dev/null | awk -v file="$2" '
    /^Directory:/ { directory = $2 } $3 == file { found = 1 }
    /^$/ { if (found && !path) path = directory "/" file; found = 0 }
    END { if (found && !path) path = directory "/" file; print path }')
  [[ -n $uri ]] || fail "no source package has $2: please put it (SHA-256 $3) into $sources"
  local base
  for base in $(apt-get indextargets --format '$(REPO_URI)' | sort -u); do
    if /usr/lib/apt/apt-helper download-file "$base$uri" "$work/$2" "SHA256:$3" >"$work/apt.log" 2>&1; then
      mv "$work/$2" "$file"
      return
    fi
  done
  fail "$2 could not be downloaded: please put it (SHA-256 $3) into $sources"
}

openssl=openssl_$(version openssl.version).orig.tar.gz
apr=apr_$(version apr.version).orig.tar.bz2
source_package openssl "$openssl" "$(version openssl.sha256)"
source_package apr "$apr" "$(version apr.sha256)"
"$root/docker/build-tcnative.sh" --fetch "$root/.cache/tomcat.tar.gz"

zig=$sources/ziglang-$(version ziglang.version)/ziglang/zig
if [[ ! -x $zig ]]; then
  say "downloading the compiler"
  echo "ziglang==$(version ziglang.version) --hash=sha256:$(version "ziglang.sha256.$(uname -m)")" >"$work/requirements.txt"
  python3 -m pip download --quiet --no-deps --require-hashes --requirement "$work/requirements.txt" --dest "$work" \
    --disable-pip-version-check || fail "pip could not download ziglang $(version ziglang.version)"
  mkdir -p "$work/zig"
  python3 -m zipfile -e "$work"/ziglang-*.whl "$work/zig"
  chmod +x "$work/zig/ziglang/zig"
  rm -rf "$(dirname "$(dirname "$zig")")"
  mv "$work/zig" "$(dirname "$(dirname "$zig")")"
fi
export ZIG_GLOBAL_CACHE_DIR=$work/zig-cache ZIG_LOCAL_CACHE_DIR=$work/zig-cache

compile_openssl() {
  local target hidden=()
  case $1 in
    linux-x86_64*) target=linux-x86_64 ;;
    linux-aarch_64*) target=linux-aarch64 ;;
    osx-x86_64) target=darwin64-x86_64-cc hidden=(-fvisibility=hidden) ;;
    osx-aarch_64) target=darwin64-arm64-cc hidden=(-fvisibility=hidden) ;;
    windows-x86_64) target=mingw64 ;;
  esac
  # No configuration of the system's OpenSSL is read, and no code is loaded from files
  ./Configure "$target" no-shared no-tests no-docs no-apps no-dso no-module no-engine no-legacy no-comp no-ssl3 \
    no-weak-ssl-ciphers no-async no-autoload-config -fPIC -O3 --prefix=/usr --openssldir=/etc/ssl --libdir=lib \
    "${hidden[@]}" \
    && make -j"$(nproc)" build_libs || return
  # Zig's linker takes no list of exports for macOS, and what is written in assembly is visible there
  if [[ $1 == osx-* ]]; then
    find . -name '*.[sS]' -newer Makefile -exec sed -i -e 's/^\.globl[[:space:]]*\(_[A-Za-z0-9_]*\)/&\n.private_extern \1/' \
      -e 's/^\.comm[[:space:]]*\(_[A-Za-z0-9_]*,\)/.zerofill __DATA,__bss,\1/' {} + \
      && make -j"$(nproc)" build_libs
  fi
}

compile_apr() {
  if [[ $1 == windows-* ]]; then
    compile_apr_for_windows
    return
  fi
  # What configure finds out by running programs, which are not for this machine
  export ac_cv_file__dev_zero=yes ac_cv_func_setpgrp_void=yes ac_cv_sizeof_struct_iovec=16 ac_cv_func_sem_open=yes \
    apr_cv_process_shared_works=yes apr_cv_mutex_recursive=yes apr_cv_mutex_robust_shared=yes \
    apr_cv_tcp_nodelay_with_cork=yes apr_cv_epoll=yes apr_cv_epoll_create1=yes apr_cv_dup3=yes apr_cv_accept4=yes \
    apr_cv_sock_cloexec=yes ap_cv_atomic_builtins=yes ac_cv_struct_rlimit=yes ac_cv_strerror_r_rc_int=no
  local host=${2%%-*}-unknown-linux-gnu flags="-O3 -fPIC"
  [[ $1 != *-musl ]] || ac_cv_strerror_r_rc_int=yes
  if [[ $1 == osx-* ]]; then
    unset apr_cv_epoll apr_cv_epoll_create1 apr_cv_dup3 apr_cv_accept4 apr_cv_sock_cloexec
    apr_cv_mutex_robust_shared=no apr_cv_tcp_nodelay_with_cork=no ac_cv_strerror_r_rc_int=yes
    host=${2%%-*}-apple-darwin20 flags+=" -fvisibility=hidden"
  fi
  CC_FOR_BUILD=zig-build-cc CFLAGS=$flags ./configure --build="$(uname -m)-pc-linux-gnu" --host="$host" \
    --disable-shared --enable-static --prefix=/usr \
    && make -j"$(nproc)"
}

# With the headers in the order that Zig's need, instead of the one in apr.h
windows_headers=(-DWIN32 -D_WINDOWS -DAPR_DECLARE_STATIC -DFD_SETSIZE=1024 -include winsock2.h -include ws2tcpip.h
  -include mswsock.h -include windows.h -include iphlpapi.h -Wno-incompatible-pointer-types)

# As CMakeLists.txt does
compile_apr_for_windows() {
  mkdir .libs objects
  sed 's/@win32_winnt_str@/0x0A00/; s/@apr_have_ipv6_10@/1/' include/apr.hwc >include/apr.h
  zig-build-cc -DCROSS_COMPILE tools/gen_test_char.c -o gen_test_char \
    && ./gen_test_char >include/apr_escape_test_char.h || return
  sed -n '/^SET(APR_SOURCES/,/^)/s/^ *\(.*\)\.c$/\1/p' CMakeLists.txt >sources
  # Each into a file named after its path
  # shellcheck disable=SC2016
  xargs -P "$(nproc)" -I '{}' sh -c 'source=$1; shift
    exec zig-cc -c "$@" "$source.c" -o "objects/$(echo "$source" | tr / -).o"' sh '{}' -O3 "${windows_headers[@]}" \
    -Iinclude -Iinclude/arch/win32 -Iinclude/arch/unix -Iinclude/private <sources \
    && zig-ar qc .libs/libapr-1.a objects/*.o
}

compile_tomcat_native() {
  local openssl apr library flags=(-shared -O3 -fPIC -fvisibility=hidden) libraries=(-Wl,--gc-sections -Wl,-s)
  openssl=$(echo ../../openssl-*) apr=$(echo ../../apr-*) library=$(library "$1")
  local files=(src/*.c)
  local includes=(-Iinclude -I"$openssl/include" -I"$java_home/include" -I"$java_home/include/linux" -I"$apr/include")
  case $1 in
    linux-*)
      flags+=(-DTCNATIVE_LINUX -DHAVE_POLLSET_WAKEUP -DLINUX -D_REENTRANT -D_GNU_SOURCE)
      libraries=(-Wl,--version-script="$here/exports.map" -Wl,--gc-sections -Wl,-z,relro -Wl,-z,now
        -Wl,-z,noexecstack -Wl,-s -Wl,-soname,"$library" -lpthread -ldl)
      ;;
    osx-*)
      flags+=(-DHAVE_POLLSET_WAKEUP -DDARWIN -D_REENTRANT)
      libraries=(-Wl,-dead_strip -Wl,-s -Wl,-install_name,@rpath/"$library")
      ;;
    windows-*)
      # Named so in the source, where capital letters do not matter
      echo '#include <windows.h>' >include/Windows.h
      files+=(os/win32/*.c) includes+=(-I"$apr/include/arch/win32")
      flags=(-shared -O3 '-DJNIEXPORT=__declspec(dllexport)' "${windows_headers[@]}")
      libraries+=(-lws2_32 -lmswsock -liphlpapi -lcrypt32 -lrpcrt4 -ladvapi32 -lgdi32 -luser32)
      ;;
  esac
  zig-cc "${flags[@]}" "${includes[@]}" -o "../../$library" "${files[@]}" \
    "$openssl/libssl.a" "$openssl/libcrypto.a" "$apr/.libs/libapr-1.a" "${libraries[@]}"
}

build() {
  local platform=$1 target library folder=$work/$1 log=$work/$1.log
  target=$(target "$platform")
  library=$(library "$platform")
  mkdir -p "$folder/bin" "$cache/$platform"
  cd "$folder"
  # By name, not by path: OpenSSL records how it was compiled
  printf '#!/bin/sh\nexec "%s" cc -target %s "$@"\n' "$zig" "$target" >bin/zig-cc
  printf '#!/bin/sh\nexec "%s" cc "$@"\n' "$zig" >bin/zig-build-cc
  printf '#!/bin/sh\nexec "%s" ar "$@"\n' "$zig" >bin/zig-ar
  printf '#!/bin/sh\nexec "%s" ranlib "$@"\n' "$zig" >bin/zig-ranlib
  chmod +x bin/*
  export PATH=$folder/bin:$path CC=zig-cc AR=zig-ar RANLIB=zig-ranlib
  tar -xf "$sources/$openssl"
  tar -xf "$sources/$apr"
  tar -xzf "$root/.cache/tomcat.tar.gz" --wildcards '*/bin/tomcat-native.tar.gz' --strip-components=2
  tar -xzf tomcat-native.tar.gz

  say "$platform: compiling OpenSSL $(version openssl.version)"
  (cd openssl-*/ && compile_openssl "$platform") >"$log" 2>&1 \
    || { tail -n 20 "$log" >&2; fail "$platform: could not compile OpenSSL"; }
  say "$platform: compiling APR $(version apr.version)"
  (cd apr-*/ && compile_apr "$platform" "$target") >"$log" 2>&1 \
    || { tail -n 20 "$log" >&2; fail "$platform: could not compile APR"; }
  say "$platform: compiling Tomcat Native $(version tomcat-native.version)"
  (cd "tomcat-native-$(version tomcat-native.version)-src/native" && compile_tomcat_native "$platform") >"$log" 2>&1 \
    || { tail -n 20 "$log" >&2; fail "$platform: could not compile Tomcat Native"; }

  sha256sum "$library" | cut -d ' ' -f 1 >"$library.sha256"
  mv "$library" "$library.sha256" "$cache/$platform/"
  stamp >"$cache/$platform/.stamp"
  say "$platform: $(stat -c %s "$cache/$platform/$library") bytes, SHA-256 $(cat "$cache/$platform/$library.sha256")"
  cd "$root"
  rm -rf "$folder"
}

path=$PATH
for platform in "${todo[@]}"; do
  build "$platform"
done
