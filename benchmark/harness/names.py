"""What many names cost: the starter, NGINX, HAProxy and Caddy with one certificate and with thousands."""

import glob
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time

from contenders import Contender, Unavailable
from workloads import LOAD, Workload, run_load, warm_up

ROUNDS, WINDOW = 5, 2
IDLE_SECONDS = 60


def cpu_seconds(pid):
    """The CPU time of a process so far."""
    with open("/proc/%d/stat" % pid, encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rss_kb(pid):
    with open("/proc/%d/status" % pid, encoding="utf-8") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))


def jcmd(java, pid, command):
    return subprocess.run([os.path.join(os.path.dirname(java), "jcmd"), str(pid), command], capture_output=True, text=True,
                          check=True).stdout


def heap_kb(java, pid):
    """The objects in use on the heap, after a full collection."""
    return int(re.search(r"^Total\s+\d+\s+(\d+)", jcmd(java, pid, "GC.class_histogram"), re.M).group(1)) >> 10


class Server(Contender):
    """A contender with a folder of certificates besides its own."""

    def __init__(self, name, java, certificate, port, names):
        self.names = names
        options = "--server.ssl.certificate-directory=%s/certificates" % names if names and name == "starter" else ""
        super().__init__(name, java, *certificate, port, options)

    def _launch_all(self):
        if self.name != "caddy":
            super()._launch_all()
        elif shutil.which("caddy"):
            self._launch(["caddy", "run", "--config", self._configured("caddy.json")])
        else:
            raise Unavailable("caddy is not installed")

    def _check_settings(self):
        # Go chooses the suites of TLS 1.3 itself
        if self.name != "caddy":
            super()._check_settings()

    def _configured(self, name):
        file = super()._configured(name)
        if not self.names:
            return file
        pems = sorted(glob.glob(os.path.join(self.names, "certificates", "*.pem")))
        with open(file, encoding="utf-8") as old:
            text = old.read()
        if name == "caddy.json":
            text = text.replace('"load_folders": []', '"load_folders": ["%s/certificates"]' % self.names)
        elif name == "haproxy.cfg":
            text = text.replace("haproxy.pem", "haproxy.pem crt %s/certificates/" % self.names)
        else:
            server = text[text.index("  server {"):text.rindex("}")].replace(" backlog=4096", "")
            more = "".join(re.sub(r"(ssl_certificate(_key)?) \S+;", r"\1 %s;" % pem, server).replace(
                "server_name localhost", "server_name " + os.path.basename(pem)[:-len(".pem")]) for pem in pems)
            text = text[:text.rindex("}")] + more + "  server_names_hash_max_size 65536;\n}\n"
        with open(file, "w", encoding="utf-8") as new:
            new.write(text)
        return file

    @property
    def terminates(self):
        """The process that ends TLS, which is the last one; NGINX's has descendants."""
        return self.processes[-1].pid


def make_names(folder, count, key):
    subprocess.run([LOAD, "certificates", "-names", str(count), "-group", key, "-output", folder], check=True)
    return folder


def start_of(server):
    return {"start_cpu_s": round(cpu_seconds(server.terminates), 2), "start_s": round(server.seconds_to_start, 2),
            "rss_mb": rss_kb(server.terminates) >> 10}


def measure(server, names, folder, seconds):
    """The CPU of a new connection in us: for the name of the certificate of all servers, or for random names."""
    options = ["-names", str(names)] if names else []
    server.certificate, before = (os.path.join(folder, "ca.crt") if names else server.certificate), server.certificate
    try:
        measured = run_load(server, ["closed", "-close", "-connections", "8", "-url", server.url + "/hello", *options,
                                     "-warmup", "0.3s", "-duration", "%gs" % seconds])
    finally:
        server.certificate = before
    return measured["cpu_us_per_request"]


def run(arguments, certificate, say):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for count, key in ((10_000, "ec"), (1_000, "rsa")):
            names = make_names(os.path.join(folder, key), count, key)
            os.chmod(folder, 0o711)
            for name in ("starter", "nginx", "haproxy", "caddy"):
                for start in range(arguments.starts):
                    for with_names in (None, names):
                        say("%s, %s %s names, start %d" % (name, count if with_names else 1, key, start + 1))
                        try:
                            with Server(name, arguments.java, certificate, arguments.port, with_names) as server:
                                row = {"contender": name, "keys": key, "names": count if with_names else 1, **start_of(server)}
                                if name == "starter":
                                    row["heap_kb"] = heap_kb(server.java, server.terminates)
                                rows.append(row)
                        except Unavailable as reason:
                            say("%s: not measured: %s" % (name, reason))
        rows += connections(arguments, certificate, os.path.join(folder, "ec"), say)
    report(rows)


def connections(arguments, certificate, folder, say):
    """New connections in turn, of a server with one name and one with ten thousand; and what it takes when idle."""
    rows = []
    for start in range(arguments.starts):
        say("new connections, start %d" % (start + 1))
        with Server("starter", arguments.java, certificate, arguments.port, None) as one, \
                Server("starter", arguments.java, certificate, arguments.port + 10, folder) as many:
            for server in (one, many):
                warm_up(server, Workload("new"), 2, 10)
            first = measure(many, 10_000, folder, WINDOW)
            windows = [(measure(one, 0, folder, WINDOW), measure(many, 0, folder, WINDOW), measure(many, 500, folder, WINDOW),
                        measure(many, 10_000, folder, WINDOW)) for _ in range(ROUNDS)]
            medians = [statistics.median(values) for values in zip(*windows)]
            # Trial handshakes go on for some minutes
            before, quiet = cpu_seconds(many.terminates), None
            for _ in range(10):
                time.sleep(IDLE_SECONDS)
                after = cpu_seconds(many.terminates)
                quiet, before = (after - before) / IDLE_SECONDS, after
                if quiet < 0.01:
                    break
            base = cpu_seconds(one.terminates)
            time.sleep(IDLE_SECONDS)
            idle_one = (cpu_seconds(one.terminates) - base) / IDLE_SECONDS
            rows.append({"contender": "starter", "connections": {
                "one name": 1, "10,000 names, its own": round(medians[1] / medians[0], 3),
                "500 at random": round(medians[2] / medians[0], 3), "10,000 at random": round(medians[3] / medians[0], 3),
                "10,000 at random, first": round(first / medians[0], 3), "us": round(medians[0])},
                "idle_percent": round(100 * quiet, 2), "idle_percent_of_one": round(100 * idle_one, 2),
                "rss_mb_after": rss_kb(many.terminates) >> 10, "rss_mb_after_of_one": rss_kb(one.terminates) >> 10})
    return rows


def report(rows):
    for row in rows:
        print("; ".join("%s: %s" % item for item in row.items()))
