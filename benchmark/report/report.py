"""Writes results.json, results.md and the charts of a run."""

import argparse
import json
import os
import re

import tables


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def charts_of(path):
    """The charts that an earlier report has."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return re.findall(r"^!\[[^]]*\]\(([a-z0-9-]+\.svg)\)$", file.read(), re.MULTILINE)


def main():
    parser = argparse.ArgumentParser()
    for name in ("header", "rows", "not-run", "results"):
        parser.add_argument("--" + name, required=True)
    arguments = parser.parse_args()
    header = lines(arguments.header)[0]
    header["header"]["not_run"] = lines(arguments.not_run)
    rows = lines(arguments.rows)
    target = lambda name: os.path.join(arguments.results, name)
    # Charts of an earlier run would stand beside the figures of this one
    for name in charts_of(target("results.md")):
        if os.path.exists(target(name)):
            os.remove(target(name))
    with open(target("results.json"), "w", encoding="utf-8") as file:
        json.dump([header, *rows], file, indent=1)
        file.write("\n")
    try:
        import charts

        images = charts.write(header["header"], rows, arguments.results)
    except ImportError:
        images = []
        print("benchmark: no charts: python3-matplotlib is not installed")
    with open(target("results.md"), "w", encoding="utf-8") as file:
        file.write(tables.markdown(header["header"], rows, images))


if __name__ == "__main__":
    main()
