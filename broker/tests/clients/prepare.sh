#!/bin/bash
# Gets what the client tests need, by the ordinary package clients, into a folder outside of the repository; says what it does,
# and does nothing that was done before. Sourced by run.sh, conformance.sh and ../../../check; sets CACHE, JARS, PY and JAVA.
#
#     . prepare.sh; prepare_clients            kcat, confluent-kafka (Python), Kafka's jars
#     prepare_apps                             the jars of Kafka Streams, Connect and MirrorMaker
#     prepare_conformance SUITE...             the suites' sources, by the conformance pack's own script
#
# RINGLOG_CACHE names another folder than ~/.cache/ringlog-check.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
CACHE=${RINGLOG_CACHE:-${XDG_CACHE_HOME:-${HOME:-/var/tmp}/.cache}/ringlog-check}
KAFKA_VERSION=4.3.1
CONFLUENT_VERSION=2.16.1
PROMETHEUS_VERSION=0.26.0
export JARS=$CACHE/kafka/libs APPS=$CACHE/kafka-apps/libs PY=$CACHE/venv/bin/python JAVA=${JAVA:-java}

doing() { echo "-- $*" >&2; }

# have PROGRAM PACKAGE: installs Debian's package if the program is not there.
have() {
  command -v "$1" >/dev/null && return
  apt_install "$2"
  command -v "$1" >/dev/null || { echo "$1 is missing, and $2 did not bring it" >&2; return 1; }
}

apt_install() {
  doing "installing Debian's $*"
  local sudo=
  [ "$(id -u)" = 0 ] || sudo="sudo -n"
  $sudo apt-get update -qq >/dev/null && DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq "$@" >/dev/null </dev/null ||
    { echo "install $* by hand (as root: apt-get install $*)" >&2; return 1; }
}

# once NAME COMMAND...: runs the command unless a run with this name has ended well before.
once() {
  local name=$1 begin=$SECONDS
  shift
  [ -e "$CACHE/done/$name" ] && return
  doing "getting $name into $CACHE"
  mkdir -p "$CACHE/done"
  "$@" >"$CACHE/$name.log" 2>&1 </dev/null || { tail -20 "$CACHE/$name.log" >&2; echo "getting $name failed" >&2; return 1; }
  touch "$CACHE/done/$name"
  doing "got $name in $((SECONDS - begin)) s"
}

prepare_clients() {
  mkdir -p "$CACHE"
  have kcat kcat && have java openjdk-17-jdk-headless && have mvn maven && have python3 python3-venv || return 1
  once "python-$CONFLUENT_VERSION" get_python && once "jars-$KAFKA_VERSION" get_jars
}

get_python() {
  python3 -m venv "$CACHE/venv" && "$CACHE/venv/bin/pip" install -q "confluent-kafka==$CONFLUENT_VERSION"
}

# What reads metrics as Prometheus does.
prepare_prometheus() {
  once "prometheus-$PROMETHEUS_VERSION" "$CACHE/venv/bin/pip" install -q "prometheus-client==$PROMETHEUS_VERSION"
}

get_jars() {
  mkdir -p "$CACHE/kafka"
  cat >"$CACHE/kafka/pom.xml" <<POM
<project><modelVersion>4.0.0</modelVersion><groupId>ringlog</groupId><artifactId>check</artifactId><version>1</version><dependencies>
<dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>$KAFKA_VERSION</version></dependency>
<dependency><groupId>org.apache.kafka</groupId><artifactId>kafka-tools</artifactId><version>$KAFKA_VERSION</version></dependency>
<dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version></dependency>
</dependencies></project>
POM
  mvn -q -B -f "$CACHE/kafka/pom.xml" dependency:copy-dependencies -DoutputDirectory="$CACHE/kafka/libs"
}

# What is built upon Kafka's clients: an application of Streams, workers of Connect.
prepare_apps() {
  once "apps-$KAFKA_VERSION" get_apps
}

get_apps() {
  mkdir -p "$CACHE/kafka-apps"
  cat >"$CACHE/kafka-apps/pom.xml" <<POM
<project><modelVersion>4.0.0</modelVersion><groupId>ringlog</groupId><artifactId>apps</artifactId><version>1</version><dependencies>
<dependency><groupId>org.apache.kafka</groupId><artifactId>kafka-streams</artifactId><version>$KAFKA_VERSION</version></dependency>
<dependency><groupId>org.apache.kafka</groupId><artifactId>connect-file</artifactId><version>$KAFKA_VERSION</version></dependency>
<dependency><groupId>org.apache.kafka</groupId><artifactId>connect-mirror</artifactId><version>$KAFKA_VERSION</version></dependency>
<dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version></dependency>
</dependencies></project>
POM
  mvn -q -B -f "$CACHE/kafka-apps/pom.xml" dependency:copy-dependencies -DoutputDirectory="$CACHE/kafka-apps/libs"
}

# What the suites are built with: pkg PACKAGE, by the file that shows it is there.
prepare_conformance() {
  local missing=() suite
  for pair in openssl/ssl.h:libssl-dev zlib.h:zlib1g-dev zstd.h:libzstd-dev lz4.h:liblz4-dev sasl/sasl.h:libsasl2-dev \
    curl/curl.h:libcurl4-openssl-dev rapidjson/document.h:rapidjson-dev; do
    echo "#include <${pair%%:*}>" | "${CXX:-g++}" -E -x c++ - >/dev/null 2>&1 || missing+=("${pair##*:}")
  done
  [ ${#missing[@]} = 0 ] || apt_install "${missing[@]}" || return 1
  for suite in "$@"; do
    case $suite in
      librdkafka | rskafka | rust-rdkafka) once "$suite" "$CONFORMANCE/get.sh" "$suite" "$CACHE" || return 1 ;;
      # In a folder of its own: the suite's script makes a venv where it is.
      kafka-python) once "$suite" "$CONFORMANCE/get.sh" "$suite" "$CACHE/kp" || return 1 ;;
      *) echo "no suite $suite" >&2; return 1 ;;
    esac
  done
}
