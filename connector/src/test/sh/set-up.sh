#!/usr/bin/env bash
#
# Sets up what the tests use besides Maven's dependencies: the openssl command, databases, Tomcat Native, the version of it that
# Debian packages, which has to be refused, and Pebble, Let's Encrypt's ACME server for tests, in the folder 'pebble'
# beside TCNATIVE_DIRECTORY. What cannot be had is named, and its tests are skipped; in CI it ends the set-up.
#
#   set-up.sh TCNATIVE_DIRECTORY
#
# Environment: INSTALL_PACKAGES is whether root's apt-get may be used; nothing is the same as CI, which is false
set -euo pipefail
export INSTALL_PACKAGES=${INSTALL_PACKAGES:-${CI:-false}}

say() { echo "set-up: $*" >&2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../../.." && pwd)

may_install() { [[ $INSTALL_PACKAGES == true && $(id -u) == 0 ]] && command -v apt-get >/dev/null; }

# missing MESSAGE LOG: says what cannot be had, and shows the log if there is one
missing() {
  say "$1"
  [[ ${CI:-false} != true ]] || { [[ ! -f $2 ]] || cat "$2" >&2; exit 1; }
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# apt-get gives up root's rights while it downloads
chmod 755 "$work"

mkdir -p "$1"
set -- "$(cd "$1" && pwd)"

# Two JVMs of tests may start it at once
if command -v flock >/dev/null; then
  exec 9>"$1/.lock"
  flock 9
fi

packages=()
command -v openssl >/dev/null || packages+=(openssl)
[[ -d /usr/lib/postgresql ]] || packages+=(postgresql)
command -v mariadbd >/dev/null || [[ -x /usr/sbin/mariadbd ]] || packages+=(mariadb-server-core)
if [[ ${#packages[@]} != 0 ]]; then
  if may_install && { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}"; } >"$work/packages.log" 2>&1; then
    say "installed ${packages[*]}"
  else
    missing "please install ${packages[*]} (root: -Dset-up.install=true), tests with a TLS client or a database are skipped without" "$work/packages.log"
  fi
fi

# One from elsewhere, such as the bundled one, stays
[[ -f $1/libtcnative-2.so && ! -f $1/.built-from ]] || "$root/docker/build-tcnative.sh" --or-skip "$1"

# Debian 12 packages 1.2.35, Debian 13 packages 1.3.1: unpacked, not installed
old=$1/old
if [[ ! -f $old/libtcnative-1.so ]]; then
  if may_install && cd "$work" \
    && { apt-get download libtcnative-1 || { apt-get update && apt-get download libtcnative-1; }; } >old.log 2>&1 \
    && dpkg -x libtcnative-1_*.deb old; then
    mkdir -p "$old"
    cp "$(find old -name 'libtcnative-1.so.0.*' -type f)" "$old/libtcnative-1.so"
  else
    missing "no Debian package libtcnative-1 (root: -Dset-up.install=true), the tests of an old version are skipped" "$work/old.log"
  fi
fi

# Debian 12's is too old for ACME's renewal information: unpacked from a later suite, not installed
pebble=$(dirname "$1")/pebble
if [[ ! -x $pebble/pebble-challtestsrv ]] && ! command -v pebble-challtestsrv >/dev/null; then
  apt=(apt-get -o Acquire::Retries=3 -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=-
    -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache")
  if may_install && cd "$work" && mkdir -p lists/partial cache/archives/partial \
    && { apt-get indextargets --format '$(REPO_URI)' | sort -u | grep -v security | sed 's/.*/deb & sid main/' >sources.list \
      && "${apt[@]}" update && "${apt[@]}" download pebble; } >pebble.log 2>&1 && dpkg -x pebble_*.deb pebble; then
    mkdir -p "$pebble"
    cp pebble/usr/bin/pebble pebble/usr/bin/pebble-challtestsrv "$pebble"
  else
    missing "no Debian package pebble (root: -Dset-up.install=true), the tests with an ACME server are skipped" "$work/pebble.log"
  fi
fi
