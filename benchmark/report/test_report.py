"""python3 -m unittest discover benchmark/report"""

import argparse
import json
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import readme_table
import row
import tables
from statistics_of_runs import is_valid, percentile, ratio, series, spread

MEASURED = json.dumps({"requests": 0, "errors": 0, "cpu_us_per_request": None, "latency_us": None,
                       "requests_per_second": None, "rss_bytes": 1, "details": {"seconds": 2, "cpu_us": 3000}})


def result(contender="starter", round=1, cpu=100.0, errors=0, requests=10, compiler=None):
    return {"contender": contender, "java": 25, "workload": "echo", "parameters": {"bytes": 1}, "round": round,
            "requests": requests, "errors": errors, "valid": errors == 0, "cpu_us_per_request": cpu,
            "latency_us": {"mean": 1, "p50": 1, "p95": 1, "p99": 1, "max": 1}, "requests_per_second": 5,
            "rss_bytes": 1, "details": {} if compiler is None else {"compiler_cpu_share": compiler}}


def read(kind, parameters, output="", log="", measured=MEASURED, failure=""):
    arguments = argparse.Namespace(contender="starter", java=25, workload="echo", round=1, kind=kind,
                                   parameters=json.dumps(parameters))
    return row.row(arguments, measured, failure, output, log)


class Statistics(unittest.TestCase):
    def test_percentile_is_the_nearest_rank(self):
        values = list(range(200, 0, -1))
        self.assertEqual([percentile(values, p) for p in (50, 95, 99, 100)], [100, 190, 198, 200])
        self.assertEqual(percentile([7], 99), 7)

    def test_spread_leaves_out_what_is_missing(self):
        self.assertEqual(spread([3, None, 1, 2]), (2, 1, 3))
        self.assertIsNone(spread([None]))

    def test_ratio_is_within_the_round(self):
        rows = [result(cpu=50, round=1), result(cpu=100, round=2)]
        others = [result("jsse", cpu=400, round=2), result("jsse", cpu=100, round=1)]
        self.assertEqual(ratio(rows, "jsse", series(rows + others)), (0.5 + 0.25) / 2)

    def test_ratio_to_an_invalid_run_is_none(self):
        rows = [result()]
        self.assertIsNone(ratio(rows, "jsse", series(rows + [result("jsse", errors=1)])))
        self.assertIsNone(ratio(rows, "jsse", series(rows)))

    def test_one_error_in_one_round_makes_the_series_invalid(self):
        self.assertTrue(is_valid([result(), result(round=2)]))
        self.assertFalse(is_valid([result(), result(round=2, errors=1)]))
        self.assertFalse(is_valid([result(requests=0)]))


class Rows(unittest.TestCase):
    def test_h2load_without_a_reason_phrase_counts_where_all_came_back(self):
        output = "0 succeeded, 2 failed, 0 errored, 0 timeout\ntraffic: 9B (9) total, 9B (9) headers, 20B (20) data"
        found = read("h2load", {"bytes": 10, "requests": 2}, output, "1\t0\t30\n2\t0\t10\n")
        self.assertEqual((found["requests"], found["errors"], found["cpu_us_per_request"]), (2, 0, 1500))
        self.assertEqual(found["latency_us"]["mean"], 20)

    def test_h2load_with_a_byte_missing_is_invalid(self):
        output = "0 succeeded, 2 failed, 0 errored, 0 timeout\ntraffic: 9B (9) total, 9B (9) headers, 19B (19) data"
        found = read("h2load", {"bytes": 10, "requests": 2}, output, "1\t0\t30\n2\t0\t10\n")
        self.assertEqual((found["requests"], found["errors"], found["valid"]), (0, 2, False))

    def test_h2load_that_stopped_early_is_invalid(self):
        found = read("h2load", {"bytes": 10, "requests": 3}, "", "1\t200\t30\n2\t200\t10\n")
        self.assertEqual((found["requests"], found["errors"]), (2, 1))

    def test_curl_that_failed_once_is_invalid(self):
        found = read("curl", {"runs": 2}, "200 0.002\ncurl-failed 0\n")
        self.assertEqual((found["requests"], found["errors"], found["valid"]), (1, 1, False))
        self.assertEqual(found["latency_us"]["max"], 2000)

    def test_load_generator_that_failed_is_invalid_and_says_why(self):
        found = read("load", {}, measured="", failure="load: refused")
        self.assertFalse(found["valid"])
        self.assertEqual(found["details"]["failure"], "load: refused")


class Tables(unittest.TestCase):
    header = {"command": "c", "mode": "quick", "date": "d", "rounds": 1, "jvm_options": "-Xmx1g", "versions": {"x": "1"},
              "machine": {"cpu": "C", "avx512": True, "cores": 2, "memory_bytes": 1, "kernel": "k",
                          "load_average_at_start": 0},
              "tls": {"protocol": "p", "cipher_suite": "s", "group": "g", "tickets": "t"},
              "not_run": [{"contender": "ffm", "java": 17, "workload": None, "round": 1, "reason": "too old"}]}

    def test_invalid_figures_are_not_shown(self):
        text = tables.markdown(self.header, [result(cpu=123.0, errors=2), result("jsse")], [])
        self.assertIn("**invalid: 2 errors**", text)
        self.assertNotIn("123", text)

    def test_greatest_share_of_the_compiler_is_shown_where_there_is_one(self):
        rows = [result(compiler=0.021), result(round=2, compiler=0.139), result("old")]
        text = tables.markdown(self.header, rows, []).splitlines()
        self.assertTrue(next(line for line in text if line.startswith("| starter | ")).endswith(" | 14 % |"))
        self.assertTrue(next(line for line in text if line.startswith("| old | ")).endswith(" |  |"))

    def test_all_lines_have_all_columns(self):
        rows = [result(errors=1), result("jsse"), result("nginx", compiler=0.1)]
        self.assertEqual({len(tables.line([row], series(rows))) for row in rows}, {len(tables.HEAD)})

    def test_each_workload_has_a_title(self):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib", "workloads.sh")
        with open(path, encoding="utf-8") as file:
            workloads = re.search(r"^workloads=\((.*)\)$", file.read(), re.MULTILINE).group(1)
        self.assertEqual(set(workloads.split()), set(tables.NAMES))

    def test_what_was_not_run_is_named_with_the_reason(self):
        self.assertIn("| ffm | 17 | all | too old | 1 |", tables.markdown(self.header, [result()], []))


class Readme(unittest.TestCase):
    def test_table_is_that_of_the_reference_run(self):
        root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
        with open(os.path.join(root, "benchmark", "reference", "results.json"), encoding="utf-8") as file:
            results = json.load(file)
        for page, contenders in (("README.md", readme_table.README), ("docs/performance.md", tuple(readme_table.CONTENDERS))):
            table = readme_table.lines(results, contenders)
            self.assertGreaterEqual(len(table), 2 + 4)
            with open(os.path.join(root, page), encoding="utf-8") as file:
                self.assertIn("\n".join(table), file.read())


if __name__ == "__main__":
    unittest.main()
