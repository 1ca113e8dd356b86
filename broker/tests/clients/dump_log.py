"""Kafka's own tool, `DumpLogSegments`, prints what Ringlog wrote without complaint: segments of every codec from idempotent
producers, rolled and compacted ones, with their indexes (sanity checked, and each entry held against the segment), producer
snapshots and the metadata log.

    dump_log.py
"""
import os
import time

from confluent_kafka import Producer

from kafka import java
from ringlog import Ringlog, create_topic, passed

COUNT = 2000
CODECS = ['none', 'gzip', 'snappy', 'lz4', 'zstd']
TOOL = 'org.apache.kafka.tools.DumpLogSegments'
COMPLAINTS = ['Mismatches in', 'not found', 'isvalid: false', 'Could not', 'Exception', 'corrupt',
              'failed', 'Invalid']


def fail(text):
    raise SystemExit(f'FAIL dump_log: {text}')


def produce(broker, topic, count, key):
    for codec in CODECS:
        producer = Producer({'bootstrap.servers': broker.bootstrap, 'compression.type': codec, 'linger.ms': 5,
                             'enable.idempotence': True, 'batch.num.messages': 50})
        for n in range(count):
            producer.produce(topic, None if n % 13 == 5 else os.urandom(200).hex(), key(n), 0)
            producer.poll(0)
        if producer.flush(60):
            fail('not all records could be sent')


def files_of(broker, directory, *endings):
    directory = os.path.join(broker.data_dir, directory)
    return [os.path.join(directory, name) for name in sorted(os.listdir(directory)) if name.endswith(endings)]


def dump(files, *words):
    said = java(TOOL, *words, '--files', ','.join(files))
    found = [line for line in said.splitlines() if any(word in line for word in COMPLAINTS)]
    if found:
        where = said.index(found[0])
        fail('Kafka\'s tool complains:\n' + said[where:where + 2000])
    return said


def main():
    with Ringlog() as broker:
        create_topic(broker, 'plain', 1, segment_bytes=1 << 20)
        create_topic(broker, 'compacted', 1, segment_bytes=1 << 20, cleanup_policy='compact',
                     min_cleanable_dirty_ratio='0.01')
        produce(broker, 'plain', COUNT, lambda n: b'%d' % n)
        produce(broker, 'compacted', COUNT, lambda n: b'%d' % (n % 40))
        deadline = time.monotonic() + 60
        while not os.path.exists(os.path.join(broker.data_dir, 'compacted-0', 'ringlog.cleaned')):
            if time.monotonic() > deadline:
                fail('the log was not compacted within a minute')
            time.sleep(0.1)
        if broker.stop():
            fail('the broker did not stop in order')
        logs = files_of(broker, 'plain-0', '.log')
        if len(logs) < 2:
            fail('no segment was rolled')
        said = dump(logs, '--print-data-log', '--deep-iteration')
        offsets = [int(line.split('offset: ')[1].split()[0]) for line in said.splitlines() if line.startswith('| offset:')]
        if offsets != list(range(5 * COUNT)):
            fail(f'{len(offsets)} records are shown, and {5 * COUNT} were sent')
        # The tool takes every file to begin at offset 0, Kafka's own too.
        gaps = [line.split()[-1] for line in said.splitlines() if ' is followed by ' in line]  # files in any order
        if sorted(map(int, gaps)) != [int(os.path.basename(name)[:20]) for name in logs[1:]]:
            fail(f'offsets are not consecutive before {gaps}')
        for codec in CODECS:
            if f'compresscodec: {codec}' not in said.lower():
                fail(f'no batch is shown as packed with {codec}')
        compacted = dump(files_of(broker, 'compacted-0', '.log'), '--print-data-log', '--deep-iteration')
        indexes = files_of(broker, 'plain-0', '.index', '.timeindex') + files_of(broker, 'compacted-0', '.index', '.timeindex')
        dump(indexes, '--index-sanity-check')
        dump(indexes, '--verify-index-only')
        dump(indexes)
        dump(files_of(broker, 'plain-0', '.snapshot'))
        metadata = dump(files_of(broker, '__cluster_metadata-0', '.log'), '--cluster-metadata-decoder')
        if '"name":"compacted"' not in metadata:
            fail('the metadata log does not show the topic')
        shown = compacted.count('| offset:')
        passed('dump_log', f'{len(offsets)} records in {len(logs)} segments, {shown} left of {5 * COUNT} after compaction, '
               f'{len(indexes)} index files')


main()
