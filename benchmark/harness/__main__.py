"""Measures the contenders and writes results.json, results.md and the charts. benchmark/run.sh installs, builds and calls it.

A set is a list of contenders that run at once. Each of a set is warmed up for a workload until its CPU per request is
level; then all of them are measured in turn, in short windows. Such a turn is a round, which each has twice: on a machine
that is quiet, and beside a neighbour that keeps half a core busy. JVMs differ by what they have
compiled, so sets are started several times, as often as the workload needs.
"""

import argparse
import contextlib
import datetime
import itertools
import os
import platform
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

import count
import names
import report
import starts
import week
from contenders import (CACHE, HEAP, NAMES, ROOT, RSA, SUITE, Contender, Unavailable, java_version, kind_of, make_certificate,
                        make_client)
from workloads import LEVEL_WINDOWS, LEVEL_WITHIN, Workload, is_level, neighbour, warm_up

# Without "starts", each workload has as many as it needs
MODES = {
    "full": {"sets": ["starter,starter-default,jsse,nginx", "starter,netty,haproxy,plain"],
             "workloads": ["new", "new-hybrid", "rate-300", "echo-1024", "kept-8000-20", "json", "echo-102400",
                           "echo-1048576", "cold-200"],
             "rounds": 3, "window": 2, "warm": 3, "most": 12, "cold": 30},
    "reference": {"sets": ["starter,jsse,nginx,netty"],
                  "workloads": ["new", "new-hybrid", "echo-1024", "kept-8000-20", "echo-102400", "echo-1048576", "cold-200"],
                  "rounds": 3, "window": 1.2, "warm": 3, "most": 12, "cold": 30},
    "quick": {"sets": ["starter,jsse"], "workloads": ["new", "echo-1024", "echo-102400"], "starts": 3, "rounds": 3,
              "window": 1, "warm": 2, "most": 10, "cold": 30},
    "smoke": {"sets": ["starter,jsse,nginx", "plain,haproxy,netty"],
              "workloads": ["new", "rate-20", "echo-1024", "kept-200-5", "json"],
              "starts": 1, "rounds": 1, "window": 0.3, "warm": 0.3, "most": 3, "cold": 1},
    "first-request": {"sets": ["starter,starter-names,jsse,jsse-names,plain", "sample,sample-acme,sample-plain"],
                      "workloads": ["new"], "starts": 1, "rounds": 5, "window": 1, "warm": 1, "most": 1},
    "names": {"sets": ["starter"], "workloads": ["new"], "starts": 3, "rounds": 1, "window": 1, "warm": 1, "most": 1},
    "week": {"sets": ["starter"], "workloads": ["new"], "starts": 1, "rounds": 1, "window": 1, "warm": 1, "most": 1},
    "count": {"sets": ["starter,jsse,nginx,netty,plain"], "workloads": ["new", "echo-1024", "echo-102400"], "starts": 1,
              "rounds": 3, "window": 3, "warm": 3, "most": 1},
}
# Of a contender that starts, with the checks of its settings; of a window beside what is measured
START_SECONDS, WINDOW_SECONDS = 5, 0.2
SETTLE_SECONDS = 0.3


def say(text):
    print("benchmark: " + text, file=sys.stderr)


def first_line(*command):
    """The first line that says something; NGINX and Java use standard error."""
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except OSError:
        return "not installed"
    return ((ran.stdout + ran.stderr).strip().splitlines() or ["unknown"])[0].strip()


def match_in(path, pattern):
    with open(path, encoding="utf-8") as file:
        return re.search(pattern, file.read(), re.M)


def libraries():
    """The versions of what the applications consist of."""
    wanted = "tomcat-embed-core|spring-boot|reactor-netty-http|netty-handler|netty-tcnative-classes"
    for application in ("tomcat-app", "netty-app"):
        for name in sorted(os.listdir(os.path.join(CACHE, application, "lib"))):
            match = re.fullmatch(r"(%s)-(\d.*)\.jar" % wanted, name)
            if match:
                yield match.groups()
    for name in ("openssl", "tcnative"):
        match = match_in(os.path.join(ROOT, "natives", "versions.properties"), r"^%s\.version=(.*)$" % name)
        if match:
            yield "bundled " + name, match.group(1)


def header_of(arguments, command):
    model = match_in("/proc/cpuinfo", r"^model name\s*: (.*)$")
    flags = match_in("/proc/cpuinfo", r"^flags\s*:(.*)$")
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "command": command,
        "mode": arguments.mode,
        "machine": {
            "cpu": model.group(1) if model else platform.machine(),
            "avx512": bool(flags) and "avx512f" in flags.group(1).split(),
            "cores": len(os.sched_getaffinity(0)),
            "kernel": platform.release(),
            "load_average_at_start": os.getloadavg()[0],
        },
        "versions": {
            "java": java_version(arguments.java),
            "system": platform.freedesktop_os_release()["PRETTY_NAME"],
            "openssl of the system": first_line("openssl", "version"),
            "nginx": first_line("nginx", "-v"),
            "haproxy": first_line("haproxy", "-v"),
            "go": first_line("go", "version"),
            **dict(libraries()),
        },
        "jvm_options": " ".join(HEAP),
        "tls": "TLS 1.3, %s, ECDSA P-256, X25519 unless the workload says otherwise, two tickets" % SUITE,
        "rounds": arguments.rounds, "window_seconds": arguments.window,
        "level": "%d windows of %g s within %d %%" % (LEVEL_WINDOWS, arguments.warm, LEVEL_WITHIN * 100),
    }


def parts(arguments):
    """The workloads that have the same starts, in the order in which they run: how many starts, and the workloads."""
    workloads = [Workload(name) for name in arguments.workloads]
    needs = lambda workload: (workload.certificates, arguments.starts or workload.starts, workload.kind != "cold")
    return [(starts, list(those)) for (_, starts, _), those in itertools.groupby(sorted(workloads, key=needs), needs)]


def most(arguments, workload):
    """The windows of a warm-up at most. What takes more than a request, a connection, needs more of them."""
    return arguments.most if workload.connects else -(-arguments.most // 2)


def minutes_at_most(arguments):
    """How long a run takes if no contender is level before its last window."""
    seconds = 0
    for starts, workloads in parts(arguments):
        for names in arguments.sets:
            contenders = [name for name in map(kind_of, names.split(",")) if any(w.applies_to(name) for w in workloads)]
            if workloads[0].kind == "cold":
                seconds += starts * len(workloads) * len(contenders) * (START_SECONDS + arguments.cold + WINDOW_SECONDS)
                continue
            seconds += starts * len(contenders) * START_SECONDS
            warm = set()
            for workload in workloads:
                windows = 0 if workload.warming().name in warm else most(arguments, workload) * (arguments.warm + WINDOW_SECONDS)
                warm.add(workload.warming().name)
                windows += 2 * arguments.rounds * (
                    arguments.window + SETTLE_SECONDS + WINDOW_SECONDS)
                seconds += starts * windows * sum(map(workload.applies_to, contenders))
    return round(seconds / 60)


def row_of(measured, **more):
    latency = measured["latency_us"]
    # Those that take next to nothing of a request are left out
    threads = {kind: {name: round(value, 3) for name, value in use.items()}
               for kind, use in sorted(measured["details"].get("threads", {}).items()) if use["cpu_us"] >= 0.1}
    return {**more, "requests": measured["requests"], "cpu_us": round(measured["cpu_us_per_request"], 1),
            **{name + "_us": round(latency[name]) for name in ("p50", "p99", "p999") if name in latency},
            **({"threads": threads} if threads else {}),
            "rss_mb": measured["rss_bytes"] >> 20, "compiler_share": round(measured["details"].get("compiler_cpu_share", 0), 3)}


class Run:
    """A run with its results."""

    def __init__(self, arguments, certificates):
        """The certificates are those that workloads want contenders to have, each with the clients' if they need one."""
        self.arguments = arguments
        self.certificates = certificates
        self.variants = dict(variant.partition("=")[::2] for variant in arguments.variant)
        self.rows, self.warm, self.not_run = [], [], []

    def contender(self, name, number, certificates=""):
        certificate, client = self.certificates[certificates]
        return Contender(name, self.arguments.java, *certificate, self.arguments.port + 2 * number,
                         self.variants.get(name, ""), client)

    def run(self):
        for starts, workloads in parts(self.arguments):
            for start in range(1, starts + 1):
                for names in self.arguments.sets:
                    if workloads[0].kind == "cold":
                        for workload in workloads:
                            self.cold(start, names.split(","), workload)
                    else:
                        self.steady(start, names.split(","), workloads)

    def cold(self, start, names, workload):
        """Each contender alone, from its start on."""
        for name in names:
            # A set has the starter to compare with
            if not any(row["workload"] == workload.name and row["contender"] == name and row["start"] == start
                       for row in self.rows) and workload.applies_to(name):
                say("start %d: %s, %s" % (start, workload.title, name))
                try:
                    with self.contender(name, 0) as contender:
                        self.measure(contender, workload, self.arguments.cold, 0, set="cold", busy=False, start=start, round=1,
                                     seconds_to_start=round(contender.seconds_to_start, 2))
                except Unavailable as reason:
                    self.leave_out(name, workload.name, reason)

    def steady(self, start, names, workloads):
        with contextlib.ExitStack() as stack:
            contenders, warm_ups = [], {}
            for number, name in enumerate(names):
                if not any(workload.applies_to(kind_of(name)) for workload in workloads):
                    continue
                try:
                    contenders.append(stack.enter_context(self.contender(name, number, workloads[0].certificates)))
                except Unavailable as reason:
                    self.leave_out(name, "everything", reason)
            for workload in workloads:
                if len(contenders) > 1 and sum(workload.applies_to(contender.kind) for contender in contenders) == 1:
                    continue
                say("start %d: %s, %s" % (start, workload.title, ", ".join(names)))
                warm = [contender for contender in contenders
                        if self.warm_up(contender, workload, start, ",".join(names), warm_ups)]
                for number in range(1, self.arguments.rounds + 1):
                    # Nobody is always the first, or always behind the same
                    turn = warm[number % max(len(warm), 1):] + warm[:number % max(len(warm), 1)]
                    for busy in (False, True) if number % 2 else (True, False):
                        with neighbour(busy):
                            for contender in turn if number % 2 else reversed(turn):
                                self.measure(contender, workload, self.arguments.window, SETTLE_SECONDS, set=",".join(names),
                                             busy=busy, start=start, round=number)

    def warm_up(self, contender, workload, start, names, done):
        """Whether the contender can be measured. One that has had the same work to warm up gets no more of it."""
        if not workload.applies_to(contender.kind):
            return False
        try:
            key = contender.name, workload.warming().name
            if key not in done:
                done[key] = warm_up(contender, workload, self.arguments.warm, most(self.arguments, workload))
            values, requests = done[key]
        except Unavailable as reason:
            self.leave_out(contender.name, workload.name, reason)
            return False
        self.warm.append({"contender": contender.name, "workload": workload.name, "set": names, "start": start,
                          "level": is_level(values), "requests": requests, "cpu_us": [round(value, 1) for value in values]})
        return True

    def measure(self, contender, workload, seconds, settle, **more):
        try:
            measured = workload.measure(contender, seconds, settle)
            if not measured["requests"]:
                raise Unavailable("no request was answered within a window")
            self.rows.append(row_of(measured, contender=contender.name, workload=workload.name, **more))
        except Unavailable as reason:
            self.leave_out(contender.name, workload.name, reason)

    def leave_out(self, name, workload, reason):
        say("%s, %s: not measured: %s" % (name, workload, reason))
        self.not_run.append({"contender": name, "workload": workload, "reason": str(reason)})


def parse(words):
    parser = argparse.ArgumentParser(prog="benchmark/run.sh", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for mode in MODES:
        if mode != "full":
            parser.add_argument("--" + mode, dest="mode", action="store_const", const=mode, default="full")
    parser.add_argument("--sets", nargs="+", metavar="NAME,NAME",
                        help="the contenders that run at once, the first is what the others are compared with: "
                             + ", ".join(NAMES) + "; and with --first-request: " + ", ".join(starts.NAMES))
    parser.add_argument("--variant", action="append", default=[], metavar="NAME=OPTIONS",
                        help="a contender that is the starter with more options: of Spring Boot, of the JVM (-X, -D), or "
                             "app=DIR for the application of another build")
    parser.add_argument("--workloads", nargs="+", help=Workload.__doc__)
    parser.add_argument("--starts", type=int, help="of each contender; unless set, as many as the workload needs")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--window", type=float, help="seconds of a window")
    parser.add_argument("--most", type=int, help="windows of a warm-up at most; half as many for requests over open connections")
    parser.add_argument("--minutes", type=float, default=60, help="of a week")
    parser.add_argument("--java", metavar="HOME", default=os.environ.get("JAVA_HOME"), help="the JDK, JAVA_HOME unless set")
    parser.add_argument("--port", type=int, default=18443, help="the first port")
    parser.add_argument("--results", default=os.path.join(ROOT, "benchmark", "results"), metavar="DIR")
    arguments = parser.parse_args(words)
    for name, value in MODES[arguments.mode].items():
        if getattr(arguments, name, None) is None:
            setattr(arguments, name, value)
    arguments.java = os.path.join(arguments.java, "bin", "java") if arguments.java else "java"
    known = set(starts.NAMES) if arguments.mode == "first-request" else {
        *NAMES, *(variant.partition("=")[0] for variant in arguments.variant)}
    unknown = {name for names in arguments.sets for name in names.split(",")} - known
    if unknown:
        parser.error("no contender '%s'; the contenders are: %s" % (unknown.pop(), ", ".join(known)))
    for name in arguments.workloads:
        Workload(name)
    return arguments


def main(words):
    arguments = parse(words)
    if arguments.mode not in ("count", "names", "first-request", "week"):
        say("takes at most %d min" % minutes_at_most(arguments))
    # So that the contenders are ended as well
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    start = time.monotonic()
    header = header_of(arguments, shlex.join(["benchmark/run.sh", *words]))
    if arguments.mode in ("names", "first-request"):
        with tempfile.TemporaryDirectory() as folder:
            {"names": names, "first-request": starts}[arguments.mode].run(arguments, make_certificate(folder), say)
        return
    if arguments.mode == "week":
        print("%s: %s\n" % (header["date"][:10], ", ".join([header["machine"]["cpu"], *map(" ".join, header["versions"].items())])))
        week.run(arguments, say)
        return
    if arguments.mode == "count":
        print("%s: %s\n" % (header["date"][:10], ", ".join(map(" ".join, header["versions"].items()))))
        with tempfile.TemporaryDirectory() as folder:
            count.run(arguments, make_certificate(folder), say)
        return
    with tempfile.TemporaryDirectory() as folder:
        # NGINX reads the certificate as root, HAProxy too
        certificate = make_certificate(folder)
        run = Run(arguments, {"": (certificate, None), "mtls": (certificate, make_client(folder)),
                              "rsa": (make_certificate(folder, "rsa", key=RSA), None)})
        try:
            run.run()
        except BaseException as reason:
            run.leave_out("all", "the rest of the run", repr(reason))
            raise
        finally:
            # Also what was measured before the run ended with an error, or was ended
            if run.rows:
                header["minutes"] = round((time.monotonic() - start) / 60)
                header["load_average_at_end"] = os.getloadavg()[0]
                data = {"header": header, "warm_up": run.warm, "not_run": run.not_run, "rows": run.rows}
                report.write(data, arguments.results)
                say("wrote %s after %d min" % (arguments.results, header["minutes"]))
    if not run.rows:
        raise SystemExit("benchmark: nothing was measured")
    if arguments.mode == "quick":
        print(report.verdict(report.Results(data)))


if __name__ == "__main__":
    main(sys.argv[1:])
