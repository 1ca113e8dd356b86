#!/bin/bash
# Other people's client tests against a Ringlog: of each suite of the conformance pack, the tests that expected/SUITE.txt names.
#
#     conformance.sh [SUITE...]        SUITE: kcat java_probe java_tools kafka_python librdkafka rskafka rust_rdkafka
#
# LONG=1 takes those along that the lists mark as long: they take their time, or mind a busy machine.
# CONFORMANCE names the pack (default: shared/conformance beside this repository), RINGLOG_BIN the broker, OUT a folder for
# the logs. Each suite gets a broker of its own, with the settings that the pack's README asks for. java_tools gets topics of one
# partition: several of its tools look into partition 0 alone, which a producer without keys may leave empty.
set -u
here=$(cd "$(dirname "$0")" && pwd)
TOP=$(cd "$here/../../.." && pwd)
export CONFORMANCE=${CONFORMANCE:-$TOP/../shared/conformance}
[ -x "$CONFORMANCE/compare" ] || { echo "no conformance pack at $CONFORMANCE (CONFORMANCE=folder names another)" >&2; exit 2; }
CONFORMANCE=$(cd "$CONFORMANCE" && pwd)
RINGLOG_BIN=${RINGLOG_BIN:-${CARGO_TARGET_DIR:-$TOP/target}/release/ringlog}
OUT=${OUT:-$(mktemp -d)}
. "$here/prepare.sh"
broker=

names() { { [ "${LONG:-0}" = 1 ] && cat "$here/expected/$1.txt" || grep -v '#.*long$' "$here/expected/$1.txt"; } | sed 's/ *#.*//' | grep .; }

# start NAME SETTING...: a broker on the default port of a loopback address of its own (one test insists on the port);
# rust_rdkafka's at localhost, where two of its tests look for a broker whatever they are told.
start() {
  local name=$1 address setting settings=()
  shift
  address=127.$((RANDOM % 200 + 20)).$((RANDOM % 250)).$((RANDOM % 250 + 2)):9092
  [ "$name" != rust_rdkafka ] || address=127.0.0.1:9092
  for setting in "$@"; do settings+=(--set "$setting"); done
  mkdir -p "$OUT/$name"
  "$RINGLOG_BIN" start --listen "$address" --advertise "$address" --data-dir "$OUT/$name/data" "${settings[@]}" \
    >"$OUT/$name/broker.log" 2>&1 </dev/null &
  broker=$!
  export BOOTSTRAP=$address
  for _ in $(seq 100); do
    kcat -L -b "$BOOTSTRAP" -m 5 >/dev/null 2>&1 && return
    kill -0 "$broker" 2>/dev/null || break
    sleep 0.1
  done
  cat "$OUT/$name/broker.log" >&2
  return 1
}

stop() {
  [ -z "$broker" ] && return
  kill "$broker" 2>/dev/null
  wait "$broker" 2>/dev/null
  broker=
  rm -rf "$OUT/$1/data"
}
trap 'stop none' EXIT

# What the list leaves out of kafka-python's tests waits for timeouts, so it is not even begun.
deselected() {
  comm -23 <(sed 's/ *#.*//' "$CONFORMANCE/expected/kafka_python.txt" | grep . | sort) <(names kafka_python | sort) |
    sed -E 's#\.#/#g; s#::#.py::#; s#^#--deselect #' | tr '\n' ' '
}

suite() { # NAME: prepares, starts, runs
  local name=$1
  case $name in
    kcat | java_probe) prepare_clients && start "$name" num.partitions=4 || return ;;
    java_tools) prepare_clients && start "$name" num.partitions=1 || return ;;
    kafka_python) prepare_conformance kafka-python && start "$name" num.partitions=4 group.min.session.timeout.ms=1000 || return ;;
    librdkafka) prepare_conformance librdkafka && start "$name" num.partitions=4 || return ;;
    rskafka) prepare_conformance rskafka && start "$name" num.partitions=4 auto.create.topics.enable=false || return ;;
    rust_rdkafka) prepare_conformance rust-rdkafka && start "$name" num.partitions=3 || return ;;
  esac
  # Of the long ones 0113 takes more than 400 s.
  local seconds=180
  [ "${LONG:-0}" != 1 ] || seconds=900
  export OUT="$OUT/$name" TESTS
  case $name in
    kafka_python) TESTS= PYTHONPATH=$here PYTEST_ADDOPTS="-p kafka_python_race $(deselected)" KAFKA_PYTHON_DIR=$CACHE/kp/kafka-python PY=$CACHE/kp/venv/bin/python \
      "$CONFORMANCE/run_kafka_python.sh" ;;
    librdkafka) TESTS=$(names librdkafka | cut -c1-4 | sort -u | tr '\n' ' ') LIBRDKAFKA_DIR=$CACHE/librdkafka PAR=${PAR:-4} LIMIT=$seconds \
      "$CONFORMANCE/run_librdkafka.sh" ;;
    rskafka) TESTS=$(names rskafka | tr '\n' ' ') RSKAFKA_DIR=$CACHE/rskafka CARGO_TARGET_DIR=$CACHE/target-rskafka \
      "$CONFORMANCE/run_rskafka.sh" ;;
    rust_rdkafka) TESTS=$(names rust_rdkafka | tr '\n' ' ') RDKAFKA_RS_DIR=$CACHE/rust-rdkafka CARGO_TARGET_DIR=$CACHE/target-rust-rdkafka \
      "$CONFORMANCE/run_rust_rdkafka.sh" ;;
    *) TESTS=$(names "$name" | tr '\n' ' ') "$CONFORMANCE/run_$name.sh" ;;
  esac
}

bad=0
for name in ${*:-kcat java_probe java_tools kafka_python librdkafka rskafka rust_rdkafka}; do
  [ -f "$here/expected/$name.txt" ] || { echo "no list of $name's tests" >&2; exit 2; }
  mkdir -p "$OUT/$name"
  begin=$SECONDS
  out=$OUT
  suite "$name" >"$out/$name/output" 2>&1
  OUT=$out
  stop "$name"
  # A test counts by its line on our list; the others that ran with it are no evidence.
  names "$name" >"$OUT/$name/expected"
  if verdict=$("$CONFORMANCE/compare" "$OUT/$name/expected" "$OUT/$name/results.txt" 2>&1); then
    names "$name" | sed "s#^#PASS conformance/$name/#"
  else
    bad=1
    missing=$(grep -E '^(FAIL|SKIP|NOT RUN) ' <<<"$verdict")
    names "$name" | grep -vxF "$(sed -E 's/^(FAIL|SKIP|NOT RUN) +([^ ]+).*/\2/' <<<"$missing")" | sed "s#^#PASS conformance/$name/#"
    [ -n "$missing" ] || missing="FAIL all $(tail -3 "$OUT/$name/output" | tr '\n' ' ')"
    sed -E "s#^(FAIL|SKIP|NOT RUN) +#FAIL conformance/$name/#" <<<"$missing"
    # the logs are gone with the machine that CI ran on
    for failed in $(sed -E 's/^(FAIL|SKIP|NOT RUN) +([^ ]+).*/\2/' <<<"$missing"); do
      [ ! -f "$OUT/$name/$failed.log" ] || tail -20 "$OUT/$name/$failed.log" | sed "s#^#   $failed: #" >&2
    done
    tail -20 "$OUT/$name/broker.log" | sed "s#^#   broker: #" >&2
  fi
  echo "-- $name: $(tail -1 <<<"$verdict"), $((SECONDS - begin)) s; logs: $OUT/$name" >&2
done
exit $bad
