#!/usr/bin/env python3
"""Draws the key exchange groups of a server's clients over time, while new clients replace old ones.

    docker/observe/groups-over-time.py CHART.svg

There is no real traffic: a schedule decides which client makes each connection to the sample on this machine. The chart
shows what the metric tomcat.ssl.key.exchange counted in each 10 seconds, after the first 10. Takes 7 minutes once the
sample is built. Needs what sample-app/run.sh needs, Go 1.24 or later, a curl with an OpenSSL before 3.5 as on Debian
12, and matplotlib.
"""

import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

import matplotlib
matplotlib.use('svg')
from matplotlib import pyplot
import numpy

RUN = os.path.dirname(os.path.abspath(__file__)) + '/../../sample-app/run.sh'
GO = 'package main\nimport ("net/http"; "os")\nfunc main() { if _, e := http.Get(os.Args[1]); e != nil { panic(e) } }'
METRIC = re.compile(r'^tomcat_ssl_key_exchange_total\{.*group="(.*?)".*resumed="false"\} (\S+)$', re.MULTILINE)
MINUTES, INTERVAL = 6, 10
# How many of 100 connections these clients make, at the minutes 0 to 6. Go makes the rest
SCHEDULE = {'curl, P-256': (15, 15, 15, 15, 8, 0, 0), 'curl': (85, 80, 50, 15, 0, 0, 0)}


def observe(clients, environment, metrics):
    start, readings, due = time.monotonic(), [], collections.Counter()
    while len(readings) < MINUTES * 60 / INTERVAL:
        seconds = time.monotonic() - start
        if seconds >= (len(readings) + 1) * INTERVAL:
            with urllib.request.urlopen(metrics) as response:
                found = METRIC.findall(response.read().decode())
            readings.append(collections.Counter({group: float(count) for group, count in found}))
        for client, shares in SCHEDULE.items():
            due[client] += numpy.interp(seconds / 60, range(MINUTES + 1), shares)
        due['Go'] = 100 - sum(due[client] for client in SCHEDULE)
        chosen = max(due, key=due.get)
        due[chosen] -= 100
        subprocess.run(clients[chosen], check=True, env=environment)
        time.sleep(0.1)
    return [after - before for before, after in zip(readings, readings[1:])]


def chart(counts, file):
    matplotlib.rcParams['svg.hashsalt'] = 'groups'
    groups = ['X25519MLKEM768', 'x25519', 'secp256r1']
    minutes = [(index + 2) * INTERVAL / 60 for index in range(len(counts))]
    shares = [[100 * count[group] / count.total() for count in counts] for group in groups]
    axes = pyplot.figure(figsize=(9, 3.2), layout='tight').subplots()
    axes.stackplot(minutes, shares, labels=groups, colors=['#1f6f43', '#8aa1b1', '#d9a441'])
    axes.set(xlabel='minutes', ylabel='share of full handshakes in %', xlim=(minutes[0], MINUTES), ylim=(0, 100))
    axes.legend(loc='lower right')
    pyplot.savefig(file, metadata={'Date': None})


def main():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, 'client.go').write_text(GO, encoding='ascii')
        subprocess.run(['go', 'build', '-o', folder + '/client', folder + '/client.go'], check=True)
        options = ['server.port=0', 'management.server.port=0', 'management.server.ssl.enabled=false',
                   'XDG_CACHE_HOME=' + folder, 'CAROOT=' + folder]
        sample = subprocess.Popen([RUN] + ['--' + option for option in options], stdout=subprocess.PIPE, text=True)
        try:
            log = ''
            while 'Started SampleApplication' not in log:
                log += sample.stdout.readline() or sys.exit('the sample does not start\n' + log)
            port, certificate, management_port = (re.search(pattern, log).group(1) for pattern in (
                r'active on port (\d+) \(https\)', r"clients have to trust '(.*?)'", r'started on port (\d+) \(http\)'))
            address = 'https://localhost:%s/hello' % port
            curl = ['curl', '-sSo', os.devnull, '--cacert', certificate, address]
            clients = {'curl': curl, 'curl, P-256': curl + ['--curves', 'P-256'], 'Go': [folder + '/client', address]}
            counts = observe(clients, {**os.environ, 'SSL_CERT_FILE': certificate},
                             'http://localhost:%s/actuator/prometheus' % management_port)
        finally:
            sample.terminate()
            sample.wait()
    chart(counts, sys.argv[1])


if __name__ == '__main__':
    main()
