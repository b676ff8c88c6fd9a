"""From exec to the first request over HTTPS, and the CPU until then: the starter, JSSE, and without TLS."""

import contextlib
import os
import statistics
import subprocess
import tempfile
import time

from contenders import Contender, java_version
from names import cpu_seconds
from workloads import LOAD

ROUNDS = 7
CONTENDERS = ("starter", "jsse", "plain")
# What a JVM is started with, after a start that writes it
CDS, AOT = "cds", "aot"


class Starting(Contender):
    """A contender whose start is measured."""

    def __init__(self, name, java, certificate, port, options, prefix):
        super().__init__(name, java, *certificate, port, options)
        self.prefix = prefix

    def _launch(self, command, environment=None):
        super()._launch([*self.prefix, *command], environment)

    def first_request(self):
        """Milliseconds and milliseconds of CPU."""
        self.folder = tempfile.mkdtemp(prefix="benchmark-")
        start = time.monotonic()
        try:
            self._launch_all()
            subprocess.run([LOAD, "first", "-url", self.url + "/hello", "-ca", self.certificate, "-duration", "120s"],
                           check=True, capture_output=True)
            return round(1000 * (time.monotonic() - start)), round(1000 * cpu_seconds(self.processes[0].pid))
        finally:
            self.__exit__()


@contextlib.contextmanager
def half_a_core():
    """The words that start a command with half a core, or None if no control group can be made here."""
    version2 = os.path.exists("/sys/fs/cgroup/cgroup.controllers")
    group = "/sys/fs/cgroup/%sbenchmark" % ("" if version2 else "cpu/")
    try:
        os.makedirs(group, exist_ok=True)
        name, value = ("cpu.max", "50000 100000") if version2 else ("cpu.cfs_quota_us", "50000")
        with open(os.path.join(group, name), "w", encoding="utf-8") as file:
            file.write(value)
    except OSError:
        yield None
        return
    try:
        yield ["sh", "-c", 'echo $$ >%s/cgroup.procs; exec "$@"' % group, "sh"]
    finally:
        with contextlib.suppress(OSError):
            os.rmdir(group)


def options_of(name, variant, folder):
    """The options of a JVM for a variant: those of the start that writes its archive, and those of the others."""
    archive = os.path.join(folder, "%s.%s" % (name, variant))
    return {"": ("", ""), CDS: ("-XX:ArchiveClassesAtExit=" + archive, "-XX:SharedArchiveFile=" + archive),
            AOT: ("-XX:AOTCacheOutput=" + archive, "-XX:AOTCache=" + archive)}[variant]


def run(arguments, certificate, say):
    feature = int(java_version(arguments.java).split(".")[0])
    with tempfile.TemporaryDirectory() as folder, half_a_core() as half:
        machines = {"2 cores": [], "1 core": ["taskset", "-c", "0"], **({"half a core": half} if half else {})}
        for variant in ("", CDS, *((AOT,) if feature >= 25 else ())):
            for name in CONTENDERS:
                # Writes the archive, and warms the file system up
                Starting(name, arguments.java, certificate, arguments.port, options_of(name, variant, folder)[0],
                         []).first_request()
            for machine, prefix in machines.items():
                say("%s, %s" % (variant or "as it is", machine))
                measured = {name: [] for name in CONTENDERS}
                for number in range(ROUNDS):
                    for name in CONTENDERS[number % 3:] + CONTENDERS[:number % 3]:
                        measured[name].append(Starting(name, arguments.java, certificate, arguments.port, options_of(
                            name, variant, folder)[1], prefix).first_request())
                for name in CONTENDERS:
                    wall, cpu = ([values[i] for values in measured[name]] for i in (0, 1))
                    print("%s; %s; %s; ms %d (%d to %d); CPU ms %d (%d to %d)" % (
                        variant or "as it is", machine, name, statistics.median(wall), min(wall), max(wall),
                        statistics.median(cpu), min(cpu), max(cpu)), flush=True)
