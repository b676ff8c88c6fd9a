#!/usr/bin/env bash
#
# Measures TLS by OpenSSL in Tomcat beside JSSE, its other engines, Reactor Netty, NGINX and HAProxy, and writes
# results.json, results.md and charts into benchmark/results.
#
#   benchmark/run.sh            all contenders and workloads, Java 17 and 25, five starts: some hours
#   benchmark/run.sh --quick    Java 25, two starts, short, without RSA, h2load, curl and saturation: 5 minutes
#   benchmark/run.sh --reference
#                               the README's figures: Java 25, three starts with three windows each, ECDSA, the first
#                               workloads: an hour
#   benchmark/run.sh --set-up   installs and builds only
#   benchmark/run.sh --smoke    whether everything works: a few contenders, a second each. Its figures mean nothing
#
# Options to narrow a run: --starts N, --java "17 25", --contenders "jsse starter", --workloads "connect-full echo",
# --keys "ecdsa rsa", --results DIR. The contenders run side by side and are measured in turn: 1 GiB of memory for each.
#
# Missing packages are installed with apt-get by root, otherwise named. Everything runs on the loopback interface, and
# what was started is ended with the script. Environment, all of it optional: MAVEN_REPO_LOCAL
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
command="benchmark/run.sh${*:+ $*}"
cache=$root/.cache/benchmark
tcnative=$root/.cache/tcnative
results=$root/benchmark/results
# Before the run's own builds
read -r load_average _ </proc/loadavg
first_port=${BENCHMARK_PORT:-18443}
relay_port=$((first_port - 1))

say() { echo "benchmark: $*" >&2; }

work=$(mktemp -d)
# NGINX's workers have no rights of root
chmod 711 "$work"
certs=$work/certs
# shellcheck source-path=SCRIPTDIR source=lib/contenders.sh
. "$root/benchmark/lib/contenders.sh"
# shellcheck source-path=SCRIPTDIR source=lib/setup.sh
. "$root/benchmark/lib/setup.sh"
# shellcheck source-path=SCRIPTDIR source=lib/workloads.sh
. "$root/benchmark/lib/workloads.sh"
# shellcheck source-path=SCRIPTDIR source=lib/modes.sh
. "$root/benchmark/lib/modes.sh"

relay='' client='' policy=''
clean_up() {
  local status=$?
  trap - EXIT INT TERM
  [[ -z $policy ]] || rm -f "$policy"
  if [[ $status != 0 && -s $work/rows.jsonl ]]; then
    mkdir -p "$results"
    cp "$work/rows.jsonl" "$results/unfinished.jsonl"
    say "not finished; the measurements so far are in $results/unfinished.jsonl"
  fi
  [[ -z $client ]] || kill "$client" 2>/dev/null || true
  [[ -z $relay ]] || kill "$relay" 2>/dev/null || true
  stop_contenders
  rm -rf "$work"
  exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

choose_mode "$@"
require_java
set_up
[[ $mode != set-up ]] || exit 0
say "$mode: ${selected_contenders[*]}; Java ${selected_java[*]}; ${selected_workloads[*]}; $starts starts, $windows windows each"
header=$work/header.json
/usr/bin/python3 "$root/benchmark/report/header.py" --command "$command" --mode "$mode" --rounds "$((starts * windows))" \
  --load-average "$load_average" --jvm-options "${heap_options[*]}" \
  --tomcat-app "$cache/tomcat-app" --netty-app "$cache/netty-app" \
  --java "$(for number in "${selected_java[@]}"; do java_home "$number" || true; done | xargs)" >"$header"
: >"$work/rows.jsonl"
: >"$work/not-run.jsonl"

# not_run WORKLOAD REASON; no workload is all of them
not_run() {
  say "$contender, Java $version, round $round: ${1:-nothing} run: $2"
  /usr/bin/python3 -c 'import json, sys; a = sys.argv
print(json.dumps(dict(contender=a[1], java=int(a[2]), round=int(a[3]), workload=a[4] or None, reason=a[5])))' \
    "$contender" "$version" "$round" "$1" "$2" >>"$work/not-run.jsonl"
}

# serve KEY: starts all contenders, which then serve side by side, and warms them up
serve() {
  serving=()
  for contender in "${order[@]}"; do
    say "round $round of $last_round, $contender, Java $version (after $SECONDS s)"
    [[ $1 == ecdsa || $contender != plain ]] || continue
    if ((SECONDS > deadline)); then
      not_run '' "the time of a $mode run was over"
    elif ! start_contender "$contender" "$version" "$1"; then
      not_run '' "$reason"
      stop_contender "$contender"
    elif warm_up; then
      serving+=("$contender")
    else
      not_run '' "errors while warming up: $(cat "$work/measured" "$work/failure")"
      stop_contender "$contender"
    fi
  done
}

# take_turns STEP: one window of each, close to each other, so that what disturbs the machine disturbs all. Neither the
# first nor the last has an advantage
take_turns() {
  local why turn=("${serving[@]}")
  ((round % 2)) || mapfile -t turn < <(printf '%s\n' "${turn[@]}" | tac)
  for contender in "${turn[@]}"; do
    why=$(not_applicable "${1%% *}")
    if [[ -n $why ]]; then
      not_run "${1%% *}" "$why"
    elif ((SECONDS > deadline)); then
      not_run "${1%% *}" "the time of a $mode run was over"
    else
      choose_contender "$contender"
      # shellcheck disable=SC2086
      run_step $1
    fi
  done
}

SECONDS=0
last_round=$((starts * windows))
for ((first = 1; first <= last_round; first += windows)); do
  round=$first
  order=("${selected_contenders[@]}")
  ((first / windows % 2)) || mapfile -t order < <(printf '%s\n' "${order[@]}" | tac)
  for version in "${selected_java[@]}"; do
    for key in "${selected_keys[@]}"; do
      mapfile -t steps < <(steps_of "$key" "${selected_workloads[@]}")
      [[ ${#steps[@]} != 0 ]] || continue
      serve "$key"
      for step in "${steps[@]}"; do
        for ((round = first; round < first + windows; round++)); do
          # There is one start
          [[ $step != start* || $round == "$first" ]] || continue
          say "round $round of $last_round, Java $version: $step (after $SECONDS s)"
          [[ ${#serving[@]} == 0 ]] || take_turns "$step"
        done
      done
      round=$first
      stop_contenders
    done
  done
done

[[ -s $work/rows.jsonl ]] || { say "nothing was measured"; exit 1; }
mkdir -p "$results"
rm -f "$results/unfinished.jsonl"
/usr/bin/python3 "$root/benchmark/report/report.py" --header "$header" --rows "$work/rows.jsonl" \
  --not-run "$work/not-run.jsonl" --results "$results"
say "wrote $results/results.json, results.md and charts after $SECONDS s"
