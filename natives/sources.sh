# shellcheck shell=bash
#
# For the scripts of this folder, which source it: platforms, what is pinned, and the package index that says what there
# is. $here is this folder, $work a temporary one.

platforms() { sed -n 's/^\([a-z][^ ]*\) .*/\1/p' "$here/platforms.txt"; }
version() { sed -n "s/^$1=//p" "$here/versions.properties"; }

# Where this system gets its packages
mirrors() { { apt-get indextargets --format '$(REPO_URI)' || true; } | sort -u; }

# source_index: reads the list of Debian's source packages, once, from where this system gets its packages. The suites
# are those that may have what is pinned, or something newer. $apt are the options to ask it with.
source_index() {
  apt=(-o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$work/lists"
    -o "Dir::Cache=$work/cache")
  [[ ! -d $work/lists ]] || return 0
  local uri suite
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
  mirrors | while read -r uri; do
    for suite in trixie trixie-security sid; do
      [[ $suite == *-security && $uri != *security* || $suite != *-security && $uri == *security* ]] \
        || echo "deb-src $uri $suite main"
    done
  done >"$work/sources.list"
  say "reading the list of source packages"
  apt-get "${apt[@]}" update >"$work/apt.log" 2>&1 || true
}
