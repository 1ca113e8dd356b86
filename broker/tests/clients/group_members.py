"""Members of a group that are processes of their own (member.py, Member.java), and what they said; a producer that runs beside them.

Used by migration.py and group_faults.py.
"""
import os
import subprocess
import sys
import tempfile
import threading
import time

from confluent_kafka import Producer

from kafka import CLASSES, JAVA

HERE = os.path.dirname(os.path.abspath(__file__))


def compiled():
    """Member.java as a class, made once: a JVM that compiles first takes seconds."""
    if not hasattr(compiled, 'folder'):
        compiled.folder = tempfile.TemporaryDirectory(prefix='ringlog-member-')
        javac = os.path.join(os.path.dirname(JAVA), 'javac') if os.sep in JAVA else 'javac'
        subprocess.run([javac, '-cp', CLASSES, '-d', compiled.folder.name, os.path.join(HERE, 'Member.java')], check=True)
    return compiled.folder.name


class Member:
    """A process that is a member; what it says is kept."""

    def __init__(self, client, broker, topic, protocol, assignor, instance='-'):
        if client == 'java':
            command = [JAVA, '-Xmx96m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1',
                       '-Dorg.slf4j.simpleLogger.defaultLogLevel=error', '-cp', f'{compiled()}:{CLASSES}', 'Member']
        else:
            command = [sys.executable, os.path.join(HERE, 'member.py')]
        arguments = [broker.bootstrap, 'group-' + topic, topic, protocol, assignor, instance]
        self.name = f'{client}-{protocol}-{instance}'
        self.process = subprocess.Popen([*command, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines, self.took, self.has = [], [], set()  # took: partition, first, last, when
        self.had = []  # partition, from, to
        self.since = {}
        self.thread = threading.Thread(target=self.listen, daemon=True)
        self.thread.start()

    def listen(self):
        for line in self.process.stdout:
            words = line.split()
            if words[0] == 'took':
                self.took.append(tuple(int(word) for word in words[1:5]))
                continue
            self.lines.append(line.strip())
            if words[0] not in ('assigned', 'revoked', 'lost'):
                continue
            numbers = [int(number) for number in words[1].split(',')] if words[1] != '-' else []
            for number in numbers:
                if words[0] == 'assigned':
                    self.since[number] = int(words[2])
                    self.has.add(number)
                elif number in self.since:
                    self.had.append((number, self.since.pop(number), int(words[2])))
                    self.has.discard(number)

    def leave(self):
        self.process.stdin.write('\n')
        self.process.stdin.flush()
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise SystemExit(f'{self.name} does not leave: {self.lines}')
        self.thread.join(timeout=10)


class Producing:
    """A producer that runs on, and how many records each partition has."""

    def __init__(self, broker, topic, partitions, a_second=1000):
        self.counts, self.a_second = [0] * partitions, a_second
        self.producer = Producer({'log_level': 2, 'bootstrap.servers': broker.bootstrap, 'linger.ms': 5})
        self.topic, self.is_over = topic, threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        number, begin = 0, time.monotonic()
        while not self.is_over.wait(0.005):
            due = (time.monotonic() - begin) * self.a_second
            while number < due:
                try:
                    self.producer.produce(self.topic, b'record' * 16, partition=number % len(self.counts), on_delivery=self.delivered)
                except BufferError:
                    break
                number += 1
            self.producer.poll(0)

    def delivered(self, fault, message):
        if fault is None:
            self.counts[message.partition()] += 1

    def end(self):
        self.is_over.set()
        self.thread.join()
        if self.producer.flush(30):
            raise SystemExit('the producer does not get rid of its records')


def unread(members, counts):
    """How many records nobody took, the first of them, and how many were taken more than once."""
    missing, first, twice = 0, None, 0
    for partition, count in enumerate(counts):
        ranges = sorted((begin, end) for member in members for number, begin, end, _ in member.took if number == partition)
        at = 0
        for begin, end in ranges:
            if begin > at:
                missing, first = missing + begin - at, first or (partition, at)
            twice += max(0, min(at, end + 1) - begin)
            at = max(at, end + 1)
        if at < count:
            missing, first = missing + count - at, first or (partition, at)
    return missing, first, twice
