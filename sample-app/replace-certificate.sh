#!/usr/bin/env bash
#
# Replaces the certificate of the sample that run.sh has started, as a renewal does: with a new one for the same names,
# and a new key. Waits until it is in use.
#
#   sample-app/replace-certificate.sh [PORT]      the port of the sample, 8443 if it is not given
#
# Environment, all of it optional: XDG_CACHE_HOME and CAROOT, as the sample has them
set -euo pipefail

say() { echo "replace-certificate.sh: $*" >&2; }

port=${1:-8443}
cache=$HOME/.cache
[[ $(uname) != Darwin ]] || cache=$HOME/Library/Caches
served() { openssl s_client -connect "localhost:$port" </dev/null 2>/dev/null | openssl x509 2>/dev/null; }

present=$(served) ||
  { say "no TLS server on port $port: start sample-app/run.sh first"; exit 1; }

# Each name has a file with the certificate alone, and one with its key
for certificate in "${XDG_CACHE_HOME:-$cache}"/tomcat-openssl/development-certificate/*.crt; do
  [[ -f $certificate && $(openssl x509 -in "$certificate") == "$present" ]] && break
  certificate=
done
[[ -n $certificate ]] || { say "the server on port $port does not use one of your development certificates"; exit 1; }

# The CA of mkcert, if it issued the present one
ca=()
if [[ $(openssl x509 -in "$certificate" -noout -subject_hash) != $(openssl x509 -in "$certificate" -noout -issuer_hash) ]]; then
  root=${CAROOT:-$(mkcert -CAROOT)}
  ca=(-CA "$root/rootCA.pem" -CAkey "$root/rootCA-key.pem")
fi

umask 077
new=$(mktemp -d "$(dirname "$certificate")/new.XXXXXX")
trap 'rm -rf "$new"' EXIT
names=$(openssl x509 -in "$certificate" -noout -ext subjectAltName | sed -n '2s/^ *//; 2s/IP Address:/IP:/gp')
cat >"$new/config" <<END
[req]
prompt = no
distinguished_name = name
x509_extensions = extensions
[name]
CN = localhost
[extensions]
subjectAltName = $names
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
END
openssl req -x509 -config "$new/config" -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 90 \
  ${ca[@]+"${ca[@]}"} -keyout "$new/key" -out "$new/certificate" 2>"$new/log" || { cat "$new/log" >&2; exit 1; }
cat "$new/certificate" "$new/key" >"$new/both"
mv "$new/certificate" "$certificate"
mv "$new/both" "${certificate%.crt}.pem"

for ((i = 0; i < 30; i++)); do
  if [[ $(served) == "$(openssl x509 -in "$certificate")" ]]; then
    fingerprint=$(openssl x509 -in "$certificate" -noout -fingerprint -sha256)
    say "a new certificate is in use, SHA-256 fingerprint ${fingerprint#*=}"
    exit
  fi
  sleep 1
done
say "the new certificate is not in use; see the log of the sample for the reason"
exit 1
