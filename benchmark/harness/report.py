"""Writes results.json, the page results.md, and the charts, and has the figures of the README and of docs/performance.md."""

import json
import os
import statistics

from contenders import NAMES
from workloads import Workload

CHARTS = ["new", "cold-200", "echo-1024", "echo-102400", "echo-1048576"]


class Results:
    """The figures of a results.json."""

    def __init__(self, data):
        self.data = data
        self.rows = data["rows"]

    @staticmethod
    def read(path):
        with open(path, encoding="utf-8") as file:
            return Results(json.load(file))

    def sets(self):
        """The contenders that ran at once, with the one that the others are compared with first."""
        return list(dict.fromkeys(row["set"] for row in self.rows if row["set"] != "cold"))

    def workloads(self, of):
        return list(dict.fromkeys(row["workload"] for row in self.rows if row["set"] == of))

    def contenders(self, of):
        return list(dict.fromkeys(row["contender"] for row in self.rows if row["set"] == "cold")) if of == "cold" else of.split(",")

    def of(self, names, workload, contender):
        return {(row["start"], row["round"]): row for row in self.rows
                if (row["set"], row["workload"], row["contender"]) == (names, workload, contender)}

    def median(self, names, workload, contender, key="cpu_us"):
        rows = self.of(names, workload, contender)
        return statistics.median(row[key] for row in rows.values()) if rows else None

    def ratio(self, names, workload, contender, base=None):
        """What the base needs, divided by what the contender needs: of the medians, and the least and the greatest of a round."""
        base = base or self.contenders(names)[0]
        own, others = self.of(names, workload, base), self.of(names, workload, contender)
        # A short window can be over before a tick of the clock that counts CPU
        rounds = [own[key]["cpu_us"] / others[key]["cpu_us"] for key in own
                  if key in others and own[key]["cpu_us"] and others[key]["cpu_us"]]
        if not rounds or not self.median(names, workload, contender):
            return None
        return self.median(names, workload, base) / self.median(names, workload, contender), min(rounds), max(rounds)

    def is_level(self, names, workload, contender):
        return all(warm["level"] for warm in self.data["warm_up"]
                   if (warm["set"], warm["workload"], warm["contender"]) == (names, workload, contender))


def number(value):
    return "{:,.0f}".format(value) if value >= 100 else "%.3g" % value


def table(head, lines):
    return "\n".join("| %s |" % " | ".join(cells) for cells in [head, ["---"] * len(head), *lines]) + "\n"


def label(contender):
    return NAMES.get(contender, contender)


def cell(results, names, workload, contender):
    value = results.median(names, workload, contender)
    if value is None:
        return ""
    mark = "" if results.is_level(names, workload, contender) else " *"
    if contender == results.contenders(names)[0]:
        return "**%s**%s" % (number(value), mark)
    ratio = results.ratio(names, workload, contender)
    if not ratio:
        return number(value) + mark
    return "%s (%.2f%s)%s" % (number(value), ratio[0],
                              "" if ratio[1] == ratio[2] else ", %.2f to %.2f" % ratio[1:], mark)


def cpu_table(results, names, contenders=None, workloads=None):
    """CPU per request of each contender, with the ratio to the first."""
    contenders = contenders or results.contenders(names)
    return table(["", *(("**%s**" if name == contenders[0] else "%s") % label(name) for name in contenders)],
                 [[Workload(workload).title, *(cell(results, names, workload, name) for name in contenders)]
                  for workload in workloads or results.workloads(names)])


def readme_line(results):
    """The line of the README: what the starter needs, as a share of what others need, with the range over the rounds."""
    def span(workloads, contender):
        names = next(names for names in results.sets() if contender in names.split(","))
        ratios = [results.ratio(names, workload, contender) for workload in workloads]
        return "%.0f to %.0f %%" % (100 * min(ratio[1] for ratio in ratios), 100 * max(ratio[2] for ratio in ratios))

    bodies = ["echo-102400", "echo-1048576"]
    return ("A new connection takes %s of JSSE's CPU, right after a start %.0f %%, and a body of 100 KB or more %s. With NGINX "
            "in front of the application, such a body takes about twice the CPU: the starter needs %s of it."
            % (span(["new", "new-hybrid"], "jsse"), 100 * results.ratio("cold", "cold-200", "jsse")[0], span(bodies, "jsse"),
               span(bodies, "nginx")))


def performance_tables(results):
    """The tables of docs/performance.md, one for each set."""
    return [cpu_table(results, names) for names in results.sets()] + [cpu_table(results, "cold")]


def latency_table(results, names):
    return table(["", *map(label, results.contenders(names))],
                 [[Workload(workload).title, *(
                     "" if results.median(names, workload, name) is None else "%s / %s" % tuple(
                         number(results.median(names, workload, name, key)) for key in ("p50_us", "p99_us"))
                     for name in results.contenders(names))] for workload in results.workloads(names)])


def page(results):
    header = results.data["header"]
    machine = header["machine"]
    text = ["# Results", "`%s`, %s, %d minutes" % (header["command"], header["date"][:10], header["minutes"]),
            "%s, %d cores%s; load average %.1f at the start and %.1f at the end. Java %s, %s. %s." % (
                machine["cpu"], machine["cores"], ", AVX-512" if machine["avx512"] else "", machine["load_average_at_start"],
                header["load_average_at_end"], header["versions"]["java"], header["jvm_options"], header["tls"])]
    if header["mode"] == "smoke":
        text.append("**This run only shows that the benchmark works. Its figures mean nothing.**")
    text += ["## Server CPU per request",
             "Microseconds, the median of %d windows of %g s. In brackets: the CPU of the first contender divided by that "
             "of this one, and its range over the rounds. * was not level (%s) before it was measured."
             % (header["starts"] * header["rounds"], header["window_seconds"], header["level"])]
    text += [cpu_table(results, names) for names in results.sets()]
    if results.workloads("cold"):
        text += ["Right after a start, each contender alone, once for each start:", cpu_table(results, "cold")]
    text += ["## Latency", "Median / 99th percentile in microseconds, median of the windows"]
    text += [latency_table(results, names) for names in results.sets()]
    if results.workloads("cold"):
        text.append(latency_table(results, "cold"))
    not_level = [warm for warm in results.data["warm_up"] if not warm["level"]]
    if not_level:
        text += ["## Not level", table(["contender", "workload", "CPU per request in each window of the warm-up"], [
            [label(warm["contender"]), Workload(warm["workload"]).title, ", ".join(map(number, warm["cpu_us"]))]
            for warm in not_level])]
    if results.data["not_run"]:
        text += ["## Not measured", table(["contender", "workload", "reason"], [
            [label(entry["contender"]), entry["workload"], entry["reason"].replace("\n", " ").replace("|", "/")]
            for entry in results.data["not_run"]])]
    text += ["## Versions", table(["", ""], [list(item) for item in header["versions"].items()])]
    return "\n\n".join(part.rstrip("\n") for part in text) + "\n"


def bars(results, workload):
    """What each contender needs, with the starter as 1, the least first: label, value, least, greatest."""
    found = {}
    for names in [*results.sets(), "cold"]:
        for contender in results.contenders(names):
            ratio = results.ratio(names, workload, contender, "starter")
            if ratio and contender not in found:
                found[contender] = (label(contender), 1 / ratio[0], 1 / ratio[2], 1 / ratio[1])
    return sorted(found.values(), key=lambda bar: bar[1])


def chart(results, workload, path):
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    # The same input gives the same file, and text stays text
    matplotlib.rcParams.update({"svg.hashsalt": "benchmark", "svg.fonttype": "none"})
    labels, values, least, greatest = zip(*bars(results, workload))
    figure, axes = pyplot.subplots(figsize=(8, 1 + 0.35 * len(labels)))
    errors = [[v - low for v, low in zip(values, least)], [high - v for v, high in zip(values, greatest)]]
    axes.barh(labels, values, xerr=errors, ecolor="#444444", capsize=2,
              color=["#1f6f43" if name.startswith(NAMES["starter"]) else "#8aa1b1" for name in labels])
    axes.invert_yaxis()
    axes.set_xlabel("server CPU per request, this starter = 1; the lines are the range over the rounds")
    axes.set_title(Workload(workload).title[0].upper() + Workload(workload).title[1:], fontsize=10)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def dump(data):
    """JSON with a line for each row."""
    parts = ['"%s": %s' % (key, "[\n%s\n]" % ",\n".join(map(json.dumps, value)) if isinstance(value, list) and value
                           else json.dumps(value, indent=1)) for key, value in data.items()]
    return "{\n%s\n}\n" % ",\n".join(parts)


def write(data, folder):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "results.json"), "w", encoding="utf-8") as file:
        file.write(dump(data))
    results = Results(data)
    with open(os.path.join(folder, "results.md"), "w", encoding="utf-8") as file:
        file.write(page(results))
    for workload in CHARTS:
        if len(bars(results, workload)) > 1:
            chart(results, workload, os.path.join(folder, workload + ".svg"))
