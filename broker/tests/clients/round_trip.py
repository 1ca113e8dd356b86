"""kcat, confluent-kafka (Python) and the Java client send records of 1 KiB to 6 partitions with each codec, and read the same
bytes back in order, by assignment.

    round_trip.py [COUNT [CLIENT...]]      COUNT defaults to 20,000; the long mode is 1,000,000. JARS: folder of Kafka's jars
"""
import os
import subprocess
import sys
import time

from records import record
from ringlog import Ringlog, create_topic, passed

PARTITIONS = 6
CODECS = ['none', 'gzip', 'snappy', 'lz4', 'zstd']
HERE = os.path.dirname(os.path.abspath(__file__))


def with_kcat(broker, topic, codec, count):
    """One file a partition, one line a record."""
    folder = broker.scratch
    files = [os.path.join(folder, f'in-{p}') for p in range(PARTITIONS)]
    if not os.path.exists(files[0]):
        outs = [open(path, 'wb') for path in files]
        for number in range(count):
            outs[number % PARTITIONS].write(record(number) + b'\n')
        for out in outs:
            out.close()
    begin = time.monotonic()
    run = [['kcat', '-P', '-b', broker.bootstrap, '-t', topic, '-p', str(p), '-z', codec, '-l', files[p]]
           for p in range(PARTITIONS)]
    for one in [subprocess.Popen(command) for command in run]:
        if one.wait() != 0:
            raise SystemExit(f'kcat -P ended with {one.returncode}')
    sent = time.monotonic()
    for p in range(PARTITIONS):
        command = ['kcat', '-C', '-b', broker.bootstrap, '-t', topic, '-p', str(p), '-o', 'beginning', '-e', '-q']
        with subprocess.Popen(command, stdout=subprocess.PIPE) as reader:
            same = subprocess.run(['cmp', '-', files[p]], stdin=reader.stdout)
            reader.stdout.close()
        if same.returncode or reader.returncode:
            raise SystemExit(f'kcat, {codec}, partition {p}: other bytes came back (kcat: {reader.returncode})')
    return sent - begin, time.monotonic() - sent


def with_confluent(broker, topic, codec, count):
    begin = time.monotonic()
    confluent_send(broker, topic, codec, count)
    sent = time.monotonic()
    confluent_read(broker, topic, codec, count)
    return sent - begin, time.monotonic() - sent


def confluent_send(broker, topic, codec, count):
    from confluent_kafka import Producer
    faults = []

    def on_delivery(fault, _):
        if fault:
            faults.append(fault)

    producer = Producer({'bootstrap.servers': broker.bootstrap, 'compression.type': codec, 'linger.ms': 20,
                         'queue.buffering.max.messages': 200000})
    for number in range(count):
        while True:
            try:
                producer.produce(topic, record(number), partition=number % PARTITIONS, on_delivery=on_delivery)
                break
            except BufferError:
                producer.poll(0.1)
        if number % 1000 == 0:
            producer.poll(0)
    left = producer.flush(300)
    if faults or left:
        raise SystemExit(f'confluent-kafka, {codec}: {left} not sent, {len(faults)} failed: {faults[:1]}')


def confluent_read(broker, topic, codec, count):
    from confluent_kafka import Consumer, TopicPartition
    # The library wants a group's name; without subscription and commits no group comes of it.
    consumer = Consumer({'bootstrap.servers': broker.bootstrap, 'group.id': 'none', 'enable.auto.commit': False})
    consumer.assign([TopicPartition(topic, p, 0) for p in range(PARTITIONS)])
    expected = [0] * PARTITIONS
    got, deadline = 0, time.monotonic() + 600
    while got < count:
        if time.monotonic() > deadline:
            raise SystemExit(f'confluent-kafka, {codec}: only {got} of {count} records came back')
        for message in consumer.consume(10000, 1.0):
            if message.error():
                raise SystemExit(f'confluent-kafka, {codec}: {message.error()}')
            p = message.partition()
            index = expected[p]
            if message.offset() != index or message.value() != record(index * PARTITIONS + p):
                raise SystemExit(f'confluent-kafka, {codec}: partition {p} offset {message.offset()}: not record {index}')
            expected[p] += 1
            got += 1
    consumer.close()


def with_java(broker, topic, codec, count):
    command = [os.environ.get('JAVA', 'java'), '-Xmx512m', '-cp', os.environ['JARS'] + '/*',
               '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn', os.path.join(HERE, 'RoundTrip.java')]
    done = subprocess.run(command + [broker.bootstrap, topic, codec, str(count), str(PARTITIONS)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f'java, {codec}: {done.stdout}{done.stderr[-2000:]}')
    words = done.stdout.split()
    return float(words[1]), float(words[4])


CLIENTS = {'kcat': with_kcat, 'confluent-kafka': with_confluent, 'java': with_java}


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    for name in sys.argv[2:] or CLIENTS:
        for codec in CODECS:
            # A broker for each, so that a run's data is gone before the next.
            with Ringlog() as broker:
                create_topic(broker, 'trip', PARTITIONS)
                sent, read = CLIENTS[name](broker, 'trip', codec, count)
                passed(f'round_trip/{name}/{codec}', f'{count} records: sent {sent:.1f} s, read {read:.1f} s')
                if broker.stop() != 0:
                    raise SystemExit('ringlog did not end with 0 after SIGTERM')


main()
