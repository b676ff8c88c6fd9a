#!/usr/bin/env bash
#
# Measures TLS by OpenSSL in Tomcat beside JSSE, Reactor Netty, NGINX and HAProxy, and writes results.json, results.md and
# charts into benchmark/results.
#
#   benchmark/run.sh               all contenders and workloads: three hours
#   benchmark/run.sh --reference   the figures of README.md and docs/performance.md: an hour
#   benchmark/run.sh --quick       the starter and JSSE: 8 minutes
#   benchmark/run.sh --count       system calls, allocations and native calls of a request: 9 minutes
#   benchmark/run.sh --first-request  from exec to the first request over HTTPS: an hour
#   benchmark/run.sh --names       what thousands of names cost: half an hour
#   benchmark/run.sh --week        what grows under clients, strangers and new certificates: an hour, or --minutes N
#   benchmark/run.sh --smoke       whether everything works; its figures mean nothing
#   benchmark/run.sh --set-up      installs and builds only
#   benchmark/run.sh --help        all options
#
# Missing packages are installed with apt-get by root, otherwise named. Everything runs on the loopback interface.
# Environment, all of it optional: JAVA_HOME, MAVEN_REPO_LOCAL
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
[[ ${1-} == --help ]] || "$root/benchmark/set-up.sh" "$@"
[[ ${1-} == --set-up ]] || exec /usr/bin/python3 "$root/benchmark/harness" "$@"
