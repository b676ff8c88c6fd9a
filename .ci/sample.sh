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
  : >"$work/server.log"
  "$java" -Xmx256m -jar "$jar" "--spring.config.location=file:$work/application.yml" >"$work/server.log" 2>&1 &
  pid=$!
  until grep -q "Started SampleApplication" "$work/server.log"; do
    kill -0 "$pid" 2>/dev/null && ((SECONDS < end)) || { cat "$work/server.log" >&2; fail "the sample does not start"; }
    sleep 1
  done
  grep -o "OpenSSL is active on port .*" "$work/server.log" >&2 || fail "OpenSSL is not active"
  # shellcheck disable=SC2034
  port=$(sed -n 's/.*OpenSSL is active on port \([0-9]*\).*/\1/p' "$work/server.log")
  files=$(open_files)
}

open_files() { find "/proc/$pid/fd" -mindepth 1 | wc -l; }
# The CPU time of the sample so far, in hundredths of a second
cpu() { awk '{ print $14 + $15 }' "/proc/$pid/stat"; }
# used_heap: MB after a collection
used_heap() {
  local jcmd=${JAVA_HOME:+$JAVA_HOME/bin/}jcmd
  "$jcmd" "$pid" GC.run >/dev/null
  "$jcmd" "$pid" GC.heap_info | awk '
    /Metaspace/ { other = 1 }
    !other && match($0, /used [0-9]+K/) { sum += substr($0, RSTART + 5) }
    END { print int(sum / 1024) }'
}

# check_released: fails if the sample still works for clients that have gone, or keeps what they took. A sample that has served
# two honest clients uses 17 MB of the heap
check_released() {
  local end=$((SECONDS + 70)) before took heap open
  kill -0 "$pid" 2>/dev/null || fail "the sample has ended"
  sleep 5
  before=$(cpu)
  sleep 5
  took=$(($(cpu) - before))
  ((took < 50)) || fail "5 seconds after the last client, the sample takes $((took * 2)) ms of CPU a second"
  heap=$(used_heap)
  # 0 if jcmd does not say it
  ((heap > 0 && heap < 64)) || fail "after the last client, the sample uses $heap MB of the heap"
  # jcmd leaves files open as well
  until open=$(open_files); ((open <= files + 4)); do
    ((SECONDS < end)) || fail "after the last client, the sample has $open files open, and had $files before the first"
    sleep 1
  done
  say "after the last client, the sample takes $((took * 2)) ms of CPU a second, $heap MB of the heap and $open open files"
}
