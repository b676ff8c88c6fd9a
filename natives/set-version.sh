#!/usr/bin/env bash
#
# The version of the jars, in all POMs that name it
#
#   natives/set-version.sh [VERSION]    prints it, or sets it
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [[ $# == 0 ]]; then
  sed -n 's:^\t<version>\(.*\)</version>:\1:p' natives/pom.xml
else
  sed -i "s:^\(\t<version>\|\t*<natives.version>\)[^<]*:\1$1:" natives/pom.xml starter/pom.xml bom/pom.xml
fi
