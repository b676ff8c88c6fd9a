#!/usr/bin/env bash
#
# Checks a built library without running it: file format, processor, size, exported symbols and what it imports.
#
#   natives/check.sh PLATFORM
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
library=${NATIVES_CACHE:-$root/.cache/natives}/$1/libtcnative-2.so

fail() { echo "$*" >&2; exit 1; }
check() { [[ $2 == "$3" ]] || fail "$library: $1 is '$2', and should be '$3'"; }

header=$(readelf --file-header --wide "$library")
check "the class" "$(sed -n 's/^ *Class: *//p' <<<"$header")" ELF64
check "the type" "$(sed -n 's/^ *Type: *\([A-Z]*\).*/\1/p' <<<"$header")" DYN
machine=$(sed -n 's/^ *Machine: *//p' <<<"$header")
case $1 in
  linux-x86_64*) check "the machine" "$machine" "Advanced Micro Devices X86-64" ;;
  linux-aarch_64*) check "the machine" "$machine" AArch64 ;;
esac

# The C library and nothing else: no OpenSSL, no APR
needed=$(readelf --dynamic --wide "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort | xargs)
case $1 in
  *-musl) check "what it needs" "$needed" libc.so ;;
  *) check "what it needs" "$needed" "libc.so.6 libm.so.6 libpthread.so.0" ;;
esac
newest=$(readelf --dyn-syms --wide "$library" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1 || true)
case $1 in
  *-musl) check "the version of glibc" "$newest" "" ;;
  *) [[ $(printf '%s\nGLIBC_2.17\n' "$newest" | sort -V | tail -n 1) == GLIBC_2.17 ]] \
    || fail "$library: it needs $newest, later than GLIBC_2.17" ;;
esac

symbols=$(readelf --dyn-syms --wide "$library" | awk '$5 == "GLOBAL" && $7 != "UND" { print $8 }')
foreign=$(grep -vE '^(JNI_OnLoad|JNI_OnUnload|Java_org_apache_tomcat_jni_.*)$' <<<"$symbols" | xargs || true)
check "what it exports beside JNI" "$foreign" ""
(($(grep -c "^Java_org_apache_tomcat_jni_" <<<"$symbols") > 90)) || fail "$library: it lacks functions of Tomcat Native"

size=$(stat -c %s "$library")
((size <= 7 * 1024 * 1024)) || fail "$library: it has $size bytes, more than 7 MiB"
check "its SHA-256" "$(sha256sum <"$library" | cut -d ' ' -f 1)" "$(cat "$library.sha256")"
echo "$1: $size bytes, $(grep -c . <<<"$symbols") functions, needs ${needed:-nothing}${newest:+ up to $newest}"
