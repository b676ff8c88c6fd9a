#!/usr/bin/env bash
#
# Builds the image of the sample, and the jar in it.
#
#   docker/build-image.sh [TAG [ARGUMENT...]]             with the bundled library (docker/Dockerfile)
#   docker/build-image.sh --replicas [TAG [ARGUMENT...]]  the same with ACME and access to PostgreSQL, for compose.yaml
#   docker/build-image.sh --system [TAG [ARGUMENT...]]    with the distribution's OpenSSL (docker/Dockerfile.system)
#
# TAG is tomcat-openssl-sample, or tomcat-openssl-replica, unless given; arguments go to docker build, such as
# --build-arg JRE=eclipse-temurin:25-jre
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

dockerfile=docker/Dockerfile
tag=tomcat-openssl-sample
profile=
if [[ ${1-} == --system ]]; then
  dockerfile=docker/Dockerfile.system
  docker/build-tcnative.sh --fetch .cache/tomcat.tar.gz
  shift
elif [[ ${1-} == --replicas ]]; then
  tag=tomcat-openssl-replica
  profile=replicas
  shift
fi
tag=${1:-$tag}
mvn -B -q ${profile:+"-P$profile"} -pl sample-app -am -DskipTests package
exec docker build --file "$dockerfile" --tag "$tag" "${@:2}" .
