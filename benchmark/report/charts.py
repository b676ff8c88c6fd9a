"""Charts of a run: CPU per request by contender, one image per workload."""

import os
import re

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot

from statistics_of_runs import is_valid, series, spread
from tables import title


def write(header, rows, folder):
    groups = {}
    for found in series(rows).values():
        values = spread([row["cpu_us_per_request"] for row in found])
        if is_valid(found) and values:
            first = found[0]
            key = (first["workload"], tuple(first["parameters"].items()))
            groups.setdefault(key, []).append(("%s, Java %d" % (first["contender"], first["java"]), *values))
    return [chart(header, key, bars, folder) for key, bars in groups.items()]


def chart(header, key, bars, folder):
    # The same input gives the same file
    matplotlib.rcParams["svg.hashsalt"] = "benchmark"
    names, medians, least, greatest = zip(*bars)
    figure, axes = pyplot.subplots(figsize=(9, 1.2 + 0.32 * len(bars)))
    errors = [[m - low for m, low in zip(medians, least)], [high - m for m, high in zip(medians, greatest)]]
    colors = ["#1f6f43" if name.startswith("starter") else "#8aa1b1" for name in names]
    axes.barh(names, medians, xerr=errors, color=colors, ecolor="#444444", capsize=2)
    axes.invert_yaxis()
    axes.set_xlabel("server CPU per request in microseconds: median, least and greatest of %d rounds" % header["rounds"])
    suffix = "" if header["mode"] == "full" else " (%s run)" % header["mode"]
    axes.set_title(title(*key) + suffix, fontsize=10)
    figure.tight_layout()
    name = re.sub("[^a-z0-9]+", "-", title(*key).lower()).strip("-") + ".svg"
    figure.savefig(os.path.join(folder, name), metadata={"Date": None})
    pyplot.close(figure)
    return name
