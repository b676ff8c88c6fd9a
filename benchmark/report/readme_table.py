"""Prints the tables of the project's README and of docs/performance.md out of a results.json:
readme_table.py benchmark/reference/results.json"""

import json
import sys

from statistics_of_runs import is_valid, ratio, series, spread
from tables import number, table

CONTENDERS = {
    "starter": "**this starter**",
    "jsse": "JSSE",
    "nginx": "NGINX + application",
    "haproxy-tcp": "HAProxy + application",
    "netty": "Reactor Netty, BoringSSL",
    "plain": "without TLS",
}
README = ("starter", "jsse", "nginx")
WORKLOADS = ("connect-full", "connect-saturated", "echo")


def name(workload, parameters):
    size = dict(parameters).get("bytes")
    if size is None:
        return "new connection, saturated" if workload == "connect-saturated" else "new connection"
    return "echo %d MB" % (size // 2**20) if size >= 2**20 else "echo %d KB" % (size // 1024)


def cell(contender, rows, all_series):
    found = all_series[(contender, *rows)]
    if not is_valid(found):
        sys.exit("%s: errors, so there is no figure" % contender)
    median = number(spread([row["cpu_us_per_request"] for row in found])[0])
    if contender == "starter":
        return "**%s**" % median
    return "%s (%.2f)" % (median, ratio(all_series[("starter", *rows)], contender, all_series))


def lines(results, contenders=tuple(CONTENDERS)):
    """The CPU of each contender, and the starter's ratio to it, within the same rounds."""
    all_series = series(results[1:])
    kinds = sorted({key[1:] for key in all_series if key[0] == "starter" and key[2] in WORKLOADS})
    return table(["", *(CONTENDERS[contender] for contender in contenders)], [
        [name(*kind[1:]), *(cell(contender, kind, all_series) for contender in contenders)] for kind in kinds
    ]).splitlines()


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        results = json.load(file)
    print("\n".join([*lines(results, README), "", *lines(results)]))


if __name__ == "__main__":
    main()
