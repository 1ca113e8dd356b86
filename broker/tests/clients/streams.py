"""Kafka Streams counts words: every count is right in the end.

    streams.py [at_least_once|exactly_once_v2 ...]

With exactly_once_v2 the application is killed in the middle and started again: a reader of committed records still finds each count one by one,
none twice, none left out.
"""
import collections
import os
import random
import subprocess
import sys
import time

from confluent_kafka import Consumer, Producer, TopicPartition

from kafka import JAVA
from ringlog import Ringlog, create_topic, passed

HERE = os.path.dirname(os.path.abspath(__file__))
APPS = os.path.join(os.environ['APPS'], '*')
LINES, PARTITIONS, DEADLINE_S = 4000, 2, 90


class Application:
    """The Streams application, in a process of its own."""

    def __init__(self, broker, guarantee):
        self.log_path = os.path.join(broker.scratch, 'streams-log')
        log = open(self.log_path, 'ab')
        command = [JAVA, '-Xmx256m', '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn', '-cp', APPS, os.path.join(HERE, 'WordCount.java')]
        command += [broker.bootstrap, guarantee, os.path.join(broker.scratch, 'state')]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log)

    def check(self):
        if self.process.poll() is not None:
            raise SystemExit(f'the application has ended with {self.process.returncode}:\n{self.tail()}')

    def tail(self):
        with open(self.log_path, errors='replace') as log:
            return ''.join(log.readlines()[-40:])

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.stdin.close()
        if self.process.wait(timeout=60) != 0:
            raise SystemExit(f'the application did not end well:\n{self.tail()}')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()


class Counts:
    """What a reader of committed records finds in the topic of counts."""

    def __init__(self, broker):
        self.reader = Consumer({'log_level': 2, 'bootstrap.servers': broker.bootstrap, 'group.id': 'reader', 'isolation.level': 'read_committed',
                                'enable.auto.commit': False})
        self.reader.assign([TopicPartition('counts', number, 0) for number in range(PARTITIONS)])
        self.last = {}

    def read_until(self, is_enough, application):
        end = time.monotonic() + DEADLINE_S
        while not is_enough(self.last):
            application.check()
            if time.monotonic() > end:
                raise SystemExit(f'after {DEADLINE_S} s the counts are {self.last}\n{application.tail()}')
            for message in self.reader.consume(1000, 0.2):
                if message.error():
                    raise SystemExit(f'reading counts: {message.error()}')
                self.last[message.key().decode()] = int(message.value())


def count(guarantee):
    begin = time.monotonic()
    words = ['alder', 'birch', 'cedar', 'elm', 'fir', 'hazel', 'juniper', 'larch', 'maple', 'oak']
    chance = random.Random(7)
    lines = [' '.join(chance.choices(words, k=5)) for _ in range(LINES)]
    expected = dict(collections.Counter(word for line in lines for word in line.split()))
    with Ringlog() as broker:
        create_topic(broker, 'lines', PARTITIONS)
        create_topic(broker, 'counts', PARTITIONS, cleanup_policy='compact')
        counts = Counts(broker)
        with Application(broker, guarantee) as application:
            producer = Producer({'log_level': 2, 'bootstrap.servers': broker.bootstrap})
            send(producer, lines[:LINES // 2])
            half = sum(expected.values()) // 2
            counts.read_until(lambda last: sum(last.values()) > half // 2, application)
            if guarantee == 'exactly_once_v2':
                send(producer, lines[LINES // 2:])
                application.kill()
            else:
                application.stop()
        with Application(broker, guarantee) as application:
            if guarantee != 'exactly_once_v2':
                send(producer, lines[LINES // 2:])
            counts.read_until(lambda last: sum(last.values()) >= sum(expected.values()), application)
            application.stop()
        if counts.last != expected:
            raise SystemExit(f'{guarantee}: the counts are {counts.last}, and should be {expected}')
    passed(f'streams/{guarantee}', f'{LINES} lines, {sum(expected.values())} words, {time.monotonic() - begin:.1f} s')


def send(producer, lines):
    for line in lines:
        producer.produce('lines', line)
        producer.poll(0)
    if producer.flush(30):
        raise SystemExit('the lines were not taken')


def main():
    for guarantee in sys.argv[1:] or ['at_least_once', 'exactly_once_v2']:
        count(guarantee)


main()
