#!/usr/bin/env bash
#
# Runs the scripts of tlsfuzzer against the sample with OpenSSL, and compares how many conversations of each pass with
# tlsfuzzer-expected.txt. An optional job of 15 minutes, not part of run. It fails where a script passes fewer, and
# where a conversation hangs: where tlsfuzzer waits 5 seconds for the server and nothing comes.
#
#   .ci/tlsfuzzer.sh [SCRIPT...]                 all scripts of the list, or these; builds the sample if it is not built
#   .ci/tlsfuzzer.sh --port PORT [SCRIPT...]     the server on that port of 127.0.0.1 instead of the sample
#   .ci/tlsfuzzer.sh --nginx [SCRIPT...]         NGINX, as installed, with the same certificates and profile, compared
#                                                with its own column
#
# tlslite-ng, which tlsfuzzer builds on, comes from PyPI. tlsfuzzer itself is not published there: TLSFUZZER_HOME, by
# default .cache/tlsfuzzer, is a checkout of it, best of the commit below. Without one of both the job is skipped.
#
# Environment, all of it optional: JAVA_HOME, TLSFUZZER_HOME, TLSFUZZER_JOBS (how many scripts at once), TLSFUZZER_LOGS
# (a folder for what the scripts print)
set -euo pipefail

# github.com/tlsfuzzer/tlsfuzzer, of 2026-01-09
commit=14555fe211456c46deccc4b2d94751dbd894aece
content=a0cd51ec85b5e7a51c34f1fa5bea1ae82ad73bc05f795561aaaf58e04592288a
packages=(tlslite-ng==0.9.0b2 ecdsa==0.19.2 six==1.17.0 kyber-py==1.2.0)

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
export TLSFUZZER_HOME=${TLSFUZZER_HOME:-$root/.cache/tlsfuzzer}
work=$(mktemp -d)
logs=${TLSFUZZER_LOGS:-$work/logs}
pid=

# shellcheck source-path=SCRIPTDIR
. "$here/sample.sh"
fail() { say "$*"; exit 1; }
trap clean_up EXIT

server=sample port=
case ${1-} in
  --port) server=other port=$2; shift 2 ;;
  --nginx) server=nginx; shift ;;
esac

[[ -f $TLSFUZZER_HOME/scripts/test-conversation.py ]] \
  || skip "tlsfuzzer is not on PyPI, and there is no checkout of it (commit $commit) at '$TLSFUZZER_HOME'"
found=$(cd "$TLSFUZZER_HOME" && find scripts tlsfuzzer -name '*.py' -print0 | LC_ALL=C sort -z | xargs -0 cat | sha256sum)
[[ ${found%% *} == "$content" ]] || say "the list of counts is for tlsfuzzer $commit, and this is another version"

export TLSFUZZER_PYTHON=$root/.cache/tlsfuzzer-python/bin/python
if ! "$TLSFUZZER_PYTHON" -m pip freeze 2>/dev/null | grep -qx "${packages[0]}"; then
  python3 -m venv --clear "$root/.cache/tlsfuzzer-python" >"$work/venv.log" 2>&1 \
    || skip "Python has no virtual environments here: $(tail -n 1 "$work/venv.log")"
  "$TLSFUZZER_PYTHON" -m pip install -q --disable-pip-version-check "${packages[@]}" >"$work/pip.log" 2>&1 \
    || skip "PyPI does not provide ${packages[*]}: $(tail -n 1 "$work/pip.log")"
fi

# The certificates are of both types, for the scripts of both
certificate rsa rsa -pkeyopt rsa_keygen_bits:2048
certificate ecdsa ec -pkeyopt ec_paramgen_curve:P-256
cat >"$work/application.yml" <<YAML
server:
  port: 0
  address: 127.0.0.1
  http2:
    enabled: true
  ssl:
    openssl:
      mode: always
    certificates:
      - certificate-file: $work/rsa.crt
        certificate-key-file: $work/rsa.key
      - certificate-file: $work/ecdsa.crt
        certificate-key-file: $work/ecdsa.key
YAML

start_nginx() {
  command -v nginx >/dev/null || skip "NGINX is not installed"
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  local profile
  profile=$(grep -E '^ +ssl_(protocols|conf_command|ciphers|prefer)' "$root/docker/sidecars/nginx.conf")
  # Without the hybrid group, which OpenSSL before 3.5 does not know
  cat >"$work/nginx.conf" <<CONF
daemon off;
worker_processes 1;
pid $work/nginx.pid;
error_log $work/server.log;
events { }
http {
  access_log off;
$profile
  ssl_ecdh_curve X25519:prime256v1:secp384r1;
  server {
    listen 127.0.0.1:$port ssl http2;
    ssl_certificate $work/rsa.crt;
    ssl_certificate_key $work/rsa.key;
    ssl_certificate $work/ecdsa.crt;
    ssl_certificate_key $work/ecdsa.key;
    ssl_session_cache shared:tls:10m;
    location / { return 200 ok; }
  }
}
CONF
  chmod 755 "$work"
  nginx -v
  nginx -c "$work/nginx.conf" &
  pid=$!
}

[[ $server == other ]] || "start_$server"
export TLSFUZZER_PORT=$port TLSFUZZER_WORK=$work TLSFUZZER_LOGS=$logs
mkdir -p "$logs"

# The scripts that know no other suite for ECDHE use one with CBC, which the profile does not have
cat >"$work/script.py" <<'PYTHON'
import runpy, sys
from tlslite.constants import CipherSuite
CipherSuite.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA = CipherSuite.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name='__main__')
PYTHON

# run_script LINE: cases, passed and hung behind the line
run_script() {
  local gcm=TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 name options rest log
  IFS='|' read -r name options rest <<<"$1"
  name=${name//[[:space:]]/}
  eval "local arguments=($options)"
  log=$TLSFUZZER_LOGS/$(tr -c '[:alnum:].\n' - <<<"$name ${arguments[*]}" | cut -c 1-120).log
  PYTHONPATH=$TLSFUZZER_HOME timeout 300 "$TLSFUZZER_PYTHON" "$TLSFUZZER_WORK/script.py" \
    "$TLSFUZZER_HOME/scripts/test-$name.py" -h 127.0.0.1 -p "$TLSFUZZER_PORT" "${arguments[@]}" >"$log" 2>&1 || true
  printf '%s|%s|%s|%s|%s\n' "$1" "$(sed -n 's/^TOTAL: //p' "$log")" "$(sed -n 's/^PASS: //p' "$log")" \
    "$(grep -c '^AssertionError: Timeout when waiting' "$log")" "$log"
}
export -f run_script

wanted() {
  [[ $# == 0 ]] || { grep -E "^($(IFS='|'; echo "$*")) *\|" "$here/tlsfuzzer-expected.txt" || fail "not in the list: $*"; return; }
  grep -v '^#\|^ *$' "$here/tlsfuzzer-expected.txt"
}
wanted "$@" | xargs -d '\n' -P "${TLSFUZZER_JOBS:-$(nproc)}" -n 1 bash -c 'run_script "$1"' _ | LC_ALL=C sort >"$work/results"

python3 - "$server" "$work/results" <<'PYTHON'
import re, sys

server, results = sys.argv[1:]
failed = []
rows = [[cell.strip() for cell in line.rstrip('\n').split('|')] for line in open(results)]
for script, options, all_cases, starter, nginx, why, cases, passed, hung, log in rows:
    expected = nginx if server == 'nginx' else starter
    print('%-42s %5s of %5s, expected %5s, hung %s' % (script[:42], passed or '?', cases or '?', expected, hung))
    if not passed or cases != all_cases or int(passed) < int(expected) or int(hung) > 0:
        failed.append(script)
        print('  options:', options)
        case = ''
        for line in open(log, errors='replace'):
            if line.endswith(' ...\n'):
                case = line[:-5]
            if re.match(r'[A-Z]\w*(Error|Exception|Alert)\b', line):
                print('  %s: %s' % (case, line.strip()[:150]))
    elif int(passed) > int(expected):
        print('  more than the list says')
print('%d passed, %d failed' % (len(rows) - len(failed), len(failed)))
sys.exit(1 if failed or not rows else 0)
PYTHON
[[ $server != sample ]] || check_released
