"""validate.py FILE [--no-invalid]: checks a results.json against the schema, and that no row without requests or with
errors is valid; with --no-invalid also that all rows are, and that they tell the share of the JVMs' compilers."""

import json
import os
import sys

import jsonschema


def main():
    with open(os.path.join(os.path.dirname(__file__), "results.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    with open(sys.argv[1], encoding="utf-8") as file:
        results = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.Draft7Validator(schema).validate(results)
    rows = results[1:]
    wrong = [row for row in rows if row["valid"] and (row["errors"] or not row["requests"])]
    if wrong:
        sys.exit("valid in spite of errors: %s" % wrong)
    failed = [(row["contender"], row["workload"], row["details"]) for row in rows if not row["valid"]]
    print("%d rows of %d contenders, %d invalid, %d not run" % (
        len(rows), len({row["contender"] for row in rows}), len(failed), len(results[0]["header"]["not_run"])))
    if "--no-invalid" not in sys.argv:
        return
    if failed:
        sys.exit("invalid: %s" % failed)
    # Every contender has a JVM. A row of less than a tick of CPU has no share
    silent = [row for row in rows if row["workload"] != "start" and row["cpu_us_per_request"]
              and "compiler_cpu_share" not in row["details"]]
    if silent:
        sys.exit("no share of compilers: %s" % silent)


if __name__ == "__main__":
    main()
