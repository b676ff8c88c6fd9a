# What .ci/run and .ci/nightly share, to be sourced: a folder in $work and images named after $project, both of which go
# when the script ends, and $passed, which counts what has passed.

export CI=true
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
project=tomcat-openssl-ci-$$
pids=()
passed=0

step() { printf '\n== %s (after %d min %d s)\n' "$*" $((SECONDS / 60)) $((SECONDS % 60)); }
fail() { printf 'CI: %s\n' "$*" >&2; exit 1; }
pass() { passed=$((passed + ${1:-1})); }

clean_up() {
  [[ ${#pids[@]} == 0 ]] || kill "${pids[@]}" 2>/dev/null || true
  if command -v docker >/dev/null; then
    [[ ! -f $work/compose.sh ]] || "$work/compose.sh" down --volumes --rmi local >/dev/null 2>&1 || true
    docker rm --force "$project-aarch64" >/dev/null 2>&1 || true
    docker rmi "$project"{,-app,-system,-jre,-compose,-java21,-aarch64} >/dev/null 2>&1 || true
  fi
  rm -rf "$work"
}
trap clean_up EXIT

# The folder of a JDK of this version. JDK 25 is Debian 13's, whose JSSE has X25519MLKEM768
jdk() {
  local home
  if [[ $1 == 25 ]]; then
    .ci/jdk-25.sh || fail "no JDK 25.0.5 or later"
    return
  fi
  for home in /usr/lib/jvm/*; do
    if [[ -x $home/bin/javac && "$("$home/bin/javac" -version 2>&1) " == "javac $1"[.\ ]* ]]; then
      readlink -f "$home"
      return
    fi
  done
  fail "no JDK $1 under /usr/lib/jvm"
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

install() {
  step "installing $*"
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

start_container_engine() {
  local environment
  environment=$(.ci/container-engine) || fail "the container engine does not start"
  eval "$environment"
  docker info >/dev/null 2>&1 || fail "no container engine answers"
}

# tests WHERE LEAST COMMAND...: runs tests, of which at least that many have to pass and none may fail or be skipped
tests() {
  local where=$1 least=$2 ok failed skipped
  shift 2
  rm -rf ./*/target
  "$@"
  read -r ok failed skipped < <(python3 - ./*/target/*-reports/TEST-*.xml <<'PYTHON'
import sys, xml.etree.ElementTree as xml
total = failed = skipped = 0
for report in sys.argv[1:]:
    # The numbers of the suite are those of the last of a class's parameters
    for case in xml.parse(report).getroot().iter('testcase'):
        total += 1
        failed += any(case.find(kind) is not None for kind in ('failure', 'error'))
        for skip in case.iter('skipped'):
            skipped += 1
            print('skipped:', case.get('classname'), case.get('name'), skip.get('message'), file=sys.stderr)
print(total - failed - skipped, failed, skipped)
PYTHON
  )
  [[ $failed == 0 && $skipped == 0 ]] || fail "$failed failed and $skipped skipped $where"
  ((ok > least)) || fail "only $ok tests ran $where"
  pass "$ok"
}

# The bundled library of this machine
bundled=$PWD/.cache/natives/linux-$(uname -m | sed s/aarch64/aarch_64/)

# What was built from the same sources before, also in another checkout, is not built again
export NATIVES_STORE=${NATIVES_STORE-${XDG_CACHE_HOME:-$HOME/.cache}/tomcat-openssl/natives}
