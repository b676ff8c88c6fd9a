# shellcheck shell=bash
#
# For the scripts in checks/, which source it: a folder in $work and images named after $project, both of which go when
# the script ends. A script that leaves something in the temporary folder, which is in $work, fails.

set -euo pipefail
export CI=true
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
# Servers and apt-get give up root's rights
chmod 755 "$work"
mkdir -m 1777 "$work/tmp"
export TMPDIR=$work/tmp MAVEN_OPTS="${MAVEN_OPTS-} -Djava.io.tmpdir=$work/tmp"
project=tomcat-openssl-ci-$$
pids=()

fail() { printf 'CI: %s\n' "$*" >&2; exit 1; }

clean_up() {
  local status=$? left
  [[ ${#pids[@]} == 0 ]] || { kill "${pids[@]}" && wait "${pids[@]}"; } 2>/dev/null || true
  if command -v docker >/dev/null; then
    [[ ! -f $work/compose.sh ]] || "$work/compose.sh" down --volumes --rmi local >/dev/null 2>&1 || true
    docker rm --force "$project-aarch64" >/dev/null 2>&1 || true
    docker rmi "$project"{,-app,-system,-jre,-compose,-java21,-gradle,-aarch64} >/dev/null 2>&1 || true
  fi
  left=$(ls -A "$TMPDIR")
  rm -rf "$work"
  [[ $status != 0 || -z $left ]] || fail "left in the temporary folder: $(xargs <<<"$left")"
}
trap clean_up EXIT

# use_jdk VERSION: JDK 25 is Debian 13's, whose JSSE has X25519MLKEM768
use_jdk() {
  local home
  export JAVA_HOME=
  if [[ $1 == 25 ]]; then
    JAVA_HOME=$(.ci/jdk-25.sh) || fail "no JDK 25.0.5 or later"
    return
  fi
  for home in /usr/lib/jvm/*; do
    [[ ! -x $home/bin/javac || "$("$home/bin/javac" -version 2>&1) " != "javac $1"[.\ ]* ]] || JAVA_HOME=$(readlink -f "$home")
  done
  [[ -n $JAVA_HOME ]] || fail "no JDK $1 under /usr/lib/jvm"
}

# await SECONDS COMMAND...: until the command succeeds
await() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < end)) || return 1
    sleep 1
  done
}

# quietly REASON COMMAND...: shows what the command prints only if it fails
quietly() {
  local reason=$1
  shift
  "$@" >"$work/command.log" 2>&1 || { tail -n 40 "$work/command.log"; fail "$reason"; }
}

# needs FILE:PACKAGE...: installs Debian's packages of the commands, or of other files, that are missing
needs() {
  local need packages=()
  for need in "$@"; do
    command -v "${need%:*}" >/dev/null || [[ -e ${need%:*} ]] || packages+=("${need#*:}")
  done
  [[ ${#packages[@]} != 0 ]] || return 0
  echo "installing ${packages[*]}"
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
}

start_container_engine() {
  local environment
  environment=$(.ci/container-engine) || fail "the container engine does not start"
  eval "$environment"
  docker info >/dev/null 2>&1 || fail "no container engine answers"
}

# tests LEAST COMMAND...: runs tests, of which more than that many have to pass, and none may be skipped
tests() {
  local least=$1 count
  shift
  rm -rf ./*/target
  "$@"
  ! grep -h -B 1 "<skipped" ./*/target/*-reports/TEST-*.xml || fail "tests were skipped"
  count=$(cat ./*/target/*-reports/TEST-*.xml | grep -c "<testcase ") || true
  ((count > least)) || fail "only $count tests ran"
  echo "$count" >>"${CI_COUNTS:-/dev/null}"
  sed -n 's/.*<testsuite .* name="\([^"]*\)" time="\([^"]*\)".*/\2 \1/p' ./*/target/*-reports/TEST-*.xml |
    sed "s/,//; s/$/ (${CI_CHECK-})/" >>"${CI_CLASSES:-/dev/null}"
  echo "$count tests passed"
}

# The bundled library of this machine
bundled=$PWD/.cache/natives/linux-$(uname -m | sed s/aarch64/aarch_64/)

# What was built from the same sources before, also in another checkout, is not built again
export NATIVES_STORE=${NATIVES_STORE-${XDG_CACHE_HOME:-$HOME/.cache}/tomcat-openssl/natives}
