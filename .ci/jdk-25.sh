#!/usr/bin/env bash
#
# Prints the folder of a JDK 25.0.5 or later, which it makes from Debian 13's packages if it is missing, in .cache/jdk-25.
# The JDK needs a later C library than Debian 12 has, so its programs get the one that is unpacked beside them. The
# packages come from where apt gets those of this Debian.
set -euo pipefail

jdk=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/.cache/jdk-25
[[ ! -x $jdk/bin/java ]] || { echo "$jdk"; exit; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "jdk-25.sh: $*" >&2; exit 1; }

command -v patchelf >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends patchelf >/dev/null; } \
  || fail "patchelf cannot be installed"
mkdir -p "$work"/{lists/partial,archives/partial,packages,root}
apt-get indextargets --format "\$(LABEL) \$(REPO_URI)" 'Created-By: Packages' 'Origin: Debian' | sort -u | while read -r label uri; do
  suites=trixie
  [[ $label == Debian ]] || suites=trixie-security
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $suites main"
done >"$work/sources.list"
[[ -s $work/sources.list ]] || fail "apt knows no mirror of Debian"
cp /var/lib/dpkg/status "$work/status"
# No other user than root can read the folder
options=(-qq -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$work/lists"
  -o "Dir::Cache=$work" -o "Dir::State::status=$work/status" -o APT::Sandbox::User=root)
apt-get "${options[@]}" update
(cd "$work/packages" && apt-get "${options[@]}" download openjdk-25-{jre,jdk}-headless libc6 libgcc-s1 libstdc++6 zlib1g) >&2
for package in "$work"/packages/*.deb; do dpkg-deb --extract "$package" "$work/root"; done

cp -a "$work"/root/usr/lib/jvm/java-25-openjdk-* "$work/jdk"
# Its configuration is in /etc, and goes beside it
find "$work/jdk" -type l -lname '/etc/java-25-openjdk/*' | while read -r link; do
  target=$work/root$(readlink "$link")
  rm "$link"
  cp "$target" "$link"
done
mkdir "$work/jdk/libc"
cp -a "$work"/root/usr/lib/*-linux-gnu/{ld-linux-*,lib*.so*} "$work/jdk/libc/"
for program in "$work"/jdk/bin/* "$work"/jdk/lib/{jspawnhelper,jexec}; do
  [[ -L $program ]] || patchelf --set-interpreter "$jdk/libc/$(basename "$work"/jdk/libc/ld-linux-*)" --force-rpath \
    --set-rpath "$(patchelf --print-rpath "$program"):$jdk/libc" "$program"
done

mkdir -p "$(dirname "$jdk")"
rm -rf "$jdk"
mv "$work/jdk" "$jdk"
version=$("$jdk/bin/javac" -version)
printf '%s\n' "javac 25.0.5" "$version" | sort --version-sort --check=quiet || fail "$version is older than 25.0.5"
echo "$jdk"
