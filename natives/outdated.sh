#!/usr/bin/env bash
#
# Asks the package index whether something newer than what versions.properties pins is there, and says so in one line
# for each part: of OpenSSL, patch levels of Debian and releases of the same line; releases of APR and Tomcat Native.
#
#   natives/outdated.sh    exits with 0 if nothing is newer but what assessed.properties says a reason for, 1 if
#                          something is, 2 if it could not ask
#
# It needs apt-get, and changes nothing on this system.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
say() { echo "natives: $*" >&2; }
# shellcheck source-path=SCRIPTDIR
. "$here/sources.sh"

command -v apt-get >/dev/null || { say "apt-get is needed to check for newer versions"; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source_index

result=0
assessed() { sed -n "s/^$1=//p" "$here/assessed.properties"; }

# compare NAME PROPERTY PACKAGE EXPRESSION: the version that is pinned with the newest version of the package that the
# expression for sed finds
compare() {
  local newest pinned lowest
  pinned=$(version "$2")
  # A revision that Debian has no patches for yet comes before those with patches
  lowest=$pinned
  [[ $2 != openssl.debian.version || $pinned == *~* ]] || lowest=$pinned~
  newest=$({ apt-cache "${apt[@]}" showsrc --only-source "$3" 2>/dev/null || true; } \
    | sed -nE "s/^Version: $4\$/\\1/p" | sort -V | tail -n 1)
  if [[ -z $newest && $lowest == *~ ]]; then
    echo "$1: there are none for $pinned"
  elif [[ -z $newest ]]; then
    echo "$1: the package index does not list it"
    result=2
  elif [[ $(printf '%s\n' "$newest" "$lowest" | sort -V | tail -n 1) == "$lowest" ]]; then
    echo "$1: $pinned is the newest"
  elif [[ $newest == "$(assessed "$2")" && -n $(assessed "$2.reason") ]]; then
    echo "$1: $newest is available, and $pinned is kept: $(assessed "$2.reason")"
  else
    echo "$1: $newest is available, and $pinned is pinned"
    ((result == 2)) || result=1
  fi
}

openssl=$(version openssl.version)
compare OpenSSL openssl.version openssl "(${openssl%.*}\\.[0-9]+)-.*"
compare "OpenSSL's patches" openssl.debian.version openssl "(${openssl//./\\.}-[0-9]+~deb[0-9u]+)"
compare APR apr.version apr '([0-9.]+)-.*'
compare "Tomcat Native" tomcat-native.version tomcat-native '(2\.[0-9.]+)-.*'
exit "$result"
