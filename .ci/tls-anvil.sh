#!/usr/bin/env bash
#
# Runs TLS-Anvil against the sample with OpenSSL, and compares what fails with tls-anvil-expected.txt. An optional job of
# five to ten minutes, not part of run. It fails where a test fails that is not in the list, and where fewer than the
# list says succeed.
#
#   .ci/tls-anvil.sh                        builds the sample, and TLS-Anvil, if they are not built
#   .ci/tls-anvil.sh --port PORT            the server on that port of 127.0.0.1 instead of the sample
#
# TLS-Anvil is not in a package registry: TLS_ANVIL_HOME, by default .cache/tls-anvil, is a checkout of it, best of the
# commit below. Without one, or without a JDK of version 21 or later to build and run it, the job is skipped.
# HTTP/2 is off: with it the server speaks first, which the suite takes for a failure.
#
# Environment, all of it optional: JAVA_HOME (for the sample), TLS_ANVIL_HOME, TLS_ANVIL_JAVA_HOME (its JDK),
# TLS_ANVIL_STRENGTH (1), TLS_ANVIL_OUTPUT (a folder for what it writes)
set -euo pipefail

# github.com/tls-attacker/TLS-Anvil, 1.4.1-SNAPSHOT
commit=c4eeb2a6eb294383e7a8db1e52fea47b417f5202

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
home=${TLS_ANVIL_HOME:-$root/.cache/tls-anvil}
work=$(mktemp -d)
output=${TLS_ANVIL_OUTPUT:-$work/output}
pid=

# shellcheck source-path=SCRIPTDIR
. "$here/sample.sh"
fail() { say "$*"; exit 1; }
trap clean_up EXIT

[[ -f $home/TLS-Testsuite/pom.xml ]] \
  || skip "it is in no package registry, and there is no checkout of it (commit $commit) at '$home'"
jdk=${TLS_ANVIL_JAVA_HOME-}
for candidate in "${JAVA_HOME-}" /usr/lib/jvm/*; do
  [[ -n $jdk || ! -x $candidate/bin/javac ]] || (($("$candidate/bin/javac" -version | sed 's/[^0-9]*\([0-9]*\).*/\1/') < 21)) \
    || jdk=$candidate
done
[[ -n $jdk ]] || skip "it needs a JDK of version 21 or later"
if [[ ! -f $home/apps/TLS-Anvil.jar ]]; then
  say "building TLS-Anvil"
  (cd "$home" && JAVA_HOME=$jdk mvn -B -q -ntp -DskipTests -Dspotless.apply.skip package) >"$work/build.log" 2>&1 \
    || skip "it does not build: $(grep -m 1 ERROR "$work/build.log")"
fi
found=$(git -C "$home" rev-parse HEAD 2>/dev/null || true)
[[ $found == "$commit" ]] || say "the list of results is for commit $commit, and this is another one"

if [[ ${1-} == --port ]]; then
  port=$2
else
  certificate rsa rsa -pkeyopt rsa_keygen_bits:2048
  cat >"$work/application.yml" <<YAML
server:
  port: 0
  address: 127.0.0.1
  ssl:
    openssl:
      mode: always
    certificate-file: $work/rsa.crt
    certificate-key-file: $work/rsa.key
YAML
  start_sample
fi

# It writes a log and a cache to the working directory
(cd "$work" && "$jdk/bin/java" -jar "$home/apps/TLS-Anvil.jar" -outputFolder "$output" -disableTcpDump \
  -strength "${TLS_ANVIL_STRENGTH:-1}" -parallelTests 3 -parallelHandshakes 2 -connectionTimeout 400 \
  server -connect "127.0.0.1:$port" -server_name localhost >"$work/anvil.log" 2>&1) \
  || { tail -n 20 "$work/anvil.log" >&2; fail "it did not finish"; }

python3 - "$here/tls-anvil-expected.txt" "$output" <<'PYTHON'
import json, pathlib, sys

rows = [[cell.strip() for cell in line.split('|')] for line in open(sys.argv[1]) if line.strip() and line[0] != '#']
output = pathlib.Path(sys.argv[2])
results = json.loads((output / 'result_map.json').read_text())
of_test = {test: result for result, tests in results.items() for test in tests}
print(', '.join('%d %s' % (len(tests), result) for result, tests in sorted(results.items())))
may_fail = {test: result for test, result, *_ in rows if test != 'succeed'}
failed = []
for test, result in sorted(of_test.items()):
    if result in ('FULLY_FAILED', 'PARTIALLY_FAILED', 'TEST_SUITE_ERROR') and may_fail.get(test) != result:
        found = next((output / 'results').glob('*%s*/**/*.json' % test), None)
        details = json.loads(found.read_text()) if found else {}
        failed.append(test)
        print('%s %s, not expected: %s.%s: %s' % (test, result, details.get('TestClass', '?').rpartition('.')[2],
              details.get('TestMethod', '?'), str(details.get('FailedReason'))[:300]))
for test, result in sorted(may_fail.items()):
    if of_test.get(test) != result:
        print('%s is %s, and was %s' % (test, of_test.get(test, 'missing'), result))
succeeded = sum(len(results.get(result, ())) for result in ('STRICTLY_SUCCEEDED', 'CONCEPTUALLY_SUCCEEDED'))
least = next(int(row[1]) for row in rows if row[0] == 'succeed')
if succeeded < least:
    failed.append('succeed')
    print('%d succeed, fewer than %d' % (succeeded, least))
sys.exit(1 if failed else 0)
PYTHON
[[ -z $pid ]] || check_released
