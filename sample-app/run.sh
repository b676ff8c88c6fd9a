#!/usr/bin/env bash
#
# Starts the sample on https://localhost:8443, with OpenSSL active where that is possible. Does all the set-up
# that is missing: builds the bundled library and the application, which makes a certificate for this machine. Ends
# its output with the address and the file to trust.
#
#   sample-app/run.sh [ARGUMENT...]      arguments go to the application, such as --server.port=9443
#
# Environment, all of it optional: JAVA_HOME, MAVEN_REPO_LOCAL (Maven's local repository)
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { echo "run.sh: $*" >&2; }

java=${JAVA_HOME:+$JAVA_HOME/bin/}java
command -v "$java" >/dev/null || { say "no Java found: install a JDK, 17 or later"; exit 1; }
command -v mvn >/dev/null || { say "no Maven found: install it"; exit 1; }

say "building the sample (the first time, with the bundled library, takes some minutes)"
options=(-B -q -f "$root/pom.xml" -pl sample-app -am -DskipTests)
[[ -z ${MAVEN_REPO_LOCAL-} ]] || options+=("-Dmaven.repo.local=$MAVEN_REPO_LOCAL")
(cd "$root" && mvn "${options[@]}" package)

# Shows what the application logs, and ends with the address and the file to trust, which .cache/sample.crt leads to
# for the commands of the page
show() {
  local line port= file=
  while IFS= read -r line; do
    printf '%s\n' "$line"
    [[ ! $line =~ "active on port "([0-9]+)" (https)" ]] || port=${BASH_REMATCH[1]}
    [[ ! $line =~ "have to trust '"([^\']+)"'" ]] || file=${BASH_REMATCH[1]}
    [[ $line == *"Started SampleApplication"* && -n $port && -n $file ]] || continue
    mkdir -p "$root/.cache"
    ln -sfn "$file" "$root/.cache/sample.crt"
    printf '\n  Open   https://localhost:%s\n  Trust  %s\n\n' "$port" "$file"
  done
}

colors=()
[[ ! -t 1 ]] || colors=(--spring.output.ansi.enabled=always)
# Ctrl+C ends the application, whose last lines are shown still
exec "$java" -jar "$root/sample-app/target/tomcat-openssl-sample-app.jar" --spring.profiles.active=development \
  ${colors[@]+"${colors[@]}"} "$@" > >(trap '' INT; show)
