#!/usr/bin/env bash
#
# Installs and builds what the benchmark needs, into .cache/benchmark; with the options of run.sh, what they need.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=$root/.cache/benchmark
log=$(mktemp)
policy=''
trap 'rm -f "$log" $policy' EXIT

say() { echo "benchmark: $*" >&2; }

packages=()
needs=(curl openssl nginx:nginx-light haproxy h2load:nghttp2-client go:golang-go)
[[ " $* " != *" --names "* ]] || needs+=(caddy)
[[ " $* " != *" --count "* ]] || needs+=(strace gcc /usr/include/stdio.h:libc6-dev)
for need in "${needs[@]}"; do
  command -v "${need%:*}" >/dev/null || [[ -e ${need%:*} ]] || packages+=("${need#*:}")
done
/usr/bin/python3 -c 'import matplotlib' 2>/dev/null || packages+=(python3-matplotlib)
if [[ ${#packages[@]} != 0 ]]; then
  if [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then
    say "not installed (Debian's package names): ${packages[*]}"
  else
    say "installing ${packages[*]}"
    # Debian starts servers that it installs. The policy keeps it from that, and is taken away again
    if [[ ! -e /usr/sbin/policy-rc.d ]]; then
      policy=/usr/sbin/policy-rc.d
      printf '#!/bin/sh\nexit 101\n' >"$policy"
      chmod 755 "$policy"
    fi
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}"; } \
      >"$log" 2>&1 || { tail -n 3 "$log" >&2; say "apt-get could not install: ${packages[*]}"; }
    [[ -z $policy ]] || rm -f "$policy"
    policy=''
  fi
fi

command -v go >/dev/null || { say "Go is needed for the load generator: install golang-go"; exit 1; }
mkdir -p "$cache"
(cd "$root/benchmark/load" && CGO_ENABLED=0 go build -buildvcs=false -o "$cache/load" .)

say "building the applications (the first time, with the bundled library, takes some minutes)"
applications=(benchmark/tomcat-app benchmark/netty-app)
[[ " $* " != *" --week "* && " $* " != *" --first-request "* ]] || applications+=(sample-app)
modules=${applications[*]}
options=(-B -q -f "$root/pom.xml" -Pbenchmark,acme -pl "${modules// /,}" -am -DskipTests)
[[ -z ${MAVEN_REPO_LOCAL-} ]] || options+=("-Dmaven.repo.local=$MAVEN_REPO_LOCAL")
(cd "$root" && mvn "${options[@]}" package) >"$log" 2>&1 || { tail -n 20 "$log" >&2; exit 1; }
for application in "${applications[@]}"; do
  jar=tomcat-openssl-${application//\//-}.jar
  folder=$cache/${application##*/}
  rm -rf "$folder"
  "${JAVA_HOME:+$JAVA_HOME/bin/}java" -Djarmode=tools -jar "$root/$application/target/$jar" extract --destination "$folder" >/dev/null
  mv "$folder/$jar" "$folder/app.jar"
done
