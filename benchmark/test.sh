#!/usr/bin/env bash
#
# Tests the benchmark: its parts, and a run of some seconds whose results.json has to fit the schema, without an error.
# About 90 seconds where the project is built already. Needs what run.sh needs; run.sh installs it.
set -euo pipefail

benchmark=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

"$benchmark/run.sh" --smoke --results "$results"
"$benchmark/compare.py" --rounds 1 --generations 1 --scale 0.05 --workloads connect echo-1024 h2-1024 \
  -- now= one-ticket=--benchmark.openssl-conf.NumTickets=1 >"$results/compare.md"
(cd "$benchmark/load" && go vet ./... && go test ./...)
/usr/bin/python3 -m unittest discover -q "$benchmark/report"
/usr/bin/python3 "$benchmark/report/validate.py" "$results/results.json" --no-invalid
for contender in plain jsse starter starter-default nginx; do
  grep -q "^| $contender | " "$results/results.md" || { echo "$contender is missing" >&2; exit 1; }
done
[[ $(grep -c '^| one-ticket | ' "$results/compare.md") == 3 ]] || { echo "compare.py did not compare" >&2; exit 1; }
ls "$results"/*.svg >/dev/null
echo "benchmark: tested in $SECONDS s"
