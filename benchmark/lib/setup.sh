# shellcheck shell=bash
# Installs and builds what is missing. Sourced by run.sh, which sets $root, $cache and $certs,
# and removes $policy where the run is ended.

# What has to be there; without nginx, haproxy, h2load or tc, their contenders or workloads are named as not run
install_packages() {
  local packages=()
  command -v curl >/dev/null || packages+=(curl)
  command -v openssl >/dev/null || packages+=(openssl)
  command -v nginx >/dev/null || packages+=(nginx-light)
  command -v haproxy >/dev/null || packages+=(haproxy)
  command -v h2load >/dev/null || packages+=(nghttp2-client)
  command -v tc >/dev/null || packages+=(iproute2)
  command -v go >/dev/null || packages+=(golang-go)
  [[ -x /usr/bin/python3 ]] && /usr/bin/python3 -c 'import matplotlib, jsonschema' 2>/dev/null \
    || packages+=(python3 python3-matplotlib python3-jsonschema)
  [[ ${#packages[@]} != 0 ]] || return 0
  if [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then
    say "not installed (Debian's package names): ${packages[*]}"
    return 0
  fi
  say "installing ${packages[*]}"
  # Debian starts servers that it installs. The policy keeps it from that, and is taken away again
  local status=0
  if [[ ! -e /usr/sbin/policy-rc.d ]]; then
    policy=/usr/sbin/policy-rc.d
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
  fi
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}"; } \
    >"$work/apt.log" 2>&1 || status=$?
  [[ -z $policy ]] || rm -f "$policy"
  policy=''
  [[ $status == 0 ]] || { tail -n 3 "$work/apt.log" >&2; say "apt-get could not install: ${packages[*]}"; }
}

require_java() {
  local number
  for number in "${selected_java[@]}"; do
    if java_home "$number" >/dev/null; then
      return
    fi
  done
  say "a JDK ${selected_java[*]} is needed under /usr/lib/jvm; --java chooses others"
  exit 1
}

build_applications() {
  local folder jar=tomcat-openssl-benchmark jdk options=(-B -q -f "$root/pom.xml" -Pbenchmark -pl benchmark/tomcat-app,benchmark/netty-app -am -DskipTests)
  [[ -z ${MAVEN_REPO_LOCAL-} ]] || options+=("-Dmaven.repo.local=$MAVEN_REPO_LOCAL")
  jdk=$(java_home 17) || jdk=$(java_home 25) || { say "a JDK 17 or 25 is needed under /usr/lib/jvm"; return 1; }
  say "building the applications (the first time, with the bundled library, takes some minutes)"
  (cd "$root" && JAVA_HOME=$jdk mvn "${options[@]}" package) >"$work/maven.log" 2>&1 || { tail -n 20 "$work/maven.log" >&2; return 1; }
  for folder in tomcat-app netty-app; do
    rm -rf "${cache:?}/$folder"
    "$jdk/bin/java" -Djarmode=tools -jar "$root/benchmark/$folder/target/$jar-$folder.jar" extract --destination "$cache/$folder" >/dev/null
    mv "$cache/$folder/$jar-$folder.jar" "$cache/$folder/app.jar"
  done
  # The starter's other contender: the distribution's OpenSSL
  JAVA_HOME=$jdk "$root/docker/build-tcnative.sh" "$tcnative" || say "no Tomcat Native with the distribution's OpenSSL"
}

# A distribution of Tomcat 11 that Maven Central has: the FFM engine is in no artifact of its own
fetch_ffm() {
  local version=11.0.25 sha256=071ae2c6213e3c02c58b8581113b7887a96ef2756439b3c5be36fa6aec350090 archive=$work/tomcat-11.0.25.tar.gz
  [[ ! -f $cache/ffm/tomcat-coyote-ffm.jar ]] || return 0
  say "resolving the FFM engine out of Tomcat's distribution"
  (cd "$work" && mvn -B -q ${MAVEN_REPO_LOCAL:+"-Dmaven.repo.local=$MAVEN_REPO_LOCAL"} \
    org.apache.maven.plugins:maven-dependency-plugin:3.10.0:copy "-Dartifact=org.apache.tomcat:tomcat:$version:tar.gz" \
    "-DoutputDirectory=$work") >"$work/ffm.log" 2>&1 || { say "no FFM engine: Maven could not resolve it"; return 0; }
  echo "$sha256  $archive" | sha256sum --check --status || { say "$archive is not the pinned archive"; return 1; }
  mkdir -p "$cache/ffm"
  tar -xzf "$archive" -C "$work" "apache-tomcat-$version/lib/tomcat-coyote-ffm.jar"
  mv "$work/apache-tomcat-$version/lib/tomcat-coyote-ffm.jar" "$cache/ffm/"
}

build_load_generator() {
  command -v go >/dev/null || { say "Go is needed for the load generator: install golang-go"; return 1; }
  (cd "$root/benchmark/load" && CGO_ENABLED=0 go build -buildvcs=false -o "$cache/load" .)
}

# Made anew for each run
make_certificates() {
  local options=(-x509 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1)
  mkdir -p "$certs"
  # NGINX reads the key before its workers give up root's rights
  (umask 077
    openssl req "${options[@]}" -newkey ec -pkeyopt ec_paramgen_curve:P-256 -keyout "$certs/ecdsa.key" -out "$certs/ecdsa.crt"
    openssl req "${options[@]}" -newkey rsa:2048 -keyout "$certs/rsa.key" -out "$certs/rsa.crt") 2>/dev/null
}

set_up() {
  mkdir -p "$cache"
  install_packages
  make_certificates
  build_load_generator
  fetch_ffm
  build_applications
}
