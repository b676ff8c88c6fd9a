"""The workloads: how each is put on a contender, and when a contender counts as warm."""

import collections
import contextlib
import json
import os
import re
import subprocess
import tempfile

from contenders import CACHE, SUITE, Unavailable

# Three windows in a row within 5 %
LEVEL_WINDOWS, LEVEL_WITHIN = 3, 0.05

# Of /json, which is the same in both applications
JSON_BYTES = 2044

LOAD = os.path.join(CACHE, "load")


class Workload:
    """What clients do, by its name.

    new, new-hybrid     new connections with a full handshake, 8 at a time, as many as the server can make
    rate-N              N new connections per second
    resumed-N           the same, with resumed sessions
    mtls, rsa           as new, with certificates of the clients, or with an RSA certificate of 2048 bits of the server
    echo-BYTES          a POST whose body comes back, over 40 open connections
    json                a GET with ten headers that is answered with JSON of 2 KB and ten headers, over 40 open connections
    kept-RATE-N         RATE echoes of 1 KB per second, over N open connections
    h1-BYTES            the echo by h2load, over HTTP/1.1
    h2-BYTES[-STREAMS]  the same over HTTP/2, with a number of streams at once in each connection
    cold-N              N new connections per second, in the first 30 seconds after a start
    """

    def __init__(self, name):
        self.name = name
        names = r"new(-hybrid)?|mtls|rsa|json|(rate|resumed|echo|h1|cold)-N|h2-N(-N)?|kept-N-N"
        if not re.fullmatch(names.replace("N", r"[1-9]\d*"), name):
            raise SystemExit("no workload '%s'. The workloads are:\n%s" % (name, self.__doc__.split("\n", 1)[1]))
        self.kind, self.number, self.second = (name + "--").split("-")[:3]

    @property
    def certificates(self):
        """The certificates that contenders are started with, if not those of all others."""
        return self.kind if self.kind in ("mtls", "rsa") else ""

    @property
    def connects(self):
        """Whether each request has a connection of its own."""
        return self.kind in ("new", "rate", "resumed", "mtls", "rsa", "cold")

    @property
    def starts(self):
        """How many starts its figure needs. Small bodies differ by what two starts of a JVM differ by."""
        return 8 if not self.connects and (self.kind == "json" or int(self.number) <= 16 * 1024) else 3

    @property
    def title(self):
        number = 0 if self.number in ("", "hybrid") else int(self.number)
        size = "%d MB" % (number >> 20) if number >= 1 << 20 else "%d KB" % (number >> 10) if number >= 1024 else "%d B" % number
        return {
            "new": "new connection, X25519MLKEM768" if self.number else "new connection",
            "rate": "new connection, %d a second" % number,
            "resumed": "resumed connection, %d a second" % number,
            "mtls": "new connection, client certificate",
            "rsa": "new connection, RSA-2048",
            "echo": "echo " + size,
            "json": "JSON of 2 KB",
            "kept": "echo 1 KB, {:,} a second over {} connections".format(number, self.second),
            "h1": "echo %s, HTTP/1.1, h2load" % size,
            "h2": "echo %s, HTTP/2%s, h2load" % (size, ", %s streams" % self.second if self.second else ""),
            "cold": "first 30 s after a start, %d new connections a second" % number,
        }[self.kind]

    def applies_to(self, kind):
        """Whether a contender of this kind can have it: some have no TLS, and the others no hybrid group."""
        return not (kind == "plain" and self.kind in ("resumed", "h2", "mtls", "rsa") or self.number == "hybrid"
                    and not kind.startswith(("starter", "jsse")))

    def warming(self):
        """The workload that warms a server up for this one. A slow machine would not keep up with a rate."""
        return Workload({"rate": "new", "kept": "echo-1024"}.get(self.kind, self.name))

    def measure(self, contender, seconds, settle=0.3):
        """Measures a window, after a time in which the connections are opened. Ends the run if there was an error."""
        if self.kind in ("h1", "h2"):
            return self._h2load(contender, seconds)
        path, options = {
            **dict.fromkeys(("new", "mtls", "rsa"), ("/hello", ["closed", "-close", "-connections", "8"])),
            "rate": ("/hello", ["connect", "-rate", self.number]),
            "resumed": ("/hello", ["connect", "-resume", "-rate", self.number]),
            "cold": ("/hello", ["connect", "-rate", self.number]),
            "echo": ("/echo", ["closed", "-connections", "40", "-size", self.number]),
            "json": ("/json", ["closed", "-connections", "40", "-headers", "-response", str(JSON_BYTES)]),
            "kept": ("/echo", ["kept", "-rate", self.number, "-connections", self.second, "-size", "1024"]),
        }[self.kind]
        group = "x25519mlkem768" if self.number == "hybrid" else "x25519"
        measured = run_load(contender, [*options, "-url", contender.url + path, "-group", group, "-warmup", "%gs" % settle,
                                        "-duration", "%gs" % seconds])
        if "threads" in measured["details"]:
            measured["details"]["threads"] = by_kind(measured["details"]["threads"], contender.thread_names())
        return measured

    def _h2load(self, contender, seconds):
        """As many requests as take about so long on two cores; h2load has no time limit that it reports on."""
        size = int(self.number)
        protocol = {"h1": "http/1.1", "h2": "h2"}[self.kind]
        options = ["--h1"] if contender.kind == "plain" else [
            "--npn-list=" + protocol, "--tls13-ciphers=" + SUITE, "--groups=X25519"]
        with tempfile.TemporaryDirectory() as folder:
            body, output, log = (os.path.join(folder, name) for name in ("body", "output", "log"))
            with open(body, "wb") as file:
                file.write(bytes(size))
            count = max(80, int(seconds * 1e8 / (size + 10_000)))
            measured = run_load(contender, ["run", "-duration", "120s", "-output", output, "--", "h2load", *options, "-c", "40",
                                            "-m", self.second or "1", "-t", "1", "-d", body, "-n", str(count),
                                            "--log-file=" + log, contender.url + "/echo"])
            with open(output, encoding="utf-8") as printed, open(log, encoding="utf-8") as lines:
                return from_h2load(measured, size, printed.read(), lines.read())


@contextlib.contextmanager
def neighbour(busy):
    """Another process keeps half a core busy meanwhile, or none."""
    if not busy:
        yield
        return
    # The end of its input ends it
    with subprocess.Popen([LOAD, "neighbour"], stdin=subprocess.PIPE):
        yield


def run_load(contender, arguments):
    # The options come before the command of "run"
    client = ["-cert", contender.client.certificate, "-key", contender.client.key] if contender.client else []
    command = [LOAD, arguments[0], "-ca", contender.certificate, *client, "-pids", contender.pids, *arguments[1:]]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=180)
    if ran.returncode:
        raise Unavailable(ran.stderr.strip().removeprefix("load: "))
    measured = json.loads(ran.stdout)
    if measured["errors"]:
        raise Unavailable("%d errors: %s" % (measured["errors"], measured["details"].get("failures")))
    return measured


def from_h2load(measured, size, output, log):
    """h2load's log has a line for each request: start, status, microseconds.

    Over HTTP/1.1 the status is 0 for Tomcat's "HTTP/1.1 200 ", which has no reason phrase. Such responses count as
    served if all that was sent has come back.
    """
    responses = [line.split("\t") for line in log.splitlines() if line.strip()]
    data, broken = re.search(r"\((\d+)\) data", output), re.search(r"(\d+) errored, (\d+) timeout", output)
    whole = (data and broken and broken.groups() == ("0", "0") and int(data.group(1)) == len(responses) * size)
    if not responses or not whole or any(status not in ("200", "0") for _, status, _ in responses):
        statuses = collections.Counter(status for _, status, _ in responses)
        raise Unavailable("h2load: not all that was sent has come back: %s; statuses: %s" % (
            data and data.group(), ", ".join(map("%s %d times".__mod__, statuses.items()))))
    micros = sorted(int(response[2]) for response in responses)
    rank = lambda percent: micros[max(0, -(-percent * len(micros) // 100) - 1)]
    return {**measured, "requests": len(micros), "cpu_us_per_request": measured["details"]["cpu_us"] / len(micros),
            "latency_us": {"mean": sum(micros) / len(micros), "p50": rank(50), "p99": rank(99)}}


def by_kind(threads, names):
    """What threads took for a request, added up for those whose names differ by digits only."""
    kinds = {}
    for thread in threads:
        uses = kinds.setdefault(re.sub(r"\d+", "", names.get(thread["id"], thread["name"])), collections.Counter())
        uses.update({key: thread[key] for key in ("cpu_us", "voluntary_switches", "involuntary_switches")})
    return kinds


def is_level(values):
    """Whether the last windows need the same CPU per request."""
    last = values[-LEVEL_WINDOWS:]
    return len(last) == LEVEL_WINDOWS and max(last) - min(last) <= LEVEL_WITHIN * max(last)


def warm_up(contender, workload, seconds, most):
    """Loads a contender until it is level, in at most so many windows. Returns what each window needed, and the requests."""
    values, requests = [], 0
    for _ in range(most):
        if is_level(values):
            break
        measured = workload.warming().measure(contender, seconds, settle=0)
        # The first request of a JVM can take longer than a window
        if measured["requests"]:
            values.append(measured["cpu_us_per_request"])
        requests += measured["requests"]
    return values, requests
