"""From exec to the first request over HTTPS, and the CPU until then.

The contenders are the benchmark's application with the starter, with JSSE and without TLS, and with ten names of both
engines; and the sample application with the starter and a certificate's files, with one that an earlier start got by ACME,
and without TLS.
"""

import contextlib
import glob
import os
import statistics
import subprocess
import tempfile
import time

from contenders import SAMPLE, Contender, java_version
from names import cpu_seconds, make_names
from pebble import Pebble
from workloads import LOAD

NAMES = {
    "starter": "this starter", "starter-names": "this starter, ten names", "jsse": "JSSE", "jsse-names": "JSSE, ten names",
    "plain": "without TLS", "sample": "the sample, certificate files", "sample-acme": "the sample, ACME's folder",
    "sample-plain": "the sample without TLS",
}
MORE_NAMES = 9
# Long enough that no start renews
VALIDITY_SECONDS = 30 * 24 * 3600
# What a JVM is started with, after a start that writes it
CDS, AOT = "CDS archive", "AOT cache"


class Starting(Contender):
    """A contender whose start is measured."""

    def __init__(self, name, files, prefix, jvm_options):
        self.files, self.prefix, self.contender = files, prefix, name
        kind = "plain" if name.endswith("plain") else "jsse" if name.startswith("jsse") else "starter"
        super().__init__(kind, files.java, *files.certificate, files.port, jvm_options)
        if name == "sample-acme":
            self.certificate = files.pebble.root

    def _launch_all(self):
        if not self.contender.startswith("sample"):
            super()._launch_all()
            return
        properties = self.files.pebble.properties() if self.contender == "sample-acme" else {
            "server.ssl.certificate-file": self.certificate, "server.ssl.certificate-key-file": self.key}
        self._java("sample-app", SAMPLE, {
            "server.port": self.port, "server.ssl.enabled": str(self.kind != "plain").lower(),
            "server.ssl.openssl.mode": "always", "server.ssl.openssl.library": "bundled", **properties})

    def _check_settings(self):
        """All of the sample's."""

    def _java(self, application, main, properties):
        more = self.files.names(self.contender) if self.contender.endswith("-names") else {}
        super()._java(application, main, {**properties, **more})

    def _launch(self, command, environment=None):
        super()._launch([*self.prefix, *command], environment)

    def first_request(self):
        """Seconds and seconds of CPU."""
        self.folder = tempfile.mkdtemp(prefix="benchmark-")
        start = time.monotonic()
        try:
            self._launch_all()
            subprocess.run([LOAD, "first", "-url", self.url + "/hello", "-ca", self.certificate, "-duration", "120s"],
                           check=True, capture_output=True)
            return time.monotonic() - start, cpu_seconds(self.processes[0].pid)
        finally:
            self.__exit__()


class Files:
    """What all contenders share: certificates, a CA, and the archives of classes."""

    def __init__(self, arguments, certificate, folder, pebble):
        self.java, self.port, self.certificate, self.folder, self.pebble = (
            arguments.java, arguments.port, certificate, folder, pebble)
        make_names(folder, MORE_NAMES, "ec")

    def names(self, contender):
        """The properties for more names than one."""
        certificates = os.path.join(self.folder, "certificates")
        if contender.startswith("starter"):
            return {"server.ssl.certificate-directory": certificates}
        properties = {}
        for number, pem in enumerate(glob.glob(os.path.join(certificates, "*.pem"))):
            bundle, host = "spring.ssl.bundle.pem.name%d.keystore." % number, "server.ssl.server-name-bundles[%d]." % number
            properties.update({bundle + "certificate": "file:" + pem, bundle + "private-key": "file:" + pem,
                               host + "server-name": os.path.basename(pem)[:-len(".pem")], host + "bundle": "name%d" % number})
        return properties

    def jvm_options(self, contender, variant):
        """Of a JVM for a variant: those of the start that writes its archive, and those of the others."""
        archive = os.path.join(self.folder, "%s.%s" % (contender, variant.replace(" ", "-")))
        return {"": ("", ""), CDS: ("-XX:ArchiveClassesAtExit=" + archive, "-XX:SharedArchiveFile=" + archive),
                AOT: ("-XX:AOTCacheOutput=" + archive, "-XX:AOTCache=" + archive)}[variant]


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


def cell(measured):
    """What the table says of some starts."""
    wall, cpu = zip(*measured)
    return "%.1f s (%.1f to %.1f), %.1f s of CPU" % (statistics.median(wall), min(wall), max(wall), statistics.median(cpu))


def run(arguments, certificate, say):
    feature = int(java_version(arguments.java).split(".")[0])
    with tempfile.TemporaryDirectory() as folder, half_a_core() as half, contextlib.ExitStack() as stack:
        pebble = Pebble(folder, arguments.port + 2, arguments.port, VALIDITY_SECONDS)
        files = Files(arguments, certificate, folder, pebble)
        if any("sample-acme" in names.split(",") for names in arguments.sets):
            stack.enter_context(pebble)
            # Which gets the certificate
            with Starting("sample-acme", files, [], ""):
                pass
        machines = {"2 cores": [], "1 core": ["taskset", "-c", "0"], **({"half a core": half} if half else {})}
        if not arguments.rounds:
            # Only whether all of them start
            machines = {}
        for contenders in (names.split(",") for names in arguments.sets):
            print("| | %s |\n|%s" % (" | ".join(map(NAMES.get, contenders)), "---|" * (1 + len(contenders))), flush=True)
            for variant in ("", CDS, *((AOT,) if feature >= 25 else ())):
                for name in contenders:
                    # Writes the archive, and warms the file system up
                    Starting(name, files, [], files.jvm_options(name, variant)[0]).first_request()
                for machine, prefix in machines.items():
                    title = ", ".join(filter(None, (machine, variant)))
                    say(title)
                    measured = {name: [] for name in contenders}
                    for number in range(arguments.rounds):
                        turn = number % len(contenders)
                        for name in contenders[turn:] + contenders[:turn]:
                            measured[name].append(
                                Starting(name, files, prefix, files.jvm_options(name, variant)[1]).first_request())
                    print("| %s | %s |" % (title, " | ".join(cell(measured[name]) for name in contenders)), flush=True)
