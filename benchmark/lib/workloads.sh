# shellcheck shell=bash disable=SC2154
# The workloads, each against the contender that choose_contender has chosen. Each writes rows for results.json.
# Sourced by run.sh, which sets the times ($connect_*, $echo_*, ...), $cache, $work, $certs and $key.

workloads=(start connect-full connect-resumed connect-saturated echo h2load appconnect saturation idle)

# run_client COMMAND...: in the background, so that a signal ends the run at once
run_client() {
  local status=0
  "$@" &
  client=$!
  wait "$client" || status=$?
  client=''
  return "$status"
}

# measure WORKLOAD PARAMETERS KIND COMMAND...: KIND is how its output is read: load, h2load or curl
measure() {
  local workload=$1 parameters=$2 kind=$3
  shift 3
  local status=0
  run_client timeout --kill-after 5 "$workload_timeout" "$@" >"$work/measured" 2>"$work/failure" || status=$?
  if [[ $status == 3 ]]; then
    not_run "$workload" "$(sed "s/^load: //" "$work/failure")"
    return
  fi
  /usr/bin/python3 "$root/benchmark/report/row.py" --contender "$contender" --java "$version" --round "$round" \
    --workload "$workload" --parameters "$parameters" --kind "$kind" --measured "$work/measured" \
    --failure "$work/failure" --output "$work/client.out" --log "$work/client.log" >>"$work/rows.jsonl"
  rm -f "$work"/client.{out,log}
}

load() { measure "$1" "$2" load "$cache/load" "$3" -ca "$certs/$key.crt" -pids "$server_pids" "${@:4}"; }

# Why a workload is not run against the contender, or nothing
not_applicable() {
  case $1 in
    connect-resumed | appconnect) [[ $contender != plain ]] || echo "no TLS" ;;
    h2load) command -v h2load >/dev/null || echo "h2load is not installed" ;;
  esac
}

# The same for all, before the first workload: new connections and bodies, by count and not by rate, which a slow
# machine would not keep up with, until the CPU for each is steady. Fails where there was any error
warm_up() {
  local line options=(-ca "$certs/$key.crt" -pids "$server_pids" -warmup 0s -windows "$warmup_windows")
  { run_client "$cache/load" closed -url "$url/hello" "${options[@]}" -close -connections 8 -requests "$warmup_connections" \
      && run_client "$cache/load" closed -url "$url/echo" "${options[@]}" -size 102400 -connections 40 -requests "$warmup_bodies"
  } >"$work/measured" 2>"$work/failure" && ! grep -qv '"errors":0,' "$work/measured" || return 1
  while read -r line; do say "$contender, Java $version, round $round: $line"; done <"$work/failure"
}

# steps_of KEY WORKLOAD...: prints each workload with each of its parameters
steps_of() {
  local with=$1 workload
  shift
  for workload in "$@"; do
    # The key counts in the handshake only
    [[ $with == ecdsa || $workload == connect-* ]] || continue
    case $workload in
      connect-full | connect-resumed) printf "$workload %s\n" "${connect_rates[@]}" ;;
      echo) printf 'echo %s\n' "${echo_sizes[@]}" ;;
      saturation) printf 'saturation %s\n' "${saturation_sizes[@]}" ;;
      h2load) printf 'h2load %s\n' "${h2load_sizes[@]}" ;;
      *) echo "$workload" ;;
    esac
  done
}

# run_step WORKLOAD [PARAMETER]
run_step() {
  case $1 in
    start)
      echo "{\"requests\": 1, \"errors\": 0, \"cpu_us_per_request\": null, \"latency_us\": {\"mean\": $started_in_us,
        \"p50\": $started_in_us, \"p95\": $started_in_us, \"p99\": $started_in_us, \"max\": $started_in_us},
        \"requests_per_second\": null, \"rss_bytes\": 0, \"details\": {}}" >"$work/started"
      measure start '{}' load cat "$work/started" ;;
    connect-saturated)
      load "$1" "{\"key\": \"$key\", \"connections\": 8}" closed -url "$url/hello" -close -connections 8 \
        -warmup "$connect_warmup" -duration "$saturated_duration" ;;
    connect-*)
      load "$1" "{\"key\": \"$key\", \"rate\": $2}" connect -url "$url/hello" -rate "$2" \
        -warmup "$connect_warmup" -duration "$connect_duration" "-resume=$([[ $1 == connect-full ]] && echo false || echo true)" ;;
    echo)
      load echo "{\"bytes\": $2, \"connections\": 40}" closed -url "$url/echo" -size "$2" -connections 40 \
        -warmup "$closed_warmup" -duration "$closed_duration" ;;
    saturation)
      load saturation "{\"bytes\": $2, \"connections\": 160}" closed -url "$url/bytes/$2" -connections 160 \
        -warmup "$closed_warmup" -duration "$closed_duration" ;;
    idle) load idle "{\"connections\": $idle_connections}" idle -url "$url/hello" -connections "$idle_connections" -duration 2s ;;
    h2load) h2load_echo "$2" ;;
    appconnect) appconnect 0 "$port"; delayed appconnect 20 ;;
  esac
}

h2load_echo() {
  local protocol count=$((h2load_bytes / ($1 + 1000)))
  ((count >= 80)) || count=80
  head -c "$1" /dev/zero >"$work/body"
  for protocol in http/1.1 h2; do
    # Without TLS, HTTP/2 would be another protocol (h2c)
    [[ $contender != plain || $protocol == http/1.1 ]] || continue
    local options=("--npn-list=$protocol" --tls13-ciphers=TLS_AES_128_GCM_SHA256 --groups=X25519)
    [[ $contender != plain ]] || options=(--h1)
    options+=("--connect-to=127.0.0.1:$port" -c 40 -m 1 -t 1 -d "$work/body")
    # Nothing before has warmed HTTP/2 up
    run_client timeout --kill-after 5 "$workload_timeout" h2load "${options[@]}" -n "$((count / 2))" "$url/echo" >/dev/null 2>&1 \
      || say "h2load could not warm up"
    measure h2load "{\"bytes\": $1, \"connections\": 40, \"protocol\": \"$protocol\", \"requests\": $count}" h2load \
      "$cache/load" run -pids "$server_pids" -duration "${workload_timeout}s" -output "$work/client.out" -- \
      h2load "${options[@]}" -n "$count" "--log-file=$work/client.log" "$url/echo"
  done
}

# appconnect RTT_MS PORT
appconnect() {
  measure appconnect "{\"key\": \"$key\", \"round_trip_ms\": $1, \"runs\": $curl_runs, \"delay_by\": \"$([[ $1 == 0 ]] && echo none || echo relay)\"}" \
    curl "$cache/load" run -pids "$server_pids" -duration "${workload_timeout}s" -output "$work/client.out" -- \
    "$root/benchmark/lib/curl-runs.sh" "$curl_runs" "$2" "$certs/$key.crt"
}

# delayed FUNCTION RTT_MS: with a relay in front of the contender
delayed() {
  "$cache/load" relay -listen "127.0.0.1:$relay_port" -url "127.0.0.1:$port" -delay "$(($2 / 2))ms" \
    -duration "${workload_timeout}s" >/dev/null 2>&1 &
  relay=$!
  sleep 0.2
  "$1" "$2" "$relay_port"
  kill "$relay" 2>/dev/null || true
  wait "$relay" 2>/dev/null || true
  relay=''
}
