"""MirrorMaker 2 copies a real Kafka to Ringlog, and Ringlog to a real Kafka: topics, records and what groups have committed.

    mirror.py [to_ringlog|to_kafka ...]
"""
import sys
import time

from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from kafka import Kafka
from ringlog import Ringlog, passed
from workers import Worker

RECORDS, PARTITIONS, DEADLINE_S = 3000, 3, 80


def mirror(name, source, target, scratch):
    begin = time.monotonic()
    maker = AdminClient({'bootstrap.servers': source})
    maker.create_topics([NewTopic('orders', PARTITIONS, 1, config={'retention.ms': '7200000'})])['orders'].result(30)
    written = write(source)
    worker = Worker('org.apache.kafka.connect.mirror.MirrorMaker', scratch, 'mirror', {
        'clusters': 'a, b', 'a.bootstrap.servers': source, 'b.bootstrap.servers': target, 'a->b.enabled': 'true', 'b->a.enabled': 'false',
        'topics': 'orders', 'groups': 'audit', 'replication.factor': 1, 'tasks.max': 2, 'refresh.topics.interval.seconds': 1,
        'refresh.groups.interval.seconds': 1, 'emit.checkpoints.interval.seconds': 1, 'sync.group.offsets.enabled': 'true',
        'sync.group.offsets.interval.seconds': 1, 'sync.topic.configs.interval.seconds': 1, 'offset.lag.max': 0,
        'sync.topic.acls.enabled': 'false', 'offset-syncs.topic.replication.factor': 1, 'checkpoints.topic.replication.factor': 1,
        'heartbeats.topic.replication.factor': 1, 'offset.storage.replication.factor': 1, 'config.storage.replication.factor': 1,
        'status.storage.replication.factor': 1})
    with worker:
        admin = AdminClient({'bootstrap.servers': target})
        is_made = lambda: 'a.orders' in admin.list_topics(timeout=20).topics
        worker.wait_for(is_made, 'the topic', DEADLINE_S)
        is_whole = lambda: sum(ends(target).values()) >= RECORDS
        worker.wait_for(is_whole, 'all records', DEADLINE_S)
        more = write(source, RECORDS)
        written = {number: written[number] + more[number] for number in written}
        worker.wait_for(lambda: sum(ends(target).values()) >= 2 * RECORDS, 'the records of a topic that is mirrored', DEADLINE_S)
        copied = read(target)
        if copied != written:
            raise SystemExit(f'{name}: other records than were written')
        # MirrorMaker knows the place in the copy exactly for the end alone; behind it, it is careful.
        committed = commit(source)
        worker.wait_for(lambda: offsets(admin) == committed, f'the offsets {committed} of the group', DEADLINE_S)
        worker.stop()
    passed(f'mirror/{name}', f'{2 * RECORDS} records, offsets {committed}, {time.monotonic() - begin:.1f} s')


def write(bootstrap, first=0):
    producer, written = Producer({'log_level': 2, 'bootstrap.servers': bootstrap, 'acks': 'all'}), {number: [] for number in range(PARTITIONS)}
    for number in range(first, first + RECORDS):
        place, record = number % PARTITIONS, (b'key %d' % number, b'value %d' % number, [('h', b'%d' % number)])
        producer.produce('orders', key=record[0], value=record[1], headers=record[2], partition=place)
        written[place].append(record)
        producer.poll(0)
    if producer.flush(30):
        raise SystemExit('the records were not taken')
    return written


def commit(bootstrap):
    """The group has read all there is."""
    consumer = Consumer({'log_level': 2, 'bootstrap.servers': bootstrap, 'group.id': 'audit'})
    places = {number: 2 * RECORDS // PARTITIONS for number in range(PARTITIONS)}
    consumer.commit(offsets=[TopicPartition('orders', *place) for place in places.items()], asynchronous=False)
    consumer.close()
    return places


def reader(bootstrap):
    return Consumer({'log_level': 2, 'bootstrap.servers': bootstrap, 'group.id': 'reader', 'enable.auto.commit': False})


def ends(bootstrap):
    consumer = reader(bootstrap)
    found = {number: consumer.get_watermark_offsets(TopicPartition('a.orders', number), timeout=20)[1] for number in range(PARTITIONS)}
    consumer.close()
    return found


def read(bootstrap):
    consumer, copied = reader(bootstrap), {number: [] for number in range(PARTITIONS)}
    consumer.assign([TopicPartition('a.orders', number, 0) for number in range(PARTITIONS)])
    end = time.monotonic() + DEADLINE_S
    while sum(map(len, copied.values())) < 2 * RECORDS:
        if time.monotonic() > end:
            raise SystemExit(f'reading the copy: only {sum(map(len, copied.values()))} records')
        for message in consumer.consume(1000, 0.5):
            copied[message.partition()].append((message.key(), message.value(), message.headers()))
    consumer.close()
    return copied


def offsets(admin):
    asked = admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions('audit')])
    found = asked['audit'].result(30).topic_partitions
    return {one.partition: one.offset for one in found if one.topic == 'a.orders'}


def main():
    for name in sys.argv[1:] or ['to_ringlog', 'to_kafka']:
        with Ringlog() as broker, Kafka() as kafka:
            if name == 'to_ringlog':
                mirror(name, kafka.bootstrap, broker.bootstrap, broker.scratch)
            else:
                mirror(name, broker.bootstrap, kafka.bootstrap, broker.scratch)


main()
