"""Percentiles, medians and ratios of what the load generators measured."""

import math
import statistics


def percentile(values, percent):
    """Nearest rank: the smallest value that at least that part of all does not exceed."""
    ordered = sorted(values)
    return ordered[max(math.ceil(percent / 100 * len(ordered)), 1) - 1]


def latency(micros):
    if not micros:
        return None
    return {
        "mean": sum(micros) / len(micros),
        "p50": percentile(micros, 50),
        "p95": percentile(micros, 95),
        "p99": percentile(micros, 99),
        "max": max(micros),
    }


def series(rows):
    """The rows of each contender and workload, over all rounds."""
    found = {}
    for row in rows:
        found.setdefault(identity(row), []).append(row)
    return found


def identity(row):
    return (row["contender"], row["java"], *workload_of(row))


def workload_of(row):
    return row["workload"], tuple(sorted(row["parameters"].items()))


def is_valid(rows):
    return all(row["errors"] == 0 and row["requests"] > 0 for row in rows)


def spread(values):
    """Median, least and greatest, or None."""
    present = [value for value in values if value is not None]
    if not present:
        return None
    return statistics.median(present), min(present), max(present)


def ratio(rows, contender, all_series):
    """Median of the ratios of CPU per request to another contender, each within its round and Java version."""
    own = rows[0]
    others = all_series.get((contender, own["java"], *workload_of(own)), [])
    if not others or not is_valid(rows) or not is_valid(others):
        return None
    by_round = {row["round"]: row["cpu_us_per_request"] for row in others}
    ratios = [
        row["cpu_us_per_request"] / by_round[row["round"]]
        for row in rows
        if row["cpu_us_per_request"] is not None and by_round.get(row["round"])
    ]
    return statistics.median(ratios) if ratios else None
