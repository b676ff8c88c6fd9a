#!/usr/bin/env bash
#
# Builds the image of the sample: docker/build-image.sh [TAG]
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

docker/build-tcnative.sh --fetch .cache/tomcat.tar.gz
mvn -B -q -pl sample-app -am -DskipTests package
exec docker build --file docker/Dockerfile --tag "${1:-tomcat-openssl-sample}" .
