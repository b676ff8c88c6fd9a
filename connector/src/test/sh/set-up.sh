#!/usr/bin/env bash
#
# Sets up what the tests use besides Maven's dependencies: the openssl command, Tomcat Native, the version of it that
# Debian packages, which has to be refused, and Pebble, Let's Encrypt's ACME server for tests, in the folder 'pebble'
# beside TCNATIVE_DIRECTORY. What cannot be had is named, and its tests are skipped.
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

# Two JVMs of tests may start it at once
mkdir -p "$1"
if command -v flock >/dev/null; then
  exec 9>"$1/.lock"
  flock 9
fi

if ! command -v openssl >/dev/null; then
  if may_install && { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends openssl; } >/dev/null 2>&1; then
    say "installed openssl"
  else
    say "please install openssl (root: -Dset-up.install=true), tests with a TLS client are skipped without it"
  fi
fi

# One from elsewhere, such as the bundled one, stays
[[ -f $1/libtcnative-2.so && ! -f $1/.built-from ]] || "$root/docker/build-tcnative.sh" --or-skip "$1"

# Debian 12 packages 1.2.35, Debian 13 packages 1.3.1: unpacked, not installed
old=$1/old
if [[ ! -f $old/libtcnative-1.so ]]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  if may_install && chmod 755 "$work" && cd "$work" \
    && { apt-get download libtcnative-1 || { apt-get update && apt-get download libtcnative-1; }; } >"$work/apt.log" 2>&1 \
    && dpkg -x libtcnative-1_*.deb "$work/root"; then
    mkdir -p "$old"
    cp "$(find "$work/root" -name 'libtcnative-1.so.0.*' -type f)" "$old/libtcnative-1.so"
  else
    say "no Debian package libtcnative-1 (root: -Dset-up.install=true), the tests of an old version are skipped"
  fi
fi

# Debian 12's is too old for ACME's renewal information: unpacked from a later suite, not installed
pebble=$(dirname "$1")/pebble
if [[ ! -x $pebble/pebble-challtestsrv ]] && ! command -v pebble-challtestsrv >/dev/null; then
  packages=$(mktemp -d)
  if may_install && chmod 755 "$packages" && cd "$packages" && mkdir -p lists/partial cache/archives/partial \
    && apt-get indextargets --format '$(REPO_URI)' | sort -u | grep -v security | sed 's/.*/deb & sid main/' >sources.list \
    && apt=(-o "Dir::Etc::sourcelist=$packages/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$packages/lists" -o "Dir::Cache=$packages/cache") \
    && { apt-get "${apt[@]}" update && apt-get "${apt[@]}" download pebble; } >apt.log 2>&1 && dpkg -x pebble_*.deb unpacked; then
    mkdir -p "$pebble"
    cp unpacked/usr/bin/pebble unpacked/usr/bin/pebble-challtestsrv "$pebble"
  else
    say "no Debian package pebble (root: -Dset-up.install=true), the tests with an ACME server are skipped"
  fi
  rm -rf "$packages"
fi
