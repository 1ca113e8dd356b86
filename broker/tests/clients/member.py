"""One confluent-kafka consumer of a group, for group_members.py: says what it has and reads, one line each, until its standard input ends.

    member.py BOOTSTRAP GROUP TOPIC classic|consumer ASSIGNOR INSTANCE|-

Lines: `assigned P,… NS`, `revoked P,… NS`, `lost P,… NS`, `took P FIRST LAST NS`, `left - NS`; NS is the monotonic clock. What was read is committed every
second, and before a partition is given up.
"""
import select
import sys
import time

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition


def say(word, partitions):
    numbers = ','.join(str(one.partition) for one in partitions)
    print(word, numbers or '-', time.monotonic_ns(), flush=True)


def main():
    bootstrap, group, topic, protocol, assignor, instance = sys.argv[1:7]
    settings = {'bootstrap.servers': bootstrap, 'group.id': group, 'group.protocol': protocol, 'auto.offset.reset': 'earliest',
                'enable.auto.commit': False, 'topic.metadata.refresh.interval.ms': 1000}
    if protocol == 'classic':
        settings.update({'partition.assignment.strategy': assignor, 'session.timeout.ms': 10000, 'heartbeat.interval.ms': 300})
    if instance != '-':
        settings['group.instance.id'] = instance
    consumer = Consumer(settings)
    following = {}

    def commit(partitions):
        offsets = [TopicPartition(topic, one.partition, following.pop(one.partition)) for one in partitions
                   if one.partition in following]
        if offsets:
            try:
                consumer.commit(offsets=offsets, asynchronous=False)
            except KafkaException as fault:
                print('uncommitted', fault.args[0].name(), flush=True)

    def on_assign(_, partitions):
        say('assigned', partitions)

    def on_revoke(_, partitions):
        commit(partitions)
        say('revoked', partitions)

    def on_lost(_, partitions):
        for one in partitions:
            following.pop(one.partition, None)
        say('lost', partitions)

    consumer.subscribe([topic], on_assign=on_assign, on_revoke=on_revoke, on_lost=on_lost)
    commit_at = time.monotonic() + 1
    while not select.select([sys.stdin], [], [], 0)[0]:
        took = {}
        for message in consumer.consume(1000, 0.1):
            if message.error():
                if message.error().code() != KafkaError._PARTITION_EOF:
                    print('fault', message.error(), flush=True)
                continue
            offset = message.offset()
            took.setdefault(message.partition(), [offset, offset])[1] = offset
        for partition, (first, last) in took.items():
            following[partition] = last + 1
            print('took', partition, first, last, time.monotonic_ns(), flush=True)
        if following and time.monotonic() >= commit_at:
            commit_at = time.monotonic() + 1
            offsets = [TopicPartition(topic, partition, offset) for partition, offset in following.items()]
            try:
                consumer.commit(offsets=offsets, asynchronous=True)
            except KafkaException as fault:
                print('uncommitted', fault.args[0].name(), flush=True)
    consumer.close()
    print('left', '-', time.monotonic_ns(), flush=True)


main()
