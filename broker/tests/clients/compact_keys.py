"""Compaction of very many keys within bounded memory: a topic of one partition gets records of KEYS different 16-byte keys, the first tenth
of them twice; then it is compacted on one core. The process stays within 256 MiB, each key is there once, and the last record is the one
that stays.

    compact_keys.py [KEYS]      KEYS defaults to 1,000,000; the long mode is 50,000,000, and takes some twenty minutes
"""
import os
import re
import subprocess
import sys
import time

from ringlog import BIN, Ringlog, create_topic, passed

MEMORY_MIB_MAX = 256
VALUE_BYTES = 16
BATCH_RECORDS = 1000
MIB = 1 << 20
TOPIC = 'keys'


def send(broker, keys, count):
    """`count` records, whose keys count up to `keys` and begin again."""
    mib = -(-count * VALUE_BYTES // MIB)
    # The load counts in whole MiB of values.
    load = os.path.join(os.path.dirname(BIN), 'examples', 'produce_load')
    subprocess.run([load, '--bootstrap', broker.bootstrap, '--topic', TOPIC, '--partitions', '1', '--connections', '1',
                    '--batch-records', str(BATCH_RECORDS), '--record-bytes', str(VALUE_BYTES), '--keys', str(keys),
                    '--warmup-mib', '0', '--mib', str(mib)], check=True, stdout=subprocess.DEVNULL)
    return mib * MIB // (BATCH_RECORDS * VALUE_BYTES) * BATCH_RECORDS


def rounds(broker):
    """What the log says of each round: bytes before and after."""
    with open(broker.log_path, errors='replace') as log:
        lines = [re.sub(r'\x1b\[[0-9;]*m', '', line) for line in log if 'a log was compacted' in line]
    return [tuple(int(re.search(name + r'=(\d+)', line)[1]) for name in ('before_bytes', 'after_bytes')) for line in lines]


def wait_for_compaction(broker, seconds):
    """Returns when nothing more is compacted: the core rests for ten seconds."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        before = broker.cpu_seconds()
        time.sleep(10)
        if rounds(broker) and broker.cpu_seconds() - before < 0.5:
            return
    raise SystemExit(f'compact_keys: {len(rounds(broker))} rounds in {seconds} s, and no end')


def count_records(broker):
    """How many records there are, and how many different keys."""
    command = ['kcat', '-C', '-b', broker.bootstrap, '-t', TOPIC, '-p', '0', '-o', 'beginning', '-e', '-q', '-f', '%k\n']
    reader = subprocess.Popen(command, stdout=subprocess.PIPE)
    records, seen = 0, bytearray()
    for line in reader.stdout:
        key = int(line, 16)
        if key >= len(seen):
            seen.extend(bytes(key + 1_000_000 - len(seen)))
        seen[key] = 1
        records += 1
    if reader.wait():
        raise SystemExit('compact_keys: kcat failed')
    return records, sum(seen)


def main():
    keys = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with Ringlog('log.cleaner.min.cleanable.ratio=0.01', cores=1) as broker:
        create_topic(broker, TOPIC, 1, cleanup_policy='compact', segment_bytes=64 << 20)
        sent = send(broker, keys, keys + keys // 10)
        # Another segment, so that all before are sealed: the active one is not compacted.
        filler = send(broker, keys, (96 << 20) // 40)
        begin = time.monotonic()
        wait_for_compaction(broker, max(120, keys // 10_000))
        took, peak = time.monotonic() - begin, broker.peak_mib()
        if peak > MEMORY_MIB_MAX:
            raise SystemExit(f'compact_keys: the process took {peak:.0f} MiB, {MEMORY_MIB_MAX} at most')
        records, different = count_records(broker)
        done = rounds(broker)
        if different < min(keys, sent):
            raise SystemExit(f'compact_keys: {different} of {keys} keys are there')
        # What the active segment and the one that was sealed last hold may be there twice.
        if records > keys + filler + sent - keys - keys // 10:
            raise SystemExit(f'compact_keys: {records} records of {keys} keys are left')
        passed('compact_keys', f'{sent + filler} records of {keys} keys: {records} left after {len(done)} rounds in {took:.0f} s; '
                               f'{peak:.0f} MiB resident at most')


main()
