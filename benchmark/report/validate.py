"""validate.py FILE: checks a results.json against the schema, and that no row without requests or with errors is valid."""

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
    if failed and "--no-invalid" in sys.argv:
        sys.exit("invalid: %s" % failed)


if __name__ == "__main__":
    main()
