"""One confluent-kafka consumer of a group, for migration.py: says what it has and reads, one line each, until its standard input ends.

    member.py BOOTSTRAP GROUP TOPIC classic|consumer ASSIGNOR INSTANCE|-

Lines: `assigned P,… NS`, `revoked P,… NS`, `lost P,… NS`, `read P OFFSET`, `left NS`; NS is the monotonic clock. What was read is committed before a
partition is given up.
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
    while not select.select([sys.stdin], [], [], 0)[0]:
        message = consumer.poll(0.1)
        if message is None:
            continue
        if message.error():
            if message.error().code() != KafkaError._PARTITION_EOF:
                print('fault', message.error(), flush=True)
            continue
        following[message.partition()] = message.offset() + 1
        print('read', message.partition(), message.offset(), flush=True)
    consumer.close()
    print('left', '-', time.monotonic_ns(), flush=True)


main()
