#!/usr/bin/env bash
#
# Makes what a release consists of, twice, in two folders, and fails where the bytes differ; then builds and runs
# applications of others (.ci/outside) against it, with nothing else of this project at hand. Leaves it in
# target/staging, unsigned, with the checksums in target/staging.sha256, such an application in target/outside.jar, and
# the libraries once more in target/raised, in the next version, to test that they can be taken alone.
#
#   .ci/release.sh [--trial] [VERSION]    0.1.0 unless named. The version of the checkout stays what it is; that of the
#                                         libraries is the one of natives/pom.xml. A trial is made whatever is known of
#                                         holes in the bundled library
#
# Environment, all of it optional: NATIVES_STORE, as for natives/build.sh; MAVEN_OPTS
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
trial=
[[ ${1-} != --trial ]] || { trial=true; shift; }
version=${1:-0.1.0}
work=$(mktemp -d)
pid=
trap '[[ -z $pid ]] || kill "$pid" 2>/dev/null; rm -rf "$work"' EXIT

fail() { echo "release.sh: $*" >&2; exit 1; }

[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[A-Za-z0-9.]+)?$ ]] || fail "'$version' is not a version such as 0.1.0 or 1.0.0-RC1"

natives=$(natives/set-version.sh)
natives=${natives%-SNAPSHOT}
[[ $natives =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "the version '$natives' of natives/pom.xml is not one such as 1.0.0"

# What the bundled library has of holes is known
[[ -n $trial ]] || natives/security.py || fail "docs/library.md and natives/vulnerabilities.csv do not agree"
[[ -n $trial ]] || natives/outdated.sh || fail "newer versions of the library's sources are available, or the check for them failed. Build \
from it, or write into natives/vulnerabilities.csv what it closes, and into natives/assessed.properties why it is not used"

build() {
  mkdir -p "$work/$1"
  git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
    [[ ! -f $file ]] || printf '%s\0' "$file"
  done | tar --null --files-from=- --create --file=- | tar -C "$work/$1" --extract --file=-
  local snapshot
  snapshot=$(sed -n '/<parent>/,/<\/parent>/d; s:^\t<version>\(.*\)</version>:\1:p' pom.xml)
  "$work/$1/natives/set-version.sh" "$natives"
  find "$work/$1" -name pom.xml -exec sed -i "s:<version>$snapshot</version>:<version>$version</version>:" {} +
  # The libraries of all platforms are checked, and built in one of the two only
  mkdir -p "$work/$1/.cache"
  [[ ! -d $root/.cache/natives ]] || cp -R "$root/.cache/natives" "$work/$1/.cache/"
  (cd "$work/$1" && mvn -B -ntp -q -Prelease deploy -DskipTests -pl natives,test-support,connector,autoconfigure,acme,starter,bom -DaltDeploymentRepository="staging::file:$work/$1/staging") >"$work/log" 2>&1 \
    || { tail -n 60 "$work/log"; fail "the release does not build"; }
  # Timestamps and file order do not count
  find "$work/$1/staging" -name 'maven-metadata*' -delete
}

build one
build two
diff -r "$work/one/staging" "$work/two/staging" || fail "two builds produce different bytes"
rm -rf target/staging
mkdir -p target
cp -R "$work/one/staging" target/staging
(cd target/staging && find . -type f ! -name '*.md5' ! -name '*.sha*' | sort | xargs sha256sum) >target/staging.sha256

# What Maven Central asks for, and what others get
group=target/staging/io/github/tomcatopenssl
for artifact in tomcat-openssl-acme tomcat-openssl-connector tomcat-openssl-spring-boot-autoconfigure tomcat-openssl-spring-boot-starter; do
  for kind in .jar -sources.jar -javadoc.jar .pom; do
    [[ -s $group/$artifact/$version/$artifact-$version$kind ]] || fail "$artifact-$version$kind is missing"
  done
done
[[ $(cd "$group/tomcat-openssl-spring-boot-autoconfigure/$version" && ls ./*.jar | wc -l) == 3 ]] || fail "unexpected jars of the auto-configuration"
mapfile -t platforms < <(sed -n 's/^\([a-z][^ ]*\) .*/\1/p' natives/platforms.txt)
for platform in "${platforms[@]}"; do
  for kind in .jar .cdx.json; do
    [[ -s $group/tomcat-openssl-natives/$natives/tomcat-openssl-natives-$natives-$platform$kind ]] || fail "the library for $platform$kind is missing"
  done
done
[[ $(ls "$group") == "$(printf '%s\n' tomcat-openssl-acme tomcat-openssl-bom tomcat-openssl-connector tomcat-openssl-natives tomcat-openssl-spring-boot-autoconfigure tomcat-openssl-spring-boot-starter)" ]] \
  || fail "unexpected artifacts: $(ls "$group")"
python3 - "${platforms[*]}" "$natives" "$group"/*/*/*.pom <<'PYTHON'
import sys, xml.etree.ElementTree as xml
platforms, natives = sys.argv[1].split(), sys.argv[2]
# The libraries that a POM depends on, or manages
expected = {"tomcat-openssl-natives": platforms, "tomcat-openssl-spring-boot-starter": [name for name in platforms if name[:6] == "linux-"]}
space = "{http://maven.apache.org/POM/4.0.0}"
for file in sys.argv[3:]:
    pom = xml.parse(file).getroot()
    for needed in ("groupId", "artifactId", "version", "name", "description", "url", "licenses", "developers", "scm"):
        if pom.find(space + needed) is None:
            sys.exit("release.sh: %s has no %s" % (file, needed))
    for gone in ("parent", "profiles", "build", "repositories", "distributionManagement"):
        if pom.find(space + gone) is not None:
            sys.exit("release.sh: %s has a %s" % (file, gone))
    for dependency in pom.iter(space + "dependency"):
        version, scope = dependency.find(space + "version"), dependency.find(space + "scope")
        if version is None or "$" in version.text.replace("${project.version}", "") or (scope is not None and scope.text not in ("compile", "runtime", "import")):
            sys.exit("release.sh: %s depends on %s" % (file, xml.tostring(dependency, "unicode")))
        if dependency.find(space + "artifactId").text == "tomcat-openssl-natives" and version.text not in (natives, "${project.version}"):
            sys.exit("release.sh: %s has the libraries in version %s" % (file, version.text))
    artifact = pom.find(space + "artifactId").text
    classifiers = [classifier.text for classifier in pom.iter(space + "classifier")]
    if sorted(classifiers) != sorted(expected.get(artifact, [])):
        sys.exit("release.sh: %s has the libraries for %s" % (file, classifiers))
    if artifact == "tomcat-openssl-bom" and len(list(pom.iter(space + "dependency"))) != 5:
        sys.exit("release.sh: %s manages something else" % file)
PYTHON

raised=${natives%.*}.$((${natives##*.} + 1))
rm -rf target/raised
"$work/one/natives/set-version.sh" "$raised"
(cd "$work/one" && mvn -B -ntp -q -Prelease deploy -DskipTests -Dexec.skip -pl natives -DaltDeploymentRepository="raised::file:$root/target/raised") >"$work/log" 2>&1 \
  || { tail -n 60 "$work/log"; fail "the libraries alone do not build"; }
# What docs/library.md has Maven's users write
sed -n "s:<version>.*</version>:<version>$raised</version>:; /^<dependencyManagement>/,/^<\/dependencyManagement>/p" docs/library.md >"$work/raised.xml"
[[ -s $work/raised.xml ]] || fail "docs/library.md does not say how Maven takes newer libraries"
unzip=$(sed -n "s:^\(unzip .*\)tomcat-openssl-natives-[0-9.]*-:\1target/raised/io/github/tomcatopenssl/tomcat-openssl-natives/$raised/tomcat-openssl-natives-$raised-:p" docs/library.md)
eval "${unzip//\/opt\/tomcat-native/$work/file}" >/dev/null || fail "docs/library.md does not say how to take the library out of a jar"

# outside SPRING-BOOT TOMCAT PACKAGING PROFILE [raised|file]: an application of someone else, with its own local
# repository, and the Tomcat that Spring Boot manages; with newer libraries, or with a file instead of them
outside() {
  local what="a $4 application as $3 with Spring Boot $1${5:+ ($5)}" folder=$work/outside-$1-$3-$4${5-} profiles=$4
  local libraries=BOOT-INF/lib tomcat=BOOT-INF/lib jars=$natives path= place count port
  count=$(grep -c ^linux- natives/platforms.txt)
  # The Tomcat of a WAR is where another container does not look
  [[ $3 == jar ]] || profiles=$4,war libraries=WEB-INF/lib tomcat=WEB-INF/lib-provided
  cp -R .ci/outside "$folder"
  [[ ${5-} != raised ]] || { jars=$raised; sed -i "/^\t<\/properties>/r $work/raised.xml" "$folder/pom.xml"; }
  place="bundled linux-[^ ]* $jars"
  [[ ${5-} != file ]] || path=$work/file place=$work/file/libtcnative-2.so
  sed -i "s:@spring-boot.version@:$1:; s:@version@:$version:; s:@target@:$root/target:" "$folder/pom.xml"
  cd "$folder"
  mvn -B -ntp -q -Dmaven.repo.local="$work/repository" -Dpackaging="$3" -P"$profiles" package >"$work/log" 2>&1 || { tail -n 60 "$work/log"; fail "could not build $what"; }
  unzip -Z1 "target/outside-1.$3" >"$work/content"
  [[ $(sed -n 's:^\(.*\)/tomcat-embed-.*-\([0-9.]*\)\.jar$:\1 \2:p' "$work/content" | sort -u) == "$tomcat $2" ]] \
    || { cat "$work/content"; fail "Tomcat has more than one version, or is in another folder, in $what"; }
  [[ $(grep -c "^$libraries/tomcat-openssl-natives-" "$work/content") == "$count" && $(grep -c "^$libraries/tomcat-openssl-natives-$jars-linux-" "$work/content") == "$count" ]] || fail "$what does not contain exactly the native libraries for Linux in version $jars"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost -keyout tls.key -out tls.crt 2>/dev/null
  SERVER_SSL_OPENSSL_LIBRARYPATH=$path java -jar "target/outside-1.$3" >"$work/log" 2>&1 &
  pid=$!
  local end=$((SECONDS + 60))
  until grep -q "Started OutsideApplication" "$work/log"; do
    kill -0 "$pid" 2>/dev/null && ((SECONDS < end)) || { cat "$work/log"; fail "it does not start: $what"; }
    sleep 0.2
  done
  grep -q ", library $place\$" "$work/log" || { cat "$work/log"; fail "the library is another one in $what"; }
  port=$(sed -n 's/.*OpenSSL is active on port \([0-9]*\) (https): .*/\1/p' "$work/log")
  [[ $(curl -sS --cacert tls.crt "https://localhost:$port/") == outside ]] || fail "no answer from $what"
  curl -sS --cacert tls.crt "https://localhost:$port/actuator/metrics" | grep -q tomcat.ssl.certificate.expiry || fail "no metrics from $what"
  kill "$pid"
  wait "$pid" || [[ $? == 143 ]] || fail "it does not stop: $what"
  pid=
  [[ $3 == war || ${5-} == raised ]] || cp target/outside-1.jar "$root/target/outside.jar"
  cd "$root"
  echo "release: $what and Tomcat $2 serves"
}
outside 4.0.9 11.0.27 jar webmvc
outside 4.1.2 11.0.27 jar webmvc
outside 4.1.2 11.0.27 jar webflux file
outside 4.1.2 11.0.27 war webmvc
outside 4.1.2 11.0.27 jar webmvc raised

echo "release: $(wc -l <target/staging.sha256) files of version $version, the same twice"
