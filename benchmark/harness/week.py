"""A pod for a week, in an hour: clients, strangers, renewals and rotations at once, and what grows meanwhile."""

import itertools
import json
import os
import re
import statistics
import subprocess
import tempfile
import time
import typing
import urllib.request

from contenders import SAMPLE, Contender
from names import heap_kb, jcmd, rss_kb
from pebble import Pebble
from workloads import LOAD

NATIVE = "System.native_heap_info"
SAMPLE_SECONDS, HEAP_SECONDS = 5, 30
NAMES = 20
VALIDITY_SECONDS = 180
# What a small pod gets: the JVM chooses this collector there. All of the heap is in RSS from the start on
JVM = "-Xms256m -Xmx256m -XX:+UseSerialGC -XX:+AlwaysPreTouch"


class Series(typing.NamedTuple):
    """What is sampled."""

    title: str
    unit: str
    # What may come and go without a cause, in this unit
    noise: float


SERIES = {
    "heap": Series("heap after a collection", "MB", 1),
    "direct": Series("direct buffers", "MB", 0.5),
    "non_heap": Series("metaspace, code and other non-heap", "MB", 2),
    "native": Series("native memory in use (malloc)", "MB", 1),
    "rss": Series("resident memory", "MB", 5),
    "descriptors": Series("descriptors", "", 5),
    "threads": Series("threads", "", 3),
    "connections": Series("connections", "", 5),
    "meters": Series("lines of metrics", "", 5),
}


class Pod(Contender):
    """The sample application, with a certificate of Pebble, which is short-lived, and a folder of certificates."""

    def __init__(self, java, port, pebble):
        self.pebble, self.management = pebble, port + 1
        self.names = os.path.join(pebble.folder, "certificates")
        os.mkdir(self.names)
        super().__init__("starter", java, pebble.root, None, port, JVM)

    def _launch_all(self):
        self._java("sample-app", SAMPLE, {
            "server.port": self.port, "management.server.port": self.management, "management.server.ssl.enabled": "false",
            "server.ssl.openssl.mode": "always", "server.ssl.openssl.library": "bundled", **self.pebble.properties(),
            "server.ssl.certificate-directory": self.names, "server.tomcat.mbeanregistry.enabled": "true"})

    def _check_settings(self):
        """All of the starter's defaults."""

    @property
    def pid(self):
        return self.processes[0].pid

    def metrics(self):
        with urllib.request.urlopen("http://127.0.0.1:%d/actuator/prometheus" % self.management, timeout=20) as response:
            return response.read().decode()

    def sample(self):
        text = self.metrics()
        return {"rss": rss_kb(self.pid) / 1024, "descriptors": len(os.listdir("/proc/%d/fd" % self.pid)),
                "threads": len(os.listdir("/proc/%d/task" % self.pid)),
                "direct": total(text, "jvm_buffer_memory_used_bytes", 'id="direct"') / (1 << 20),
                "non_heap": total(text, "jvm_memory_used_bytes", 'area="nonheap"') / (1 << 20),
                "connections": total(text, "tomcat_connections_current_connections", '"https'),
                "meters": sum(not line.startswith("#") for line in text.splitlines()),
                "completed": total(text, "tomcat_ssl_handshakes_completed_total"),
                "failed": total(text, "tomcat_ssl_handshakes_failed_total"),
                "renewals": total(text, "tomcat_ssl_acme_orders_total", 'outcome="issued"'),
                "renewals_failed": total(text, "tomcat_ssl_acme_orders_total", 'outcome="failed"')}


def total(text, name, tag=""):
    """The sum of the values of a metric that have a tag."""
    return sum(float(line.rpartition(" ")[2]) for line in text.splitlines()
               if re.match(re.escape(name) + r"[{ ]", line) and tag in line)


def in_use(malloc_info):
    """The bytes that were allocated with malloc and not freed, without what it keeps: malloc_info(3) ends with all arenas."""
    sizes = {kind: int(size) for kind, size in re.findall(
        r'<(?:total|system) type="(\w+)" .*?size="(\d+)"/>', malloc_info.rpartition("</heap>")[2])}
    return sizes["current"] + sizes["mmap"] - sizes["fast"] - sizes["rest"]


def run(arguments, say):
    with tempfile.TemporaryDirectory() as folder, Pebble(folder, arguments.port + 2, arguments.port, VALIDITY_SECONDS) as pebble, \
            Pod(arguments.java, arguments.port, pebble) as pod:
        os.makedirs(arguments.results, exist_ok=True)
        say("the server has started; %g minutes follow" % arguments.minutes)
        commands = jcmd(pod.java, pod.pid, "help")
        samples, start, next_heap = [], time.monotonic(), 0
        with subprocess.Popen([LOAD, "week", "-url", pod.url, "-ca", pod.certificate, "-pids", str(pod.pid), "-names", str(NAMES),
                               "-output", pod.names, "-duration", "%gm" % arguments.minutes],
                              stdout=subprocess.PIPE, text=True) as load:
            try:
                for number in itertools.count():
                    time.sleep(max(0, start + number * SAMPLE_SECONDS - time.monotonic()))
                    if load.poll() is not None:
                        break
                    sample = {"minute": (time.monotonic() - start) / 60, **pod.sample()}
                    if time.monotonic() >= start + next_heap:
                        sample["heap"] = heap_kb(pod.java, pod.pid) / 1024
                        # Not in Java 17
                        if NATIVE in commands:
                            sample["native"] = in_use(jcmd(pod.java, pod.pid, NATIVE)) / (1 << 20)
                        next_heap += HEAP_SECONDS
                    samples.append(sample)
                measured = json.loads(load.stdout.read() or "null")
            finally:
                load.terminate()
        rest = pod.metrics()
        log = pod._log()
    with open(os.path.join(arguments.results, "week.json"), "w", encoding="utf-8") as file:
        json.dump({"measured": measured, "samples": samples}, file)
    for name, text in {"week.log": log, "week.prom": rest, "week.svg": picture(samples)}.items():
        with open(os.path.join(arguments.results, name), "w", encoding="utf-8") as file:
            file.write(text)
    print(page(samples, measured))
    if not measured or measured["errors"]:
        raise SystemExit("benchmark: not only strangers had errors")


def values(samples):
    """The minutes and values of each series that has any."""
    for name, series in SERIES.items():
        points = [(sample["minute"], sample[name]) for sample in samples if name in sample]
        if points:
            yield series, points


def quarter(points, number):
    """The median of one of four quarters."""
    first, last = points[0][0], points[-1][0]
    width = (last - first) / 4
    return statistics.median(value for minute, value in points
                             if first + (number - 1) * width <= minute <= first + number * width)


def slope(points):
    """What the second half grows by in an hour: the median of the slopes between any two samples, which peaks do not change."""
    middle = (points[0][0] + points[-1][0]) / 2
    half = [point for point in points if point[0] >= middle]
    return statistics.median((b[1] - a[1]) / (b[0] - a[0]) * 60 for a, b in itertools.combinations(half, 2))


def grows(points, noise):
    """Whether the second half grew by more than noise and 1 %."""
    half_hours = (points[-1][0] - points[0][0]) / 120
    return slope(points) * half_hours > max(noise, 0.01 * quarter(points, 4))


def verdict(samples):
    growing = [series.title for series, points in values(samples) if grows(points, series.noise)]
    return "Everything levels off." if not growing else "In the second half, this still grows: %s." % ", ".join(growing)


def page(samples, measured):
    lines = ["| | first quarter | last quarter | slope of the second half, per hour |", "|---|---|---|---|"]
    for series, points in values(samples):
        lines.append("| %s | %s | %s | %+.1f%s |" % (series.title, *(
            ("%.1f %s" % (quarter(points, number), series.unit)).strip() for number in (1, 4)), slope(points),
            " " * bool(series.unit) + series.unit))
    last = samples[-1]
    lines += ["", "%.0f minutes: %d handshakes completed, %d failed, %d certificates issued by the CA, %d refused." % (
        last["minute"], last["completed"], last["failed"], last["renewals"], last["renewals_failed"])]
    if measured:
        lines.append("Requests: %d, errors: %d %s. Strangers: %s. Rotations: %d." % (
            measured["requests"], measured["errors"], measured["details"]["failures"] or "", ", ".join(
                "%s %d" % item for item in sorted(measured["details"]["strangers"].items())), measured["details"]["rotations"]))
    return "\n".join([*lines, verdict(samples)])


def picture(samples):
    """A panel for each series, from 0 on, as SVG."""
    width, height, left, top = 360, 90, 50, 24
    panels, minutes = [], samples[-1]["minute"]
    for number, (series, points) in enumerate(values(samples)):
        greatest = max(value for _, value in points) or 1
        x, y = 10 + number % 2 * (width + left + 20), 10 + number // 2 * (height + top + 24)
        line = " ".join("%.1f,%.1f" % (left + minute / minutes * width, top + height * (1 - value / greatest / 1.1))
                        for minute, value in points)
        panels.append(
            '<g transform="translate(%d %d)"><text x="%d" y="14">%s</text><path d="M%d %dv%dh%d" fill="none" stroke="#888"/>'
            '<polyline points="%s" fill="none" stroke="#1f6f43"/><text x="%d" y="%d" text-anchor="end">%s</text>'
            '<text x="%d" y="%d" text-anchor="end">0</text><text x="%d" y="%d" text-anchor="end">%.0f min</text></g>' % (
                x, y, left, series.title, left, top, height, width, line, left - 4, top + height * (1 - 1 / 1.1) + 4,
                ("%.3g %s" % (greatest, series.unit)).strip(), left - 4, top + height, left + width, top + height + 14, minutes))
    rows = -(-len(panels) // 2)
    return ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11">'
            '<rect width="100%%" height="100%%" fill="#fff"/>\n%s\n</svg>\n' % (
                2 * (width + left + 20) + 10, rows * (height + top + 24) + 10, "\n".join(panels)))
