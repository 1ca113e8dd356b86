"""kill -9 and loss of power under acks=all load with many producers: processes of confluent-kafka, idempotent, each with keys of its
own, run on while the broker is killed at random moments and started again. Afterwards every acknowledged record is there, once, in
order, at the offset that was acknowledged. No record is lost although each kill may come between the page cache and the journal.

    kill_nine_durable.py [KILLS [PRODUCERS [FILE_SYSTEM]]]      KILLS defaults to 5, PRODUCERS to 8

With a file system (ext4 or xfs; needs root) the broker's data lies on one of its own, which loses power before each kill: what was
not on the device by then is gone.
"""
import contextlib
import json
import os
import random
import subprocess
import sys
import threading
import time

from ringlog import Ringlog, create_topic, passed
from volume import Volume

PARTITIONS = 6


def produce(bootstrap, topic, name):
    """One producer, until its standard input ends; then tells what was acknowledged."""
    from confluent_kafka import KafkaException, Producer
    acked, faults, ending = [], [], threading.Event()

    def on_error(fault):
        if fault.fatal():
            faults.append(f'fatal: {fault}')

    def on_delivery(value):
        def delivered(fault, message):
            if fault:
                faults.append(f'{value}: {fault}')
            else:
                acked.append((message.partition(), value, message.offset()))
        return delivered

    producer = Producer({'bootstrap.servers': bootstrap, 'enable.idempotence': True, 'acks': 'all', 'linger.ms': 2,
                         'reconnect.backoff.max.ms': 200, 'retry.backoff.max.ms': 200, 'error_cb': on_error})
    threading.Thread(target=lambda: (sys.stdin.read(), ending.set()), daemon=True).start()
    number = 0
    while not ending.is_set():
        value = f'{name} {number:09}'
        try:
            producer.produce(topic, value + 'x' * (number % 7 * 40), partition=number % PARTITIONS,
                             on_delivery=on_delivery(value))
            number += 1
            producer.poll(0.001 if number % 10 == 0 else 0)
        except BufferError:
            producer.poll(0.05)
        except KafkaException as fault:
            faults.append(f'fatal: {fault}')
            break
    if not faults and producer.flush(60):
        faults.append('some records were never answered')
    json.dump({'acked': acked, 'faults': faults}, sys.stdout)


def consumer_of(bootstrap):
    from confluent_kafka import Consumer
    return Consumer({'bootstrap.servers': bootstrap, 'group.id': 'none', 'enable.auto.commit': False})


def ends_of(consumer, topic):
    from confluent_kafka import TopicPartition
    return [consumer.get_watermark_offsets(TopicPartition(topic, p), timeout=30)[1] for p in range(PARTITIONS)]


def wait_for_more(bootstrap, topic):
    """Until every partition takes records again."""
    consumer = consumer_of(bootstrap)
    begin, deadline = ends_of(consumer, topic), time.monotonic() + 60
    while any(now <= before for now, before in zip(ends_of(consumer, topic), begin)):
        if time.monotonic() > deadline:
            raise SystemExit('after the last start not every partition takes records within 60 s')
    consumer.close()


def read_back(bootstrap, topic):
    from confluent_kafka import TopicPartition
    consumer = consumer_of(bootstrap)
    ends = ends_of(consumer, topic)
    consumer.assign([TopicPartition(topic, p, 0) for p in range(PARTITIONS)])
    found = [[] for _ in range(PARTITIONS)]
    deadline = time.monotonic() + 120
    while sum(map(len, found)) < sum(ends):
        if time.monotonic() > deadline:
            raise SystemExit(f'{sum(map(len, found))} of {sum(ends)} records could be read')
        for message in consumer.consume(10000, 1.0):
            if message.error():
                raise SystemExit(str(message.error()))
            found[message.partition()].append(message.value().decode().rstrip('x'))
    consumer.close()
    return found


def faults_of(acked, found):
    faults = [f'{value} was acknowledged at {p}:{offset} and is not there' for p, value, offset in acked
              if offset >= len(found[p]) or found[p][offset] != value]
    for p, values in enumerate(found):
        last = {}
        for value in values:
            name, number = value.split()
            if int(number) <= last.get(name, -1):
                faults.append(f'partition {p}: {value} is there twice, or out of order')
            last[name] = int(number)
    return faults


def lose(broker, volume):
    """Ends the broker, and with a volume all that is not on its device."""
    time.sleep(random.uniform(0.5, 2.5))
    # Nothing is acknowledged after the kill. The other way round, a sync that is under way while the file system is shut down
    # may report success on ext4 although its transaction was thrown away (jbd2_complete_transaction).
    broker.process.kill()
    if volume:
        volume.lose_power()
    broker.process.wait()
    if volume:
        volume.restore_power()


def end(process, outputs):
    """Lets a producer end, and takes what it tells."""
    process.stdin.close()
    outputs.append(json.loads(process.stdout.read()))


def main():
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    producers = int(sys.argv[2]) if len(sys.argv) > 2 else 8
    kind = sys.argv[3] if len(sys.argv) > 3 else None
    with contextlib.ExitStack() as stack:
        volume = stack.enter_context(Volume(kind, 4096)) if kind else None
        broker = Ringlog(started=False)
        if volume:
            broker.data_dir = os.path.join(volume.path, 'data')
        stack.enter_context(broker).start()
        create_topic(broker, 'durable', PARTITIONS)
        running = [subprocess.Popen([sys.executable, __file__, 'produce', broker.bootstrap, 'durable', f'p{i}'],
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                    env=dict(os.environ, PYTHONPATH=os.path.dirname(os.path.abspath(__file__))))
                   for i in range(producers)]
        slowest = 0
        for _ in range(kills):
            lose(broker, volume)
            slowest = max(slowest, broker.start())
        wait_for_more(broker.bootstrap, 'durable')
        outputs = []
        threads = [threading.Thread(target=end, args=(process, outputs)) for process in running]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(180)
        acked = [record for output in outputs for record in output['acked']]
        faults = [fault for output in outputs for fault in output['faults']]
        if len(outputs) != producers:
            faults.append(f'{producers - len(outputs)} producers never ended')
        found = read_back(broker.bootstrap, 'durable')
        faults += faults_of(acked, found)
        if faults:
            raise SystemExit(f'kill_nine_durable: {len(faults)} faults, the first: {faults[:3]}')
        how = f'losses of power on {kind}' if kind else 'kills'
        passed('kill_nine_durable', f'{producers} producers, {kills} {how}, {len(acked)} acknowledged, '
                                    f'{sum(map(len, found))} stored; slowest start to an answer {slowest * 1000:.0f} ms')


if __name__ == '__main__':
    if sys.argv[1:2] == ['produce']:
        produce(*sys.argv[2:])
    else:
        main()
