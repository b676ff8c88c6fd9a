"""Makes one row of results.json out of what a load generator has printed."""

import argparse
import json
import re
import sys

from statistics_of_runs import latency

EMPTY = {
    "requests": 0,
    "errors": 1,
    "cpu_us_per_request": None,
    "latency_us": None,
    "requests_per_second": None,
    "rss_bytes": 0,
}


def from_load(measured, *_):
    return measured


def from_h2load(measured, parameters, output, log):
    """The log has a line per request: start, status, microseconds.

    Over HTTP/1.1 the status is 0 for Tomcat's "HTTP/1.1 200 ", which has no reason phrase. Such a response counts as
    served where all that was sent has come back.
    """
    responses = [line.split("\t") for line in log.splitlines() if line.strip()]
    data = re.search(r"\((\d+)\) data", output)
    broken = re.search(r"(\d+) errored, (\d+) timeout", output)
    whole = (
        data is not None
        and broken is not None
        and broken.groups() == ("0", "0")
        and int(data.group(1)) == len(responses) * parameters["bytes"]
    )
    served = ("200", "0") if whole else ("200",)
    micros = [int(response[2]) for response in responses if response[1] in served]
    return counted(measured, micros, len(responses) - len(micros))


def from_curl(measured, _, output, __):
    """A line per run: status and seconds."""
    runs = [line.split() for line in output.splitlines() if line.strip()]
    micros = [float(run[1]) * 1e6 for run in runs if run[0] == "200" and float(run[1]) > 0]
    return counted(measured, micros, len(runs) - len(micros))


READERS = {"load": from_load, "h2load": from_h2load, "curl": from_curl}


def counted(measured, micros, errors):
    cpu = measured["details"]["cpu_us"]
    count = len(micros)
    return dict(
        measured,
        requests=count,
        errors=errors if count else max(errors, 1),
        cpu_us_per_request=cpu / count if count else None,
        latency_us=latency(micros),
        requests_per_second=count / measured["details"]["seconds"] if count else None,
    )


def row(arguments, measured, failure, output, log):
    parameters = json.loads(arguments.parameters)
    try:
        values = READERS[arguments.kind](json.loads(measured), parameters, output, log)
    except (ValueError, KeyError, IndexError) as problem:
        values = dict(EMPTY, details={"failure": failure.strip()[-500:] or "no figures: %r" % problem})
    expected = parameters.get("requests", parameters.get("runs"))
    if expected and values["requests"] + values["errors"] < expected:
        values["errors"] = expected - values["requests"]
    return {
        "contender": arguments.contender,
        "java": arguments.java,
        "workload": arguments.workload,
        "parameters": parameters,
        "round": arguments.round,
        "valid": values["errors"] == 0,
        **values,
    }


def content(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def main():
    parser = argparse.ArgumentParser()
    for name in ("contender", "workload", "parameters", "kind", "measured", "failure", "output", "log"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--java", type=int, required=True)
    parser.add_argument("--round", type=int, required=True)
    arguments = parser.parse_args()
    texts = [content(path) for path in (arguments.measured, arguments.failure, arguments.output, arguments.log)]
    found = row(arguments, *texts)
    json.dump(found, sys.stdout)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
