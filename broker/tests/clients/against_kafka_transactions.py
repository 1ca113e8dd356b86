"""Ringlog beside Apache Kafka in transactions: 100 records over 6 partitions each, committed back to back by several producers
(confluent-kafka, acks=all), the brokers on one and the same core and the producers on another.

    against_kafka_transactions.py [ROUNDS] [SECONDS]      4 rounds of 6 s for each broker by default

Three brokers run all the time, warm, and take turns: Ringlog with `ringlog.durability=disk` (all is on the disk before it is answered),
Ringlog with `os` (records in the page cache; what the coordinator decides is on the disk all the same), and Kafka with its default of
never syncing. Who is not measured is stopped (SIGSTOP). The ratio is of the same round, and its median is held against the floor of 4.
Settings: JAVA names the JVM (the newest that is installed by default), BROKER_CPU=0, LOAD_CPU the last core.
"""
import glob
import os
import signal
import statistics
import subprocess
import sys
import time

FLOOR = 4
PRODUCERS, PARTITIONS, RECORDS, TOPIC = 6, 6, 100, 'transactions'
WARM_UP_SECONDS, KAFKA_WARM_UP_SECONDS, LEAD_SECONDS = 3, 60, 2.5
VALUE = bytes(100)
BROKER_CPU, LOAD_CPU = (int(os.environ.get(name, default)) for name, default in
                        (('BROKER_CPU', 0), ('LOAD_CPU', os.cpu_count() - 1)))


def load(bootstrap, name, begin, end):
    """One producer: prints how many transactions were committed between the two moments."""
    from confluent_kafka import Producer
    os.sched_setaffinity(0, [LOAD_CPU])
    producer = Producer({'bootstrap.servers': bootstrap, 'transactional.id': name, 'linger.ms': 5, 'acks': 'all', 'log_level': 2})
    producer.init_transactions(30)
    count = 0
    while time.monotonic() < end:
        producer.begin_transaction()
        for number in range(RECORDS):
            producer.produce(TOPIC, VALUE, partition=number % PARTITIONS)
        producer.commit_transaction(30)
        count += begin <= time.monotonic() < end
    print(count)


class Side:
    """One broker, and what was measured of it: transactions a second, and ms of its CPU for each."""

    def __init__(self, name, broker):
        self.name, self.broker, self.rates, self.costs = name, broker, [], []

    def start(self):
        from confluent_kafka.admin import AdminClient, NewTopic
        own = os.sched_getaffinity(0)
        os.sched_setaffinity(0, [BROKER_CPU])
        self.broker.start()
        os.sched_setaffinity(0, own)
        admin = AdminClient({'bootstrap.servers': self.broker.bootstrap})
        admin.create_topics([NewTopic(TOPIC, PARTITIONS, 1)])[TOPIC].result(30)

    def cpu_seconds(self):
        with open(f'/proc/{self.broker.process.pid}/stat') as stat:
            fields = stat.read().rsplit(')', 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')

    def run(self, seconds):
        """(transactions a second, ms of CPU each), while all others stand still."""
        begin = time.monotonic() + LEAD_SECONDS
        command = [sys.executable, __file__, 'load', self.broker.bootstrap]
        loads = [subprocess.Popen([*command, f'p{number}', str(begin), str(begin + seconds)], stdout=subprocess.PIPE, text=True)
                 for number in range(PRODUCERS)]
        time.sleep(begin - time.monotonic())
        before = self.cpu_seconds()
        time.sleep(begin + seconds - time.monotonic())
        used = self.cpu_seconds() - before
        count = sum(int(load.communicate(timeout=60)[0]) for load in loads)
        return count / seconds, 1000 * used / max(count, 1)

    def pause(self):
        self.broker.process.send_signal(signal.SIGSTOP)

    def measure(self, seconds):
        self.broker.process.send_signal(signal.SIGCONT)
        rate, cost = self.run(seconds)
        self.rates.append(rate)
        self.costs.append(cost)
        self.pause()


def measure(sides, rounds, seconds):
    for side in sides:
        side.start()
        side.run(KAFKA_WARM_UP_SECONDS if side.name == 'kafka' else WARM_UP_SECONDS)
        side.pause()
    for number in range(rounds):
        # The order turns, so that nobody is always behind the same one.
        for side in sides[number % len(sides):] + sides[:number % len(sides)]:
            side.measure(seconds)


def text_of(side):
    rates = ' '.join(f'{rate:.0f}' for rate in side.rates)
    return (f'{side.name}: {statistics.median(side.rates):.0f} transactions/s ({rates}), '
            f'{statistics.median(side.costs):.2f} ms of CPU each')


def main():
    found = sorted(glob.glob('/usr/lib/jvm/*-2[1-9]-*/bin/java'))
    os.environ.setdefault('JAVA', found[-1] if found else 'java')
    from kafka import Kafka
    from ringlog import Ringlog, say
    rounds, seconds = (int(word) for word in (sys.argv[1:] + ['4', '6'][len(sys.argv) - 1:])[:2])
    brokers = {'ringlog disk': Ringlog(cores=1, started=False), 'ringlog os': Ringlog('ringlog.durability=os', cores=1, started=False),
               'kafka': Kafka('transaction.state.log.num.partitions=50', 'broker.session.timeout.ms=600000')}
    sides = [Side(name, broker) for name, broker in brokers.items()]
    try:
        measure(sides, rounds, seconds)
    finally:
        for broker in brokers.values():
            broker.__exit__(None, None, None)
    for side in sides:
        say(text_of(side))
    bad = 0
    for side in sides[:2]:
        ratios = [ours / theirs for ours, theirs in zip(side.rates, sides[2].rates)]
        ratio = statistics.median(ratios)
        bad += ratio < FLOOR
        say(f'{"FAIL" if ratio < FLOOR else "PASS"} against_kafka_transactions  {side.name} to kafka: {ratio:.1f} '
            f'({min(ratios):.1f} to {max(ratios):.1f}), {FLOOR} or more; CPU each: '
            f'{statistics.median(side.costs) / statistics.median(sides[2].costs):.2f}')
    raise SystemExit(1 if bad else 0)


if sys.argv[1:2] == ['load']:
    load(sys.argv[2], sys.argv[3], float(sys.argv[4]), float(sys.argv[5]))
else:
    main()
