"""A CA for the sample application: Pebble, which asks for a challenge on the port of the application."""

import json
import os
import shutil
import subprocess

from contenders import ROOT, make_certificate


class Pebble:
    """The CA, with the files of its own in a folder, at a port and at the next one."""

    def __init__(self, folder, port, validated_port, validity_seconds):
        self.folder, self.port, self.management = folder, port, port + 1
        self.validated_port, self.validity_seconds = validated_port, validity_seconds
        # What clients of the application trust
        self.root = os.path.join(folder, "root.crt")

    def __enter__(self):
        pebble = shutil.which("pebble", path=os.pathsep.join([os.path.join(ROOT, ".cache", "pebble"), os.environ["PATH"]]))
        if not pebble:
            raise SystemExit("no Pebble found: docs/acme.md says how to install it")
        self.certificate, key = make_certificate(self.folder, "pebble")
        config = {"listenAddress": "localhost:%d" % self.port, "managementListenAddress": "localhost:%d" % self.management,
                  "certificate": self.certificate, "privateKey": key, "httpPort": 80, "tlsPort": self.validated_port,
                  "profiles": {"default": {"description": "", "validityPeriod": self.validity_seconds}}}
        with open(os.path.join(self.folder, "pebble.json"), "w", encoding="utf-8") as file:
            json.dump({"pebble": config}, file)
        with open(os.path.join(self.folder, "pebble.log"), "w", encoding="utf-8") as log:
            self.process = subprocess.Popen([pebble, "-config", file.name], stdout=log, stderr=log,
                                            env={**os.environ, "PEBBLE_VA_NOSLEEP": "1"})
        try:
            subprocess.run(["curl", "-s", "--retry", "30", "--retry-connrefused", "--retry-delay", "1", "--cacert",
                            self.certificate, "-o", self.root, "https://localhost:%d/roots/0" % self.management], check=True)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def properties(self):
        """Those of a sample application that gets its certificate here, and keeps it in the folder."""
        return {"spring.profiles.active": "acme", "server.ssl.acme.directory-url": "https://localhost:%d/dir" % self.port,
                "server.ssl.acme.directory": os.path.join(self.folder, "acme"),
                "spring.ssl.bundle.pem.pebble.truststore.certificate": "file:" + self.certificate}
