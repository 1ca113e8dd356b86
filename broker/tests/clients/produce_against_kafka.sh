#!/bin/bash
# Produce throughput of Ringlog and of Apache Kafka on the same pinned core, in turns (A B A B …), load from another core:
# pre-built 64 KiB batches of 1 KiB records, 6 partitions, 3 connections, 5 requests in flight, acks=1, page cache.
#
#     produce_against_kafka.sh [ROUNDS]       5 rounds by default; prints each run, the medians and their ratio
#
# WARMUP_MIB=512 and MIB=2048 after each start, the same for both, below what makes the kernel hold writers back; JAVA names the JVM; RINGLOG_BIN and LOAD_BIN the programs; BROKER_CPU=0, LOAD_CPU
# the last; CONFORMANCE the pack that starts the real Kafka.
set -u
here=$(cd "$(dirname "$0")" && pwd)
TOP=$(cd "$here/../../.." && pwd)
CONFORMANCE=${CONFORMANCE:-$TOP/../shared/conformance}
. "$here/prepare.sh"
target=${CARGO_TARGET_DIR:-$TOP/target}/release
RINGLOG_BIN=${RINGLOG_BIN:-$target/ringlog} LOAD_BIN=${LOAD_BIN:-$target/examples/produce_load}
rounds=${1:-5} mib=${MIB:-2048} warmup=${WARMUP_MIB:-512}
cpu=${BROKER_CPU:-0} load_cpu=${LOAD_CPU:-$(($(nproc) - 1))}
newest=$(ls -d /usr/lib/jvm/*-2[1-9]-*/bin/java 2>/dev/null | tail -1)
[ "$JAVA" != java ] || JAVA=${newest:-java}
[ -x "$RINGLOG_BIN" ] || { echo "no broker at $RINGLOG_BIN: cargo build --release -p ringlog" >&2; exit 1; }
[ -x "$LOAD_BIN" ] || (cd "$TOP" && cargo build --release -q -p ringlog --example produce_load) || exit 1
work=$(mktemp -d)
trap '[ -z "${pid:-}" ] || kill -9 "$pid" 2>/dev/null; JAVA=$JAVA "$CONFORMANCE/real_kafka.sh" down "$work/kafka" ref 2>/dev/null; rm -rf "$work"' EXIT
mkdir -p "$work/kafka" && ln -s "$JARS" "$work/kafka/libs"

ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }

# load NAME PID PORT: one run, its figures and the broker's CPU a GiB
load() {
  local before after line
  before=$(ticks "$2")
  line=$(taskset -c "$load_cpu" "$LOAD_BIN" --bootstrap "127.0.0.1:$3" --mib "$mib" --warmup-mib "$warmup") || return 1
  after=$(ticks "$2")
  awk -v n="$1" -v l="$line" -v t=$((after - before)) -v hz="$(getconf CLK_TCK)" -v m=$((mib + warmup)) \
    'BEGIN { printf "%-8s %s  %.2f CPU-s/GiB\n", n, l, t / hz / (m / 1024) }' | tee -a "$work/results"
}

with_kafka() {
  JAVA=$JAVA HEAP=1g JOPTS=-XX:+AlwaysPreTouch taskset -c "$cpu" "$CONFORMANCE/real_kafka.sh" up "$work/kafka" ref 19092 >/dev/null || return 1
  load kafka "$(cat "$work/kafka/ref-0.pid")" 19092
  "$CONFORMANCE/real_kafka.sh" down "$work/kafka" ref
}

with_ringlog() {
  taskset -c "$cpu" "$RINGLOG_BIN" start --cores 1 --listen 127.0.0.1:19192 --data-dir "$work/data" >"$work/log" 2>&1 </dev/null &
  pid=$!
  for _ in $(seq 100); do (exec 3<>/dev/tcp/127.0.0.1/19192) 2>/dev/null && break; sleep 0.05; done
  load ringlog $pid 19192 || cat "$work/log"
  kill $pid && wait $pid
  pid=
  rm -rf "$work/data"
  sync "$work"
}

median() { grep "^$1 " "$work/results" | awk -v f="$2" '{ print $f }' | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# The first touch of the machine's memory costs more than its use.
taskset -c "$load_cpu" "$LOAD_BIN" --touch-only "${TOUCH_MIB:-6000}"
"$JAVA" -version 2>&1 | sed -n 2p
for _ in $(seq "$rounds"); do with_kafka; with_ringlog; done
a=$(median kafka 2) b=$(median ringlog 2)
[ -n "$a" ] && [ -n "$b" ] || exit 1
for name in kafka ringlog; do
  echo "median   $name $(median $name 2) MiB/s, p50 $(median $name 5) ms, p99 $(median $name 8) ms, $(median $name 15) CPU-s/GiB"
done
awk -v a="$a" -v b="$b" 'BEGIN { good = (b >= 4 * a); printf "%s produce_against_kafka  %.1f times\n", (good ? "PASS" : "FAIL"), b / a; exit !good }'
