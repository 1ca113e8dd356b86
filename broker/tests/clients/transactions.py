"""Transactions that cannot tear: producers write the same value to several partitions, in one transaction each, and
commit or abort it, while the broker is killed (kill -9) and started again and producers are replaced in the middle of
what they do. Meanwhile and afterwards a reader of committed records looks at all of it.

What must hold: a transaction that was acknowledged is there whole; one that was aborted is not there at all; one whose end nobody was
told is there whole or not at all; each partition has a producer's transactions in their order; the reader never saw anything else.
After each kill every transactional id ends a transaction again, and the last stable offset of every partition moves past all that
was open; in the end it is the partition's end.

    transactions.py [KILLS] [SEED]      KILLS defaults to 3
"""
import random
import sys
import threading
import time

from confluent_kafka import Consumer, IsolationLevel, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec

from ringlog import Ringlog, create_topic, passed

PARTITIONS, PRODUCERS, TOPIC = 4, 3, 'whole'
PATIENCE_SECONDS = 20


class Writer(threading.Thread):
    """One transactional id, whoever holds it at the moment."""

    def __init__(self, bootstrap, name, seed):
        super().__init__(daemon=True)
        self.bootstrap, self.name_of, self.random = bootstrap, name, random.Random(seed)
        self.ending, self.fault = threading.Event(), None
        # Values by what became of them.
        self.committed, self.aborted, self.unknown = [], set(), set()

    def open(self):
        for _ in range(60):
            producer = Producer({'bootstrap.servers': self.bootstrap, 'transactional.id': self.name_of, 'linger.ms': 1,
                                 'transaction.timeout.ms': 30000, 'reconnect.backoff.max.ms': 200, 'log_level': 2})
            try:
                producer.init_transactions(10)
                return producer
            except KafkaException as error:
                if not error.args[0].retriable() and error.args[0].fatal():
                    raise
        raise SystemExit(f'{self.name_of} is not usable')

    def run(self):
        try:
            self.write()
        except BaseException as error:
            self.fault = f'{self.name_of}: {error!r}'

    def write(self):
        producer, number = self.open(), 0
        while not self.ending.is_set():
            value, commits = f'{self.name_of} {number}', self.random.random() < 0.7
            number += 1
            try:
                self.unknown.add(value)
                producer.begin_transaction()
                for partition in range(PARTITIONS):
                    producer.produce(TOPIC, value, partition=partition)
                if self.random.random() < 0.05:
                    # It is replaced while its transaction is open: that one is aborted.
                    producer = self.open()
                    self.end(value, self.aborted.add)
                    continue
                if commits:
                    producer.commit_transaction(20)
                    self.end(value, self.committed.append)
                else:
                    producer.flush(20)
                    producer.abort_transaction(20)
                    self.end(value, self.aborted.add)
            except KafkaException as error:
                # What became of it is not known, save when the client says that it has to be aborted and that is done.
                if error.args[0].txn_requires_abort():
                    try:
                        producer.abort_transaction(20)
                        self.end(value, self.aborted.add)
                        continue
                    except KafkaException:
                        pass
                producer = self.open()

    def ended(self):
        return len(self.committed) + len(self.aborted)

    def end(self, value, note):
        self.unknown.discard(value)
        note(value)


class Reader(threading.Thread):
    """Reads committed records all the time: what it has seen must be right in the end as well."""

    def __init__(self, bootstrap):
        super().__init__(daemon=True)
        self.consumer = Consumer({'bootstrap.servers': bootstrap, 'group.id': 'reader', 'isolation.level': 'read_committed',
                                  'enable.auto.commit': False, 'enable.partition.eof': True, 'reconnect.backoff.max.ms': 200, 'log_level': 2})
        self.consumer.assign([TopicPartition(TOPIC, partition, 0) for partition in range(PARTITIONS)])
        self.seen = [[] for _ in range(PARTITIONS)]
        # Where it has met the end last: a position of the client's does not count markers.
        self.met = [0] * PARTITIONS
        self.ends = None

    def run(self):
        while self.ends is None or any(met < end for met, end in zip(self.met, self.ends)):
            for message in self.consumer.consume(500, 0.2):
                if not message.error():
                    self.seen[message.partition()].append(message.value().decode())
                elif message.error().code() == KafkaError._PARTITION_EOF:
                    self.met[message.partition()] = message.offset()


def ends(admin, level):
    """An admin client asks once; right after a start it may not have met the broker again."""
    asked = {TopicPartition(TOPIC, partition): OffsetSpec.latest() for partition in range(PARTITIONS)}
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            found = admin.list_offsets(asked, isolation_level=level, request_timeout=5)
            return [found[place].result(10).offset for place in sorted(asked, key=lambda place: place.partition)]
        except KafkaException:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def wait_until(holds, fault, seed):
    """Gives it time to come true; a thread that has ended by a fault of its own is told with the others."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        if time.monotonic() > deadline:
            raise SystemExit(f'{fault} (seed {seed})')
        time.sleep(0.02)


def goes_on(admin, writers, seed):
    """After a kill: what was open then is stable soon, and every id ends a transaction."""
    open_then, counts = ends(admin, IsolationLevel.READ_UNCOMMITTED), [writer.ended() for writer in writers]
    wait_until(lambda: all(writer.ended() > count or writer.fault for writer, count in zip(writers, counts)),
               'a transactional id is not usable again', seed)
    wait_until(lambda: all(now >= then for now, then in zip(ends(admin, IsolationLevel.READ_COMMITTED), open_then)),
               'a last stable offset does not move on', seed)


def check(writers, seen):
    faults = []
    for partition, values in enumerate(seen):
        if len(values) != len(set(values)):
            faults.append(f'partition {partition}: something is there twice')
        for writer in writers:
            own = [int(value.split()[1]) for value in values if value.split()[0] == writer.name_of]
            if own != sorted(own):
                faults.append(f'partition {partition}: {writer.name_of} is out of order')
    sets = [set(values) for values in seen]
    torn = set.union(*sets) - set.intersection(*sets)
    if torn:
        faults.append(f'torn: {sorted(torn)[:5]}')
    for writer in writers:
        lost = set(writer.committed) - sets[0]
        shown = writer.aborted & set.union(*sets)
        if lost:
            faults.append(f'{writer.name_of}: acknowledged and lost: {sorted(lost)[:5]}')
        if shown:
            faults.append(f'{writer.name_of}: aborted and shown: {sorted(shown)[:5]}')
        if writer.fault:
            faults.append(writer.fault)
    return faults


def main():
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 30)
    chance = random.Random(seed)
    with Ringlog('transaction.state.log.num.partitions=5', cores=2) as broker:
        create_topic(broker, TOPIC, PARTITIONS)
        writers = [Writer(broker.bootstrap, f'w{number}', chance.random()) for number in range(PRODUCERS)]
        reader = Reader(broker.bootstrap)
        for thread in [*writers, reader]:
            thread.start()
        admin = AdminClient({'bootstrap.servers': broker.bootstrap, 'reconnect.backoff.max.ms': 100, 'log_level': 2})
        for _ in range(kills):
            time.sleep(chance.uniform(0.01, 0.8))
            broker.kill_nine()
            broker.start()
            goes_on(admin, writers, seed)
        for writer in writers:
            writer.ending.set()
        for writer in writers:
            writer.join(120)
            if writer.is_alive():
                raise SystemExit(f'{writer.name_of} does not come to an end (seed {seed})')
            # Whoever comes next ends what was left open.
            writer.open()
        wait_until(lambda: ends(admin, IsolationLevel.READ_COMMITTED) == ends(admin, IsolationLevel.READ_UNCOMMITTED),
                   'a last stable offset does not reach its end', seed)
        reader.ends = ends(admin, IsolationLevel.READ_COMMITTED)
        reader.join(60)
        if reader.is_alive():
            raise SystemExit(f'the reader does not reach the end (seed {seed})')
        faults = check(writers, reader.seen)
        if faults:
            raise SystemExit('\n'.join(faults + [f'seed {seed}']))
        count = [sum(len(kind) for kind in kinds) for kinds in
                 ([w.committed for w in writers], [w.aborted for w in writers], [w.unknown for w in writers])]
        passed('transactions', f'{count[0]} committed, {count[1]} aborted, {count[2]} not known, {kills} kills, seed {seed}')


if __name__ == '__main__':
    main()
