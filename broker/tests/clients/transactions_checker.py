"""A checker of transactions: several processes append unique records to several partitions in transactions, or make records of records
with their offsets in the transaction, while others read what is committed. Java clients speak version 2 of transactions,
confluent-kafka's version 1. Meanwhile the broker is killed (kill -9) and paused, clients are killed, paused and replaced while they are
alive, and a proxy delays, cuts, repeats and belatedly delivers their requests (frames_proxy.py). In the end all stops, and what was noted
is held against the rules of transaction_history.py.

    transactions_checker.py [SECONDS] [SEED] [DURABILITY]      SECONDS of disturbances, 20 by default; DURABILITY disk or os

With `os`, what partitions find open after a kill has to be confirmed by its coordinator.
With KEEP=1 the histories stay where they are, and it says where. A seed gives the same disturbances, but not the same moments.
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from confluent_kafka import ConsumerGroupTopicPartitions, IsolationLevel, KafkaException, Producer, TopicPartition
from confluent_kafka import Consumer, KafkaError
from confluent_kafka.admin import AdminClient, OffsetSpec

from ringlog import Ringlog, create_topic, free_port, passed, say
from transaction_client import HUNG, Notes
from transaction_history import MADE, SOURCE, History, check

HERE = os.path.dirname(os.path.abspath(__file__))
PARTITIONS, GROUP = 4, 'transformers'
# Kind of client and language by transactional id.
CLIENTS = {'ja': ('append', 'java'), 'jb': ('append', 'java'), 'pa': ('append', 'python'), 'pb': ('append', 'python'),
           'jt': ('transform', 'java'), 'pt': ('transform', 'python')}
READERS = {'read': 'read', 'browse': 'browse'}
SETTINGS = ('transaction.state.log.num.partitions=5', 'offsets.topic.num.partitions=3', 'group.min.session.timeout.ms=1000',
            'group.initial.rebalance.delay.ms=0')
PATIENCE_SECONDS = 40
NOT_OPEN_FOR_SECONDS = 15
COMMITTED_A_SECOND_MIN = 2


class Slot:
    """One transactional id, or one reader, and the processes that hold it: the newest, and those that it has replaced."""

    def __init__(self, run, name, kind, language):
        self.run, self.name, self.kind, self.language = run, name, kind, language
        self.processes = []

    def begin(self):
        name = f'{self.name}.{len(self.processes)}'
        words = [self.kind, self.run.bootstrap, name, str(PARTITIONS), os.path.join(self.run.histories, name), self.run.stop_file(self),
                 str(self.run.chance.randrange(1 << 30))]
        if self.language == 'java':
            command = [os.environ.get('JAVA', 'java'), '-Xmx96m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1',
                       '-Dorg.slf4j.simpleLogger.defaultLogLevel=off', '-cp', f'{self.run.classes}:{os.environ["JARS"]}/*',
                       'TransactionClient']
        else:
            command = [sys.executable, os.path.join(HERE, 'transaction_client.py')]
        with open(os.path.join(self.run.folder, f'{name}.out'), 'wb') as out:
            self.processes.append(subprocess.Popen([*command, *words], stdin=subprocess.DEVNULL, stdout=out, stderr=out))

    @property
    def newest(self):
        return self.processes[-1]

    def go_on(self):
        """A newest process that has ended is followed by another."""
        if self.newest.poll() is not None:
            if self.newest.returncode == HUNG:
                self.run.count('clients that hung')
            elif self.newest.returncode not in (0, -signal.SIGKILL):
                self.run.notes.note('fault', f'{self.name}.{len(self.processes) - 1} ended with {self.newest.returncode}')
            self.begin()

    def living(self):
        return [process for process in self.processes if process.poll() is None]


class Run:
    def __init__(self, seconds, seed, durability):
        self.seconds, self.seed, self.chance = seconds, seed, random.Random(seed)
        self.durability = durability
        self.folder = tempfile.mkdtemp(prefix='ringlog-transactions-')
        self.histories, self.classes = os.path.join(self.folder, 'histories'), os.path.join(self.folder, 'classes')
        os.mkdir(self.histories)
        self.notes = Notes(os.path.join(self.histories, 'nemesis'))
        self.proxy_port = free_port()
        self.bootstrap = f'127.0.0.1:{self.proxy_port}'
        settings = [*SETTINGS, f'ringlog.durability={durability}', f'advertised.listeners=PLAINTEXT://{self.bootstrap}']
        self.broker = Ringlog(*settings, cores=2, started=False)
        self.slots = [Slot(self, name, *what) for name, what in CLIENTS.items()]
        self.readers = [Slot(self, name, kind, 'python') for name, kind in READERS.items()]
        self.resuming = []
        self.counts = {}
        self.proxy = None

    def stop_file(self, slot):
        return os.path.join(self.folder, f'stop-{slot.kind}')

    def did(self, what, count=None):
        self.notes.note('did', what)
        if count:
            self.count(count)

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    # --- beginning ---

    def begin(self):
        subprocess.run(['javac', '-nowarn', '-Xlint:-options', '-cp', os.environ['JARS'] + '/*', '-d', self.classes,
                        os.path.join(HERE, 'TransactionClient.java')], check=True, stderr=subprocess.DEVNULL)
        self.broker.start()
        create_topic(self.broker, SOURCE, PARTITIONS, segment_bytes=1 << 20)
        create_topic(self.broker, MADE, PARTITIONS, segment_bytes=1 << 20)
        self.proxy = subprocess.Popen([sys.executable, os.path.join(HERE, 'frames_proxy.py'), str(self.proxy_port), str(self.broker.port),
                                       str(self.seed)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.proxy.stdout.readline()
        for slot in [*self.slots, *self.readers]:
            slot.begin()

    def tell_proxy(self, word):
        self.proxy.stdin.write(word + '\n')
        self.proxy.stdin.flush()
        answer = self.proxy.stdout.readline().strip()
        self.did(f'the proxy is {answer}')
        return answer

    # --- disturbances ---

    def disturb(self):
        end = time.monotonic() + self.seconds
        deeds = [self.kill_broker] * 5 + [self.pause_broker] * 3 + [self.kill_client] * 4 + [self.pause_client] * 3
        deeds += [self.replace_client, self.replace_paused_client, self.kill_browser]
        self.tell_proxy('rough')
        while time.monotonic() < end:
            self.wait(self.chance.uniform(0.1, 2.5))
            self.chance.choice(deeds)()
            for slot in [*self.slots, *self.readers]:
                slot.go_on()
        self.wait(max([at for at, _ in self.resuming], default=0) - time.monotonic())

    def wait(self, seconds):
        """Meanwhile those go on whose pause is over."""
        until = time.monotonic() + seconds
        while True:
            now = time.monotonic()
            for at, process in [paused for paused in self.resuming if paused[0] <= now]:
                self.resuming.remove((at, process))
                if process.poll() is None:
                    process.send_signal(signal.SIGCONT)
                    self.did(f'{process.pid} goes on')
            if now >= until:
                return
            time.sleep(min(0.02, until - now))

    def pause(self, process, seconds):
        process.send_signal(signal.SIGSTOP)
        self.resuming.append((time.monotonic() + seconds, process))

    def is_paused(self, process):
        return any(paused is process for _, paused in self.resuming)

    def kill_broker(self):
        if self.is_paused(self.broker.process):
            return
        self.did('the broker is killed', 'kills of the broker')
        self.broker.kill_nine()
        if self.chance.random() < 0.3:
            self.wait(self.chance.uniform(0, 2))
        self.broker.start()
        self.did('the broker is there again')

    def pause_broker(self):
        if not self.is_paused(self.broker.process):
            seconds = self.chance.choice((0.1, 0.5, 1, 4))
            self.did(f'the broker pauses for {seconds} s', 'pauses of the broker')
            self.pause(self.broker.process, seconds)

    def choose_client(self):
        slot = self.chance.choice(self.slots)
        return slot, slot.newest if slot.newest.poll() is None and not self.is_paused(slot.newest) else None

    def kill_client(self):
        slot, process = self.choose_client()
        if process:
            self.did(f'{slot.name} is killed', 'kills of clients')
            process.kill()
            process.wait()

    def pause_client(self):
        slot, process = self.choose_client()
        if process:
            seconds = self.chance.choice((0.2, 1, 3, 6, 10))
            self.did(f'{slot.name} ({process.pid}) pauses for {seconds} s', 'pauses of clients')
            self.pause(process, seconds)

    def replace_client(self):
        slot, process = self.choose_client()
        if process:
            self.did(f'{slot.name} is replaced', 'clients replaced')
            slot.begin()

    def replace_paused_client(self):
        slot, process = self.choose_client()
        if process:
            self.did(f'{slot.name} ({process.pid}) pauses and is replaced', 'clients replaced')
            self.pause(process, self.chance.uniform(2, 6))
            slot.begin()

    def kill_browser(self):
        self.readers[1].newest.kill()
        self.readers[1].newest.wait()

    # --- the end ---

    def stop(self, kind, slots):
        """Tells all of a kind to stop; who does not is a fault."""
        open(self.stop_file(slots[0]), 'w').close()
        deadline = time.monotonic() + PATIENCE_SECONDS
        for slot in slots:
            for process in slot.living():
                try:
                    process.wait(max(deadline - time.monotonic(), 0.1))
                except subprocess.TimeoutExpired:
                    self.notes.note('fault', f'{slot.name} does not come to an end')
                    process.kill()
        self.did(f'all who {kind} have stopped')

    def of_kind(self, kind):
        return [slot for slot in self.slots if slot.kind == kind]

    def finish(self):
        said = self.tell_proxy('calm')
        for slot in self.slots:
            slot.go_on()
        self.stop('append', self.of_kind('append'))
        admin = AdminClient({'bootstrap.servers': self.bootstrap, 'reconnect.backoff.max.ms': 100, 'log_level': 0})
        # What was left open is aborted when its time is over, though nobody uses its id again.
        self.until_stable(admin, [SOURCE])
        self.until_used(admin)
        self.stop('transform', self.of_kind('transform'))
        self.until_stable(admin, [SOURCE, MADE, '__consumer_offsets'])
        self.note_committed(admin)
        with ThreadPoolExecutor() as all_at_once:
            list(all_at_once.map(self.note_usable, CLIENTS))
        self.read_all(admin)
        for slot in self.readers:
            self.stop(slot.kind, [slot])
        return said

    def ends(self, admin, topics, level):
        counts = {topic: PARTITIONS for topic in (SOURCE, MADE)} | {'__consumer_offsets': 3}
        places = [TopicPartition(topic, partition) for topic in topics for partition in range(counts[topic])]
        found = admin.list_offsets({place: OffsetSpec.latest() for place in places}, isolation_level=level, request_timeout=10)
        return {(place.topic, place.partition): future.result(20).offset for place, future in found.items()}

    def until_stable(self, admin, topics):
        deadline = time.monotonic() + NOT_OPEN_FOR_SECONDS
        while True:
            stable, end = (self.ends(admin, topics, level) for level in (IsolationLevel.READ_COMMITTED, IsolationLevel.READ_UNCOMMITTED))
            if stable == end or time.monotonic() > deadline:
                break
            time.sleep(0.1)
        for place in stable:
            self.notes.note('stable', *place, stable[place], end[place])

    def committed(self, admin):
        places = [TopicPartition(SOURCE, partition) for partition in range(PARTITIONS)]
        asked = admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(GROUP, places)], require_stable=True, request_timeout=10)
        return {place.partition: place.offset for place in asked[GROUP].result(20).topic_partitions}

    def until_used(self, admin):
        """The transformers come to the end: a marker may be the last thing there, which their offsets need not count."""
        ends = self.ends(admin, [SOURCE], IsolationLevel.READ_COMMITTED)
        rows = self.read_to(ends, {place: max(end - 200, 0) for place, end in ends.items()})
        last = {partition: rows[SOURCE, partition][-1].offset() if rows[SOURCE, partition] else -1 for partition in range(PARTITIONS)}
        deadline, known = time.monotonic() + PATIENCE_SECONDS, None
        while time.monotonic() < deadline:
            try:
                now = self.committed(admin)
            except KafkaException:
                now = None
            if now and all(now[partition] > last[partition] for partition in range(PARTITIONS)):
                return
            if now != known:
                deadline, known = time.monotonic() + PATIENCE_SECONDS, now
            for slot in self.of_kind('transform'):
                slot.go_on()
            time.sleep(0.2)

    def note_committed(self, admin):
        for partition, offset in self.committed(admin).items():
            self.notes.note('committed', partition, offset)

    def note_usable(self, name):
        producer = Producer({'bootstrap.servers': self.bootstrap, 'transactional.id': name, 'log_level': 0})
        try:
            producer.init_transactions(10)
            self.notes.note('usable', name, 'yes')
        except KafkaException as error:
            self.notes.note('usable', name, error)

    def read_to(self, ends, firsts):
        """What a reader of committed records finds in some partitions: rows by place."""
        consumer = Consumer({'bootstrap.servers': self.bootstrap, 'group.id': 'final', 'isolation.level': 'read_committed', 'log_level': 0,
                             'enable.auto.commit': False, 'enable.partition.eof': True, 'auto.offset.reset': 'error'})
        consumer.assign([TopicPartition(*place, firsts.get(place, 0)) for place in ends])
        rows, left, deadline = {place: [] for place in ends}, set(ends), time.monotonic() + PATIENCE_SECONDS
        while left:
            if time.monotonic() > deadline:
                raise SystemExit(f'a reader does not reach the end of {sorted(left)} (seed {self.seed})')
            for record in consumer.consume(1000, 0.1):
                place = record.topic(), record.partition()
                if not record.error():
                    rows[place].append(record)
                    deadline = time.monotonic() + PATIENCE_SECONDS
                elif record.error().code() == KafkaError._PARTITION_EOF and record.offset() >= ends[place]:
                    left.discard(place)
        consumer.close()
        return rows

    def read_all(self, admin):
        final = Notes(os.path.join(self.histories, 'final')).note
        for place, rows in self.read_to(self.ends(admin, [SOURCE, MADE], IsolationLevel.READ_COMMITTED), {}).items():
            for record in rows:
                final('saw', *place, record.offset(), record.value().decode())

    def clean_up(self):
        for slot in [*self.slots, *self.readers]:
            for process in slot.living():
                process.kill()
                process.wait()
        if self.proxy:
            self.proxy.kill()
            self.proxy.wait()
        if os.environ.get('KEEP'):
            say(f'the histories are in {self.folder}')
        else:
            shutil.rmtree(self.folder, ignore_errors=True)


def judge(run, said):
    history = History.read(run.histories)
    faults = check(history)
    for fault in faults:
        say(f'{fault.rule}: {fault.text}')
        say('\n'.join(history.story(fault)))
    if faults:
        raise SystemExit(f'{len(faults)} faults, seed {run.seed}')
    committed, aborted = len(history.told('commit')), len(history.told('abort'))
    if committed < COMMITTED_A_SECOND_MIN * run.seconds:
        raise SystemExit(f'only {committed} transactions were committed in {run.seconds} s: that proves little (seed {run.seed})')
    unknown = sum(txn.told is None for txn in history.txns.values())
    rows = sum(len(rows) for rows in history.final.values())
    disturbances = ', '.join(f'{count} {what}' for what, count in sorted(run.counts.items()))
    passed('transactions_checker', f'{committed} transactions committed, {aborted} aborted, {unknown} not known, {rows} records; '
           f'{disturbances}; {said}; {run.seconds} s, seed {run.seed}')


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 30)
    run = Run(seconds, seed, sys.argv[3] if len(sys.argv) > 3 else 'disk')
    # Whoever ends it leaves no processes behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(f'ended from outside (seed {seed})'))
    with run.broker:
        try:
            run.begin()
            run.disturb()
            judge(run, run.finish())
        except KafkaException as error:
            raise SystemExit(f'{error} (seed {seed})')
        finally:
            run.clean_up()


if __name__ == '__main__':
    main()
