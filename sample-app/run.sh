#!/usr/bin/env bash
#
# Starts the sample on https://localhost:8443, with OpenSSL active where that is possible. Does all the set-up
# that is missing: builds the bundled library and the application, which makes a certificate for this machine. Ends
# its output with the address and the file to trust.
#
#   sample-app/run.sh [--acme] [ARGUMENT...]     arguments go to the application, such as --server.port=9443
#
# With --acme, the sample obtains its certificate from Pebble, the ACME server for tests by Let's Encrypt, which this
# script starts on the ports 14000 and 15000. Each certificate is valid for three minutes, so that you can watch renewals.
#
# Environment, all of it optional: JAVA_HOME, MAVEN_REPO_LOCAL (Maven's local repository)
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
profile=development
[[ ${1-} != --acme ]] || { profile=acme; shift; }

say() { echo "run.sh: $*" >&2; }

java=${JAVA_HOME:+$JAVA_HOME/bin/}java
command -v "$java" >/dev/null || { say "no Java found: install a JDK, 17 or later"; exit 1; }
command -v mvn >/dev/null || { say "no Maven found: install it"; exit 1; }

say "building the sample (the first time, with the bundled library, takes some minutes)"
options=(-B -q -f "$root/pom.xml" -pl sample-app -am -DskipTests)
[[ -z ${MAVEN_REPO_LOCAL-} ]] || options+=("-Dmaven.repo.local=$MAVEN_REPO_LOCAL")
[[ $profile != acme ]] || options+=(-Pacme)
(cd "$root" && mvn "${options[@]}" package)

# The application's arguments
arguments=("--spring.profiles.active=$profile")
[[ ! -t 1 ]] || arguments+=(--spring.output.ansi.enabled=always)
arguments+=("$@")

# What the log says when the certificate is in use, and the file to trust, if the log does not name it
in_use="Started SampleApplication" trusted=

pebble=
if [[ $profile == acme ]]; then
  # Where the tests and 'go install' put it
  PATH=$PATH:$root/.cache/pebble:${GOBIN:-$(go env GOPATH 2>/dev/null || echo "$HOME/go")/bin}
  command -v pebble >/dev/null || { say "no Pebble found: install Debian's package 'pebble', or github.com/letsencrypt/pebble with Go"; exit 1; }
  port=8443
  for argument in "$@"; do
    [[ $argument != --server.port=* ]] || port=${argument#*=}
  done
  folder=$root/.cache/acme
  rm -rf "$folder"
  mkdir -p "$folder"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost -keyout "$folder/pebble.key" -out "$folder/pebble.crt" 2>/dev/null
  cat >"$folder/pebble.json" <<JSON
{"pebble": {
  "listenAddress": "localhost:14000", "managementListenAddress": "localhost:15000",
  "certificate": "$folder/pebble.crt", "privateKey": "$folder/pebble.key", "httpPort": 80, "tlsPort": $port,
  "profiles": {"default": {"description": "", "validityPeriod": 180}}
}}
JSON
  PEBBLE_VA_NOSLEEP=1 pebble -config "$folder/pebble.json" >"$folder/pebble.log" 2>&1 &
  pebble=$!
  # Until the application is started, after which its output ends it
  trap 'kill "$pebble" 2>/dev/null || true' EXIT
  in_use="SSL bundle 'server-ssl' was reloaded" trusted=$folder/root.crt
  until curl -sS --cacert "$folder/pebble.crt" -o "$trusted" https://localhost:15000/roots/0 2>"$folder/curl.log"; do
    kill -0 "$pebble" 2>/dev/null || { cat "$folder/pebble.log" >&2; say "Pebble does not start"; exit 1; }
    sleep 0.2
  done
  curl -sS --cacert "$folder/pebble.crt" https://localhost:14000/dir | grep -q '"profiles"' \
    || say "this Pebble is too old for short-lived certificates, so there is no renewal to watch: install a newer one with Go"
  arguments+=("--spring.ssl.bundle.pem.pebble.truststore.certificate=$folder/pebble.crt" "--server.ssl.acme.directory=$folder/store")
fi

# Shows what the application logs, and ends with the address and the file to trust, which .cache/sample.crt leads to
# for the commands of the page
show() {
  local line port= file=$trusted
  while IFS= read -r line; do
    printf '%s\n' "$line"
    [[ ! $line =~ "active on port "([0-9]+)" (https)" ]] || port=${BASH_REMATCH[1]}
    [[ ! $line =~ "have to trust '"([^\']+)"'" ]] || file=${BASH_REMATCH[1]}
    [[ $line == *"$in_use"* && -n $port && -n $file ]] || continue
    mkdir -p "$root/.cache"
    ln -sfn "$file" "$root/.cache/sample.crt"
    printf '\n  Open   https://localhost:%s\n  Trust  %s\n\n' "$port" "$file"
    # Once, also if there is a renewal
    port=
  done
  [[ -z $pebble ]] || kill "$pebble" 2>/dev/null || true
}

# Ctrl+C ends the application, whose last lines are shown still
exec "$java" -jar "$root/sample-app/target/tomcat-openssl-sample-app.jar" "${arguments[@]}" > >(trap '' INT; show)
