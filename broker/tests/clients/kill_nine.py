"""kill -9 under load: idempotent producers with acks=all (confluent-kafka and Java) run on while the broker is killed and started
again. Afterwards every acknowledged record is there, once, in order in its partition, at the offset that was acknowledged; no
client ended in a fatal state; the broker started each time.

    kill_nine.py [KILLS]      KILLS defaults to 3; the long mode is 20. JARS: folder of Kafka's jars
"""
import os
import random
import subprocess
import sys
import threading
import time

from ringlog import Ringlog, create_topic, passed

PARTITIONS = 6
HERE = os.path.dirname(os.path.abspath(__file__))


class Confluent(threading.Thread):
    """Sends until told to stop; remembers what was acknowledged."""

    def __init__(self, bootstrap, topic):
        super().__init__(daemon=True)
        from confluent_kafka import Producer
        self.topic, self.ending = topic, threading.Event()
        self.acked, self.faults = [], []
        self.producer = Producer({
            'bootstrap.servers': bootstrap, 'enable.idempotence': True, 'acks': 'all', 'linger.ms': 2,
            'reconnect.backoff.max.ms': 200, 'retry.backoff.max.ms': 200, 'error_cb': self.on_error})

    def on_error(self, fault):
        if fault.fatal():
            self.faults.append(f'fatal: {fault}')

    def on_delivery(self, number):
        def delivered(fault, message):
            if fault:
                self.faults.append(f'record {number}: {fault}')
            else:
                self.acked.append((message.partition(), number, message.offset()))
        return delivered

    def run(self):
        number = 0
        while not self.ending.is_set():
            try:
                self.producer.produce(self.topic, str(number), partition=number % PARTITIONS,
                                      on_delivery=self.on_delivery(number))
                number += 1
                self.producer.poll(0 if number % 20 else 0.001)
            except BufferError:
                self.producer.poll(0.05)
        if self.producer.flush(60):
            self.faults.append('some records were never answered')

    def end(self):
        self.ending.set()
        self.join()
        return self.acked, self.faults


class Java:
    def __init__(self, bootstrap, topic):
        command = [os.environ.get('JAVA', 'java'), '-Xmx256m', '-cp', os.environ['JARS'] + '/*',
                   '-Dorg.slf4j.simpleLogger.defaultLogLevel=error', os.path.join(HERE, 'KillNine.java')]
        self.process = subprocess.Popen(command + [bootstrap, topic, str(PARTITIONS)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.acked, self.faults, self.ended = [], [], False
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.errors = threading.Thread(target=self.process.stderr.read, daemon=True)

    def start(self):
        self.reader.start()
        self.errors.start()

    def read(self):
        for line in self.process.stdout:
            words = line.split()
            if words[0] == 'acked':
                self.acked.append((int(words[1]), int(words[2]), int(words[3])))
            elif words[0] == 'end':
                self.ended = True
            else:
                self.faults.append(line.strip())

    def end(self):
        self.process.stdin.close()
        self.reader.join(120)
        if self.process.wait(30) != 0 or not self.ended:
            self.faults.append(f'the program ended with {self.process.returncode}')
        return self.acked, self.faults


def read_back(broker, topic):
    """All records of the topic: per partition their numbers in the order of offsets."""
    from confluent_kafka import Consumer, TopicPartition
    consumer = Consumer({'bootstrap.servers': broker.bootstrap, 'group.id': 'none', 'enable.auto.commit': False})
    ends = [consumer.get_watermark_offsets(TopicPartition(topic, p), timeout=30)[1] for p in range(PARTITIONS)]
    consumer.assign([TopicPartition(topic, p, 0) for p in range(PARTITIONS)])
    found = [[] for _ in range(PARTITIONS)]
    deadline = time.monotonic() + 120
    while sum(map(len, found)) < sum(ends):
        if time.monotonic() > deadline:
            raise SystemExit(f'{topic}: {sum(map(len, found))} of {sum(ends)} records could be read')
        for message in consumer.consume(10000, 1.0):
            if message.error():
                raise SystemExit(f'{topic}: {message.error()}')
            p = message.partition()
            if message.offset() != len(found[p]):
                raise SystemExit(f'{topic}-{p}: offset {message.offset()} where {len(found[p])} was due')
            found[p].append(int(message.value()))
    consumer.close()
    return found


def faults_of(acked, found):
    """What of the acknowledged is lost, elsewhere, twice, or out of order."""
    faults = []
    for p, number, offset in acked:
        if offset >= len(found[p]) or found[p][offset] != number:
            faults.append(f'record {number} was acknowledged at {p}:{offset} and is not there')
    for p, numbers in enumerate(found):
        if any(a >= b for a, b in zip(numbers, numbers[1:])):
            faults.append(f'partition {p}: a record twice, or out of order')
    return faults


def wait_for_progress(running):
    """Returns when each client had 1,000 more acknowledgements; fails after 60 s without."""
    before = {name: len(client.acked) for name, client in running.items()}
    deadline = time.monotonic() + 60
    while any(len(client.acked) < before[name] + 1000 for name, client in running.items()):
        if time.monotonic() > deadline:
            state = {name: (len(c.acked) - before[name], c.faults[:2]) for name, c in running.items()}
            raise SystemExit(f'a producer got no further within 60 s: {state}')
        time.sleep(0.01)


def main():
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    with Ringlog() as broker:
        clients = {'confluent-kafka': Confluent, 'java': Java}
        running = {}
        for name, client in clients.items():
            create_topic(broker, name, PARTITIONS)
            running[name] = client(broker.bootstrap, name)
            running[name].start()
        slowest = 0
        for _ in range(kills):
            # Each must have got further since the last start, so that the kill meets load.
            wait_for_progress(running)
            time.sleep(random.uniform(0, 0.5))
            broker.kill_nine()
            slowest = max(slowest, broker.start())
        wait_for_progress(running)
        for name, client in running.items():
            acked, faults = client.end()
            found = read_back(broker, name)
            faults += faults_of(acked, found)
            if faults:
                raise SystemExit(f'kill_nine/{name}: {len(faults)} faults, the first: {faults[:3]}')
            passed(f'kill_nine/{name}', f'{kills} kills, {len(acked)} acknowledged, {sum(map(len, found))} stored; '
                                        f'slowest start to an answer {slowest * 1000:.0f} ms')


main()
