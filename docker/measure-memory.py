#!/usr/bin/env python3
"""Measures what an idle TLS connection costs in memory, in a container of the sample, with JSSE and with OpenSSL.

    docker/measure-memory.py [IMAGE [CHART.svg]]

The heap is of a fixed size and touched at the start, so that what the process grows by is native memory; the heap in
use is that after a full collection. Each connection has served one request. The first 1,000 connections are left out,
because the process grows for other reasons then. Needs Docker and the openssl command; all connections are to a port
on the loopback interface. A chart needs matplotlib.
"""

import contextlib
import os
import re
import resource
import socket
import ssl
import subprocess
import sys
import tempfile
import time

STEP = 1000
STEPS = 3
JVM_OPTIONS = '-Xms512m -Xmx512m -XX:+UseSerialGC -XX:+AlwaysPreTouch -XX:+PrintClassHistogram'


ENGINES = {'never': 'JSSE', 'always': 'OpenSSL'}


def run(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout


def await_match(container, pattern, after=0):
    for _ in range(600):
        matches = re.findall(pattern, run('docker', 'logs', container), re.MULTILINE)
        if len(matches) > after:
            return matches[-1], len(matches)
        time.sleep(0.1)
    sys.exit('%r is not in the log of the container:\n%s' % (pattern, run('docker', 'logs', container)))


def native_bytes(container):
    status = run('docker', 'exec', container, 'cat', '/proc/1/status')
    return int(re.search(r'RssAnon:\s+(\d+) kB', status).group(1)) * 1024


class Heap:

    def __init__(self, container):
        self.container = container
        self.histograms = 0

    def live_bytes(self):
        run('docker', 'kill', '--signal', 'QUIT', self.container)
        total, self.histograms = await_match(self.container, r'^Total\s+\d+\s+(\d+)', self.histograms)
        return int(total)


def connect(context, port):
    connection = context.wrap_socket(socket.create_connection(('127.0.0.1', port), 10), server_hostname='localhost')
    connection.sendall(b'GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n')
    response = connection.recv(4096)
    while not response.endswith(b'ok'):
        response += connection.recv(4096)
    return connection


def measure(image, certificates, mode):
    container = run('docker', 'run', '--detach', '--publish', '127.0.0.1::8443', '--volume', certificates + ':/etc/tls:ro',
                    '--env', 'JDK_JAVA_OPTIONS=' + JVM_OPTIONS, image, '--server.ssl.openssl.mode=' + mode,
                    '--server.tomcat.keep-alive-timeout=10m').strip()
    try:
        await_match(container, 'Started SampleApplication')
        port = int(run('docker', 'port', container, '8443/tcp').split()[0].rpartition(':')[2])
        context = ssl.create_default_context(cafile=certificates + '/tls.crt')
        heap = Heap(container)
        with contextlib.ExitStack() as connections:
            readings = []
            for _ in range(STEPS):
                for _ in range(STEP):
                    connections.enter_context(connect(context, port))
                readings.append((native_bytes(container), heap.live_bytes()))
        growth = [(last - first) / STEP / (STEPS - 1) / 1024 for first, last in zip(readings[0], readings[-1])]
        print('%-8s native %5.1f KB, heap %5.1f KB for each idle connection' % (ENGINES[mode], *growth))
        return growth
    finally:
        run('docker', 'rm', '--force', container)


def chart(growths, file):
    import matplotlib
    matplotlib.use('svg')
    from matplotlib import pyplot
    matplotlib.rcParams['svg.hashsalt'] = 'memory'
    figure, axes = pyplot.subplots(figsize=(9, 2))
    native, heap = zip(*growths)
    for sizes, left, label, color in ((native, (0, 0), 'native', '#1f6f43'), (heap, native, 'Java heap', '#8aa1b1')):
        axes.barh(list(ENGINES.values()), sizes, left=left, label=label, color=color)
    axes.invert_yaxis()
    axes.set_xlabel('memory of an idle connection in KB')
    axes.legend()
    figure.tight_layout()
    figure.savefig(file, metadata={'Date': None})


def main():
    image = sys.argv[1] if len(sys.argv) > 1 else 'tomcat-openssl-sample'
    needed = STEP * STEPS + 100
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, max(needed, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))
    with tempfile.TemporaryDirectory() as certificates:
        run('openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2',
            '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost',
            '-keyout', certificates + '/tls.key', '-out', certificates + '/tls.crt')
        os.chmod(certificates, 0o755)
        os.chmod(certificates + '/tls.key', 0o644)
        growths = [measure(image, certificates, mode) for mode in ENGINES]
    if len(sys.argv) > 2:
        chart(growths, sys.argv[2])


if __name__ == '__main__':
    main()
