#!/usr/bin/env bash
#
# Resolves what docs/versions.md has users of Gradle write, against the release in target/staging (.ci/release.sh), by
# Debian's Gradle in a container: Tomcat has to be of one version, and nothing else may come along than what is
# published for Linux. That Gradle, 4.4, is too old for Spring Boot's plugin, which does what the first lines do here.
#
#   .ci/gradle.sh [VERSION]     0.1.0 unless named; needs a container engine
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=${1:-0.1.0}
image=localhost/tomcat-openssl-it/gradle
boot=$(sed -n '/<parent>/,/<\/parent>/s:.*<version>\(.*\)</version>:\1:p' pom.xml)
tomcat=$(sed -n 's:^Spring Boot [0-9.]* and [0-9.]* manage Tomcat \([0-9.]*[0-9]\).*:\1:p' docs/versions.md)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "gradle.sh: $*" >&2; exit 1; }

# block NUMBER: of the guide
block() { awk -v wanted="$1" '/^```/ { inside = /^```groovy$/ && ++blocks == wanted; next } inside' docs/versions.md; }

mkdir "$work/managed" "$work/alone"
cat >"$work/managed/build.gradle" <<GRADLE
buildscript {
  repositories { mavenCentral() }
  dependencies { classpath 'io.spring.gradle:dependency-management-plugin:1.0.11.RELEASE' }
}
apply plugin: 'java'
apply plugin: 'io.spring.dependency-management'
dependencyManagement { imports { mavenBom 'org.springframework.boot:spring-boot-dependencies:$boot' } }
$(block 1)
GRADLE
cat >"$work/alone/build.gradle" <<GRADLE
apply plugin: 'java'
$(block 1 | sed "s/\(spring-boot-starter-[a-z]*\)'/\1:$boot'/")
GRADLE
for build in managed alone; do
  sed -i "s/0\.1\.0-SNAPSHOT/$version/" "$work/$build/build.gradle"
  cat >>"$work/$build/build.gradle" <<GRADLE
configurations { spring }
dependencies { spring 'org.springframework.boot:spring-boot-starter-webmvc:$boot' }
task libraries {
  doLast {
    def all = configurations.runtimeClasspath.files*.name
    println((all.findAll { it.startsWith('tomcat-embed-') } + (all - configurations.spring.files*.name)).unique().sort().join('\n'))
  }
}
GRADLE
done

docker build --tag "$image" - >"$work/log" 2>&1 <<'DOCKERFILE' || { tail -n 40 "$work/log"; fail "could not get Gradle"; }
FROM debian:bookworm-slim
RUN apt-get update \
  && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ca-certificates-java gradle openjdk-17-jdk-headless
DOCKERFILE
expected=$(printf '%s\n' tomcat-embed-{core,el,websocket}-"$tomcat".jar \
  tomcat-openssl-natives-"$version"-linux-{aarch_64,aarch_64-musl,x86_64,x86_64-musl}.jar \
  tomcat-openssl-{connector,spring-boot-autoconfigure,spring-boot-starter}-"$version".jar | LC_ALL=C sort)
for build in managed alone; do
  # Whom this machine trusts beside Debian's CAs, too
  docker run --rm --volume "$PWD/target/staging:/staging:ro" --volume "$work/$build:/build:ro" \
    --volume /usr/local/share/ca-certificates:/usr/local/share/ca-certificates:ro "$image" sh -c \
    'update-ca-certificates >/dev/null && cp -R /build /app && cd /app && gradle --no-daemon -q -Dmaven.repo.local=/staging libraries' >"$work/log" 2>"$work/errors" \
    || { cat "$work/log" "$work/errors"; fail "no dependencies were resolved: $build"; }
  diff <(LC_ALL=C sort "$work/log") <(echo "$expected") || fail "unexpected transitive dependencies: $build"
done
echo "gradle: $(wc -l <<<"$expected") libraries of version $version and Tomcat $tomcat, with and without dependency management"
