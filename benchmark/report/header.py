"""Prints the header of results.json: the machine, the versions, and how TLS is set up."""

import argparse
import datetime
import json
import os
import platform
import re
import subprocess


def first_line(*command):
    """The first line that says something; NGINX and Java say it on standard error."""
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return "not installed"
    lines = (ran.stdout + ran.stderr).strip().splitlines()
    return lines[0].strip() if lines else "unknown"


def cpu():
    model, flags = platform.machine(), ""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                model = value.strip()
            elif name.strip() == "flags":
                flags = value
    return model, "avx512f" in flags.split()


def memory_bytes():
    with open("/proc/meminfo", encoding="utf-8") as file:
        return int(re.search(r"MemTotal:\s+(\d+)", file.read()).group(1)) * 1024


def system():
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return "unknown"


def libraries(folder, prefixes):
    found = {}
    for name in sorted(os.listdir(os.path.join(folder, "lib"))):
        match = re.match(r"(.+?)-(\d.*)\.jar$", name)
        if match and match.group(1) in prefixes:
            found[match.group(1)] = match.group(2)
    return found


def main():
    parser = argparse.ArgumentParser()
    for name in ("command", "mode", "java", "tomcat-app", "netty-app"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--jvm-options", required=True)
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--load-average", type=float, required=True)
    arguments = parser.parse_args()
    model, avx512 = cpu()
    versions = {
        "system": system(),
        "openssl of the system": first_line("openssl", "version"),
        "nginx": first_line("nginx", "-v"),
        "haproxy": first_line("haproxy", "-v"),
        "h2load": first_line("h2load", "--version"),
        "curl": first_line("curl", "--version"),
        "go": first_line("go", "version"),
    }
    # Pinned in lib/setup.sh
    versions["tomcat-coyote-ffm"] = "11.0.25"
    for home in arguments.java.split():
        versions[first_line(home + "/bin/java", "-version").replace('"', "")] = os.path.basename(home)
    versions.update(libraries(arguments.tomcat_app, ("tomcat-embed-core", "spring-boot", "conscrypt-openjdk-uber")))
    versions.update(libraries(arguments.netty_app, ("reactor-netty-http", "netty-handler", "netty-tcnative-classes")))
    # Pinned in natives/versions.properties and docker/build-tcnative.sh
    with open(os.path.join(os.path.dirname(__file__), "../../natives/versions.properties"), encoding="utf-8") as file:
        for line in file:
            name, _, value = line.strip().partition("=")
            if name.endswith(".version"):
                versions["bundled " + name[: -len(".version")]] = value
    header = {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "command": arguments.command,
        "mode": arguments.mode,
        "rounds": arguments.rounds,
        "jvm_options": arguments.jvm_options,
        "machine": {
            "cpu": model,
            "avx512": avx512,
            "cores": len(os.sched_getaffinity(0)),
            "memory_bytes": memory_bytes(),
            "kernel": platform.release(),
            "load_average_at_start": arguments.load_average,
        },
        "versions": versions,
        "tls": {
            "protocol": "TLS 1.3",
            "cipher_suite": "TLS_AES_128_GCM_SHA256",
            "group": "X25519",
            "tickets": "2 per full handshake, but 1 with JSSE on Java 17 and 0 with Conscrypt; counted in the details of the rows",
        },
        "not_run": [],
    }
    print(json.dumps({"header": header}))


if __name__ == "__main__":
    main()
