#!/usr/bin/env bash
#
# Tests the alert rules and the dashboard against the Prometheus of the compose file, which has to be up:
#
#   docker compose --file docker/compose.yaml --profile observe up --detach --build
#   docker/observe/test.sh [PROJECT]
#
# Clients make handshakes that succeed, are resumed and fail, and a certificate is replaced by one that is refused; then each
# expression of the dashboard has to have a value above zero, and the alert for that certificate has to fire.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")"
project=${1:-tomcat-openssl}
prometheus=$project-prometheus-1
key=/etc/tls/tls.key

fail() { printf 'observe: %s\n' "$*" >&2; exit 1; }

# client COMMANDS: in a container that has openssl and the volume of the certificate
client() {
  docker run --rm --network "${project}_default" --volume "${project}_tls:/etc/tls" "$project-certificate" sh -c "$1"
}

docker exec "$prometheus" promtool check config /etc/prometheus/prometheus.yaml || fail "the configuration is not valid"
docker exec "$prometheus" promtool test rules /etc/prometheus/rules.test.yaml || fail "the rules do not alert as expected"

handshakes='
  connect() { openssl s_client -connect sample:8443 -CAfile /etc/tls/tls.crt "$@"; }
  get="GET /hello HTTP/1.1\r\nHost: sample\r\nConnection: close\r\n\r\n"
  printf "$get" | connect -quiet -groups X25519MLKEM768 -sess_out /tmp/session
  connect -sess_in /tmp/session </dev/null | grep "Reused, TLSv1.3"
  connect -groups X25519 </dev/null | grep "Peer Temp Key: X25519,"
  connect -tls1_2 </dev/null | grep "New, TLSv1.2"
  ! connect -groups X448 </dev/null'
until client "set -e; $handshakes" >/dev/null 2>&1; do
  ((SECONDS < 60)) || { client "$handshakes"; fail "a handshake does not end as expected"; }
  sleep 2
done

# Not before the first handshakes were scraped: a series that begins with 1 has not increased
sleep 10
client "mv $key $key.kept && echo broken >$key && chown 10001:10001 $key"
trap 'client "mv -f $key.kept $key"' EXIT

port=$(docker port "$prometheus" 9090 | head -n 1)
python3 - "${port##*:}" <<'PYTHON' &
import json, sys, time, urllib.parse, urllib.request

def api(path, **parameters):
    url = 'http://localhost:%s/api/v1/%s?%s' % (sys.argv[1], path, urllib.parse.urlencode(parameters))
    with urllib.request.urlopen(url, timeout=10) as response:
        return json.load(response)['data']

def value_of(expression):
    for variable, text in ('$__rate_interval', '1m'), ('$__range', '5m'), ('$job', '.*'), ('$connector', '.*'):
        expression = expression.replace(variable, text)
    # Not "+Inf" or "NaN", which compare with nothing
    return max([float(result['value'][1]) for result in api('query', query=expression + ' < Inf')['result']], default=0)

panels = json.load(open('dashboard.json'))['panels']
targets = [(panel['title'], target['expr']) for panel in panels for target in panel['targets']]
for _ in range(60):
    empty = [target for target in targets if not value_of(target[1]) > 0]
    firing = {alert['labels']['alertname'] for alert in api('alerts')['alerts'] if alert['state'] == 'firing'}
    if not empty and 'TlsCertificateRefused' in firing:
        break
    time.sleep(2)
for title, expression in targets:
    print('%s: %g' % (title, value_of(expression)))
print('firing:', ', '.join(firing))
rules = [rule for group in api('rules')['groups'] for rule in group['rules']]
broken = [rule['name'] for rule in rules if rule['health'] != 'ok']
if empty or broken or 'TlsCertificateRefused' not in firing or len(rules) != 6:
    sys.exit('empty panels: %s, rules that fail: %s, of %d' % (empty, broken, len(rules)))
PYTHON
query=$!
# Again and again, for rates to be had
while kill -0 "$query" 2>/dev/null; do
  client "$handshakes" >/dev/null 2>&1 || true
  sleep 2
done
wait "$query" || fail "Prometheus does not have what the dashboard shows"
echo "observe: no panel is empty"
