#!/usr/bin/env bash
#
# curl-runs.sh COUNT PORT CERTIFICATE: prints status and seconds to a finished TLS 1.3 handshake, for each of COUNT
# processes of curl with one request.
set -euo pipefail

for ((i = 0; i < $1; i++)); do
  curl --silent --max-time 10 --output /dev/null --resolve "localhost:$2:127.0.0.1" --cacert "$3" --tlsv1.3 \
    --tls13-ciphers TLS_AES_128_GCM_SHA256 --curves X25519 --write-out '%{http_code} %{time_appconnect}\n' \
    "https://localhost:$2/hello" || echo "curl-failed 0"
done
