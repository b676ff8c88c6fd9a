#!/usr/bin/env bash
#
# Starts the sample on https://localhost:8443, with OpenSSL active where that is possible. Does all the set-up
# that is missing: builds the bundled library and the application, makes a throw-away certificate.
#
#   sample-app/run.sh [ARGUMENT...]      arguments go to the application, such as --server.port=9443
#
# Environment, all of it optional: JAVA_HOME, MAVEN_REPO_LOCAL (Maven's local repository)
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
certs=$root/sample-app/target/certs

say() { echo "run.sh: $*" >&2; }

java=${JAVA_HOME:+$JAVA_HOME/bin/}java
command -v "$java" >/dev/null || { say "no Java found: install a JDK, 17 or later"; exit 1; }
command -v mvn >/dev/null || { say "no Maven found: install it"; exit 1; }

say "building the sample (the first time, with the bundled library, takes some minutes)"
options=(-B -q -f "$root/pom.xml" -pl sample-app -am -DskipTests)
[[ -z ${MAVEN_REPO_LOCAL-} ]] || options+=("-Dmaven.repo.local=$MAVEN_REPO_LOCAL")
(cd "$root" && mvn "${options[@]}" package)

if [[ ! -f $certs/tls.crt ]]; then
  if ! command -v openssl >/dev/null; then
    if [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then
      say "please install openssl, it makes the certificate"
      exit 1
    fi
    say "installing openssl"
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends openssl; } >/dev/null
  fi
  say "making a throw-away certificate"
  mkdir -p "$certs"
  (umask 077 && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout "$certs/tls.key" -out "$certs/tls.crt.new" 2>/dev/null)
  mv "$certs/tls.crt.new" "$certs/tls.crt"
fi

jar=$(ls "$root"/sample-app/target/tomcat-openssl-sample-app-*.jar)
export TLS_CERTIFICATE=$certs/tls.crt TLS_KEY=$certs/tls.key
exec "$java" -jar "$jar" "$@"
