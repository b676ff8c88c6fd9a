#!/usr/bin/env bash
#
# Tests the benchmark: its parts, and a run of a minute, without an error. Needs what run.sh needs; run.sh installs it.
set -euo pipefail

benchmark=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

"$benchmark/run.sh" --smoke --results "$results"
/usr/bin/python3 "$benchmark/harness" --smoke --sets starter,one-ticket --variant one-ticket=--benchmark.openssl-conf.NumTickets=1 \
  --workloads new resumed-20 h2-1024-8 rsa cold-20 --results "$results/variant"
/usr/bin/python3 "$benchmark/harness" --smoke --sets starter,jsse,nginx,haproxy,netty --workloads mtls \
  --results "$results/mtls"
/usr/bin/python3 "$benchmark/harness" --first-request --rounds 0 --sets starter-names,jsse-names
(cd "$benchmark/load" && go vet ./... && go test ./...)
/usr/bin/python3 -m unittest discover -q "$benchmark/harness"
/usr/bin/python3 - "$results"/results.json "$results"/variant/results.json "$results"/mtls/results.json <<'PYTHON'
import json, sys
for path, count in zip(sys.argv[1:], (60, 18, 10)):
    with open(path, encoding="utf-8") as file:
        results = json.load(file)
    assert not results["not_run"], results["not_run"]
    assert len(results["rows"]) == count, len(results["rows"])
PYTHON
echo "benchmark: tested in $SECONDS s"
