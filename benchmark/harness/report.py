"""Writes results.json, the page results.md, and the charts, and has the figures of the README and of docs/performance.md."""

import json
import os
import statistics
import typing

from contenders import NAMES
from workloads import Workload

CHARTS = ["new", "cold-200", "echo-1024", "echo-102400", "echo-1048576"]


class Ratio(typing.NamedTuple):
    """What the base needs, divided by what a contender needs."""

    value: float
    least: float
    greatest: float
    starts: int

    @property
    def span(self):
        return "one start" if self.starts == 1 else "%.2f to %.2f" % (self.least, self.greatest)

    def __str__(self):
        return "%.2f, %s" % (self.value, self.span)


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

    def states(self, names):
        """Whether it was busy: the machine was quiet, and beside a neighbour if there are such windows."""
        return sorted({row.get("busy", False) for row in self.rows if row["set"] == names})

    def of(self, names, workload, contender, busy=False):
        return {(row["start"], row["round"]): row for row in self.rows
                if (row["set"], row["workload"], row["contender"], row.get("busy", False)) == (names, workload, contender, busy)}

    def median(self, names, workload, contender, busy=False, key="cpu_us"):
        """The median over the starts of each start's median."""
        starts = by_start({number: row[key] for number, row in self.of(names, workload, contender, busy).items()})
        return statistics.median(map(statistics.median, starts)) if starts else None

    def ratio(self, names, workload, contender, busy=False, base=None):
        """The median over the starts, and the least and the greatest start. A start's is the ratio of its medians.

        With one start, the least and the greatest are of its rounds: they do not tell what two starts differ by.
        """
        base = base or self.contenders(names)[0]
        own, others = (self.of(names, workload, name, busy) for name in (base, contender))
        # A short window can be over before a tick of the clock that counts CPU
        starts = by_start({key: (own[key]["cpu_us"], others[key]["cpu_us"]) for key in own
                           if key in others and own[key]["cpu_us"] and others[key]["cpu_us"]})
        if not starts:
            return None
        ratios = [statistics.median(base for base, _ in rounds) / statistics.median(other for _, other in rounds)
                  for rounds in starts]
        among = ratios if len(starts) > 1 else [base / other for base, other in starts[0]]
        return Ratio(statistics.median(ratios), min(among), max(among), len(starts))

    def is_level(self, names, workload, contender):
        return all(warm["level"] for warm in self.data["warm_up"]
                   if (warm["set"], warm["workload"], warm["contender"]) == (names, workload, contender))


def by_start(values):
    """The values of each start, of those by start and round."""
    starts = {}
    for (start, _), value in values.items():
        starts.setdefault(start, []).append(value)
    return list(starts.values())


def number(value):
    return "{:,.0f}".format(value) if value >= 100 else "%.3g" % value


def table(head, lines):
    return "\n".join("| %s |" % " | ".join(cells) for cells in [head, ["---"] * len(head), *lines]) + "\n"


def label(contender):
    return NAMES.get(contender, contender)


def tables(results, names, of):
    """A table with a line for each workload, of the cells of each contender: quiet and busy beside each other, or in two."""
    contenders, states = results.contenders(names), results.states(names)
    words = dict(zip(states, ["quiet", "busy"] if len(states) > 1 else [""]))
    # Four columns fit a page
    groups = [states] if len(contenders) * len(states) <= 4 or len(states) == 1 else [[state] for state in states]

    def head(contender, busy, group):
        strong = "**%s**" if contender == contenders[0] else "%s"
        return strong % label(contender) + (", " + words[busy] if len(group) > 1 else "")

    for group in groups:
        columns = [(contender, busy) for contender in contenders for busy in group]
        yield table([words[group[0]] if len(group) == 1 else "", *(head(*column, group) for column in columns)],
                    [[Workload(workload).title, *(of(results, names, workload, *column) for column in columns)]
                     for workload in results.workloads(names)])


def cell(results, names, workload, contender, busy=False):
    """CPU per request, with the ratio to the first contender."""
    value = results.median(names, workload, contender, busy)
    if value is None:
        return ""
    mark = "" if results.is_level(names, workload, contender) else " *"
    if contender == results.contenders(names)[0]:
        return "**%s**%s" % (number(value), mark)
    ratio = results.ratio(names, workload, contender, busy)
    return "%s (%s)%s" % (number(value), ratio, mark) if ratio else number(value) + mark


def readme_line(results):
    """The line of the README: what the starter needs, as a share of what others need, from the least start to the greatest."""
    def ratios(workloads, contender):
        names = next(names for names in results.sets() if contender in names.split(","))
        return [results.ratio(names, workload, contender, busy) for workload in workloads for busy in results.states(names)]

    def span(ratios):
        least, greatest = min(ratio.least for ratio in ratios), max(ratio.greatest for ratio in ratios)
        return "%.0f to %.0f %%" % (100 * least, 100 * greatest)

    new, cold = ratios(["new", "new-hybrid"], "jsse"), results.ratio("cold", "cold-200", "jsse")
    bodies = ["echo-102400", "echo-1048576"]
    starts = min(ratio.starts for ratio in [*new, cold])
    return ("A new connection takes %s of JSSE's CPU, right after a start %s, and a body of 100 KB or more %s. Such a body takes "
            "%s of the CPU of NGINX and the application behind it (%s of each server)."
            % (span(new), span([cold]), span(ratios(bodies, "jsse")), span(ratios(bodies, "nginx")),
               "one start" if starts == 1 else "%d starts" % starts))


def answer(ratio):
    """Whether it is worth it. A start that differs by less than 5 % does not pay for anything."""
    if ratio.starts == 1:
        return "one start does not tell"
    if ratio.least <= 1 <= ratio.greatest:
        return "no difference can be seen"
    if abs(ratio.value - 1) < 0.05:
        return "hardly %s" % ("less" if ratio.value < 1 else "more")
    return "worth it" if ratio.value < 1 else "not worth it"


def verdict(results):
    """What the first contender of a set is worth, in a sentence for each workload, with how sure that is."""
    sentences = []
    for names in results.sets():
        base, *others = results.contenders(names)
        for contender in others:
            of = " of %s's CPU here" % label(contender)
            for workload in results.workloads(names):
                quiet, busy = (results.ratio(names, workload, contender, state) for state in (False, True))
                if not quiet:
                    continue
                title = Workload(workload).title.replace("echo ", "echo of ")
                article = "" if title[0].isupper() else "An " if title[0] in "aeiou" else "A "
                between = " between %d starts" % quiet.starts if of and quiet.starts > 1 else ""
                sentence = "%s%s takes %.2f%s (%s%s): %s" % (article, title, quiet.value, of, quiet.span, between, answer(quiet))
                if busy and answer(busy) != answer(quiet):
                    sentence += "; beside a busy neighbour %.2f (%s): %s" % (busy.value, busy.span, answer(busy))
                changing = [label(name) for name in (base, contender) if not results.is_level(names, workload, name)]
                if changing:
                    sentence += ", but the CPU of %s was still changing" % " and ".join(changing)
                sentences.append(sentence + ".")
                of = ""
    return " ".join(sentences)


def performance_tables(results):
    """The tables of docs/performance.md, of each set."""
    return [table for names in [*results.sets(), "cold"] for table in tables(results, names, cell)]


def latency(results, names, workload, contender, busy=False):
    if results.median(names, workload, contender, busy) is None:
        return ""
    keys = ["p50_us", "p99_us"] + (["p999_us"] if Workload(workload).kind == "kept" else [])
    return " / ".join(number(results.median(names, workload, contender, busy, key)) for key in keys)


def thread_lines(results):
    """What each kind of thread takes of a request, the mean of the windows. Kinds with less than 1 % of the CPU are left out."""
    windows = {}
    for row in results.rows:
        if "threads" in row:
            windows.setdefault((row["workload"], row["contender"], row["busy"]), []).append(row["threads"])
    for (workload, contender, busy), found in windows.items():
        sums = {}
        for threads in found:
            for kind, use in threads.items():
                sums[kind] = [a + b for a, b in zip(sums.get(kind, (0, 0, 0)), use.values())]
        cpu = sum(kind[0] for kind in sums.values())
        for kind, values in sorted(sums.items()):
            if values[0] >= 0.01 * cpu:
                yield [Workload(workload).title, label(contender), "busy" if busy else "quiet", kind,
                       *("%.2f" % (value / len(found)) for value in values)]


def page(results):
    header = results.data["header"]
    machine = header["machine"]
    text = ["# Results", "`%s`, %s, %d minutes" % (header["command"], header["date"][:10], header["minutes"]),
            "%s, %d cores%s; load average %.1f at the start and %.1f at the end. Java %s, %s. %s." % (
                machine["cpu"], machine["cores"], ", AVX-512" if machine["avx512"] else "", machine["load_average_at_start"],
                header["load_average_at_end"], header["versions"]["java"], header["jvm_options"], header["tls"])]
    if header["mode"] == "smoke":
        text.append("**This run only shows that the benchmark works. Its figures mean nothing.**")
    if any(map(any, map(results.states, results.sets()))):
        text.append("Busy is beside a process that keeps half a core busy, 5 ms of each 10 ms.")
    text += ["## Server CPU per request",
             "Microseconds, the median over the starts of the medians of their windows (%d of %g s). In brackets: the CPU of the "
             "first contender divided by that of this one, and its range between starts. * was not level (%s) before it was "
             "measured."
             % (header["rounds"], header["window_seconds"], header["level"])]
    text += [table for names in results.sets() for table in tables(results, names, cell)]
    if results.workloads("cold"):
        text += ["Right after a start, each contender alone:", *tables(results, "cold", cell)]
    text += ["## Latency", "Median / 99th percentile in microseconds, median of the windows. At a fixed rate over open "
             "connections, also the 99.9th."]
    text += [table for names in [*results.sets(), "cold"] if results.workloads(names) for table in tables(results, names, latency)]
    threads = list(thread_lines(results))
    if threads:
        text += ["## Threads", "For a request, by the names of threads without digits:",
                 table(["", "contender", "", "threads", "CPU in us", "voluntary switches", "involuntary switches"], threads)]
    not_level = [warm for warm in results.data["warm_up"] if not warm["level"]]
    if not_level:
        text += ["## Not level", table(["contender", "workload", "start", "CPU per request in each window of the warm-up"], [
            [label(warm["contender"]), Workload(warm["workload"]).title, str(warm["start"]), ", ".join(map(number, warm["cpu_us"]))]
            for warm in not_level])]
    if results.data["not_run"]:
        text += ["## Not measured", table(["contender", "workload", "reason"], [
            [label(entry["contender"]), entry["workload"], entry["reason"].replace("\n", " ").replace("|", "/")]
            for entry in results.data["not_run"]])]
    text += ["## Versions", table(["", ""], [list(item) for item in header["versions"].items()])]
    return "\n\n".join(part.rstrip("\n") for part in text) + "\n"


def bars(results, workload):
    """What each contender needs, with the starter as 1, the least first: label, value, least, greatest, starts."""
    found = {}
    for names in [*results.sets(), "cold"]:
        for contender in results.contenders(names):
            ratio = results.ratio(names, workload, contender, base="starter")
            if ratio and contender not in found:
                found[contender] = (label(contender), *(1 / value for value in (ratio.value, ratio.greatest, ratio.least)),
                                    ratio.starts)
    return sorted(found.values(), key=lambda bar: bar[1])


def chart(results, workload, path):
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    # The same input gives the same file, and text stays text
    matplotlib.rcParams.update({"svg.hashsalt": "benchmark", "svg.fonttype": "none"})
    labels, values, least, greatest, starts = zip(*bars(results, workload))
    figure, axes = pyplot.subplots(figsize=(8, 1 + 0.35 * len(labels)))
    errors = None if min(starts) == 1 else [
        [v - low for v, low in zip(values, least)], [high - v for v, high in zip(values, greatest)]]
    axes.barh(labels, values, xerr=errors, ecolor="#444444", capsize=2,
              color=["#1f6f43" if name.startswith(NAMES["starter"]) else "#8aa1b1" for name in labels])
    axes.invert_yaxis()
    axes.set_xlabel("server CPU per request, this starter = 1; " + (
        "the lines are the range between starts" if errors else "one start"))
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
