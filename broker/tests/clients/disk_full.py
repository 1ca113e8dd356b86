"""A disk that runs full, on a small file system of its own (needs root). First by the broker's own records: producers are refused with
a reason before the file system is full, reading, making and deleting go on, and it takes records again when a topic was deleted,
without a restart. Then by somebody else, who leaves nothing: what cannot be written is refused, and after room was made and a restart
every acknowledged record is there.

    disk_full.py [ext4|xfs]
"""
import os
import sys
import threading
import time

from kill_nine_durable import faults_of, read_back
from ringlog import Ringlog, create_topic, passed
from volume import Volume

VOLUME_MIB = 700
PRODUCERS = 4


class Filler(threading.Thread):
    """Sends until told to stop; remembers what was acknowledged, and the last refusal."""

    def __init__(self, bootstrap, topic, name):
        super().__init__(daemon=True)
        from confluent_kafka import Producer
        self.topic, self.name_ = topic, name
        self.acked, self.refusals, self.ending = [], [], threading.Event()
        self.producer = Producer({'bootstrap.servers': bootstrap, 'acks': 'all', 'enable.idempotence': False, 'linger.ms': 2,
                                  'message.timeout.ms': 3000, 'queue.buffering.max.messages': 200,
                                  'max.in.flight.requests.per.connection': 1})

    def on_delivery(self, value):
        def delivered(fault, message):
            if fault:
                self.refusals.append(str(fault))
            else:
                self.acked.append((message.partition(), value, message.offset()))
        return delivered

    def run(self):
        number = 0
        while not self.ending.is_set():
            value = f'{self.name_} {number:09}'
            try:
                self.producer.produce(self.topic, value + 'x' * 20_000, partition=number % 6,
                                      on_delivery=self.on_delivery(value))
                number += 1
                self.producer.poll(0)
            except BufferError:
                self.producer.poll(0.05)
        self.producer.flush(30)

    def end(self):
        self.ending.set()
        self.join(60)
        return self.acked


def wait_until(what, holds, seconds=120):
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise SystemExit(f'disk_full: {what} within {seconds} s')
        time.sleep(0.05)


def free_mib(volume):
    space = os.statvfs(volume.path)
    return space.f_bavail * space.f_frsize / (1 << 20)


def check(acked, broker, topic):
    found = read_back(broker.bootstrap, topic)
    # A producer without idempotence may repeat what it was not told of.
    faults = [fault for fault in faults_of(acked, found) if 'is not there' in fault]
    if faults:
        raise SystemExit(f'disk_full: {len(faults)} of {len(acked)} acknowledged records of {topic}: {faults[:3]}')


def delete_topic(broker, topic):
    from confluent_kafka.admin import AdminClient
    admin = AdminClient({'bootstrap.servers': broker.bootstrap})
    admin.delete_topics([topic])[topic].result(30)


def fill(broker, topic):
    """Producers that run; they are refused, each several times, before this returns."""
    fillers = [Filler(broker.bootstrap, topic, f'p{i}') for i in range(PRODUCERS)]
    for filler in fillers:
        filler.start()
    wait_until('no producer was refused', lambda: all(filler.refusals for filler in fillers))
    return fillers


def main():
    kind = sys.argv[1] if len(sys.argv) > 1 else 'ext4'
    with Volume(kind, VOLUME_MIB) as volume:
        broker = Ringlog('ringlog.journal.bytes=16777216', started=False)
        broker.data_dir = os.path.join(volume.path, 'data')
        with broker:
            broker.start()
            create_topic(broker, 'ballast', 6)
            create_topic(broker, 'kept', 6)
            fillers = fill(broker, 'ballast')
            acked = [record for filler in fillers for record in filler.end()]
            least = free_mib(volume)
            if least < 20:
                raise SystemExit(f'disk_full: {least:.0f} MiB are left of what was to be kept in reserve')
            if 'disk is full' not in broker.log_tail(200):
                raise SystemExit('disk_full: the log does not say so')
            check(acked, broker, 'ballast')
            create_topic(broker, 'made-while-full', 6)
            delete_topic(broker, 'ballast')
            # Room again, and nobody started anything.
            again = Filler(broker.bootstrap, 'kept', 'q')
            again.start()
            wait_until('nothing was taken after room was made', lambda: len(again.acked) > 100)
            passed('disk_full/own', f'{kind}: {len(acked)} records, then refused with {least:.0f} MiB left ({fillers[0].refusals[0]}); '
                                    'records are taken after a topic was deleted')

            with open(os.path.join(volume.path, 'somebody-else'), 'wb') as hog:
                try:
                    while True:
                        hog.write(b'x' * (1 << 20))
                        hog.flush()
                except OSError:
                    pass
            seen = len(again.refusals)
            wait_until('no producer was refused on a disk without room', lambda: len(again.refusals) > seen)
            kept = again.end()
            os.remove(hog.name)
            broker.kill_nine()
            broker.start()
            check(kept, broker, 'kept')
            more = Filler(broker.bootstrap, 'kept', 'r')
            more.start()
            wait_until('nothing was taken after the restart', lambda: len(more.acked) > 100)
            check(kept + more.end(), broker, 'kept')
            passed('disk_full/others', f'{kind}: {len(kept)} acknowledged records are there after a disk without any room, kill -9 and a start')


main()
