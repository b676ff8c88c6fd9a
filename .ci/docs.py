#!/usr/bin/env python3
"""Checks the documentation: its links and anchors, and its commands, each of which is run.

The commands of a page are the lines of its ```sh blocks, and its code spans that begin like a command. They are run one
after the other in a folder that has the repository's files, beside the sample on a port of its own, or listed below with
the reason why not. Blocks of other kinds have no commands: tests run them, or they are listed below. Addresses outside
are not looked up. With --links, nothing is run.
"""

import contextlib
import fnmatch
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BLOCK = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", flags=re.M | re.S)
# The kinds of blocks, and what runs them
KINDS = {
    "sh": "this script", "yaml": "ManualSettingsTests", "java": "TestingGuideTests and DnsGuideTests", "groovy": ".ci/checks/release",
    "xml": "the build, whose modules have these dependencies, and .ci/release.sh", "ini": "", "nginx": "", "promql": "", "text": "",
}
# Blocks of the other kinds, by the reason why nothing runs them as they are
NOT_RUN_BLOCKS = {
    "shows what a program prints": [
        "README.md text", "docs/api.md text", "docs/certificates.md text", "docs/check.md text",
        "docs/operations.md text", "docs/policies.md text"],
    "docker/kubernetes/validate.sh renders the chart that has it": ["docs/kubernetes-mtls.md text"],
    "shows what is replaced": ["docs/migrating.md nginx"],
    "ForwardingProxiesTests runs the same with ports and files of its own": ["docs/proxy.md nginx"],
    "ForwardingProxiesTests runs HAProxy's with ports and files of its own; Envoy's was tried by hand": ["docs/proxy.md text"],
    "docker/compose.yaml runs HAProxy's with addresses of its own": ["docs/proxy.md text"],
    "needs NGINX's module 'stream'": ["docs/proxy.md nginx"],
    "the tests of 'acme' start Pebble with ports of their own": ["docs/acme.md text"],
    "needs systemd": ["docs/acme.md ini"],
    "FipsIT does it in a container": ["docs/library.md ini"],
    "needs an OpenBao server or a SPIFFE agent": ["docs/private-ca.md text"],
    "needs a Prometheus with the metrics of many clients": ["docs/policies.md promql", "docs/post-quantum.md promql"],
}

PAGES_WITH_COMMANDS = re.compile(r"(CONTRIBUTING|README)\.md|docs/.*|benchmark/README\.md")
COMMAND = re.compile(r"(\w+=\S* )*((apt-get|certutil|curl|docker|java|keytool|kubectl|mvn|nginx|openssl|promtool) "
                     r"|[\w.-]+/\S+\.(sh|py)\b|\.ci/)")
# Patterns of the commands that are not run, by the reason
NOT_RUN = {
    ".ci/run is what runs this": [".ci/run", ".ci/run all", ".ci/run --list"],
    "runs or formats what .ci/run checks as a whole": [
        "mvn -pl * -am test *", "mvn -Pcoverage *", "mvn spring-javaformat:apply", ".ci/touched"],
    ".ci/run runs it": [
        "mvn verify", "sample-app/run.sh*", "natives/build.sh all", "natives/outdated.sh",
        "docker/kubernetes/validate.sh", "docker/kubernetes/validate.sh --chart", "docker/build-image.sh [[]*",
        "benchmark/test.sh", "NATIVES_STORE= .ci/release.sh *"],
    ".ci/run builds these images and has the same services, with ports and names of its own": [
        "docker/build-image.sh my-app --build-arg *", "docker build --file docker/Dockerfile *",
        "docker/build-image.sh && docker compose *", "docker/build-image.sh --replicas", "docker compose *",
        "curl --insecure --output root.crt *"],
    "docker/observe/test.sh runs it in a container, and .ci/run that": ["promtool *"],
    "the tests run the image like this": ["docker run *"],
    "HandshakeRecordingTests records a server of its own": ["java -XX:StartFlightRecording:*", "jcmd PID JFR.start *", "jfr *"],
    "TlsCheckTests checks an application of its own": ["*--tls-check*"],
    "FipsIT does it in a container, since it is Debian 13's": ["apt-get install *", "openssl fipsinstall *"],
    "needs a cluster": ["kubectl *", "(umask 077; kubectl *", "curl --cacert server-ca.crt *"],
    "needs an OpenBao server": ["bao *"],
    "needs a server that takes the client for a proxy, such as that of ProxyProtocolTests": ["curl -k --haproxy-protocol *"],
    "needs Pebble, which .ci/run starts with the sample": ["curl --cacert pebble.crt *", "curl --cacert root.crt *"],
    "fills the local repository of whoever runs the checks; .ci/release.sh deploys the same into a folder": ["mvn install*"],
    "publishes": ["mvn deploy *"],
    ".ci/release.sh runs it with the libraries that it makes": ["unzip *"],
    "takes minutes to hours": ["benchmark/run.sh*", "docker/measure-memory.py"],
    "is the name of a command, or of files, only": [
        ".ci/checks", ".ci/jdk-25.sh", ".ci/[*]-expected.txt", "docker stop", "docker/build-tcnative.sh", "java -jar",
        "java -jar app.war", "java -Djarmode=tools -jar app.jar extract", "nginx -s reload", "openssl s_client"],
}
# What a reader has before the commands of a page
PREPARATION = {
    "docs/certificates.md": """
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -keyout tls.key -out tls.crt
""",
    "docs/development.md": """
mkdir -p .pki/nssdb
certutil -d sql:.pki/nssdb -N --empty-password
""",
    "docs/migrating.md": """
keytool -genkeypair -alias server -keyalg EC -groupname secp256r1 -dname CN=localhost -validity 30 \\
  -keystore keystore.p12 -storetype PKCS12 -storepass "$KEYSTORE_PASSWORD" 2>/dev/null
""",
}
# What has to be so after them
RESULTS = {
    "docs/development.md": "certutil -d sql:$HOME/.pki/nssdb -V -u V -n development",
    "docs/library.md": "[[ -s DIR/libtcnative-2.so ]]",
    "docs/migrating.md": '[[ $(openssl x509 -in tls.crt -noout -pubkey) == "$(openssl pkey -in tls.key -pubout)" ]]',
    "CONTRIBUTING.md": "! grep -L '<version>0.2.0-SNAPSHOT<' ./*/pom.xml | grep . && [[ $(natives/set-version.sh) == 1.0.1-SNAPSHOT ]]",
    "docs/operations.md": "[[ $(stat -c '%s %a' ticket.key) == '80 400' ]]",
}


def tracked():
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.split("\n")
    return [name for name in names if name and os.path.exists(os.path.join(ROOT, name))]


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def anchors(text):
    found = dict.fromkeys(re.findall(r'<a id="(.*?)">', BLOCK.sub("", text)), 0)
    for heading in re.findall(r"^#+ (.*)$", BLOCK.sub("", text), flags=re.M):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")
        count = found[anchor] = found.get(anchor, -1) + 1
        if count:
            found["%s-%d" % (anchor, count)] = 0
    return found


def links(name, text):
    for target in re.findall(r"\]\(<?([^)>\s]+)>?\)", BLOCK.sub("", text)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
        if not os.path.exists(os.path.join(ROOT, file)):
            yield "%s: %s is not there" % (name, target)
        elif anchor and (not file.endswith(".md") or anchor not in anchors(read(file))):
            yield "%s: %s has no heading '%s'" % (name, file, anchor)


def listed(page_and_kind):
    return any(page_and_kind in listed_blocks for listed_blocks in NOT_RUN_BLOCKS.values())


def blocks(name, text):
    for line in re.findall(r"^(?: {4}|\t).*\S.*$", BLOCK.sub("", text), flags=re.M):
        yield "%s: a block without a kind: %s" % (name, line.strip())
    for kind, block in BLOCK.findall(text):
        if KINDS.get(kind) == "" and PAGES_WITH_COMMANDS.fullmatch(name) and not listed("%s %s" % (name, kind)):
            yield "%s: what runs the block of the kind '%s'? %s" % (name, kind, block.split("\n")[0])
        if kind not in KINDS:
            yield "%s: a block of the kind '%s': %s" % (name, kind, block.split("\n")[0])
        for line in block.split("\n") if kind != "sh" else []:
            if COMMAND.match(line.strip()):
                yield "%s: a command in a block of the kind '%s': %s" % (name, kind, line.strip())


def commands(text):
    for kind, block, span in re.findall(BLOCK.pattern + r"|`([^`]+)`", text, flags=re.M | re.S):
        if kind == "sh":
            yield from filter(str.strip, re.sub(r"\\\n\s*", "", block).split("\n"))
        elif COMMAND.match(span):
            yield " ".join(span.split())


def left_out(command):
    return [pattern for patterns in NOT_RUN.values() for pattern in patterns if fnmatch.fnmatchcase(command, pattern)]


@contextlib.contextmanager
def sample(folder):
    """Starts the sample, and yields its port and the certificate that its clients have to trust."""
    log = os.path.join(folder, "log")
    with open(log, "w", encoding="utf-8") as out:
        arguments = ["--server.port=0", "--XDG_CACHE_HOME=" + folder, "--CAROOT=" + os.path.join(folder, "none")]
        process = subprocess.Popen([os.path.join(ROOT, "sample-app/run.sh")] + arguments, stdin=subprocess.DEVNULL,
                                   stdout=out, stderr=subprocess.STDOUT)
    try:
        said = ""
        while "Started SampleApplication" not in said:
            if process.poll() is not None:
                sys.exit("the sample does not start\n" + said)
            time.sleep(0.2)
            said = read(log)
        yield (re.search(r"active on port (\d+) \(https\)", said).group(1),
               re.search(r"clients have to trust '(.*?)'", said).group(1))
    finally:
        process.terminate()
        process.wait()


def run(name, to_run, port, certificate):
    with tempfile.TemporaryDirectory() as folder:
        for file in tracked():
            target = os.path.join(folder, file)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy2(os.path.join(ROOT, file), target)
        script = "\n".join(["set -x", PREPARATION.get(name, "")] + to_run + [RESULTS.get(name, "")])
        script = re.sub(r"\bFILE\b", certificate, script)
        script = re.sub(r"\bDIR\b", "built", script).replace("localhost:8443", "localhost:" + port)
        ended = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                               env={**os.environ, "HOME": folder, "KEYSTORE_PASSWORD": "changeit"})
        if ended.returncode:
            sys.exit("%s: its commands end with %d\n%s" % (name, ended.returncode, ended.stdout))


def main():
    pages = {name: read(name) for name in tracked() if name.endswith(".md")}
    wrong = [fault for name, text in pages.items() for check in (links, blocks) for fault in check(name, text)]
    found = {name: list(commands(text)) for name, text in pages.items() if PAGES_WITH_COMMANDS.fullmatch(name)}
    used = {pattern for page in found.values() for command in page for pattern in left_out(command)}
    kinds = {"%s %s" % (name, kind) for name, text in pages.items() for kind, _ in BLOCK.findall(text)}
    wrong += ["'%s' is no block of any page" % block for listed_blocks in NOT_RUN_BLOCKS.values() for block in listed_blocks
              if block not in kinds]
    wrong += ["'%s' is no command of any page" % pattern for patterns in NOT_RUN.values() for pattern in patterns
              if pattern not in used]
    if wrong:
        sys.exit("\n".join(wrong))
    if sys.argv[1:] == ["--links"]:
        return
    to_run = {name: [command for command in page if not left_out(command)] for name, page in found.items()}
    with tempfile.TemporaryDirectory() as folder, sample(folder) as (port, certificate):
        for name in filter(to_run.get, to_run):
            run(name, to_run[name], port, certificate)
    print("documentation: %d pages, %d commands run, %d listed with the reason why not"
          % (len(pages), sum(map(len, to_run.values())), sum(map(len, found.values())) - sum(map(len, to_run.values()))))


if __name__ == "__main__":
    main()
