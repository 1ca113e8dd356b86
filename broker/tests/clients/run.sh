#!/bin/bash
# Runs client tests against target/release/ringlog (RINGLOG_BIN names another), having got what they need.
#
#     run.sh TEST [ARGUMENT...]      TEST: round_trip kill_nine kill_nine_durable transactions transactions_checker transaction_history_test
#                                    disk_full compact_keys cores idle_connections slow_reader half_open no_io_uring import_kafka
#                                    dump_log metrics command_line cluster figures many_partitions conformance against_kafka bench
#                                    against_kafka_transactions migration group_faults streams connect mirror group_scale
#     run.sh quick                   all of them, as ./check runs them
#     run.sh long                    all of them at full length (about an hour; as root, for it mounts file systems)
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/prepare.sh"
prepare_clients || exit 1
case " $* " in *' xfs '* | *' long '*) have mkfs.xfs xfsprogs || exit 1 ;; esac

one() {
  local name=$1
  shift
  case $name in
    conformance) "$here/$name.sh" "$@" ;;
    streams | connect | mirror) prepare_apps && PYTHONDONTWRITEBYTECODE=1 "$PY" "$here/$name.py" "$@" || { echo "FAIL $name"; return 1; } ;;
    metrics) prepare_prometheus && PYTHONDONTWRITEBYTECODE=1 "$PY" "$here/metrics.py" "$@" || { echo "FAIL $name"; return 1; } ;;
    *) PYTHONDONTWRITEBYTECODE=1 "$PY" "$here/$name.py" "$@" || { echo "FAIL $name"; return 1; } ;;
  esac
}

bad=0
case ${1:-} in
  quick)
    one round_trip 20000 || bad=1
    one kill_nine 3 || bad=1
    one kill_nine_durable 3 || bad=1
    one transactions 3 || bad=1
    one migration confluent || bad=1
    one transaction_history_test || bad=1
    one transactions_checker 8 || bad=1
    for name in cores idle_connections slow_reader half_open no_io_uring dump_log metrics command_line; do one $name || bad=1; done
    one cluster 20 || bad=1
    one import_kafka 6000 || bad=1
    one figures 3 || bad=1
    one bench || bad=1
    one many_partitions quick || bad=1 ;;
  long)
    one round_trip 1000000 || bad=1
    one kill_nine 20 || bad=1
    one kill_nine_durable 100 || bad=1
    for kind in ext4 xfs; do
      one kill_nine_durable 25 8 $kind || bad=1
      one disk_full $kind || bad=1
    done
    one transactions 1000 || bad=1
    one transaction_history_test || bad=1
    one transactions_checker 1800 || bad=1
    one transactions_checker 300 $RANDOM os || bad=1
    for name in cores idle_connections slow_reader half_open no_io_uring dump_log metrics command_line; do one $name || bad=1; done
    one metrics many || bad=1
    for name in migration group_faults streams connect mirror; do one $name || bad=1; done
    one cluster 1800 || bad=1
    one import_kafka 60000 || bad=1
    one figures 1 || bad=1
    one compact_keys 50000000 || bad=1
    one many_partitions all || bad=1
    one group_scale all || bad=1
    one bench || bad=1
    one against_kafka produce || bad=1 ;;
  '') sed -n 2,9p "$0"; exit 2 ;;
  *) one "$@" || bad=1 ;;
esac
exit $bad
