"""The contenders: how each is started, and whether its settings have taken effect."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import typing

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CACHE = os.path.join(ROOT, ".cache", "benchmark")
SAMPLE = "io.github.tomcatopenssl.sample.SampleApplication"
SUITE = "TLS_AES_128_GCM_SHA256"
GROUPS = "X25519MLKEM768,x25519"

# The words of tables and charts
NAMES = {
    "starter": "this starter",
    "starter-default": "this starter, default profile",
    "jsse": "JSSE",
    "nginx": "NGINX + application",
    "haproxy": "HAProxy + application",
    "netty": "Reactor Netty, BoringSSL",
    "plain": "without TLS",
}

# For all: what is compared is not how much memory each takes
HEAP = ["-Xms1g", "-Xmx1g"]
AUTO_CONFIGURATIONS = ["TomcatOpenSslAutoConfiguration", "CertificateFileAutoConfiguration"]


class Unavailable(Exception):
    """A contender cannot be measured here, with the reason."""


def java_version(java):
    """The version of a JDK, such as 25.0.5."""
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=True).stderr
    return re.search(r'version "([^"]+)"', said).group(1)


EC, RSA = ("ec", "-pkeyopt", "ec_paramgen_curve:P-256"), ("rsa:2048",)
SERVER = ("-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")


def make_certificate(folder, name="tls", subject="/CN=localhost", key=EC, options=SERVER):
    """Makes a certificate, by default the one that all contenders have, and returns its file and that of its key."""
    files = [os.path.join(folder, name + suffix) for suffix in (".crt", ".key")]
    subprocess.run(["openssl", "req", "-x509", "-nodes", "-days", "2", "-subj", subject, *options, "-newkey", *key,
                    "-out", files[0], "-keyout", files[1]], check=True, capture_output=True)
    return tuple(files)


class Client(typing.NamedTuple):
    """What a contender wants of its clients: the CA's file, and a certificate of it with its key."""

    ca: str
    certificate: str
    key: str


def make_client(folder):
    ca = make_certificate(folder, "ca", "/CN=clients", options=("-addext", "keyUsage=critical,keyCertSign"))
    return Client(ca[0], *make_certificate(folder, "client", "/CN=client", options=(
        "-CA", ca[0], "-CAkey", ca[1], "-addext", "basicConstraints=CA:FALSE", "-addext", "extendedKeyUsage=clientAuth",
        "-addext", "keyUsage=digitalSignature")))


END_OF_DUMP = "\nJNI global refs"


def names_in(dump):
    """The names of the threads in dumps of a JVM, by the ids of the kernel, which are in hexadecimal before Java 21."""
    return {int(thread, 0): name for name, thread in re.findall(r'(?m)^"(.*)" .*\bnid=(\w+)', dump)}


def kind_of(name):
    """A variant is the starter with more options."""
    return name if name in NAMES else "starter"


class Contender:
    """A server, with all of its processes, at a port of its own and at the next one."""

    def __init__(self, name, java, certificate, key, port, options="", client=None):
        self.client = client
        self.name, self.java, self.certificate, self.key, self.port = name, java, certificate, key, port
        self.options = shlex.split(options)
        self.kind = kind_of(name)
        self.url = "%s://localhost:%d" % ("http" if self.kind == "plain" else "https", port)
        self.processes = []
        self.seconds_to_start = None

    def __enter__(self):
        # NGINX's workers have no rights of root
        self.folder = tempfile.mkdtemp(prefix="benchmark-")
        os.chmod(self.folder, 0o711)
        start = time.monotonic()
        try:
            self._launch_all()
            while not self._answers():
                if any(process.poll() is not None for process in self.processes) or time.monotonic() > start + 90:
                    raise Unavailable("%s did not start: %s" % (self.name, self._log()[-2000:]))
                time.sleep(0.02)
            self.seconds_to_start = time.monotonic() - start
            self._check_settings()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes = []
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def pids(self):
        return ",".join(str(process.pid) for process in self.processes)

    def _launch_all(self):
        if self.kind == "netty":
            self._java("netty-app", "io.github.tomcatopenssl.benchmark.netty.NettyBenchmarkApplication",
                       {"server.port": self.port, "benchmark.certificate": self.certificate, "benchmark.key": self.key,
                        **({"benchmark.client-ca": self.client.ca} if self.client else {})})
        elif self.kind in ("nginx", "haproxy"):
            if not shutil.which(self.kind):
                raise Unavailable("%s is not installed" % self.kind)
            self._tomcat(self.port + 1, "plain")
            if self.kind == "nginx":
                self._launch(["nginx", "-e", "stderr", "-c", self._configured("nginx.conf")])
            else:
                with open(os.path.join(self.folder, "haproxy.pem"), "w", encoding="utf-8",
                          opener=lambda path, flags: os.open(path, flags, 0o600)) as pem:
                    for name in (self.certificate, self.key):
                        with open(name, encoding="utf-8") as file:
                            pem.write(file.read())
                self._launch(["haproxy", "-db", "-f", self._configured("haproxy.cfg")])
        else:
            self._tomcat(self.port, self.kind)

    def _tomcat(self, port, kind):
        properties = {"server.port": port, "server.tomcat.max-keep-alive-requests": -1,
                      "server.tomcat.keep-alive-timeout": "120s"}
        if kind != "plain":
            properties["server.http2.enabled"] = "true"
        if kind in ("jsse", "starter"):
            properties.update({"server.ssl.enabled-protocols": "TLSv1.3", "server.ssl.ciphers": SUITE})
        if kind in ("jsse", "plain"):
            # Spring Boot as it is without the starter
            properties["spring.autoconfigure.exclude"] = ",".join(
                "io.github.tomcatopenssl.autoconfigure." + name for name in AUTO_CONFIGURATIONS)
        if kind == "jsse":
            properties.update({"server.ssl.certificate": "file:" + self.certificate,
                               "server.ssl.certificate-private-key": "file:" + self.key})
        if kind.startswith("starter"):
            properties.update({"server.ssl.certificate-file": self.certificate, "server.ssl.certificate-key-file": self.key,
                               "server.ssl.openssl.mode": "always", "server.ssl.openssl.library": "bundled"})
        if self.client and kind != "plain":
            properties.update({"server.ssl.client-auth": "need", **(
                {"server.ssl.trust-certificate": "file:" + self.client.ca} if kind == "jsse"
                else {"server.ssl.ca-certificate-file": self.client.ca})})
        if kind == "starter":
            properties.update({"benchmark.groups": GROUPS, "benchmark.openssl-conf.NumTickets": 2})
        self._java("tomcat-app", "io.github.tomcatopenssl.benchmark.tomcat.TomcatBenchmarkApplication", properties)

    def _java(self, application, main, properties):
        properties = {"server.address": "127.0.0.1", "spring.main.banner-mode": "off", **properties}
        for option in self.options:
            if option.startswith("--"):
                name, _, value = option[2:].partition("=")
                properties[name] = value
        feature = int(re.match(r"\d+", java_version(self.java)).group())
        command = [self.java, *HEAP, "-Djdk.tls.server.newSessionTicketCount=2"]
        if self.kind == "jsse":
            command.append("-Djdk.tls.namedGroups=" + GROUPS)
        if feature > 21:
            command += ["--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"]
        command += [option for option in self.options if re.match("-[XD]", option)]
        folder = next((option[len("app="):] for option in self.options if option.startswith("app=")),
                      os.path.join(CACHE, application))
        command += ["-cp", "%s/app.jar:%s/lib/*" % (folder, folder), main]
        self._launch(command + ["--%s=%s" % item for item in properties.items() if item[1] != ""])

    def _configured(self, name):
        with open(os.path.join(ROOT, "benchmark", "conf", name), encoding="utf-8") as file:
            text = file.read()
        client_auth = "" if not self.client else {
            "nginx": "ssl_client_certificate %s; ssl_verify_client on;", "haproxy": "ca-file %s verify required"}[
                self.kind] % self.client.ca
        for word, value in {"CLIENT_AUTH": client_auth, "WORK": self.folder, "PORT": self.port, "BACKEND": self.port + 1,
                            "CERTIFICATE": self.certificate, "KEY": self.key}.items():
            text = text.replace("@%s@" % word, str(value))
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)
        return file.name

    def _launch(self, command, environment=None):
        with open(os.path.join(self.folder, "log"), "a", encoding="utf-8") as log:
            self.processes.append(subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=environment))

    def _log(self):
        with open(os.path.join(self.folder, "log"), encoding="utf-8", errors="replace") as log:
            return log.read()

    def thread_names(self):
        """The names of the JVM's threads, by their ids: Linux keeps 15 bytes only, which all threads of a connector begin with."""
        for process in self.processes:
            if process.args[0] == self.java:
                dumps, end = self._log().count(END_OF_DUMP), time.monotonic() + 10
                process.send_signal(signal.SIGQUIT)
                while self._log().count(END_OF_DUMP) == dumps and time.monotonic() < end:
                    time.sleep(0.02)
        return names_in(self._log())

    def _answers(self, certificate=True):
        options = ["--cert", self.client.certificate, "--key", self.client.key] if self.client and certificate else []
        return subprocess.run(["curl", "-s", "--max-time", "2", "--cacert", self.certificate, *options, self.url + "/hello"],
                              capture_output=True, text=True, check=False).stdout == "ok"

    def _handshake(self, *options):
        """What openssl s_client says of a connection with these options, or None without one."""
        if self.client:
            options += "-cert", self.client.certificate, "-key", self.client.key
        ran = subprocess.run(["openssl", "s_client", "-connect", "127.0.0.1:%d" % self.port, "-servername", "localhost",
                              "-CAfile", self.certificate, "-verify_return_error", *options],
                             stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=20)
        return ran.stdout if ran.returncode == 0 else None

    def _check_settings(self):
        """Ends the run if a setting was not taken; the figures would be of something else."""
        missed = re.findall(r"(?im)^.*(?: (?:warn|error) [0-9]+ ---|will not be enabled|ignor(?:ed|ing)|\[warning\]).*$",
                            self._log())
        # Netty's of a connection that the wait for the start has given up
        missed = [line for line in missed if "exceptionCaught" not in line]
        if self.kind != "plain":
            session = self._handshake("-tls1_3", "-groups", "X25519", "-ciphersuites", SUITE + ":TLS_AES_256_GCM_SHA384")
            if not session or "New, TLSv1.3, Cipher is %s\n" % SUITE not in session or "Temp Key: X25519," not in session:
                missed.append("no connection with TLS 1.3, %s and X25519" % SUITE)
            for offer in (["-tls1_2"], ["-tls1_3", "-groups", "P-256"],
                          ["-tls1_3", "-ciphersuites", "TLS_AES_256_GCM_SHA384"]):
                # BoringSSL has its suites of TLS 1.3 always
                if self.kind == "netty" and "-ciphersuites" in offer:
                    continue
                if (self._handshake(*offer) is not None) != (self.kind == "starter-default"):
                    missed.append("%s connection with %s" % ("no" if self.kind == "starter-default" else "a", " ".join(offer)))
        if self.client and self._answers(certificate=False):
            missed.append("a request of a client without a certificate")
        if missed:
            raise SystemExit("%s: a setting was not taken: %s" % (self.name, "; ".join(missed)))
