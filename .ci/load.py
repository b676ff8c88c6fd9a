#!/usr/bin/env python3
"""The clients of load.sh: load.py PORT CERTIFICATE PID MINUTES FOLDER"""

import collections
import http.client
import os
import random
import socket
import ssl
import statistics
import sys
import threading
import time

PORT, CERTIFICATE, PID, MINUTES, FOLDER = sys.argv[1:]
PORT, SECONDS = int(PORT), float(MINUTES) * 60
CLIENTS = 8
counts = collections.Counter()
failures = []
end = time.monotonic() + SECONDS


def context():
    return ssl.create_default_context(cafile=CERTIFICATE)


def request(connection, path="/hello", body=None):
    connection.request("POST" if body else "GET", path, body)
    answer = connection.getresponse()
    if not answer.read() or answer.status != 200 and body is None:
        raise IOError("status %d of %s" % (answer.status, path))


def new_connection():
    connection = http.client.HTTPSConnection("localhost", PORT, context=context(), timeout=30)
    request(connection)
    connection.close()


def open_connection():
    connection = http.client.HTTPSConnection("localhost", PORT, context=context(), timeout=30)
    for _ in range(random.randint(2, 50)):
        request(connection, random.choice(["/hello", "/", "/tls", "/actuator/prometheus"]))
    connection.close()


def body():
    connection = http.client.HTTPSConnection("localhost", PORT, context=context(), timeout=30)
    for _ in range(5):
        request(connection, "/hello", os.urandom(random.randint(1, 200_000)))
    connection.close()


def resumed():
    shared, session = context(), None
    shared.maximum_version = ssl.TLSVersion.TLSv1_2
    for _ in range(2):
        with socket.create_connection(("localhost", PORT), 30) as plain:
            with shared.wrap_socket(plain, server_hostname="localhost", session=session) as tls:
                tls.sendall(b"GET /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                while tls.recv(4096):
                    pass
                session = tls.session


def hello():
    outgoing = ssl.MemoryBIO()
    try:
        context().wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="localhost").do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


def broken_off():
    with socket.create_connection(("localhost", PORT), 30) as plain:
        start = hello()
        plain.sendall(start[:random.randint(1, len(start))])
        plain.settimeout(random.random())
        try:
            plain.recv(4096)
        except OSError:
            pass
        if random.random() < 0.5:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


def garbage():
    with socket.create_connection(("localhost", PORT), 30) as plain:
        try:
            plain.sendall(random.choice([b"GET / HTTP/1.1\r\n\r\n", os.urandom(random.randint(1, 20_000)),
                                         hello()[:60] + os.urandom(500)]))
            plain.settimeout(1)
            plain.recv(4096)
        except OSError:
            pass


GOOD, HOSTILE = [new_connection, open_connection, body, resumed], [broken_off, garbage]


def client():
    while time.monotonic() < end and not failures:
        action = random.choice(GOOD + HOSTILE)
        try:
            action()
        except (OSError, http.client.HTTPException) as ex:
            failures.append("%s: %r" % (action.__name__, ex))
        counts[action.__name__] += 1


def memory():
    with open("/proc/%s/status" % PID, encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon")) / 1024


def picture(samples):
    width, height, most = 800, 300, max(value for _, value in samples) * 1.1
    points = " ".join("%.1f,%.1f" % (60 + at / SECONDS * (width - 80), height - 30 - value / most * (height - 50))
                      for at, value in samples)
    marks = "".join('<text x="8" y="%.0f">%.0f MB</text>' % (height - 26 - part * (height - 50), most * part)
                    for part in (0, 0.5, 1))
    return ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" fill="#888">'
            '%s<text x="60" y="%d">0</text><text x="%d" y="%d" text-anchor="end">%g minutes</text>'
            '<polyline fill="none" stroke="#0a7f56" stroke-width="2" points="%s"/></svg>\n'
            % (width, height, marks, height - 8, width - 20, height - 8, SECONDS / 60, points))


def main():
    threads = [threading.Thread(target=client, daemon=True) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    samples, start = [], time.monotonic()
    while any(thread.is_alive() for thread in threads):
        samples.append((time.monotonic() - start, memory()))
        time.sleep(max(0.5, SECONDS / 1000))
    with open(os.path.join(FOLDER, "load.csv"), "w", encoding="ascii") as file:
        file.writelines("%.1f,%.1f\n" % sample for sample in samples)
    with open(os.path.join(FOLDER, "load.svg"), "w", encoding="ascii") as file:
        file.write(picture(samples))
    print("load: %s; %s" % (", ".join("%d %s" % (counts[name], name) for name in sorted(counts)), FOLDER))
    if failures:
        sys.exit("\n".join(failures))
    warm = min(600, SECONDS / 6)
    settled = [value for at, value in samples if at > warm]
    fifth = max(1, len(settled) // 5)
    before, after = statistics.median(settled[:fifth]), statistics.median(settled[-fifth:])
    print("load: anonymous memory %.0f MB after %.0f minutes, %.0f MB at the end" % (before, warm / 60, after))
    if SECONDS >= 1800 and after > before * 1.05:
        sys.exit("the memory has grown by %.1f %%" % ((after / before - 1) * 100))


main()
