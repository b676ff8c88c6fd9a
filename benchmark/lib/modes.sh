# shellcheck shell=bash disable=SC2034,SC2154
# How long and how much each kind of run measures. Sourced by run.sh.

usage() { sed -n '3,15s/^# \{0,1\}//p' "$root/benchmark/run.sh" >&2; exit 2; }

choose_mode() {
  mode=full
  case ${1-} in
    --quick | --reference | --smoke | --set-up) mode=${1#--}; shift ;;
  esac
  selected_contenders=("${contenders[@]}") selected_java=(17 25) selected_workloads=("${workloads[@]}")
  starts=5 windows=1 selected_keys=(ecdsa rsa) deadline=$((12 * 3600)) workload_timeout=180
  warmup_connections=2500 warmup_bodies=8000 warmup_windows=8
  connect_rates=(100 300) connect_warmup=2s connect_duration=15s saturated_duration=8s closed_warmup=3s closed_duration=8s curl_runs=100
  echo_sizes=(1 1024 10240 102400 1048576) saturation_sizes=(1 1024 10240 102400 1048576)
  h2load_sizes=(1024 102400) h2load_bytes=200000000 idle_connections=1000
  case $mode in
    quick)
      # The times leave room for 20 starts of a contender
      mapfile -t selected_contenders < <(printf '%s\n' "${contenders[@]}" | grep -vx 'starter-virtual\|starter-default')
      selected_java=(25) selected_workloads=(start connect-full connect-resumed echo)
      starts=2 selected_keys=(ecdsa) deadline=260 workload_timeout=30
      warmup_connections=500 warmup_bodies=2000 warmup_windows=1
      connect_rates=(200) connect_warmup=300ms connect_duration=2s saturated_duration=1s closed_warmup=400ms closed_duration=800ms
      echo_sizes=(1024 102400) ;;
    reference)
      selected_java=(25) selected_workloads=(start connect-full connect-saturated echo)
      selected_keys=(ecdsa)
      starts=3 windows=3
      connect_rates=(300) connect_warmup=300ms connect_duration=3s saturated_duration=3s closed_warmup=500ms closed_duration=2s
      echo_sizes=(1024 102400 1048576) ;;
    smoke)
      selected_contenders=(plain jsse starter starter-default nginx) selected_java=(17)
      starts=1 selected_keys=(ecdsa) deadline=600 workload_timeout=30
      warmup_connections=20 warmup_bodies=20 warmup_windows=2
      connect_rates=(20) connect_warmup=200ms connect_duration=500ms saturated_duration=300ms closed_warmup=200ms
      closed_duration=300ms curl_runs=2 idle_connections=50
      echo_sizes=(1024) saturation_sizes=(1024) h2load_sizes=(1024) h2load_bytes=200000 ;;
  esac
  while [[ $# != 0 ]]; do
    [[ $# -ge 2 ]] || usage
    case $1 in
      --starts) [[ $2 =~ ^[1-9][0-9]?$ ]] || usage; starts=$2 ;;
      --java) read -ra selected_java <<<"$2" ;;
      --contenders) read -ra selected_contenders <<<"$2" ;;
      --workloads) read -ra selected_workloads <<<"$2" ;;
      --keys) read -ra selected_keys <<<"$2" ;;
      --results) results=$2 ;;
      *) usage ;;
    esac
    shift 2
  done
  local word
  for word in "${selected_keys[@]}"; do [[ $word == ecdsa || $word == rsa ]] || usage; done
  for word in "${selected_contenders[@]}"; do
    [[ " ${contenders[*]} " == *" $word "* ]] || { say "no contender '$word': ${contenders[*]}"; exit 2; }
  done
  for word in "${selected_workloads[@]}"; do
    [[ " ${workloads[*]} " == *" $word "* ]] || { say "no workload '$word': ${workloads[*]}"; exit 2; }
  done
}
