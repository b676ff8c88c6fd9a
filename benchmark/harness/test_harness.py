"""python3 -m unittest discover benchmark/harness"""

import importlib.util
import os
import sys
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import contenders
import count
import report
import starts
import week
import workloads
from contenders import ROOT, Unavailable

REFERENCE = os.path.join(ROOT, "benchmark", "reference")

def row(contender, cpu, round=1, names="starter,jsse", workload="new", start=1, **more):
    return {**more, "set": names, "workload": workload, "contender": contender, "start": start, "round": round, "cpu_us": cpu,
            "p50_us": 1, "p99_us": 2}


def results(*rows, level=True):
    return report.Results({"rows": list(rows), "warm_up": [
        {"set": "starter,jsse", "workload": "new", "contender": "jsse", "start": 1, "level": level, "cpu_us": [1]}]})


def load_harness():
    spec = importlib.util.spec_from_file_location("harness", os.path.join(os.path.dirname(__file__), "__main__.py"))
    harness = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(harness)
    return harness


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


class Starts(unittest.TestCase):
    def test_a_cell_has_the_medians_and_the_range_of_the_time(self):
        self.assertEqual(starts.cell([(1, 2), (3, 4.5), (2, 3)]), "2.0 s (1.0 to 3.0), 3.0 s of CPU")

    def test_the_contenders_are_those_of_starts(self):
        self.assertIn("sample-acme", ",".join(load_harness().parse(["--first-request"]).sets))
        with self.assertRaises(SystemExit), unittest.mock.patch("sys.stderr"):
            load_harness().parse(["--first-request", "--sets", "nginx"])


class Level(unittest.TestCase):
    def test_three_windows_in_a_row_are_level(self):
        self.assertFalse(workloads.is_level([100, 100]))
        self.assertTrue(workloads.is_level([300, 105, 100, 102]))
        self.assertFalse(workloads.is_level([100, 100, 106]))

    def test_a_warm_up_ends_when_level_or_after_its_windows(self):
        class Contender:
            pass

        class Cooling:
            def __init__(self, *values):
                self.values = list(values)

            def warming(self):
                return self

            def measure(self, *_, **__):
                value = self.values.pop(0)
                return {"cpu_us_per_request": value, "requests": 10 if value else 0}

        self.assertEqual(workloads.warm_up(Contender(), Cooling(300, 101, 100, 100, 1), 1, 9), ([300, 101, 100, 100], 40))
        self.assertEqual(workloads.warm_up(Contender(), Cooling(300, 200, 100), 1, 2), ([300, 200], 20))
        self.assertEqual(workloads.warm_up(Contender(), Cooling(None, 300, 200), 1, 2), ([300], 10))


class Names(unittest.TestCase):
    def test_a_name_says_what_clients_do(self):
        for name, title in {"kept-8000-20": "echo 1 KB, 8,000 a second over 20 connections", "json": "JSON of 2 KB",
                            "h2-1024-8": "echo 1 KB, HTTP/2, 8 streams, h2load", "h2-1024": "echo 1 KB, HTTP/2, h2load",
                            "mtls": "new connection, client certificate", "rsa": "new connection, RSA-2048"}.items():
            self.assertEqual(workloads.Workload(name).title, title)
        for name in ("kept-8000", "h1-1024-8", "json-2", "rsa-2048", "new-"):
            self.assertRaises(SystemExit, workloads.Workload, name)

    def test_kept_connections_are_warmed_up_by_the_echo(self):
        self.assertEqual(workloads.Workload("kept-8000-20").warming().name, "echo-1024")
        self.assertEqual(workloads.Workload("mtls").warming().name, "mtls")


class Threads(unittest.TestCase):
    def test_threads_have_the_names_that_the_jvm_gives_them(self):
        dump = ('"https-openssl-nio-8443-exec-2" #31 daemon prio=5 tid=0x7f nid=0x10 waiting on condition  [0x7e]\n'
                '   java.lang.Thread.State: WAITING (parking)\n'
                '"https-openssl-nio-8443-Poller" #32 [17] daemon prio=5 tid=0x7f nid=17 runnable  [0x7e]\n')
        names = contenders.names_in(dump)
        self.assertEqual(names, {16: "https-openssl-nio-8443-exec-2", 17: "https-openssl-nio-8443-Poller"})
        threads = [{"id": thread, "name": name, "cpu_us": 2, "voluntary_switches": 1, "involuntary_switches": 0.5}
                   for thread, name in ((16, "https-openssl-n"), (17, "https-openssl-n"), (18, "nginx"), (19, "nginx"))]
        self.assertEqual({kind: use["cpu_us"] for kind, use in workloads.by_kind(threads, names).items()},
                         {"https-openssl-nio--exec-": 2, "https-openssl-nio--Poller": 2, "nginx": 4})


class H2load(unittest.TestCase):
    OUTPUT = "traffic: 1KB (1000) total, 0B (0) headers, 2B (%d) data\n requests: 2 total, %d errored, 0 timeout\n"

    def test_a_response_without_a_reason_phrase_counts_if_all_came_back(self):
        measured = workloads.from_h2load({"details": {"cpu_us": 30}}, 1, self.OUTPUT % (2, 0), "1\t0\t10\n2\t200\t20\n")
        self.assertEqual((measured["requests"], measured["cpu_us_per_request"], measured["latency_us"]["p99"]), (2, 15, 20))

    def test_less_data_or_an_error_ends_the_window(self):
        for data, errors, log in ((1, 0, "1\t0\t1\n2\t0\t1\n"), (2, 1, "1\t0\t1\n2\t0\t1\n"), (2, 0, "1\t500\t1\n2\t0\t1\n")):
            self.assertRaises(Unavailable, workloads.from_h2load, {"details": {"cpu_us": 1}}, 1, self.OUTPUT % (data, errors), log)


class Figures(unittest.TestCase):
    def test_the_ratio_is_the_median_over_the_starts_with_the_range_between_starts(self):
        windows = [(1, 50, 100), (1, 90, 100), (1, 40, 100), (2, 60, 100), (2, 62, 100), (3, 80, 100), (3, 80, 100)]
        found = results(*(row(name, cpu, round, start=start) for round, (start, *both) in enumerate(windows)
                          for name, cpu in zip(("starter", "jsse"), both)))
        self.assertEqual(found.ratio("starter,jsse", "new", "jsse"), (0.61, 0.5, 0.8, 3))
        self.assertEqual(report.cell(found, "starter,jsse", "new", "jsse"), "100 (0.61, 0.50 to 0.80)")
        self.assertEqual(report.cell(found, "starter,jsse", "new", "starter"), "**61**")
        self.assertEqual(report.bars(found, "new")[1][1:], (1 / 0.61, 1 / 0.8, 1 / 0.5, 3))

    def test_one_start_has_no_range_between_starts(self):
        found = results(row("starter", 50), row("starter", 60, 2), row("jsse", 100), row("jsse", 100, 2))
        self.assertEqual(report.cell(found, "starter,jsse", "new", "jsse"), "100 (0.55, one start)")

    def test_quiet_and_busy_are_two_columns_or_two_tables(self):
        def rows(names):
            return [row(contender, cpu, names=names, busy=busy) for busy, both in ((False, (50, 100)), (True, (80, 100)))
                    for contender, cpu in zip(names.split(","), both)]

        def found(names):
            return [table.splitlines() for table in report.tables(results(*rows(names)), names, report.cell)]

        self.assertEqual(found("starter,jsse"), [[
            "|  | **this starter**, quiet | **this starter**, busy | JSSE, quiet | JSSE, busy |", "| --- | --- | --- | --- | --- |",
            "| new connection | **50** | **80** | 100 (0.50, one start) | 100 (0.80, one start) |"]])
        self.assertEqual([(lines[0], lines[2]) for lines in found("starter,jsse,nginx")], [
            ("| quiet | **this starter** | JSSE | NGINX + application |", "| new connection | **50** | 100 (0.50, one start) |  |"),
            ("| busy | **this starter** | JSSE | NGINX + application |", "| new connection | **80** | 100 (0.80, one start) |  |")])

    def test_kept_connections_have_three_percentiles_and_their_threads(self):
        kept = [row("starter", 50, round, workload="kept-8000-20", busy=False, p999_us=30, threads={
            "exec-": {"cpu_us": cpu, "voluntary_switches": 2, "involuntary_switches": 0}}) for round, cpu in enumerate((20, 40))]
        found = results(*kept)
        self.assertEqual(report.latency(found, "starter,jsse", "kept-8000-20", "starter"), "1 / 2 / 30")
        self.assertEqual(list(report.thread_lines(found)), [[
            "echo 1 KB, 8,000 a second over 20 connections", "this starter", "quiet", "exec-", "30.00", "2.00", "0.00"]])

    def test_a_start_that_one_of_two_lacks_has_no_ratio(self):
        found = results(row("starter", 50), row("starter", 99, start=2), row("jsse", 100), row("jsse", 10, start=3))
        self.assertEqual(found.ratio("starter,jsse", "new", "jsse"), (0.5, 0.5, 0.5, 1))

    def test_what_was_not_level_is_marked(self):
        found = results(row("starter", 50), row("jsse", 100), level=False)
        self.assertEqual(report.cell(found, "starter,jsse", "new", "jsse"), "100 (0.50, one start) *")

    def test_bars_are_sorted_and_the_starter_is_1(self):
        found = results(row("jsse", 100), row("starter", 50), row("plain", 10))
        found.data["rows"][2]["set"] = "starter,jsse"
        self.assertEqual([bar[:2] for bar in report.bars(found, "new")], [("this starter", 1), ("JSSE", 2)])

    def test_a_window_without_a_tick_has_no_ratio(self):
        self.assertIsNone(results(row("starter", 0), row("jsse", 0)).ratio("starter,jsse", "new", "jsse"))


class Verdict(unittest.TestCase):
    def test_each_workload_has_a_sentence_with_its_range(self):
        found = results(*(row(contender, cpu, workload=workload, start=start, busy=False)
                          for workload, ratios in (("new", (44, 47, 51)), ("echo-1024", (95, 103, 112)))
                          for start, base in enumerate(ratios) for contender, cpu in (("starter", base), ("jsse", 100))))
        self.assertEqual(report.verdict(found),
                         "A new connection takes 0.47 of JSSE's CPU here (0.44 to 0.51 between 3 starts): worth it. "
                         "An echo of 1 KB takes 1.03 (0.95 to 1.12): no difference can be seen.")

    def test_what_a_neighbour_changes_and_what_was_not_level_is_told(self):
        found = results(*(row(contender, cpu, start=start, busy=busy) for start in (1, 2) for busy, base in ((False, 50), (True, 98))
                          for contender, cpu in (("starter", base), ("jsse", 100))), level=False)
        self.assertEqual(report.verdict(found),
                         "A new connection takes 0.50 of JSSE's CPU here (0.50 to 0.50 between 2 starts): worth it; beside a busy "
                         "neighbour 0.98 (0.98 to 0.98): hardly less, but the CPU of JSSE was still changing.")

    def test_the_answer_depends_on_the_range(self):
        for ratio, expected in {(0.5, 0.4, 0.6, 1): "one start does not tell", (0.8, 0.7, 1.01, 3): "no difference can be seen",
                                (0.8, 0.7, 0.9, 3): "worth it", (0.97, 0.95, 0.99, 3): "hardly less",
                                (1.2, 1.1, 1.3, 3): "not worth it", (1.03, 1.01, 1.05, 3): "hardly more"}.items():
            self.assertEqual(report.answer(report.Ratio(*ratio)), expected)


class Counts(unittest.TestCase):
    STRACE = ("1 write(7<socket:[1]>, \"a\", 1) = 1\n"
              "1 write(9<anon_inode:[eventfd]>, \"\\1\\0\", 8) = 8\n"
              "1 futex(0x7f, FUTEX_WAKE_PRIVATE, 1 <unfinished ...>\n"
              "2 futex(0x7f, FUTEX_WAKE_PRIVATE, 1) = 0\n"
              "1 <... futex resumed>) = 1\n"
              "2 --- SIGSEGV {si_signo=SIGSEGV} ---\n"
              "3 futex(0x7f, FUTEX_WAKE_PRIVATE, 1) = 1\n"
              "4 close(7) = 0\n")

    def test_calls_of_threads_that_serve_are_counted_and_wake_ups_of_others(self):
        names = {1: "exec-1", 2: "exec-2", 3: "C1 CompilerThre"}
        self.assertEqual(count.count_calls(self.STRACE.splitlines(), names),
                         {"call:write": 1, "call:write:eventfd": 1, "call:futex": 2, "hand-overs": 2})

    def test_what_grew_beyond_its_allowance_is_told_from_what_shrank(self):
        expected = {("new", "malloc"): (10, 0.5), ("new", "call:read"): (4, 0.3), ("new", "call:futex"): (9, None),
                    ("new", "call:close"): (1, 0.3), ("echo-1024", "malloc"): (8, 0.5)}
        rounds = [{"malloc": value, "call:read": 3, "call:futex": 99, "call:brk": 1, "call:mmap": 0.1} for value in (11, 30, 9)]
        more, less, lines = count.compare(expected, {"new": rounds})
        self.assertEqual([line.split(" instead")[0] for line in more], ["new, call:brk: 1.00", "new, malloc: 11.00"])
        self.assertEqual([line.split(" instead")[0] for line in less], ["new, call:read: 3.00", "new, call:close: 0.00"])
        self.assertEqual([line.split()[1:] for line in lines],
                         [["call:brk", "1", "0.3"], ["call:futex", "99", "-"], ["call:read", "3", "0.3"], ["malloc", "11", "0.5"]])


class Plan(unittest.TestCase):
    harness = load_harness()

    def test_a_workload_has_as_many_starts_as_it_needs(self):
        arguments = self.harness.parse(["--workloads", "echo-1024", "new", "cold-200", "echo-1048576"])
        self.assertEqual([(starts, [workload.name for workload in those]) for starts, those in self.harness.parts(arguments)],
                         [(3, ["cold-200"]), (3, ["new", "echo-1048576"]), (8, ["echo-1024"])])
        arguments.starts = 2
        self.assertEqual([(starts, [workload.name for workload in those]) for starts, those in self.harness.parts(arguments)],
                         [(2, ["cold-200"]), (2, ["echo-1024", "new", "echo-1048576"])])

    def test_the_reference_run_ends_within_an_hour(self):
        arguments = self.harness.parse(["--reference"])
        self.assertLessEqual(self.harness.minutes_at_most(arguments), 60)
        self.assertGreaterEqual(min(starts for starts, _ in self.harness.parts(arguments)), 3)

    def test_other_certificates_have_starts_of_their_own(self):
        arguments = self.harness.parse(["--workloads", "new", "mtls", "rsa", "json", "--starts", "2"])
        self.assertEqual([[workload.name for workload in those] for _, those in self.harness.parts(arguments)],
                         [["new", "json"], ["mtls"], ["rsa"]])

    def test_work_that_was_done_already_warms_up(self):
        class Contender:
            name = kind = "starter"

        run = self.harness.Run(self.harness.parse(["--smoke"]), {})
        warmed = []
        with unittest.mock.patch.object(self.harness, "warm_up",
                                        lambda _, workload, *__: warmed.append(workload.name) or ([1, 1, 1], 3)):
            done = {}
            for name in ("echo-1024", "kept-200-5", "kept-100-9", "json"):
                self.assertTrue(run.warm_up(Contender(), workloads.Workload(name), 1, "starter", done))
        self.assertEqual(warmed, ["echo-1024", "json"])
        self.assertEqual([warm["workload"] for warm in run.warm], ["echo-1024", "kept-200-5", "kept-100-9", "json"])

    def test_connections_get_more_windows_of_warm_up(self):
        arguments = self.harness.parse(["--most", "5"])
        self.assertEqual([self.harness.most(arguments, workloads.Workload(name)) for name in ("new", "echo-1024")], [5, 3])


class Ended(unittest.TestCase):
    def test_what_was_measured_is_written_if_the_run_ends_with_an_error(self):
        harness = load_harness()

        def run(self):
            self.rows.append(row("starter", 50, names="starter"))
            raise SystemExit("a setting was not taken")

        written = {}
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.multiple(
                harness, header_of=lambda *_: {}, make_certificate=lambda *_, **__: (), make_client=lambda _: (),
                say=lambda _: None), unittest.mock.patch.object(
                harness.Run, "run", run), unittest.mock.patch.object(
                harness.report, "write", lambda data, _: written.update(data)):
            with self.assertRaisesRegex(SystemExit, "a setting was not taken"):
                harness.main(["--quick", "--results", folder])
        self.assertEqual(len(written["rows"]), 1)
        self.assertEqual(written["not_run"][0]["workload"], "the rest of the run")


class Week(unittest.TestCase):
    @staticmethod
    def samples(**of):
        """An hour with a sample each minute. What is not named stays the same."""
        counted = dict.fromkeys(("completed", "failed", "renewals", "renewals_failed"), 0)
        return [{"minute": minute, **counted, **{name: of.get(name, lambda _: 100)(minute) for name in week.SERIES}}
                for minute in range(61)]

    def test_what_grows_in_the_second_half_is_named(self):
        self.assertEqual(week.verdict(self.samples(rss=lambda minute: 300 + minute, heap=lambda minute: 40 + 2 * (minute % 2))),
                         "In the second half, this still grows: resident memory.")

    def test_a_warm_up_and_peaks_do_not_grow(self):
        self.assertEqual(week.verdict(self.samples(rss=lambda minute: 300 + min(minute, 20),
                                                   descriptors=lambda minute: 900 if minute % 9 == 8 else 80)),
                         "Everything levels off.")

    def test_the_table_has_the_quarters_and_the_slope(self):
        page = week.page(self.samples(rss=lambda minute: 300 + minute), None)
        self.assertIn("| resident memory | 307.5 MB | 352.5 MB | +60.0 MB |", page)
        self.assertIn("| threads | 100.0 | 100.0 | +0.0 |", page)

    def test_the_picture_has_a_line_for_each_series(self):
        svg = xml.etree.ElementTree.fromstring(week.picture(self.samples()))
        self.assertEqual(len(svg.findall(".//{*}polyline")), len(week.SERIES))

    def test_a_series_may_have_fewer_samples_or_none(self):
        samples = self.samples()
        for sample in samples:
            del sample["native"]
        for sample in samples[::2]:
            del sample["heap"]
        points = {series.title: len(points) for series, points in week.values(samples)}
        self.assertEqual((points["heap after a collection"], points["threads"]), (30, 61))
        self.assertNotIn(week.SERIES["native"].title, points)

    def test_memory_in_use_is_that_of_all_arenas(self):
        info = ('<heap nr="0"><system type="current" size="500"/></heap>\n<total type="fast" count="2" size="64"/>\n'
                '<total type="rest" count="6" size="36"/>\n<total type="mmap" count="9" size="1000"/>\n'
                '<system type="current" size="700"/>\n<system type="max" size="900"/>\n<aspace type="total" size="700"/>')
        self.assertEqual(week.in_use(info), 1600)

    def test_metrics_are_added_up_by_their_tag(self):
        text = '# TYPE a counter\na{tag="x"} 1.0\na{tag="y"} 2.0\na_b{tag="x"} 4.0\n'
        self.assertEqual((week.total(text, "a"), week.total(text, "a", 'tag="x"'), week.total(text, "b")), (3, 1, 0))


class Pages(unittest.TestCase):
    """The tables of the pages are those of the reference run."""

    def setUp(self):
        self.results = report.Results.read(os.path.join(REFERENCE, "results.json"))

    def test_readme_has_the_line(self):
        self.assertIn(report.readme_line(self.results), " ".join(read("README.md").split()))

    def test_performance_has_the_tables(self):
        for table in report.performance_tables(self.results):
            self.assertIn(table, read("docs/performance.md"))

    def test_benchmark_readme_has_the_counts_that_are_expected(self):
        tables = read("benchmark/README.md").partition("\n## Counts\n")[2]
        for (workload, name), (expected, allowance) in count.read_expected(count.EXPECTED).items():
            if allowance is not None and not name.startswith("native:"):
                table = tables.partition(count.heading(workloads.Workload(workload)))[2].partition("**")[0]
                row = table.partition("\n| %s | " % count.words(name))[2]
                self.assertAlmostEqual(float(row.split()[0].replace(",", "")), expected, delta=allowance, msg=name)

    def test_results_md_is_made_of_results_json(self):
        self.assertEqual(report.page(self.results), read("benchmark/reference/results.md"))

    def test_only_charts_that_a_page_shows_are_there(self):
        charts = {name for name in os.listdir(REFERENCE) if name.endswith(".svg")}
        shown = {name for name in charts if "reference/" + name in read("docs/performance.md")}
        self.assertEqual(charts, shown)


if __name__ == "__main__":
    unittest.main()
