#!/usr/bin/env bash
#
# Compiles Tomcat Native against the system's OpenSSL and APR and puts libtcnative-2.so into DIR.
#
#   docker/build-tcnative.sh DIR
#   docker/build-tcnative.sh --or-skip DIR    where something is missing, says so and succeeds
#   docker/build-tcnative.sh --fetch FILE     downloads the distribution's archive, and does no more
#
# The source comes out of a Tomcat distribution that Maven resolves, pinned by version and SHA-256.
# Missing packages are installed with apt-get by root; otherwise they are named in one line.
# A library in DIR that was built from the same source with the same OpenSSL and APR is kept.
#
# Environment, all of it optional:
#   INSTALL_PACKAGES      false where nothing may be installed
#   JAVA_HOME             a JDK, for its jni.h
#   TOMCAT_DISTRIBUTION   the distribution's archive, where it has been downloaded already
#   MAVEN_REPO_LOCAL      Maven's local repository
#   MAVEN_USER_SETTINGS   Maven's user settings, a path or file: URL; ignored when there is no such file
set -euo pipefail

tomcat_version=10.1.60
tomcat_sha256=ba8998cb41b3695f3c2d47224c70f44035e9c6385652fdafdb64ac31c354efbd

say() { echo "build-tcnative: $*" >&2; }

or_skip=false
fetch=false
case ${1-} in
  --or-skip) or_skip=true; shift ;;
  --fetch) fetch=true; shift ;;
esac
[[ $# == 1 && $1 != -* ]] || { say "usage: build-tcnative.sh [--or-skip] DIR, or build-tcnative.sh --fetch FILE"; exit 2; }

give_up() {
  if $or_skip; then
    say "$*; continuing without Tomcat Native"
    exit 0
  fi
  say "$*"
  exit 1
}

[[ $(uname -s) == Linux ]] || give_up "only Linux is supported here, see tomcat.apache.org/native-doc for $(uname -s)"

find_java_home() {
  local candidate
  for candidate in "${JAVA_HOME-}" \
    "$(command -v javac >/dev/null && dirname "$(dirname "$(readlink -f "$(command -v javac)")")")" \
    /usr/lib/jvm/*; do
    if [[ -n $candidate && -f $candidate/include/jni.h ]]; then
      echo "$candidate"
      return
    fi
  done
}

missing_packages() {
  command -v gcc >/dev/null || echo gcc
  command -v make >/dev/null || echo make
  command -v apr-1-config >/dev/null || echo libapr1-dev
  [[ -f /usr/include/openssl/ssl.h ]] || echo libssl-dev
  # What gcc compiles a program with
  [[ -f /usr/include/stdio.h ]] || echo libc6-dev
}

resolve_archive() {
  if [[ -n ${TOMCAT_DISTRIBUTION-} ]]; then
    echo "$TOMCAT_DISTRIBUTION"
    return
  fi
  local artifact=org.apache.tomcat:tomcat:$tomcat_version:tar.gz options=(-B -q) settings=${MAVEN_USER_SETTINGS-}
  command -v mvn >/dev/null || { say "Maven is needed to resolve $artifact"; return 1; }
  [[ -z ${MAVEN_REPO_LOCAL-} ]] || options+=("-Dmaven.repo.local=$MAVEN_REPO_LOCAL")
  [[ ! -f ${settings#file:} ]] || options+=(-s "${settings#file:}")
  say "resolving $artifact with Maven"
  if ! (cd "$work" && mvn "${options[@]}" org.apache.maven.plugins:maven-dependency-plugin:3.10.0:copy \
    "-Dartifact=$artifact" "-DoutputDirectory=$work") >"$work/mvn.log" 2>&1; then
    tail -n 5 "$work/mvn.log" >&2
    say "Maven could not resolve $artifact"
    return 1
  fi
  echo "$work/tomcat-$tomcat_version.tar.gz"
}

# A wrong checksum is never something to go on without
verify_archive() {
  echo "$tomcat_sha256  $1" | sha256sum --check --status || { say "$1 is not the pinned archive"; return 1; }
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if $fetch; then
  if [[ ! -f $1 ]] || ! verify_archive "$1" 2>/dev/null; then
    archive=$(resolve_archive) || exit 1
    verify_archive "$archive" || exit 1
    mkdir -p "$(dirname "$1")"
    cp "$archive" "$1"
  fi
  exit 0
fi

java_home=$(find_java_home)
[[ -n $java_home ]] || give_up "no JDK found: set JAVA_HOME to a JDK, its include/jni.h is needed"

missing=$(missing_packages | xargs)
if [[ -n $missing ]]; then
  if [[ ${INSTALL_PACKAGES-} == false || $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then
    give_up "please install (Debian's package names): $missing"
  fi
  say "installing $missing"
  # shellcheck disable=SC2086
  if ! { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing; } \
    >"$work/apt.log" 2>&1; then
    tail -n 5 "$work/apt.log" >&2
    give_up "apt-get could not install: $missing"
  fi
fi

openssl_version=$(printf '#include <openssl/opensslv.h>\nOPENSSL_VERSION_TEXT\n' | gcc -E -P - | tail -n 1)
stamp="Tomcat Native of Tomcat $tomcat_version, ${openssl_version//\"/}, APR $(apr-1-config --version), $(uname -m)"
if [[ -f $1/libtcnative-2.so && -f $1/.built-from && $(cat "$1/.built-from") == "$stamp" ]]; then
  say "keeping $1/libtcnative-2.so ($stamp)"
  exit 0
fi

archive=$(resolve_archive) || give_up "there is no source to compile"
verify_archive "$archive" || exit 1

say "compiling $stamp"
tar -xzf "$archive" -C "$work" "apache-tomcat-$tomcat_version/bin/tomcat-native.tar.gz"
tar -xzf "$work/apache-tomcat-$tomcat_version/bin/tomcat-native.tar.gz" -C "$work"
cd "$work"/tomcat-native-*-src/native
if ! { ./configure --with-apr="$(command -v apr-1-config)" --with-ssl=/usr --with-java-home="$java_home" \
  && make -j"$(nproc)"; } >"$work/make.log" 2>&1; then
  tail -n 20 "$work/make.log" >&2
  say "could not compile $stamp"
  exit 1
fi
strip --strip-unneeded -o "$work/libtcnative-2.so" .libs/libtcnative-2.so
cd - >/dev/null

mkdir -p "$1"
# Renamed into place: a JVM may have the old file open
cp "$work/libtcnative-2.so" "$1/.libtcnative-2.so.new"
mv "$1/.libtcnative-2.so.new" "$1/libtcnative-2.so"
echo "$stamp" >"$1/.built-from"
say "built $1/libtcnative-2.so"
