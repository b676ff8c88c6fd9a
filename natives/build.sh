#!/usr/bin/env bash
#
# Builds the bundled library: Tomcat Native with APR and OpenSSL inside, for one platform or several, on one Linux
# machine. The same versions give the same bytes, in any folder.
#
#   natives/build.sh [PLATFORM...]    those of platforms.txt, or all; without one, the platform of this machine; none
#                                     builds nothing
#
# Writes .cache/natives/PLATFORM/libtcnative-2.so (.dylib for macOS, tcnative-2.dll for Windows), with its SHA-256 and
# the licences of its parts beside it. Keeps what is there if it was built from the same sources by the same script,
# and deletes what was not. All sources and the compiler are pinned in versions.properties.
#
# Environment, all of it optional:
#   JAVA_HOME          a JDK, for its jni.h
#   NATIVES_CACHE      the folder to write to, instead of .cache/natives
#   NATIVES_SOURCES    a folder with archives of the sources, which are then not downloaded
#   NATIVES_STORE      a folder that keeps what was built for other checkouts, by what it was built from. Who can write
#                      to it decides what the library does: it has to be your own
#   MAVEN_REPO_LOCAL, MAVEN_USER_SETTINGS    as for docker/build-tcnative.sh
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
cache=${NATIVES_CACHE:-$root/.cache/natives}
sources=$root/.cache/natives/sources
# The time in what records one, 2026-01-01
export SOURCE_DATE_EPOCH=1767225600

say() { echo "natives: $*" >&2; }
fail() { say "$*. Without the library: mvn -Dnatives.platforms=none"; exit 1; }
checked() { [[ -f $1 ]] && echo "$2  $1" | sha256sum --check --status; }
# shellcheck source-path=SCRIPTDIR
. "$here/sources.sh"

[[ $(uname -s) == Linux ]] || fail "the libraries are built on Linux only"

case $(uname -m) in
  x86_64) machine=linux-x86_64 ;;
  aarch64) machine=linux-aarch_64 ;;
  *) [[ $# != 0 ]] || { say "no library is built for a machine of type $(uname -m)"; exit 0; } ;;
esac
# A musl system has its loader under this name
[[ -z $(compgen -G '/lib/ld-musl-*') || -e /lib64/ld-linux-x86-64.so.2 || -e /lib/ld-linux-aarch64.so.1 ]] || machine+=-musl

mapfile -t all < <(platforms)
platforms=("${@:-$machine}")
[[ ${platforms[0]} != all ]] || platforms=("${all[@]}")

# As Zig calls it
target() { sed -n "s/^$1  *//p" "$here/platforms.txt" | grep . || fail "unknown platform '$1'"; }

# The name that Tomcat looks for first
library() {
  case $1 in
    linux-*) echo libtcnative-2.so ;;
    osx-*) echo libtcnative-2.dylib ;;
    windows-*) echo tcnative-2.dll ;;
  esac
}

# What a library is made of. Of vulnerabilities.csv, that is the names of the patches
key=$({
  grep -h '^[^#]' "$here/versions.properties" "$here/openssl-features.txt"
  grep -o '[^", ]*\.patch' "$here/vulnerabilities.csv" || true
  grep '^tomcat_' "$root/docker/build-tcnative.sh"
  cat "$here/build.sh" "$here/platforms.txt" "$here/exports.map" "$here"/patches/*/*.patch
} | sha256sum | cut -d ' ' -f 1)
store=${NATIVES_STORE:+$NATIVES_STORE/$key}

# whole FOLDER: whether it is a library made of these, as it was when it was built
whole() {
  [[ -f $1/.stamp && $(head -n 1 "$1/.stamp") == "$key" ]] \
    && (cd "$1" && tail -n +2 .stamp | sha256sum --check --status 2>/dev/null)
}

# copy FOLDER FOLDER: nobody sees half of it
copy() {
  rm -rf "$2" "$2.new"
  mkdir -p "$(dirname "$2")"
  cp -R "$1" "$2.new"
  mv "$2.new" "$2"
}

for platform in "${all[@]}"; do
  whole "$cache/$platform" || rm -rf "${cache:?}/$platform"
done
[[ ${platforms[0]} != none ]] || exit 0

todo=()
for platform in "${platforms[@]}"; do
  target "$platform" >/dev/null
  if [[ -d $cache/$platform ]]; then
    say "keeping $cache/$platform/$(library "$platform")"
  elif [[ -n $store && -O $store/$platform ]] && whole "$store/$platform"; then
    say "$platform: taking it from $store"
    copy "$store/$platform" "$cache/$platform"
  else
    todo+=("$platform")
  fi
done
[[ ${#todo[@]} != 0 ]] || exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$sources"

missing=()
command -v make >/dev/null || missing+=(make)
command -v perl >/dev/null || missing+=(perl)
command -v bzip2 >/dev/null || missing+=(bzip2)
command -v xz >/dev/null || missing+=(xz-utils)
command -v patch >/dev/null || missing+=(patch)
command -v python3 >/dev/null && python3 -m pip --version >/dev/null 2>&1 || missing+=(python3-pip)
if [[ ${#missing[@]} != 0 ]]; then
  [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null || fail "please install (Debian's package names): ${missing[*]}"
  say "installing ${missing[*]}"
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"; } \
    >"$work/apt.log" 2>&1 || { tail -n 5 "$work/apt.log" >&2; fail "apt-get could not install: ${missing[*]}"; }
fi

java_home=
for candidate in "${JAVA_HOME-}" /usr/lib/jvm/* \
  "$(command -v javac >/dev/null && dirname "$(dirname "$(readlink -f "$(command -v javac)")")")"; do
  [[ -z $candidate || ! -f $candidate/include/jni.h ]] || java_home=$candidate
done
[[ -n $java_home ]] || fail "no JDK found: set JAVA_HOME to a JDK, its include/jni.h is needed"

# download NAME FILE SHA256: an archive of a Debian source package, from wherever this system gets its packages
download() {
  local path base
  source_index
  path=$({ apt-cache "${apt[@]}" showsrc "$1" 2>/dev/null || true; } | awk -v file="$2" '
    /^Directory:/ { directory = $2 } $3 == file { found = 1 }
    /^$/ { if (found && !path) path = directory "/" file; found = 0 }
    END { if (found && !path) path = directory "/" file; print path }')
  [[ -n $path ]] || return 0
  for base in $(mirrors); do
    ! /usr/lib/apt/apt-helper download-file "$base$path" "$work/$2" "SHA256:$3" >"$work/apt.log" 2>&1 || return 0
  done
}

# source_package NAME FILE SHA256 [URL]: an archive of a Debian source package, from the folder that the user names,
# from where this system gets its packages, or where these are not Debian's, from where the project publishes it
source_package() {
  local file=$sources/$2 candidate
  if checked "$file" "$3"; then
    return
  fi
  for candidate in "$2" ${4:+"$(basename "$4")"}; do
    candidate=${NATIVES_SOURCES:+$NATIVES_SOURCES/$candidate}
    if [[ -f $candidate ]]; then
      checked "$candidate" "$3" || fail "$candidate is not the archive that is pinned: its SHA-256 is not $3"
      cp "$candidate" "$file"
      return
    fi
  done
  ! command -v apt-get >/dev/null || download "$1" "$2" "$3"
  if [[ ! -f $work/$2 && -n ${4-} ]]; then
    say "downloading $4"
    curl --fail --silent --show-error --location --output "$work/$2" "$4" || true
  fi
  checked "$work/$2" "$3" \
    || fail "no $2 with the SHA-256 $3 is to be had: please put it into a folder, and name that with NATIVES_SOURCES"
  mv "$work/$2" "$file"
}

openssl=openssl_$(version openssl.version).orig.tar.gz
openssl_debian=openssl_$(version openssl.debian.version).debian.tar.xz
apr=apr_$(version apr.version).orig.tar.bz2
openssl_releases=https://github.com/openssl/openssl/releases/download
apr_releases=https://archive.apache.org/dist/apr
source_package openssl "$openssl" "$(version openssl.sha256)" \
  "$openssl_releases/openssl-$(version openssl.version)/openssl-$(version openssl.version).tar.gz"
source_package openssl "$openssl_debian" "$(version openssl.debian.sha256)"
source_package apr "$apr" "$(version apr.sha256)" "$apr_releases/apr-$(version apr.version).tar.bz2"
TOMCAT_DISTRIBUTION=${TOMCAT_DISTRIBUTION-$(compgen -G "${NATIVES_SOURCES-}/*tomcat-[0-9]*.tar.gz" | head -n 1 || true)} \
  "$root/docker/build-tcnative.sh" --fetch "$root/.cache/tomcat.tar.gz"

zig=$sources/ziglang-$(version ziglang.version)/ziglang/zig
if [[ ! -x $zig ]]; then
  say "downloading the compiler"
  echo "ziglang==$(version ziglang.version) --hash=sha256:$(version "ziglang.sha256.$(uname -m)")" >"$work/requirements.txt"
  offline=()
  [[ -z $(compgen -G "${NATIVES_SOURCES-}/ziglang-*.whl") ]] || offline=(--no-index --find-links "$NATIVES_SOURCES")
  python3 -m pip download --quiet --no-deps --require-hashes --requirement "$work/requirements.txt" --dest "$work" \
    --disable-pip-version-check "${offline[@]}" || fail "pip could not download ziglang $(version ziglang.version)"
  mkdir -p "$work/zig"
  python3 -m zipfile -e "$work"/ziglang-*.whl "$work/zig"
  chmod +x "$work/zig/ziglang/zig"
  rm -rf "$(dirname "$(dirname "$zig")")"
  mv "$work/zig" "$(dirname "$(dirname "$zig")")"
fi
export ZIG_GLOBAL_CACHE_DIR=$work/zig-cache ZIG_LOCAL_CACHE_DIR=$work/zig-cache

# Debian's patches that vulnerabilities.csv names, in Debian's order, and those of ours; the version says so
patch_openssl() {
  local cve patch named=$work/named
  tar -xf "$sources/$openssl_debian" --directory=.. debian/changelog debian/patches || return
  for cve in $(sed -n "/^openssl ($(version openssl.version)-/,/^ -- /s/.*\(CVE-[0-9-]*\).*/\1/p" ../debian/changelog); do
    grep -q "^$cve," "$here/vulnerabilities.csv" || { echo "Debian fixes $cve, which vulnerabilities.csv lacks"; return 1; }
  done
  sed 's:patches/openssl/[^", ]*::g' "$here/vulnerabilities.csv" | grep -o '[A-Za-z0-9._-]*\.patch' | sort -u >"$named"
  while read -r patch; do
    if grep -qxF "$patch" "$named"; then
      patch -p1 <"../debian/patches/$patch" || return
      sed -i "/^$patch\$/d" "$named"
    fi
  done <../debian/patches/series
  [[ ! -s $named ]] || { echo "vulnerabilities.csv names what Debian does not have: $(xargs <"$named")"; return 1; }
  sed -i "s/^BUILD_METADATA=.*/BUILD_METADATA=$(version openssl.patchlevel)/" VERSION.dat
  patch_with_ours openssl
}

patch_with_ours() {
  local patch
  for patch in "$here/patches/$1"/*.patch; do
    [[ ! -f $patch ]] || patch -p1 <"$patch" || return
  done
}

# What vulnerabilities.csv says is not called
calls_nothing_of_a_vulnerability() {
  ! grep -rn SSL_set_SSL_CTX src
}

compile_openssl() {
  local target hidden=()
  case $1 in
    linux-x86_64*) target=linux-x86_64 ;;
    linux-aarch_64*) target=linux-aarch64 ;;
    osx-x86_64) target=darwin64-x86_64-cc hidden=(-fvisibility=hidden) ;;
    osx-aarch_64) target=darwin64-arm64-cc hidden=(-fvisibility=hidden) ;;
    windows-x86_64) target=mingw64 ;;
  esac
  # The option is for P-384 and P-521: without it, a handshake with P-384 needs 2.7 times the CPU (benchmark/DECISIONS.md)
  # shellcheck disable=SC2046
  ./Configure "$target" no-shared no-tests no-docs no-apps $(grep -o '^no-[^ ]*' "$here/openssl-features.txt") \
    enable-ec_nistp_64_gcc_128 \
    -fPIC -O3 -ffunction-sections -fdata-sections --prefix=/usr --openssldir=/etc/ssl --libdir=lib "${hidden[@]}" \
    && make -j"$(nproc)" build_libs || return
  # Zig's linker takes no list of exports for macOS, and what is written in assembly is visible there
  if [[ $1 == osx-* ]]; then
    find . -name '*.[sS]' -newer Makefile -exec sed -i -e 's/^\.globl[[:space:]]*\(_[A-Za-z0-9_]*\)/&\n.private_extern \1/' \
      -e 's/^\.comm[[:space:]]*\(_[A-Za-z0-9_]*,\)/.zerofill __DATA,__bss,\1/' {} + \
      && make -j"$(nproc)" build_libs
  fi
}

compile_apr() {
  if [[ $1 == windows-* ]]; then
    compile_apr_for_windows
    return
  fi
  # What configure finds out by running programs, which are not for this machine
  export ac_cv_file__dev_zero=yes ac_cv_func_setpgrp_void=yes ac_cv_sizeof_struct_iovec=16 ac_cv_func_sem_open=yes \
    apr_cv_process_shared_works=yes apr_cv_mutex_recursive=yes apr_cv_mutex_robust_shared=yes \
    apr_cv_tcp_nodelay_with_cork=yes apr_cv_epoll=yes apr_cv_epoll_create1=yes apr_cv_dup3=yes apr_cv_accept4=yes \
    apr_cv_sock_cloexec=yes ap_cv_atomic_builtins=yes ac_cv_struct_rlimit=yes ac_cv_strerror_r_rc_int=no
  local host=${2%%-*}-unknown-linux-gnu flags="-O3 -fPIC"
  [[ $1 != *-musl ]] || ac_cv_strerror_r_rc_int=yes
  if [[ $1 == osx-* ]]; then
    unset apr_cv_epoll apr_cv_epoll_create1 apr_cv_dup3 apr_cv_accept4 apr_cv_sock_cloexec
    apr_cv_mutex_robust_shared=no apr_cv_tcp_nodelay_with_cork=no ac_cv_strerror_r_rc_int=yes
    host=${2%%-*}-apple-darwin20 flags+=" -fvisibility=hidden"
  fi
  CC_FOR_BUILD=zig-build-cc CFLAGS=$flags ./configure --build="$(uname -m)-pc-linux-gnu" --host="$host" \
    --disable-shared --enable-static --prefix=/usr \
    && make -j"$(nproc)"
}

# With the headers in the order that Zig's need, instead of the one in apr.h
windows_headers=(-DWIN32 -D_WINDOWS -DAPR_DECLARE_STATIC -DFD_SETSIZE=1024 -include winsock2.h -include ws2tcpip.h
  -include mswsock.h -include windows.h -include iphlpapi.h -Wno-incompatible-pointer-types)

# As CMakeLists.txt does
compile_apr_for_windows() {
  mkdir .libs objects
  sed 's/@win32_winnt_str@/0x0A00/; s/@apr_have_ipv6_10@/1/' include/apr.hwc >include/apr.h
  zig-build-cc -DCROSS_COMPILE tools/gen_test_char.c -o gen_test_char \
    && ./gen_test_char >include/apr_escape_test_char.h || return
  sed -n '/^SET(APR_SOURCES/,/^)/s/^ *\(.*\)\.c$/\1/p' CMakeLists.txt >sources
  # Each into a file named after its path
  # shellcheck disable=SC2016
  xargs -P "$(nproc)" -I '{}' sh -c 'source=$1; shift
    exec zig-cc -c "$@" "$source.c" -o "objects/$(echo "$source" | tr / -).o"' sh '{}' -O3 "${windows_headers[@]}" \
    -Iinclude -Iinclude/arch/win32 -Iinclude/arch/unix -Iinclude/private <sources \
    && zig-ar qc .libs/libapr-1.a objects/*.o
}

compile_tomcat_native() {
  local openssl apr library flags=(-shared -O3 -fPIC -fvisibility=hidden) libraries=(-Wl,--gc-sections -Wl,-s)
  openssl=$(echo ../../openssl-*) apr=$(echo ../../apr-*) library=$(library "$1")
  local files=(src/*.c)
  local includes=(-Iinclude -I"$openssl/include" -I"$java_home/include" -I"$java_home/include/linux" -I"$apr/include")
  case $1 in
    linux-*)
      flags+=(-DTCNATIVE_LINUX -DHAVE_POLLSET_WAKEUP -DLINUX -D_REENTRANT -D_GNU_SOURCE)
      libraries=(-Wl,--version-script="$here/exports.map" -Wl,--gc-sections -Wl,-z,relro -Wl,-z,now
        -Wl,-z,noexecstack -Wl,-s -Wl,-soname,"$library" -lpthread -ldl)
      ;;
    osx-*)
      flags+=(-DHAVE_POLLSET_WAKEUP -DDARWIN -D_REENTRANT)
      libraries=(-Wl,-dead_strip -Wl,-s -Wl,-install_name,@rpath/"$library")
      ;;
    windows-*)
      # Named so in the source, where capital letters do not matter
      echo '#include <windows.h>' >include/Windows.h
      files+=(os/win32/*.c) includes+=(-I"$apr/include/arch/win32")
      flags=(-shared -O3 '-DJNIEXPORT=__declspec(dllexport)' "${windows_headers[@]}")
      libraries+=(-lws2_32 -lmswsock -liphlpapi -lcrypt32 -lrpcrt4 -ladvapi32 -lgdi32 -luser32)
      ;;
  esac
  zig-cc "${flags[@]}" "${includes[@]}" -o "../../$library" "${files[@]}" \
    "$openssl/libssl.a" "$openssl/libcrypto.a" "$apr/.libs/libapr-1.a" "${libraries[@]}"
}

# Of all that is in the library, with the parts of the compiler's runtime that it links in
licenses() {
  local part libc
  libc=$(dirname "$zig")/lib/libc
  cp openssl-*/LICENSE.txt result/licenses/openssl-LICENSE.txt
  for part in LICENSE NOTICE; do
    cp apr-*/$part "result/licenses/apr-$part.txt"
    cp tomcat-native-*/$part "result/licenses/tomcat-native-$part.txt"
  done
  cp "$(dirname "$zig")/LICENSE" result/licenses/zig-LICENSE.txt
  case $1 in
    *-musl | osx-*) ;;
    linux-*) cp "$libc/glibc/LICENSES" result/licenses/glibc-LICENSES.txt ;;
    windows-*)
      cp "$libc/mingw/COPYING" result/licenses/mingw-w64-COPYING.txt
      cp "$libc/musl/COPYRIGHT" result/licenses/musl-COPYRIGHT.txt
      ;;
  esac
}

build() {
  local platform=$1 target library folder=$work/$1 log=$work/$1.log
  target=$(target "$platform")
  library=$(library "$platform")
  mkdir -p "$folder/bin" "$folder/result/licenses"
  cd "$folder"
  # By name, not by path: OpenSSL records how it was compiled
  printf '#!/bin/sh\nexec "%s" cc -target %s "$@"\n' "$zig" "$target" >bin/zig-cc
  printf '#!/bin/sh\nexec "%s" cc "$@"\n' "$zig" >bin/zig-build-cc
  printf '#!/bin/sh\nexec "%s" ar "$@"\n' "$zig" >bin/zig-ar
  printf '#!/bin/sh\nexec "%s" ranlib "$@"\n' "$zig" >bin/zig-ranlib
  chmod +x bin/*
  export PATH=$folder/bin:$path CC=zig-cc AR=zig-ar RANLIB=zig-ranlib
  tar -xf "$sources/$openssl"
  tar -xf "$sources/$apr"
  tar -xzf "$root/.cache/tomcat.tar.gz" --wildcards '*/bin/tomcat-native.tar.gz' --strip-components=2
  tar -xzf tomcat-native.tar.gz

  say "$platform: compiling OpenSSL $(version openssl.debian.version)"
  (cd openssl-*/ && patch_openssl && compile_openssl "$platform") >"$log" 2>&1 \
    || { tail -n 20 "$log" >&2; fail "$platform: could not compile OpenSSL"; }
  say "$platform: compiling APR $(version apr.version)"
  (cd apr-*/ && compile_apr "$platform" "$target") >"$log" 2>&1 \
    || { tail -n 20 "$log" >&2; fail "$platform: could not compile APR"; }
  say "$platform: compiling Tomcat Native $(version tomcat-native.version)"
  (cd "tomcat-native-$(version tomcat-native.version)-src" && patch_with_ours tomcat-native && cd native \
    && calls_nothing_of_a_vulnerability && compile_tomcat_native "$platform") >"$log" 2>&1 \
    || { tail -n 20 "$log" >&2; fail "$platform: could not compile Tomcat Native"; }

  sha256sum "$library" | cut -d ' ' -f 1 >"$library.sha256"
  say "$platform: $(stat -c %s "$library") bytes, SHA-256 $(cat "$library.sha256")"
  mv "$library" "$library.sha256" result/
  licenses "$platform"
  (cd result && echo "$key" && find . -type f | sort | xargs sha256sum) >stamp
  mv stamp result/.stamp
  copy "$folder/result" "$cache/$platform"
  [[ -z $store ]] || copy "$folder/result" "$store/$platform"
  cd "$root"
  rm -rf "$folder"
}

path=$PATH
for platform in "${todo[@]}"; do
  build "$platform"
done
