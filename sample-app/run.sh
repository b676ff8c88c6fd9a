#!/usr/bin/env bash
#
# Starts the sample on https://localhost:8443, with OpenSSL active where that is possible. Does all the set-up
# that is missing: builds the bundled library and the application, which makes a certificate for this machine.
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

exec "$java" -jar "$root/sample-app/target/tomcat-openssl-sample-app.jar" --spring.profiles.active=development "$@"
