#!/usr/bin/env bash
#
# Checks a built library without running it: file format, processor, size, exported symbols, what it imports, and that
# what openssl-features.txt leaves out is not in it.
# It needs LLVM's tools, which read the formats of all systems.
#
#   natives/check.sh PLATFORM    one of those of platforms.txt, or all
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
# shellcheck source-path=SCRIPTDIR
. "$here/sources.sh"
if [[ $1 == all ]]; then
  for platform in $(platforms); do
    "${BASH_SOURCE[0]}" "$platform"
  done
  exit
fi
case $1 in
  linux-*) name=libtcnative-2.so ;;
  osx-*) name=libtcnative-2.dylib ;;
  windows-*) name=tcnative-2.dll ;;
  *) echo "unknown platform '$1'" >&2; exit 2 ;;
esac
library=${NATIVES_CACHE:-$root/.cache/natives}/$1/$name

fail() { echo "$*" >&2; exit 1; }
check() { [[ $2 == "$3" ]] || fail "$library: $1 is '$2', and should be '$3'"; }
value() { sed -n "s/^ *$1: *\\([^ ]*\\).*/\\1/p" <<<"$header" | head -n 1; }

header=$(llvm-readobj --file-headers "$library")
case $1 in
  linux-x86_64*) format=elf64-x86-64 type=SharedObject processor=EM_X86_64 ;;
  linux-aarch_64*) format=elf64-littleaarch64 type=SharedObject processor=EM_AARCH64 ;;
  osx-x86_64) format="Mach-O 64-bit x86-64" type=DynamicLibrary processor=X86-64 ;;
  osx-aarch_64) format="Mach-O arm64" type=DynamicLibrary processor=Arm64 ;;
  windows-x86_64) format=COFF-x86-64 type=IMAGE_FILE_DLL processor=IMAGE_FILE_MACHINE_AMD64 ;;
esac
check "the format" "$(sed -n 's/^Format: //p' <<<"$header")" "$format"

# What it needs: nothing but what every system has
newest=
case $1 in
  linux-*)
    check "the type" "$(value Type)" "$type"
    check "the processor" "$(value Machine)" "$processor"
    needed=$(llvm-readobj --needed-libs "$library" | sed -n 's/^  //p' | sort | xargs)
    symbols=$(llvm-nm --dynamic --extern-only --defined-only "$library" | awk '{ print $NF }')
    newest=$(llvm-readobj --version-info "$library" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1 || true)
    ;;
  osx-*)
    check "the type" "$(value FileType)" "$type"
    check "the processor" "$(value CpuType)" "$processor"
    commands=$(llvm-objdump --macho --private-headers "$library")
    needed=$(llvm-objdump --macho --dylibs-used "$library" | awk 'NR > 2 { print $1 }' | sort | xargs)
    check "its name" "$(llvm-objdump --macho --dylib-id "$library" | tail -n 1)" "@rpath/$name"
    check "the earliest macOS" "$(awk '$1 == "minos" { print $2 }' <<<"$commands")" 11.0
    # macOS on arm64 loads no code that is not signed, be it by nobody
    [[ $1 != osx-aarch_64 ]] || grep -q LC_CODE_SIGNATURE <<<"$commands" || fail "$library: it has no signature"
    # What the linker adds stands for the file itself
    symbols=$(llvm-objdump --macho --exports-trie "$library" | awk '/^0x/ { print $2 }' | sed 's/^_//' \
      | grep -vx '_mh_dylib_header\|__dso_handle')
    ;;
  windows-*)
    grep -q "$type" <<<"$header" || fail "$library: it is not a DLL"
    check "the processor" "$(value Machine)" "$processor"
    grep -q NX_COMPAT <<<"$header" && grep -q DYNAMIC_BASE <<<"$header" || fail "$library: it is not protected"
    needed=$(llvm-readobj --coff-imports "$library" | sed -n 's/^  Name: //p' | tr '[:upper:]' '[:lower:]' | sort | xargs)
    symbols=$(llvm-readobj --coff-exports "$library" | sed -n 's/^  Name: //p')
    ;;
esac
case $1 in
  *-musl) check "what it needs" "$needed" libc.so; check "the version of glibc" "$newest" "" ;;
  linux-*)
    check "what it needs" "$needed" "libc.so.6 libm.so.6 libpthread.so.0"
    [[ $(printf '%s\nGLIBC_2.17\n' "$newest" | sort -V | tail -n 1) == GLIBC_2.17 ]] \
      || fail "$library: it needs $newest, later than GLIBC_2.17"
    ;;
  osx-*) check "what it needs" "$needed" /usr/lib/libSystem.B.dylib ;;
  # Parts of Windows 10 and later
  windows-*)
    others=$(tr ' ' '\n' <<<"$needed" \
      | grep -vxE 'api-ms-win-crt-[a-z]+-l1-1-0.dll|(advapi32|crypt32|iphlpapi|kernel32|rpcrt4|shell32|user32|ws2_32).dll' \
      | xargs || true)
    check "what it needs of others" "$others" ""
    needed="$(grep -c . < <(tr ' ' '\n' <<<"$needed")) libraries of Windows"
    ;;
esac

foreign=$(grep -vE '^(JNI_OnLoad|JNI_OnUnload|Java_org_apache_tomcat_jni_.*)$' <<<"$symbols" | xargs || true)
check "what it exports besides JNI" "$foreign" ""
(($(grep -c "^Java_org_apache_tomcat_jni_" <<<"$symbols") > 90)) || fail "$library: it lacks functions of Tomcat Native"

# A function of OpenSSL that reports errors names itself there, so that code that is left out shows by its absence. The
# names of protocols, algorithms and errors stay, in tables
strings=$(llvm-strings "$library")
left=$(grep -iE '^([a-z]+_)*(quic|dtls1?|cms|cmp|sm2)(_[a-z0-9]+)+$' <<<"$strings" | sort -u | xargs || true)
check "what it has of QUIC, DTLS, CMS, CMP and SM2" "$left" ""
! grep -qF SSLKEYLOGFILE <<<"$strings" || fail "$library: it writes session secrets to the file of SSLKEYLOGFILE"
level=$(version openssl.patchlevel)
openssl="OpenSSL $(version openssl.version)${level:++$level}"
grep -qF "$openssl " <<<"$strings" || fail "$library: it is not $openssl"

size=$(stat -c %s "$library")
((size <= 5 * 1024 * 1024)) || fail "$library: it has $size bytes, more than 5 MiB"
check "its SHA-256" "$(sha256sum <"$library" | cut -d ' ' -f 1)" "$(cat "$library.sha256")"
echo "$1: $size bytes, $(grep -c . <<<"$symbols") functions, needs $needed${newest:+ up to $newest}"
