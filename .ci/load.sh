#!/usr/bin/env bash
#
# Mixed load on the sample with OpenSSL, and the curve of its memory: new connections, resumed ones, requests over open
# connections, bodies, handshakes that end in the middle, and bytes that are no TLS. Writes load.csv and load.svg into
# target/load, and fails if a good request fails, or if the memory after the first ten minutes (a sixth of a shorter run) grows
# by more than 5 %.
#
#   .ci/load.sh [MINUTES]    60 unless named. Builds the sample if it is not built
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
pid=
trap '[[ -z $pid ]] || kill "$pid" 2>/dev/null; rm -rf "$work"' EXIT
fail() { echo "load.sh: $*" >&2; exit 1; }
# shellcheck source=.ci/sample.sh
. "$root/.ci/sample.sh"

certificate server ec -pkeyopt ec_paramgen_curve:P-256
cat >"$work/application.yml" <<YAML
server:
  port: 0
  ssl:
    certificate-file: $work/server.crt
    certificate-key-file: $work/server.key
    openssl:
      mode: always
YAML
start_sample
mkdir -p "$root/target/load"
python3 "$root/.ci/load.py" "$port" "$work/server.crt" "$pid" "${1:-60}" "$root/target/load" \
  || { tail -n 40 "$work/server.log" >&2; fail "the server failed under load"; }
