#!/usr/bin/env python3
"""Checks the documentation: its links and anchors, its length, and its commands, each of which is run.

A block of commands (```sh) is run in an empty folder that has the repository's files; one that needs what only a reader
has, such as a cluster, is a block of another kind. Addresses outside are not looked up.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIMITS = {"README.md": 900, "docs/": 1200}
PREPARATION = """
keytool -genkeypair -alias server -keyalg EC -groupname secp256r1 -dname CN=localhost -validity 30 \\
  -keystore keystore.p12 -storetype PKCS12 -storepass "$KEYSTORE_PASSWORD" 2>/dev/null
"""
# What has to be so after the commands of a page
RESULTS = {
    "docs/migrating.md": """
[[ $(openssl x509 -in tls.crt -noout -pubkey) == "$(openssl pkey -in tls.key -pubout)" ]]
""",
}


def tracked():
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.split("\n")
    return [name for name in names if name and os.path.exists(os.path.join(ROOT, name))]


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def anchors(text):
    found = {}
    for heading in re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), flags=re.M):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")
        count = found[anchor] = found.get(anchor, -1) + 1
        if count:
            found["%s-%d" % (anchor, count)] = 0
    return found


def links(name, text):
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    for target in re.findall(r"\]\(<?([^)>\s]+)>?\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
        if not os.path.exists(os.path.join(ROOT, file)):
            yield "%s: %s is not there" % (name, target)
        elif anchor and (not file.endswith(".md") or anchor not in anchors(read(file))):
            yield "%s: %s has no heading '%s'" % (name, file, anchor)


def length(name, text):
    limit = LIMITS.get(name) or LIMITS.get(os.path.dirname(name) + "/")
    words = len(text.split())
    if limit and words > limit:
        yield "%s: %d words, and %d is the most" % (name, words, limit)


def run(name, text):
    """Runs the commands of a page, and returns how many blocks there are."""
    blocks = re.findall(r"^ *```sh\n(.*?)^ *```$", text, flags=re.M | re.S)
    if not blocks:
        return 0
    with tempfile.TemporaryDirectory() as folder:
        for file in tracked():
            target = os.path.join(folder, file)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy2(os.path.join(ROOT, file), target)
        script = PREPARATION + "set -x\n" + "\n".join(blocks) + RESULTS.get(name, "")
        ended = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               env={**os.environ, "KEYSTORE_PASSWORD": "changeit"}, check=False)
        if ended.returncode:
            sys.exit("%s: its commands end with %d\n%s" % (name, ended.returncode, ended.stdout))
    return len(blocks)


def main():
    pages = {name: read(name) for name in tracked() if name.endswith(".md")}
    wrong = [fault for name, text in pages.items() for check in (links, length) for fault in check(name, text)]
    if wrong:
        sys.exit("\n".join(wrong))
    print("documentation: %d pages, %d blocks of commands run"
          % (len(pages), sum(run(name, text) for name, text in pages.items())))


if __name__ == "__main__":
    main()
