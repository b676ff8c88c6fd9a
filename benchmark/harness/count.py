"""Counts what a server does for one request: counts are steady where times are not.

Requests come one after the other (load/sequence.go). A count is the difference between a load of 2 N requests and one of N,
divided by N: what a start, a timer or the counting itself adds is the same in both. Calls of malloc and native calls are
counted inside of the processes (count/counters.c), system calls by strace, what is allocated on the heap and context
switches by the JVM and the kernel. C2 is off: it leaves allocations out, the more the warmer the JVM is.
"""

import collections
import os
import re
import statistics
import struct
import subprocess

from contenders import CACHE, ROOT, Contender, Unavailable
from report import label, number, table
from workloads import Workload, run_load

REQUESTS = 100
PAUSE = "3ms"
WARM_UP_SECONDS = 4
OPTIONS = ["-XX:TieredStopAtLevel=1", "-XX:-UseDynamicNumberOfCompilerThreads", "-XX:+UseSerialGC"]
EXPECTED = os.path.join(ROOT, "benchmark", "counts.txt")
# What the tables show, and what a count may be that the file does not have
SHOWN, NEW = 0.1, 0.3
COUNTERS = os.path.join(CACHE, "counters.so")

# Threads that work whether or not there are requests, by their names as the kernel shortens them
BACKGROUND = ("C1 CompilerThre", "VM Thread", "VM Periodic Tas", "Service Thread", "Monitor Deflati", "Common-Cleaner",
              "Catalina-utilit", "certificate-rel")
TLS_LIBRARIES = ("Lorg/apache/tomcat/jni/", "Lio/netty/internal/tcnative/")

# As in counters.c
THREADS, THREAD = 1024, struct.Struct("QQ")
METHODS, METHOD = 2048, struct.Struct("120sQ")


def build(java):
    said = subprocess.run([java, "-XshowSettings:properties", "-version"], capture_output=True, text=True, check=True).stderr
    include = os.path.join(re.search(r"java\.home = (.*)", said).group(1), "include")
    subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-I" + include, "-I" + include + "/linux",
                    "-o", COUNTERS, os.path.join(ROOT, "benchmark", "count", "counters.c")], check=True)


class CountedContender(Contender):
    """A contender whose processes count."""

    def _launch(self, command, environment=None):
        if command[0] == self.java:
            command = [self.java, *OPTIONS, "-agentpath:" + COUNTERS, *command[1:]]
        super()._launch(command, {**os.environ, "LD_PRELOAD": COUNTERS, "COUNTERS": self._counters(len(self.processes))})

    def _counters(self, process):
        return os.path.join(self.folder, "counters-%d" % process)

    def all_pids(self):
        """The processes and their descendants."""
        found, left = [], [process.pid for process in self.processes]
        while left:
            found.append(left.pop())
            for children in read_tasks([found[-1]], "children").values():
                left += map(int, children.split())
        return found

    def counters(self):
        """What all processes have counted since they were started."""
        counts = collections.Counter()
        names = thread_names(self.all_pids())
        for process in range(len(self.processes)):
            with open(self._counters(process), "rb") as file:
                counters = file.read()
            methods = THREADS * THREAD.size
            for thread, calls in THREAD.iter_unpack(counters[:methods]):
                if serves(names.get(thread)):
                    counts["malloc"] += calls
            for name, calls in METHOD.iter_unpack(counters[methods:]):
                name = name.rstrip(b"\0").decode()
                if name.startswith(TLS_LIBRARIES):
                    counts["native:" + name.rpartition("/")[2].replace(";", ".")] += calls
        for thread, status in read_tasks(self.all_pids(), "status").items():
            if serves(names.get(thread)):
                counts["context-switches"] += sum(map(int, re.findall(r"voluntary_ctxt_switches:\s*(\d+)", status)))
        counts["heap-bytes"] = self._allocated()
        return counts

    def _allocated(self):
        url = self.url if self.kind != "nginx" else "http://localhost:%d" % (self.port + 1)
        said = subprocess.run(["curl", "-sS", "--http1.1", "--cacert", self.certificate, url + "/allocated"],
                              capture_output=True, text=True, check=True).stdout
        return sum(int(size) for size, name in (line.split(" ", 1) for line in said.splitlines()) if serves(name[:15]))


def read_tasks(pids, file):
    """The content of a file below /proc/PID/task/TID, by the thread's id."""
    found = {}
    for pid in pids:
        for thread in os.listdir("/proc/%d/task" % pid):
            try:
                with open("/proc/%d/task/%s/%s" % (pid, thread, file), encoding="utf-8") as content:
                    found[int(thread)] = content.read()
            except OSError:
                # Has ended meanwhile
                continue
    return found


def thread_names(pids):
    return {thread: name.strip() for thread, name in read_tasks(pids, "comm").items()}


def serves(name):
    return name is not None and not name.startswith(BACKGROUND)


def load(contender, workload, requests):
    options = ["-close", "-url", contender.url + "/hello"] if workload.kind == "new" else [
        "-size", workload.number, "-url", contender.url + "/echo"]
    group = "x25519mlkem768" if workload.number == "hybrid" else "x25519"
    run_load(contender, ["sequence", "-requests", str(requests), "-pause", PAUSE, "-group", group, *options])


def traced(contender, workload, requests):
    """Counts the system calls of a load, and how often a thread wakes another one of its process: from a futex or a selector."""
    pids = contender.all_pids()
    output = os.path.join(contender.folder, "strace")
    attach = [word for pid in pids for word in ("-p", str(pid))]
    with subprocess.Popen(["strace", "-f", "-y", "-s", "8", "-o", output, *attach], stderr=subprocess.PIPE, text=True) as strace:
        try:
            for _ in pids:
                if "attached" not in (said := strace.stderr.readline()):
                    raise Unavailable(said.strip() or "strace does not start")
            load(contender, workload, requests)
        finally:
            strace.terminate()
            strace.communicate()
    with open(output, encoding="utf-8", errors="replace") as lines:
        return count_calls(lines, thread_names(pids))


def count_calls(lines, names):
    counts, unfinished = collections.Counter(), {}
    for line in lines:
        thread, _, call = line.strip().partition(" ")
        call = call.strip()
        if not serves(names.get(int(thread))):
            continue
        if match := re.match(r"(\w+)\((?:\d+<anon_inode:\[(eventfd)\])?", call):
            counts[":".join(["call", *filter(None, match.groups())])] += 1
        if call.endswith("<unfinished ...>"):
            unfinished[thread] = call
        else:
            if call.startswith("<... "):
                call = unfinished.pop(thread, "") + call
            counts["hand-overs"] += bool(re.match(r"futex\(.*FUTEX_WAKE.* = [1-9]|write\(\d+<anon_inode:\[eventfd\]>", call))
    return counts


def count(contender, workload, rounds):
    """What a request takes, in each round."""
    workload.measure(contender, WARM_UP_SECONDS, 0)
    load(contender, workload, REQUESTS)
    counted = []
    for _ in range(rounds):
        snapshots = [contender.counters()]
        for requests in (REQUESTS, 2 * REQUESTS):
            load(contender, workload, requests)
            snapshots.append(contender.counters())
        first, second = (collections.Counter(after) for after in snapshots[1:])
        first.subtract(snapshots[0])
        second.subtract(snapshots[1])
        first.update(traced(contender, workload, REQUESTS))
        second.update(traced(contender, workload, 2 * REQUESTS))
        second.subtract(first)
        counted.append({name: value / REQUESTS for name, value in second.items()})
    return counted


KINDS = {"call": "", "context-switches": "context switches", "hand-overs": "hand-overs between threads",
         "heap-bytes": "bytes on the heap", "malloc": "calls of `malloc`", "native": "native calls of the TLS library"}


def kind(name):
    return name.partition(":")[0]


def order(name):
    return list(KINDS).index(kind(name)), name


def medians(rounds):
    """The middle of the rounds for whatever was counted."""
    names = sorted({name for one in rounds for name in one}, key=order)
    return {name: statistics.median(one.get(name, 0) for one in rounds) for name in names}


def table_of(contenders):
    """A workload's counts: the median of the rounds, with their range if they differ. Native calls are added up."""
    def added_up(one):
        return {**{name: value for name, value in one.items() if kind(name) != "native"},
                "native": sum(value for name, value in one.items() if kind(name) == "native")}

    counted = [list(map(added_up, rounds)) for rounds in contenders.values()]
    names = sorted({name for rounds in counted for name, value in medians(rounds).items() if value >= SHOWN}, key=order)
    return table(["", *map(label, contenders)],
                 [[words(name), *(cell([one.get(name, 0) for one in rounds]) for rounds in counted)]
                  for name in names])


def words(name):
    """What the tables call it."""
    _, call, *of = (name + ":").split(":")
    return KINDS[kind(name)] or "`%s`%s" % (call, ", %s" % of[0] if of[0] else "")


def heading(workload):
    return "**%s**" % (workload.title[0].upper() + workload.title[1:])


def cell(values):
    middle, least, greatest = statistics.median(values), min(values), max(values)
    shown = [number(round(value, 1)) for value in (middle, least, greatest)]
    if middle < SHOWN:
        return ""
    return shown[0] if greatest - least <= max(0.2, 0.02 * middle) else "%s (%s to %s)" % tuple(shown)


def read_expected(path):
    """A file of counts: for a workload and a name, the count, and by how much it may grow, or None if it is not checked."""
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file if not line.startswith("#")]
    return {(workload, name): (float(count), None if allowance == "-" else float(allowance))
            for workload, name, count, allowance in lines}


def compare(expected, counted):
    """What is beyond the allowance, more first, and what the file would be with what was counted."""
    more, less, lines = [], [], []
    names = {(workload, name): value for workload, rounds in counted.items() for name, value in medians(rounds).items()}
    missing = [key for key in expected if key[0] in counted and key not in names]
    for (workload, name), value in {**names, **dict.fromkeys(missing, 0)}.items():
        before, allowance = expected.get((workload, name), (0, NEW))
        if (workload, name) in expected and value >= SHOWN or value > NEW:
            lines.append("%-11s %-36s %6g %s" % (workload, name, round(value, 1), "-" if allowance is None else "%g" % allowance))
        if allowance is not None and abs(value - before) > allowance:
            (more if value > before else less).append("%s, %s: %.2f instead of %g, with an allowance of %g"
                                                      % (workload, name, value, before, allowance))
    return more, less, lines


def run(arguments, certificate, say):
    workloads = [Workload(name) for name in arguments.workloads]
    if any(workload.kind not in ("new", "echo") for workload in workloads):
        raise SystemExit("benchmark: only new, new-hybrid and echo-BYTES are counted")
    build(arguments.java)
    counted = collections.defaultdict(dict)
    variants = dict(variant.partition("=")[::2] for variant in arguments.variant)
    for name in arguments.sets[0].split(","):
        say("counting: %s" % name)
        with CountedContender(name, arguments.java, *certificate, arguments.port, variants.get(name, "")) as contender:
            for workload in filter(lambda workload: workload.applies_to(contender.kind), workloads):
                counted[workload][name] = count(contender, workload, arguments.rounds)
    for workload, contenders in counted.items():
        print("%s\n\n%s" % (heading(workload), table_of(contenders)))
    check({workload.name: contenders["starter"] for workload, contenders in counted.items() if "starter" in contenders},
          arguments.results, say)


def check(counted, folder, say):
    """Ends with an error if the starter's counts are beyond those of the file."""
    more, less, lines = compare(read_expected(EXPECTED), counted)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "counts.txt"), "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)
    for line in less:
        say("less than expected: " + line)
    for line in more:
        say("more than expected: " + line)
    if more:
        raise SystemExit("benchmark: counts have grown. If that has a reason, take over lines of %s into %s"
                         % (file.name, EXPECTED))
