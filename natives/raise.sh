#!/usr/bin/env bash
#
# Takes the newer OpenSSL that natives/outdated.sh finds, in the same line: its version, Debian's patches and their
# checksums into versions.properties, and the version of the jars, if that is released. Builds nothing.
#
#   natives/raise.sh    exits with 0, and changes nothing if there is no newer OpenSSL; 2 if it could not ask
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
say() { echo "natives: $*" >&2; }
fail() { say "$*"; exit 2; }
# shellcheck source-path=SCRIPTDIR
. "$here/sources.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$here/outdated.sh" >"$work/found" || [[ $? == 1 ]] || fail "could not ask for a newer OpenSSL"
cat "$work/found"
found() { sed -n "s/^$1: \\(.*\\) is available, and .* is pinned$/\\1/p" "$work/found"; }
upstream=$(found OpenSSL) debian=$(found "OpenSSL's patches")
[[ -n $upstream$debian ]] || exit 0

source_index
apt-cache "${apt[@]}" showsrc --only-source openssl >"$work/packages"
if [[ -n $upstream ]]; then
  # One with Debian's patches, if there is any
  debian=$(sed -n "s/^Version: \\(${upstream//./\\.}-.*\\)/\\1/p" "$work/packages" | sort -V \
    | awk '/~deb/ { patched = $0 } { last = $0 } END { print patched ? patched : last }')
fi
version=${debian%-*} level=
[[ $debian != *~deb* ]] || level=${debian#*~}

sha256() {
  awk -v file="$1" '/^[^ ]/ { sums = /^Checksums-Sha256:/ } sums && $3 == file { print $1; exit }' "$work/packages" \
    | grep . || fail "the package index has no checksum of $1"
}
pin() { sed -i "s/^$1=.*/$1=$2/" "$here/versions.properties"; }
source_sum=$(sha256 "openssl_$version.orig.tar.gz")
debian_sum=$(sha256 "openssl_$debian.debian.tar.xz")
pin openssl.version "$version"
pin openssl.sha256 "$source_sum"
pin openssl.debian.version "$debian"
pin openssl.debian.sha256 "$debian_sum"
pin openssl.patchlevel "$level"

jars=$("$here/set-version.sh")
[[ $jars == *-SNAPSHOT ]] || "$here/set-version.sh" "${jars%.*}.$((${jars##*.} + 1))-SNAPSHOT"
echo "OpenSSL ${version}${level:++$level}, in the jars of version $("$here/set-version.sh")"
