#!/usr/bin/env bash
#
# Sets up what the tests use besides Maven's dependencies: the openssl command, Tomcat Native, and the version of
# it that Debian packages, which has to be refused. What cannot be had is named, and its tests are skipped.
#
#   set-up.sh TCNATIVE_DIRECTORY
set -euo pipefail

say() { echo "set-up: $*" >&2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../../.." && pwd)

is_debian_root() { [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; }

if ! command -v openssl >/dev/null; then
  if is_debian_root && { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends openssl; } >/dev/null 2>&1; then
    say "installed openssl"
  else
    say "please install openssl, tests with a TLS client are skipped without it"
  fi
fi

"$root/docker/build-tcnative.sh" --or-skip "$1"

# Debian 12 packages 1.2.35, Debian 13 packages 1.3.1: unpacked, not installed
old=$1/old
if [[ ! -f $old/libtcnative-1.so ]]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  if is_debian_root && chmod 755 "$work" && cd "$work" \
    && { apt-get download libtcnative-1 || { apt-get update && apt-get download libtcnative-1; }; } >"$work/apt.log" 2>&1 \
    && dpkg -x libtcnative-1_*.deb "$work/root"; then
    mkdir -p "$old"
    cp "$(find "$work/root" -name 'libtcnative-1.so.0.*' -type f)" "$old/libtcnative-1.so"
  else
    say "no Debian package libtcnative-1, the test of an old version is skipped"
  fi
fi
