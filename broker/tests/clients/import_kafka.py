"""What a real Kafka wrote, `ringlog log import` takes over: every record at its offset, with time, key, headers and leader
epoch, in every codec, across segments, compacted, trimmed, after transactions; topic ids, settings and log starts too.
Imports that are killed leave nothing to be seen.

    import_kafka.py [RECORDS]       records to each partition of the largest topic
"""
import functools
import json
import os
import random
import signal
import subprocess
import sys
import time

from confluent_kafka import Consumer, KafkaError, Producer, TopicCollection, TopicPartition
from confluent_kafka.admin import AdminClient, ConfigResource, NewTopic, ResourceType

from kafka import Kafka
from ringlog import BIN, Ringlog, passed, say

RECORDS = int(sys.argv[1]) if len(sys.argv) > 1 else 6000
KILLS = 10
CODECS = ['none', 'gzip', 'snappy', 'lz4', 'zstd']
SEGMENT = {'segment.bytes': str(1 << 20)}
TOPICS = {
    'plain': (3, {**SEGMENT, 'retention.ms': '-1'}),
    'compacted': (1, {**SEGMENT, 'cleanup.policy': 'compact', 'min.cleanable.dirty.ratio': '0.01', 'segment.ms': '1000'}),
    'trimmed': (2, {**SEGMENT, 'retention.bytes': '1000000000'}),
    'dated': (1, {'message.timestamp.type': 'LogAppendTime'}),
    'committed': (1, {'compression.type': 'zstd'}),
    'aborted': (1, {}),
    'empty': (2, {'max.message.bytes': '2000000'}),
}
IMPORTED = [name for name in TOPICS if name != 'aborted']


def fail(text):
    raise SystemExit(f'FAIL import_kafka: {text}')


def value(n):
    return (f'value {n} ' * 40).encode() if n % 3 else random.Random(n).randbytes(400)


@functools.cache
def producer_of(bootstrap, codec):
    return Producer({'bootstrap.servers': bootstrap, 'compression.type': codec, 'enable.idempotence': True,
                     'linger.ms': 20, 'queue.buffering.max.messages': 1000000, 'log_level': 2})


def produce(bootstrap, topic, partitions, count, begin=0, key=lambda n: f'key {n}'.encode(), tombstones=False):
    """`count` records to each partition, a fifth of them with each codec, from an idempotent producer each."""
    for number, codec in enumerate(CODECS):
        producer = producer_of(bootstrap, codec)
        for n in range(begin + count * number // 5, begin + count * (number + 1) // 5):
            headers = [('codec', codec.encode()), ('null', None), ('codec', b'')] if n % 50 == 0 else None
            body = None if tombstones and n % 17 == 0 else value(n)
            for partition in range(partitions):
                producer.produce(topic, body, key(n), partition, headers=headers)
            producer.poll(0)
        if producer.flush(60):
            fail(f'{topic}: not all records could be sent')


def transactions(bootstrap, topic, outcomes):
    producer = Producer({'bootstrap.servers': bootstrap, 'transactional.id': f'tx-{topic}', 'linger.ms': 5})
    producer.init_transactions()
    for commits in outcomes:
        producer.begin_transaction()
        for n in range(200):
            producer.produce(topic, value(n), b'k')
        producer.flush()
        producer.commit_transaction() if commits else producer.abort_transaction()


def read_all(bootstrap, topic, partition):
    """Everything of every record, and where the log starts and ends."""
    consumer = Consumer({'bootstrap.servers': bootstrap, 'group.id': 'nobody', 'enable.auto.commit': False,
                         'enable.partition.eof': True, 'auto.offset.reset': 'earliest'})
    try:
        bounds = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=30)
        consumer.assign([TopicPartition(topic, partition, bounds[0])])
        return bounds, read_to_end(consumer, f'{topic}-{partition}')
    finally:
        # While the broker is still there: a consumer that is only dropped waits for it.
        consumer.close()


def read_to_end(consumer, partition):
    found = []
    while True:
        message = consumer.poll(30)
        if message is None:
            fail(f'{partition}: nothing comes after {len(found)} records')
        if message.error():
            if message.error().code() == KafkaError._PARTITION_EOF:
                return found
            fail(f'{partition}: {message.error()}')
        found.append((message.offset(), message.timestamp(), message.key(), message.value(), message.headers(),
                      message.leader_epoch()))


def read_topics(bootstrap, names):
    return {(name, p): read_all(bootstrap, name, p) for name in names for p in range(TOPICS[name][0])}


def ids_and_settings(bootstrap, names):
    admin = AdminClient({'bootstrap.servers': bootstrap})
    ids = {name: str(future.result().topic_id) for name, future in
           admin.describe_topics(TopicCollection(names)).items()}
    resources = [ConfigResource(ResourceType.TOPIC, name) for name in names]
    settings = {}
    for resource, future in admin.describe_configs(resources).items():
        entries = future.result()
        settings[resource.name] = {name: entries[name].value for name in TOPICS[resource.name][1]}
    return ids, settings


def offsets_by_time(bootstrap, names, times):
    consumer = Consumer({'bootstrap.servers': bootstrap, 'group.id': 'nobody'})
    asked = [TopicPartition(name, p, ms) for name in names for p in range(TOPICS[name][0]) for ms in times]
    found = [[(t.topic, t.partition, t.offset) for t in consumer.offsets_for_times([one], timeout=30)] for one in asked]
    consumer.close()
    return found


def fill(kafka):
    admin = AdminClient({'bootstrap.servers': kafka.bootstrap})
    new = [NewTopic(name, count, 1, config=settings) for name, (count, settings) in TOPICS.items()]
    for future in admin.create_topics(new).values():
        future.result()
    produce(kafka.bootstrap, 'plain', 3, RECORDS)
    produce(kafka.bootstrap, 'compacted', 1, RECORDS, key=lambda n: f'key {n % 100}'.encode(), tombstones=True)
    produce(kafka.bootstrap, 'trimmed', 2, RECORDS)
    produce(kafka.bootstrap, 'dated', 1, 100)
    transactions(kafka.bootstrap, 'committed', [True, True, True])
    transactions(kafka.bootstrap, 'aborted', [True, False])
    trims = {TopicPartition('trimmed', 0, RECORDS * 3 // 4 + 7): None, TopicPartition('trimmed', 1, RECORDS): None}
    for future in admin.delete_records(list(trims)).values():
        future.result()
    size_before = size_of(kafka, 'compacted-0')
    # The cleaner passes over the active segment, which ends when its second is over and something comes.
    deadline = time.monotonic() + 60
    while size_of(kafka, 'compacted-0') > size_before // 2:
        if time.monotonic() > deadline:
            fail('Kafka has not compacted its log within a minute')
        produce(kafka.bootstrap, 'compacted', 1, 5, key=lambda n: b'last')
        time.sleep(0.5)


def size_of(kafka, directory):
    directory = os.path.join(kafka.log_dir, directory)
    return sum(os.path.getsize(os.path.join(directory, name)) for name in os.listdir(directory) if name.endswith('.log'))


def run(*words):
    done = subprocess.run([BIN, 'log', *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def kill_imports(command, data_dir):
    """Kills imports at random moments: no topic may be there afterwards, or all of them."""
    begin = time.monotonic()
    probe = subprocess.run([*command[:-1], data_dir + '-probe'], stdout=subprocess.DEVNULL)
    took = time.monotonic() - begin
    if probe.returncode:
        fail(f'an import ended with {probe.returncode}')
    kills = 0
    for n in range(KILLS):
        process = subprocess.Popen([*command[:-1], data_dir], stdout=subprocess.DEVNULL)
        time.sleep(took * n / (KILLS + 1))
        process.send_signal(signal.SIGKILL)
        process.wait()
        kills += process.returncode == -signal.SIGKILL
        status, said = run('dump', '--records', os.path.join(data_dir, '__cluster_metadata-0'))
        if os.path.exists(data_dir + '/__cluster_metadata-0') and status:
            fail(f'after a kill the metadata cannot be read:\n{said}')
        topics = said.count('"Topic(')
        if topics == len(IMPORTED):
            return kills, True
        if topics:
            fail(f'a killed import left {topics} topics:\n{said}')
    return kills, False


def main():
    with Kafka('log.cleaner.backoff.ms=200', 'log.initial.task.delay.ms=500') as kafka:
        fill(kafka)
        kafka.stop()
        # Another term of leadership, so that leader epochs differ.
        kafka.start()
        produce(kafka.bootstrap, 'plain', 3, 500, begin=RECORDS)
        wanted = read_topics(kafka.bootstrap, IMPORTED)
        wanted_meta = ids_and_settings(kafka.bootstrap, IMPORTED)
        times = [wanted['plain', 0][1][n][1][1] for n in (0, RECORDS // 3, RECORDS)]
        wanted_times = offsets_by_time(kafka.bootstrap, ['plain'], times)
        kafka.stop()
        records = sum(len(found) for _, found in wanted.values())
        epochs = sorted({message[5] for _, found in wanted.values() for message in found if message[5] is not None})
        say(f'Kafka has {records} records, leader epochs {epochs}, {len(wanted["compacted", 0][1])} left of compacted')
        with Ringlog(started=False) as broker:
            base = ['import', '--from', kafka.log_dir, '--data-dir', broker.data_dir]
            status, said = run(*base)
            if status != 1 or 'an aborted transaction begins here' not in said or 'aborted-0' not in said:
                fail(f'the aborted transaction was not refused: {status}\n{said}')
            chosen = [word for name in IMPORTED for word in ('--topic', name)]
            command = [BIN, 'log', 'import', '--from', kafka.log_dir, *chosen, '--data-dir', broker.data_dir]
            kills, is_done = kill_imports(command, broker.data_dir)
            if not is_done:
                begin = time.monotonic()
                done = subprocess.run([*command, '--json'], stdout=subprocess.PIPE, text=True)
                if done.returncode:
                    fail(f'the import ended with {done.returncode}:\n{done.stdout}')
                took = time.monotonic() - begin
                lines = [json.loads(line) for line in done.stdout.splitlines()]
                size = sum(line['size'] for line in lines if line['kind'] == 'partition')
                say(f'{kills} imports killed; then {size >> 20} MiB imported in {took:.2f} s')
            if os.path.exists(os.path.join(broker.data_dir, 'ringlog-import')):
                fail('what was being copied is still there')
            status, said = run(*base, '--topic', 'plain')
            if status != 1 or 'already' not in said:
                fail(f'an existing topic was not refused: {status}\n{said}')
            status, said = run('verify', broker.data_dir)
            if status:
                fail(f'verify finds something:\n{said}')
            broker.start()
            compare(broker, wanted, wanted_meta)
            if offsets_by_time(broker.bootstrap, ['plain'], times) != wanted_times:
                fail('look-ups by time find other offsets')
            produce(broker.bootstrap, 'plain', 3, 100, begin=RECORDS + 500)
            (_, end), found = read_all(broker.bootstrap, 'plain', 0)
            if end != RECORDS + 600 or found[-1][0] != RECORDS + 599:
                fail(f'the log does not go on where it ended: {end}')
            if broker.stop():
                fail('the broker did not stop in order')
            status, said = run('verify', broker.data_dir)
            if status:
                fail(f'verify finds something after the broker ran:\n{said}')
    passed('import_kafka', f'{records} records of {len(wanted)} partitions are the same, {kills} imports killed')


def latest(messages):
    return {message[2]: message for message in messages}


def compare(broker, wanted, wanted_meta):
    found = read_topics(broker.bootstrap, IMPORTED)
    for partition, (bounds, messages) in wanted.items():
        found_bounds, found_messages = found[partition]
        if found_bounds != bounds:
            fail(f'{partition}: log start and end are {found_bounds}, and were {bounds}')
        if partition[0] == 'compacted':
            # Ours is compacted further as soon as it is open: of each key the last record must be there, and nothing new.
            if not set(map(str, found_messages)) <= set(map(str, messages)) or latest(found_messages) != latest(messages):
                fail(f'{partition}: the last records of the keys are not those that Kafka had')
        elif found_messages != messages:
            pairs = zip(found_messages, messages)
            first = next((pair for pair in pairs if pair[0] != pair[1]), (len(found_messages), len(messages)))
            fail(f'{partition}: {first[0]} and not {first[1]}')
    meta = ids_and_settings(broker.bootstrap, IMPORTED)
    if meta != wanted_meta:
        fail(f'topic ids and settings are\n{meta}\nand were\n{wanted_meta}')


if __name__ == '__main__':
    try:
        main()
    finally:
        producer_of.cache_clear()
