# shellcheck shell=bash disable=SC2034
# The contenders, which serve side by side, each in a folder and at two ports of its own. start_contender NAME JAVA KEY
# starts one, or returns 1 with $reason set; choose_contender NAME sets $url, $port, $server_pids and $started_in_us.
# Sourced by run.sh, which sets $root, $cache, $work, $certs and $first_port.

contenders=(plain jsse starter starter-default starter-virtual tcnative ffm conscrypt netty nginx haproxy-tcp haproxy-uds)

# For all: what is compared is not how much memory each takes
heap_options=(-Xms1g -Xmx1g)

java_home() {
  local home
  for home in /usr/lib/jvm/*; do
    if [[ -x $home/bin/java ]] && "$home/bin/java" -version 2>&1 | grep -Eq "version \"$1[.\"]"; then
      echo "$home"
      return
    fi
  done
  return 1
}

# Of each contender that runs, by its name
declare -A urls ports process_ids start_times

# launch LOG COMMAND...: in the background, ended by stop_contender
launch() {
  "${@:2}" >"$folder/$1.log" 2>&1 </dev/null &
  process_ids[$contender]+=" $!"
}

choose_contender() {
  url=${urls[$1]} port=${ports[$1]} started_in_us=${start_times[$1]}
  server_pids=$(xargs <<<"${process_ids[$1]}" | tr ' ' ,)
}

# tomcat LOG PORT TLS [ARGUMENT...]: TLS is plain, boot (Spring Boot's own properties), starter, or default (the starter
# with its default profile)
tomcat() {
  local log=$1 listen=$2 tls=$3 application=$cache/tomcat-app
  shift 3
  local arguments=(--server.address=127.0.0.1 "--server.port=$listen" --server.tomcat.max-keep-alive-requests=-1
    --server.tomcat.keep-alive-timeout=120s --spring.main.banner-mode=off)
  [[ $tls == plain ]] || arguments+=(--server.http2.enabled=true)
  [[ $tls == plain || $tls == default ]] || arguments+=(--server.ssl.enabled-protocols=TLSv1.3 "--server.ssl.ciphers=$ciphers")
  case $tls in
    boot) arguments+=("--server.ssl.certificate=file:$certs/$key.crt" "--server.ssl.certificate-private-key=file:$certs/$key.key") ;;
    starter) arguments+=(--benchmark.groups=x25519 --benchmark.openssl-conf.NumTickets=2) ;;&
    starter | default) arguments+=("--server.ssl.certificate-file=$certs/$key.crt"
      "--server.ssl.certificate-key-file=$certs/$key.key" --server.ssl.openssl.mode=always) ;;
  esac
  # Without the starter, Spring Boot as it is
  [[ $tls == starter || $tls == default ]] || arguments+=(--spring.autoconfigure.exclude=io.github.tomcatopenssl.autoconfigure.TomcatOpenSslAutoConfiguration,io.github.tomcatopenssl.autoconfigure.CertificateFileAutoConfiguration)
  launch "$log" "$java/bin/java" "${jvm_options[@]}" -cp "${extra_classpath:+$extra_classpath:}$application/app.jar:$application/lib/*" \
    io.github.tomcatopenssl.benchmark.tomcat.TomcatBenchmarkApplication "${arguments[@]}" "$@"
}

netty() {
  launch server "$java/bin/java" "${jvm_options[@]}" -cp "$cache/netty-app/app.jar:$cache/netty-app/lib/*" \
    io.github.tomcatopenssl.benchmark.netty.NettyBenchmarkApplication --server.address=127.0.0.1 "--server.port=$port" \
    --spring.main.banner-mode=off "--benchmark.certificate=$certs/$key.crt" "--benchmark.key=$certs/$key.key"
}

# configured FILE BACKEND: prints the path of the configuration, with its words replaced
configured() {
  sed -e "s|@WORK@|$folder|g" -e "s|@PORT@|$port|g" -e "s|@BACKEND@|$2|g" -e "s|@CERTIFICATE@|$certs/$key.crt|g" \
    -e "s|@KEY@|$certs/$key.key|g" "$root/benchmark/conf/$1" >"$folder/$1"
  echo "$folder/$1"
}

haproxy_with() {
  command -v haproxy >/dev/null || { reason="haproxy is not installed"; return 1; }
  (umask 077 && cat "$certs/$key.crt" "$certs/$key.key" >"$folder/haproxy.pem")
  launch proxy haproxy -db -f "$(configured haproxy.cfg "$1")"
}

# all_run: whether none of the contender's processes has ended
all_run() {
  local pid
  for pid in ${process_ids[$contender]-}; do kill -0 "$pid" 2>/dev/null || return 1; done
}

# answers: whether the contender serves; curl verifies the certificate
answers() { [[ $(curl -sS --max-time 2 --resolve "localhost:$port:127.0.0.1" --cacert "$certs/$key.crt" "$url/hello" 2>/dev/null) == ok ]]; }

# handshake [OPTION...]: prints what openssl s_client says of a connection with these, or fails where there is none
handshake() {
  timeout 20 openssl s_client -connect "127.0.0.1:$port" -servername localhost -CAfile "$certs/$key.crt" \
    -verify_return_error "$@" </dev/null 2>/dev/null
}

# settings_missed NAME: prints what of the contender's settings was not taken, if any
settings_missed() {
  local offer session options
  # Tomcat, Spring Boot and the proxies go on without a setting that they do not know
  grep -hiE ' (warn|error) [0-9]+ ---|will not be enabled|ignor(ed|ing)|\[warning\]' "$folder"/{server,proxy}.log 2>/dev/null && return
  [[ $url == https:* ]] || return 0
  # In the order of the load generator's client
  session=$(handshake -tls1_3 -groups X25519 -ciphersuites TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384) \
    || echo "no handshake with TLS 1.3 and X25519"
  grep -q '^New, TLSv1.3, Cipher is TLS_AES_128_GCM_SHA256$' <<<"$session" || echo "not TLS_AES_128_GCM_SHA256 with TLS 1.3"
  grep -q 'Temp Key: X25519,' <<<"$session" || echo "not X25519"
  # What is set alone is had alone, and the default profile has the others as well
  for offer in -tls1_2 '-tls1_3 -groups P-256' '-tls1_3 -ciphersuites TLS_AES_256_GCM_SHA384'; do
    case "$1 $offer" in
      # BoringSSL has its suites of TLS 1.3 always, and Tomcat cannot name groups to Conscrypt
      'netty -tls1_3 -ciph'* | 'conscrypt -tls1_3 '*) continue ;;
    esac
    read -ra options <<<"$offer"
    if handshake "${options[@]}" >/dev/null; then
      [[ $1 == starter-default ]] || echo "a connection with $offer"
    else
      [[ $1 != starter-default ]] || echo "no connection with $offer"
    fi
  done
}

# check_settings NAME: ends the run where a setting was not taken; the figures would be of something else
check_settings() {
  local missed
  missed=$(settings_missed "$1")
  [[ -n $missed ]] || return 0
  say "$1, Java $version: a setting was not taken: $missed"
  exit 1
}

start_contender() {
  local name=$1 version=$2 backend_port end started_at i
  contender=$1 folder=$work/$1 key=$3 reason='' extra_classpath='' ciphers=TLS_AES_128_GCM_SHA256
  for ((i = 0; i < ${#contenders[@]}; i++)); do
    [[ ${contenders[i]} != "$name" ]] || port=$((first_port + 2 * i))
  done
  backend_port=$((port + 1)) url=https://localhost:$port
  mkdir -p "$folder"
  chmod 711 "$folder"
  java=$(java_home "$version") || { reason="no Java $version under /usr/lib/jvm"; return 1; }
  jvm_options=("${heap_options[@]}" -Djdk.tls.namedGroups=x25519 -Djdk.tls.server.newSessionTicketCount=2)
  [[ $name != starter-default ]] || jvm_options=("${heap_options[@]}")
  [[ $version == 17 ]] || jvm_options+=(--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow)
  started_at=$(date +%s%N)
  case $name in
    plain) url=http://localhost:$port; tomcat server "$port" plain ;;
    jsse) tomcat server "$port" boot ;;
    starter) tomcat server "$port" starter --server.ssl.openssl.library=bundled ;;
    starter-default) tomcat server "$port" default --server.ssl.openssl.library=bundled ;;
    starter-virtual)
      [[ $version != 17 ]] || { reason="virtual threads need Java 21 or later"; return 1; }
      tomcat server "$port" starter --server.ssl.openssl.library=bundled --spring.threads.virtual.enabled=true ;;
    tcnative)
      [[ -f $tcnative/libtcnative-2.so ]] || { reason="docker/build-tcnative.sh could not build Tomcat Native"; return 1; }
      tomcat server "$port" starter "--server.ssl.openssl.library-path=$tcnative" ;;
    ffm)
      [[ $version != 17 ]] || { reason="the FFM engine needs Java 22 or later"; return 1; }
      [[ -f $cache/ffm/tomcat-coyote-ffm.jar ]] || { reason="the Tomcat distribution with the FFM engine could not be resolved"; return 1; }
      extra_classpath=$cache/ffm/tomcat-coyote-ffm.jar
      tomcat server "$port" boot --benchmark.ffm=true --benchmark.groups=x25519 --benchmark.openssl-conf.NumTickets=2 ;;
    conscrypt)
      # It chooses a certificate by the key types of the suites of TLS 1.2 only, also where TLS 1.2 is off
      ciphers+=,TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
      jvm_options+=(-Dbenchmark.conscrypt=true)
      tomcat server "$port" boot ;;
    netty) netty ;;
    nginx)
      command -v nginx >/dev/null || { reason="nginx is not installed"; return 1; }
      tomcat server "$backend_port" plain
      launch proxy nginx -e stderr -c "$(configured nginx.conf "$backend_port")" ;;
    haproxy-tcp) tomcat server "$backend_port" plain; haproxy_with "127.0.0.1:$backend_port" ;;
    haproxy-uds)
      tomcat server "$backend_port" plain "--benchmark.connector.unixDomainSocketPath=$folder/tomcat.sock"
      haproxy_with "unix@$folder/tomcat.sock" ;;
    *) reason="no such contender"; return 1 ;;
  esac || return 1
  end=$((SECONDS + 90))
  until answers; do
    if ((SECONDS >= end)) || ! all_run; then
      reason="did not start: $(grep -hE 'Caused by|ERROR|emerg|ALERT|\*\*\*|Description' -A2 "$folder"/{proxy,server}.log 2>/dev/null | head -n 3 | tr '\n' ' ' | cut -c1-300)"
      return 1
    fi
    sleep 0.05
  done
  start_times[$name]=$((($(date +%s%N) - started_at) / 1000)) urls[$name]=$url ports[$name]=$port
  # The others do not start with another engine than theirs
  [[ $name != ffm ]] || grep -q "initialized using FFM" "$folder/server.log" || { reason="Tomcat did not take the FFM engine"; return 1; }
  check_settings "$name"
  choose_contender "$name"
}

stop_contender() {
  local pid end=$((SECONDS + 10))
  for pid in ${process_ids[$1]-}; do kill "$pid" 2>/dev/null || true; done
  for pid in ${process_ids[$1]-}; do
    while kill -0 "$pid" 2>/dev/null && ((SECONDS < end)); do sleep 0.05; done
    kill -9 "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  unset "process_ids[$1]"
  rm -rf "${work:?}/$1"
}

stop_contenders() {
  local name
  for name in "${!process_ids[@]}"; do stop_contender "$name"; done
}
