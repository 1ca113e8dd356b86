"""A transactional confluent-kafka client (version 1 of transactions), or a reader of committed records: one process of the checker of
transactions. Notes what it does in the words of transaction_history.py, each line in one write, so that a kill leaves whole lines.

    transaction_client.py append|transform|read|browse HOST:PORT ID.PROCESS PARTITIONS HISTORY STOP_FILE SEED

`append` and `transform` are as in TransactionClient.java. `read` reads all of both topics from the first record on; `browse` reads a
piece somewhere, again and again.
"""
import os
import random
import sys
import threading
import time

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Producer, TopicPartition

from transaction_history import MADE, SOURCE

FENCED = {KafkaError._FENCED, KafkaError.PRODUCER_FENCED, KafkaError.INVALID_PRODUCER_EPOCH}
BROWSED_MAX = 400
# librdkafka 2.16 does not always keep its own timeouts: send_offsets_to_transaction() may have AddOffsetsToTxn answered after a reconnect
# and never send TxnOffsetCommit. A client that is in one call for longer than a pause and a timeout take goes, and says so.
STEP_SECONDS_MAX, HUNG = 25, 9


class Notes:
    def __init__(self, path):
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def note(self, event, *words):
        line = '\t'.join([str(time.monotonic_ns()), event, *(str(word).replace('\n', ' ') for word in words)])
        os.write(self.file, line.encode() + b'\n')


class Client:
    def __init__(self, kind, bootstrap, name, partitions, history, stop, seed):
        self.kind, self.bootstrap, self.name, self.partitions, self.stop = kind, bootstrap, name, int(partitions), stop
        self.note, self.random = Notes(history).note, random.Random(int(seed))
        self.settings = {'bootstrap.servers': bootstrap, 'client.id': f'v1-{name}', 'reconnect.backoff.max.ms': 200, 'log_level': 0}
        self.producer = self.consumer = None
        self.session = self.number = 0
        self.step_began = time.monotonic()

    def run(self):
        threading.Thread(target=self.watch, daemon=True).start()
        act = {'append': self.append, 'transform': self.transform, 'read': self.read, 'browse': self.browse}[self.kind]
        while not os.path.exists(self.stop):
            self.step_began = time.monotonic()
            self.step(act) if self.kind in ('append', 'transform') else act()
        if self.consumer:
            self.consumer.close()

    def watch(self):
        while time.monotonic() - self.step_began < STEP_SECONDS_MAX:
            time.sleep(0.5)
        self.note('hangs', self.txn)
        os._exit(HUNG)

    # --- transactions ---

    @property
    def own_session(self):
        return f'{self.name}.{self.session}'

    @property
    def txn(self):
        return f'{self.own_session}/{self.number}'

    def step(self, act):
        """One transaction, whatever becomes of it. A client that is fenced has to go."""
        try:
            if not self.producer:
                self.open()
            act()
        except KafkaException as error:
            self.look_at(error)
            self.give_up(error)

    def look_at(self, error):
        code = error.args[0].code()
        if code in FENCED:
            self.note('fenced', self.own_session, error)
            os._exit(0)
        if code == KafkaError.UNKNOWN:
            self.note('fault', error)

    def open(self):
        self.producer = Producer({**self.settings, 'transactional.id': self.name.split('.')[0], 'linger.ms': 1,
                                  'transaction.timeout.ms': 8000, 'message.timeout.ms': 7000, 'socket.timeout.ms': 4000})
        self.producer.init_transactions(10)
        self.session += 1
        self.note('open', self.own_session)

    def append(self):
        count = self.random.randint(1, 6)
        self.note('begin', self.txn, count)
        self.producer.begin_transaction()
        for index in range(count):
            self.producer.produce(SOURCE, f'{self.txn}/{index}/{count}', partition=self.random.randrange(self.partitions))
        self.end(self.random.random() < 0.75)
        time.sleep(self.random.uniform(0, 0.06))

    def transform(self):
        if not self.consumer:
            self.consumer = Consumer({**self.settings, 'group.id': 'transformers', 'isolation.level': 'read_committed',
                                      'enable.auto.commit': False, 'auto.offset.reset': 'earliest', 'session.timeout.ms': 3000,
                                      'heartbeat.interval.ms': 500, 'max.poll.interval.ms': 10000,
                                      'partition.assignment.strategy': 'range'})
            self.consumer.subscribe([SOURCE])
        records = [record for record in self.consumer.consume(50, 0.2) if not record.error()]
        if not records:
            return
        self.note('begin', self.txn, len(records))
        self.producer.begin_transaction()
        offsets = {}
        for index, record in enumerate(records):
            source = f'{record.partition()}/{record.offset()}'
            self.producer.produce(MADE, f'{self.txn}/{index}/{len(records)}|{source}', partition=record.partition())
            offsets[record.partition()] = record.offset() + 1
        asked = [TopicPartition(SOURCE, partition, offset) for partition, offset in offsets.items()]
        self.producer.send_offsets_to_transaction(asked, self.consumer.consumer_group_metadata(), 10)
        commits = self.random.random() < 0.87
        self.end(commits)
        if not commits:
            self.rewind()

    def end(self, commits):
        how = 'commit' if commits else 'abort'
        self.note('ending', self.txn, how)
        if commits:
            self.producer.commit_transaction(10)
        else:
            self.producer.abort_transaction(10)
        self.note('ended', self.txn, how)
        self.number += 1

    def rewind(self):
        """Back to what is committed: nothing of what was aborted was used."""
        for place in self.consumer.committed(self.consumer.assignment(), 10):
            if place.error:
                raise KafkaException(place.error)
            self.consumer.seek(TopicPartition(SOURCE, place.partition, place.offset if place.offset >= 0 else OFFSET_BEGINNING))

    def give_up(self, error):
        """What has to be aborted is, and if that fails too, nobody knows what became of it: all begins anew."""
        try:
            if not error.args[0].txn_requires_abort():
                raise error
            self.producer.abort_transaction(10)
            self.note('ended', self.txn, 'abort')
            if self.consumer:
                self.rewind()
        except KafkaException as second:
            self.look_at(second)
            self.note('failed', self.txn, f'{error}, then {second}')
            if self.consumer:
                self.consumer.close()
            self.producer = self.consumer = None
        self.number += 1

    # --- reading ---

    def reader(self, places):
        consumer = Consumer({**self.settings, 'group.id': self.name, 'isolation.level': 'read_committed', 'enable.auto.commit': False,
                             'fetch.wait.max.ms': 100, 'auto.offset.reset': 'error'})
        for place in places:
            self.note('from', place.topic, place.partition, max(place.offset, 0))
        consumer.assign(places)
        return consumer

    def saw(self, record):
        if record.error():
            if not record.error().retriable() and record.error().code() == KafkaError._AUTO_OFFSET_RESET:
                self.note('fault', record.error())
            return 0
        self.note('saw', record.topic(), record.partition(), record.offset(), record.value().decode())
        return 1

    def read(self):
        places = [TopicPartition(topic, partition, 0) for topic in (SOURCE, MADE) for partition in range(self.partitions)]
        self.consumer = self.reader(places)
        while not os.path.exists(self.stop):
            self.step_began = time.monotonic()
            for record in self.consumer.consume(500, 0.2):
                self.saw(record)

    def browse(self):
        topic, partition = self.random.choice((SOURCE, MADE)), self.random.randrange(self.partitions)
        probe = Consumer({**self.settings, 'group.id': self.name, 'isolation.level': 'read_committed'})
        try:
            end = probe.get_watermark_offsets(TopicPartition(topic, partition), 2)[1]
        except KafkaException:
            return
        finally:
            probe.close()
        consumer = self.reader([TopicPartition(topic, partition, self.random.randrange(end + 1))])
        count, deadline = 0, time.monotonic() + 2
        while count < BROWSED_MAX and time.monotonic() < deadline:
            for record in consumer.consume(100, 0.2):
                count += self.saw(record)
        consumer.close()


if __name__ == '__main__':
    Client(*sys.argv[1:]).run()
