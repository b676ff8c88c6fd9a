# shellcheck shell=bash
#
# For tlsfuzzer.sh, tls-anvil.sh and load.sh, which source it: the sample with OpenSSL, as the server that is tested.
# $root is the project, $work a temporary folder, and fail says why it ends.

# What the suites of others end with. Only in CI is a suite that cannot run a failure
say() { echo "$(basename "$0"): $*" >&2; }
skip() { say "skipped: $*"; [[ ${CI-} != true ]]; exit; }
clean_up() {
  [[ -z $pid ]] || { kill "$pid" && wait "$pid"; } 2>/dev/null || true
  rm -rf "$work"
}

# certificate NAME OPTION...: a key and a certificate for localhost
certificate() {
  openssl req -x509 -newkey "${@:2}" -nodes -days 30 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
    -keyout "$work/$1.key" -out "$work/$1.crt" 2>/dev/null
}

# start_sample: starts it with $work/application.yml, builds it if it is not built; $pid and $port are its own then
start_sample() {
  local jar=$root/sample-app/target/tomcat-openssl-sample-app.jar java=${JAVA_HOME:+$JAVA_HOME/bin/}java end=$((SECONDS + 120))
  [[ -f $jar ]] || (cd "$root" && mvn -B -q -ntp -pl sample-app -am -DskipTests package) >&2 || fail "the sample does not build"
  "$java" -Xmx256m -jar "$jar" "--spring.config.location=file:$work/application.yml" >"$work/server.log" 2>&1 &
  pid=$!
  until grep -q "Started SampleApplication" "$work/server.log"; do
    kill -0 "$pid" 2>/dev/null && ((SECONDS < end)) || { cat "$work/server.log" >&2; fail "the sample does not start"; }
    sleep 1
  done
  grep -o "OpenSSL is active on port .*" "$work/server.log" >&2 || fail "OpenSSL is not active"
  # shellcheck disable=SC2034
  port=$(sed -n 's/.*OpenSSL is active on port \([0-9]*\).*/\1/p' "$work/server.log")
}
