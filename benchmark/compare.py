#!/usr/bin/env python3
"""Compares settings of the starter, by pairs: what benchmark/DECISIONS.md rests on.

    benchmark/compare.py now= direct="--benchmark.connector.socket.directSslBuffer=true" heap=-Xmx4g

Each NAME=OPTIONS is an application of the benchmark with the starter; the first is what the others are compared with.
Options that begin with -X or -D are the JVM's, the others are Spring Boot's. app=DIR takes the application of another
build, a copy of .cache/benchmark/tomcat-app in which a jar was replaced. A generation starts all of them, warms each
up, and measures them in turn, in short windows that follow each other closely: what disturbs the machine disturbs all.
Their JVMs differ by what they have compiled, so that there are several generations. Prints a table in Markdown.
"""

import argparse
import contextlib
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "benchmark", "report"))

from row import from_h2load  # noqa: E402, in a folder that is on the path only now

CACHE = os.path.join(ROOT, ".cache", "benchmark")
DEFAULTS = {
    "server.address": "127.0.0.1",
    "server.tomcat.max-keep-alive-requests": "-1",
    "server.tomcat.keep-alive-timeout": "120s",
    "server.ssl.openssl.mode": "always",
    "server.ssl.openssl.library": "bundled",
    "server.ssl.enabled-protocols": "TLSv1.3",
    "server.ssl.ciphers": "TLS_AES_128_GCM_SHA256",
    "server.http2.enabled": "true",
    "benchmark.groups": "x25519",
}
H2LOAD = {"h1": "http/1.1", "h2": "h2"}
# Rate per second, and the windows in seconds
RATE, WARM_UP, WINDOW = 500, 8, 5


class Server:
    """One of the applications that are compared."""

    def __init__(self, java, options, folder, port):
        words = options.split()
        properties = dict(DEFAULTS)
        properties["server.port"] = str(port)
        for kind in ("certificate", "certificate-key"):
            properties["server.ssl.%s-file" % kind] = os.path.join(folder, kind)
        for word in words:
            if word.startswith("--"):
                name, _, value = word[2:].partition("=")
                properties[name] = value
        if "server.ssl.openssl.library-path" in properties:
            del properties["server.ssl.openssl.library"]
        application = next((word[len("app="):] for word in words if word.startswith("app=")),
                           os.path.join(CACHE, "tomcat-app"))
        command = [java, "-Xms1g", "-Xmx1g"]
        if int(re.search("[0-9]+", java_version(java)).group()) > 17:
            command += ["--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"]
        command += [word for word in words if word.startswith("-") and not word.startswith("--")]
        command += ["-cp", "%s/app.jar:%s/lib/*" % (application, application),
                    "io.github.tomcatopenssl.benchmark.tomcat.TomcatBenchmarkApplication"]
        command += ["--%s=%s" % item for item in properties.items() if item[1]]
        self.tls = properties.get("server.ssl.enabled") != "false"
        self.url = "%s://localhost:%d" % ("https" if self.tls else "http", port)
        self.certificate = os.path.join(folder, "certificate")
        self.log = os.path.join(folder, "%d.log" % port)
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def await_ready(self):
        end = time.monotonic() + 90
        while self.ask() != "ok":
            if self.process.poll() is not None or time.monotonic() > end:
                with open(self.log, encoding="utf-8") as log:
                    sys.exit("did not start:\n" + log.read()[-2000:])
            time.sleep(0.1)

    def ask(self):
        return subprocess.run(["curl", "-s", "--max-time", "2", "--cacert", self.certificate, self.url + "/hello"],
                              capture_output=True, text=True, check=False).stdout

    def load(self, workload, rate, warm_up, window):
        name, _, size = workload.partition("-")
        if name in H2LOAD:
            return self.h2load(H2LOAD[name], int(size), warm_up + window)
        kind, path, more = {
            "connect": ("connect", "/hello", ["-rate", str(rate), "-group", size or "x25519"]),
            "resumed": ("connect", "/hello", ["-rate", str(rate), "-resume"]),
            "saturated": ("closed", "/hello", ["-close", "-connections", "8"]),
            "echo": ("closed", "/echo", ["-size", size, "-connections", "40"]),
            "get": ("closed", "/bytes/" + size, ["-connections", "160"]),
        }[name]
        command = [os.path.join(CACHE, "load"), kind, "-url", self.url + path, "-ca", self.certificate, "-pids",
                   str(self.process.pid), "-warmup", "%gs" % warm_up, "-duration", "%gs" % window, *more]
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        if run.returncode:
            sys.exit("%s: %s" % (workload, run.stderr))
        measured = json.loads(run.stdout)
        if measured["errors"]:
            sys.exit("%s: %d errors: %s" % (workload, measured["errors"], measured["details"]))
        return measured

    def h2load(self, protocol, size, seconds):
        # As many requests as take about so long on two cores
        count = max(80, int(seconds * 10**8 / (size + 10_000)))
        body, output, log = (os.path.join(os.path.dirname(self.log), name) for name in ("body", "h2load.out", "h2load.log"))
        with open(body, "wb") as file:
            file.write(bytes(size))
        with contextlib.suppress(FileNotFoundError):
            os.remove(log)
        options = ["--npn-list=" + protocol, "--tls13-ciphers=TLS_AES_128_GCM_SHA256", "--groups=X25519"]
        if not self.tls:
            options = ["--h1"] if protocol == "http/1.1" else []
        command = [os.path.join(CACHE, "load"), "run", "-pids", str(self.process.pid), "-duration", "120s", "-output", output,
                   "--", "h2load", *options, "-c", "40", "-m", "1", "-t", "1", "-d", body, "-n", str(count),
                   "--log-file=" + log, self.url + "/echo"]
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=150)
        if run.returncode:
            sys.exit("h2load: " + run.stderr)
        with open(output, encoding="utf-8") as printed, open(log, encoding="utf-8") as lines:
            measured = from_h2load(json.loads(run.stdout), {"bytes": size}, printed.read(), lines.read())
        if measured["errors"]:
            sys.exit("h2load, %s: %d errors" % (protocol, measured["errors"]))
        return measured

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def java_version(java):
    return subprocess.run([java, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]


def make_certificate(folder):
    subprocess.run(["openssl", "req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-keyout",
                    os.path.join(folder, "certificate-key"), "-out", os.path.join(folder, "certificate")],
                   check=True, capture_output=True)


def generation(arguments, settings, results):
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        make_certificate(folder)
        servers = []
        for number, (_, options) in enumerate(settings):
            servers.append(Server(arguments.java, options, folder, arguments.port + number))
            stack.callback(servers[-1].stop)
            servers[-1].await_ready()
        for workload in arguments.workloads:
            # At a fixed rate, a slow machine would not keep up with JVMs that have compiled nothing yet
            warm_up = "saturated" if workload.startswith(("connect", "resumed")) else workload
            for _ in range(2):
                for server in servers:
                    server.load(warm_up, RATE, WARM_UP * arguments.scale, 0.5)
            for number in range(arguments.rounds):
                # No setting is always the first, or always behind the same
                order = list(range(number % len(servers), len(servers))) + list(range(number % len(servers)))
                for i in order if number % 2 else reversed(order):
                    results.setdefault((workload, i), []).append(
                        servers[i].load(workload, RATE, 0.5, WINDOW * arguments.scale))


def figures(values):
    return "%.0f (%.0f-%.0f)" % (statistics.median(values), min(values), max(values))


def table(workload, settings, results):
    """CPU per request of each, and its ratios to the first, each to the window of the same round and generation."""
    print("\n%s\n" % workload)
    print("| setting | CPU us/request | ratio: median | middle half | least-greatest | mean us | p99 us | MB |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    cpu = [[window["cpu_us_per_request"] for window in results[workload, i]] for i in range(len(settings))]
    for i, (name, _) in enumerate(settings):
        ratios = sorted(own / base for own, base in zip(cpu[i], cpu[0]))
        quarter = len(ratios) // 4
        print("| %s | %s | %.2f | %.2f-%.2f | %.2f-%.2f | %s | %s | %.0f |" % (
            name, figures(cpu[i]), statistics.median(ratios), ratios[quarter], ratios[-1 - quarter], ratios[0], ratios[-1],
            *(figures([window["latency_us"][key] for window in results[workload, i]]) for key in ("mean", "p99")),
            statistics.median(window["rss_bytes"] for window in results[workload, i]) / 2**20))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("settings", nargs="+", metavar="NAME=OPTIONS")
    parser.add_argument("--workloads", nargs="+", default=["connect", "echo-1024", "echo-102400", "echo-1048576"],
                        help="connect, connect-GROUP, resumed, saturated, echo-BYTES, get-BYTES; by h2load: h1-BYTES, h2-BYTES")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--generations", type=int, default=2)
    parser.add_argument("--java", default=os.path.join(os.environ["JAVA_HOME"], "bin", "java") if "JAVA_HOME" in os.environ
                        else "java", help="the program")
    parser.add_argument("--port", type=int, default=19000, help="the first of the ports")
    parser.add_argument("--scale", type=float, default=1, help="of all times")
    arguments = parser.parse_args()
    # So that the applications are ended as well
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    settings = [text.partition("=")[::2] for text in arguments.settings]
    subprocess.run([os.path.join(ROOT, "benchmark", "run.sh"), "--set-up"], check=True)
    results = {}
    for _ in range(arguments.generations):
        generation(arguments, settings, results)
    print("`%s`" % " ".join(word if " " not in word else "'%s'" % word for word in ["benchmark/compare.py", *sys.argv[1:]]))
    print("%s; %d windows of each" % (java_version(arguments.java), arguments.rounds * arguments.generations))
    for workload in arguments.workloads:
        table(workload, settings, results)


if __name__ == "__main__":
    main()
