#!/usr/bin/env bash
#
# Tests where build.sh takes sources and finished libraries from, and that a patch of ours is in the library. Compiles
# nothing, and reaches nothing outside: curl and what compiles are replaced by scripts. Needs what a natives/build.sh on
# this machine left behind, and openssl.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
built=$root/.cache/natives
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "natives/test.sh: $*" >&2; cat "$work/log" >&2; exit 1; }
# shellcheck source-path=SCRIPTDIR
. "$here/sources.sh"
said() { grep -qF -- "$1" "$work/log" || fail "it did not say '$1'"; }
builds() { "$clone/natives/build.sh" linux-x86_64 >"$work/log" 2>&1; }

# A clone that has a compiler, and nothing else
clone=$work/clone
mkdir -p "$clone/docker"
cp -R "$here" "$clone/natives"
cp "$root/docker/build-tcnative.sh" "$clone/docker/"
zig=$clone/.cache/natives/sources/ziglang-$(version ziglang.version)/ziglang/zig
mkdir -p "$(dirname "$zig")"
printf '#!/bin/sh\nexit 1\n' >"$zig"
chmod +x "$zig"

# A system without Debian's tools, whose curl writes down the address and gives what is asked for
mkdir "$work/bin" "$work/sources" "$work/web"
ln -sf /usr/sbin/* /usr/bin/* /bin/* "$work/bin/"
rm -f "$work"/bin/{apt-*,curl,mvn,perl}
cat >"$work/bin/curl" <<CURL
#!/bin/bash
echo "\${@: -1}" >>"$work/addresses"
while [[ \$1 != --output ]]; do shift; done
exec cp "$work/web/\$(basename "\${@: -1}")" "\$2"
CURL
cp "$zig" "$work/bin/perl"
chmod +x "$work/bin/curl"
openssl=openssl-$(version openssl.version).tar.gz apr=apr-$(version apr.version).tar.bz2
cp "$built/sources/openssl_$(version openssl.version).orig.tar.gz" "$work/web/$openssl"
cp "$built/sources/apr_$(version apr.version).orig.tar.bz2" "$work/web/$apr"
patches=openssl_$(version openssl.debian.version).debian.tar.xz
path=$PATH
export PATH=$work/bin JAVA_HOME=${JAVA_HOME-} NATIVES_STORE='' NATIVES_SOURCES=''

"$here/outdated.sh" >"$work/log" 2>&1 || [[ $? == 2 ]] || fail "outdated.sh asked without apt-get"
said "apt-get is needed"

# Upstream's archives, and what only Debian has from the folder
! builds || fail "it was built without Debian's patches"
said "no $patches with the SHA-256"
[[ $(cat "$work/addresses") == */openssl-"$(version openssl.version)"/$openssl ]] || fail "curl was asked for $(cat "$work/addresses")"
cp "$built/sources/$patches" "$work/sources/"
cp "$root/.cache/tomcat.tar.gz" "$work/sources/tomcat-0.tar.gz"
export NATIVES_SOURCES=$work/sources
! builds || fail "it was built without a compiler"
said "could not compile OpenSSL"
[[ $(tail -n 1 "$work/addresses") == */$apr ]] || fail "curl was asked for $(cat "$work/addresses")"

# From the folder, under upstream's names
rm "$clone"/.cache/natives/sources/*.tar.* "$work/addresses"
cp "$work/web"/* "$work/sources/"
! builds || fail "it was built without a compiler"
said "could not compile OpenSSL"
[[ ! -f $work/addresses ]] || fail "curl was asked for $(cat "$work/addresses")"

# What is not the pinned archive is not used
rm "$clone/.cache/natives/sources/$patches"
echo >>"$work/sources/$patches"
! builds || fail "it used an archive other than the pinned one"
said "$work/sources/$patches is not the archive that is pinned"
rm "$work/sources/$openssl" "$clone/.cache/natives/sources"/openssl_*
echo >>"$work/web/$openssl"
! builds || fail "it used an archive other than the pinned one"
said "no openssl_$(version openssl.version).orig.tar.gz with the SHA-256"
export PATH=$path

# A finished library out of the store, which nobody has changed since
key=$(head -n 1 "$built/linux-x86_64/.stamp")
export NATIVES_STORE=$work/store
mkdir -p "$NATIVES_STORE/$key"
cp -R "$built/linux-x86_64" "$NATIVES_STORE/$key/"
builds || fail "it did not take the library from the store"
said "taking it from $NATIVES_STORE/$key"
cmp "$built/linux-x86_64/libtcnative-2.so" "$clone/.cache/natives/linux-x86_64/libtcnative-2.so"
builds && said "keeping" || fail "it did not keep the library"
printf x >>"$NATIVES_STORE/$key/linux-x86_64/libtcnative-2.so"
printf x >>"$clone/.cache/natives/linux-x86_64/libtcnative-2.so"
! builds || fail "it took a damaged library"
[[ ! -e $clone/.cache/natives/linux-x86_64 ]] || fail "it kept a damaged library"

# CVE-2026-35189: OpenSSL keeps no copy of the name of the issuer for each of thousands of relative distribution points.
# Without the patch, it takes 159 MB
{
  printf '[req]\ndistinguished_name=name\nprompt=no\nx509_extensions=extensions\n[name]\nCN=localhost\n'
  seq -f %060g 1 100 | sed '=' | sed 'N; s/\n/.OU=/'
  printf '[extensions]\ncrlDistributionPoints=%s\n' "$(seq -s , -f p%g 1 4500)"
  seq 1 4500 | sed 's/.*/[p&]\nrelativename=r&\n[r&]\nCN=&/'
} >"$work/openssl.cnf"
openssl req -x509 -config "$work/openssl.cnf" -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
  -keyout "$work/points.key" -out "$work/points.crt" 2>"$work/log" || fail "there is no certificate with distribution points"
tar -xzf "$root/.cache/tomcat.tar.gz" -C "$work" --strip-components=2 --wildcards '*/lib/tomcat-jni.jar'
# grown FOLDER: by how many KB with the library there
grown() {
  "${JAVA_HOME:+$JAVA_HOME/bin/}java" -cp "$work/tomcat-jni.jar" -Djava.library.path="$1" -Dcatalina.home="$work" \
    "$here/DistributionPoints.java" "$work/points.crt" "$work/points.key" 2>"$work/log"
}
kilobytes=$(grown "$built/linux-x86_64") || fail "the certificate with distribution points is not read"
((kilobytes < 50000)) || fail "a certificate makes OpenSSL take $kilobytes KB (CVE-2026-35189)"

echo "natives: a certificate with 4,500 relative distribution points takes $kilobytes KB"
echo "natives: tested in $SECONDS s"
