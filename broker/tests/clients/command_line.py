"""`ringlog produce`, `consume` and `group` against other people's tools on the same broker: what one wrote the others read, with
every codec, keys and headers; and both see the same group and the same offsets.

    command_line.py
"""
import json
import os
import subprocess

from confluent_kafka import Consumer, TopicPartition

from kafka import java
from ringlog import BIN, Ringlog, create_topic, passed

CODECS = ['none', 'gzip', 'snappy', 'lz4', 'zstd']
COUNT = 2000
GROUPS = 'org.apache.kafka.tools.consumer.group.ConsumerGroupCommand'


def fail(text):
    raise SystemExit(f'FAIL command_line: {text}')


def run(command, given=''):
    done = subprocess.run(command, input=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
    if done.returncode or done.stderr:
        fail(f'{" ".join(command)} ended with {done.returncode}:\n{done.stderr}')
    return done.stdout


def ringlog(broker, *words, given=''):
    return run([BIN, *words, '--bootstrap', broker.bootstrap], given)


def same(what, got, wanted):
    got, wanted = sorted(got.splitlines()), sorted(wanted.splitlines())
    if got != wanted:
        fail(f'{what}: {len(got)} lines, {len(wanted)} wanted; first difference: '
             f'{next((pair for pair in zip(got, wanted) if pair[0] != pair[1]), "one is longer")}')


def lines(codec):
    return ''.join(f'key {n % 97}|value {n} in {codec}, {"x" * (n % 300)}\n' for n in range(COUNT))


def records_cross(broker):
    """Each codec, both ways, with keys and a header; and a key has the same partition whoever chose it."""
    kcat = ['kcat', '-b', broker.bootstrap]
    for codec in CODECS:
        ours, theirs, text = f'ours-{codec}', f'theirs-{codec}', lines(codec)
        create_topic(broker, ours, 3)
        create_topic(broker, theirs, 3)
        ringlog(broker, 'produce', ours, '-K', '|', '-H', 'h=1', '-z', codec, given=text)
        run([*kcat, '-P', '-t', theirs, '-K', '|', '-H', 'h=1', '-z', codec, '-X', 'partitioner=murmur2_random'], text)
        pattern, expected = '%p %k|%s %h\\n', {}
        for topic in (ours, theirs):
            by_kcat = run([*kcat, '-C', '-t', topic, '-o', 'beginning', '-e', '-q', '-f', pattern])
            by_us = ringlog(broker, 'consume', topic, '-e', '-f', pattern)
            same(f'{topic} read by kcat and by us', by_us, by_kcat)
            same(f'{topic} as sent', ''.join(line.split(' ', 1)[1] + '\n' for line in by_us.splitlines()),
                 ''.join(line + ' h=1\n' for line in text.splitlines()))
            expected[topic] = {line.split('|')[0] for line in by_us.splitlines()}
        if expected[ours] != expected[theirs]:
            fail(f'{codec}: keys lie in other partitions than librdkafka chose')
    passed('records_cross', f'{COUNT} records, {len(CODECS)} codecs, kcat and ringlog both ways')


def java_reads(broker):
    """Kafka's console consumer and producer."""
    create_topic(broker, 'java', 1)
    ringlog(broker, 'produce', 'java', '-K', '|', '-z', 'zstd', given=lines('java'))
    got = java('org.apache.kafka.tools.consumer.ConsoleConsumer', '--bootstrap-server', broker.bootstrap, '--topic', 'java',
               '--from-beginning', '--max-messages', str(COUNT), '--formatter-property', 'print.key=true',
               '--formatter-property', 'key.separator=|')
    got = ''.join(line + '\n' for line in got.splitlines() if line.startswith('key '))
    same('the console consumer', got, lines('java'))
    passed('java_reads', f'{COUNT} records')


def groups_agree(broker):
    """One group of confluent-kafka's, seen by Kafka's tool and by ours; then reset by us, and read by Kafka's tool."""
    create_topic(broker, 'watched', 2)
    ringlog(broker, 'produce', 'watched', '-p', '0', given='x\n' * 100)
    consumer = Consumer({'bootstrap.servers': broker.bootstrap, 'group.id': 'g', 'auto.offset.reset': 'earliest',
                         'client.id': 'watcher', 'enable.auto.commit': False})
    consumer.subscribe(['watched'])
    while consumer.poll(1) is None:
        pass
    consumer.commit(offsets=[TopicPartition('watched', 0, 40)], asynchronous=False)
    ours = json.loads(ringlog(broker, 'group', 'describe', 'g', '--json'))['groups'][0]
    theirs = java(GROUPS, '--bootstrap-server', broker.bootstrap, '--describe', '--group', 'g')
    row = next(line.split() for line in theirs.splitlines() if line.split()[:3] == ['g', 'watched', '0'])
    mine = next(it for it in ours['partitions'] if it['partition'] == 0)
    if row[3:6] != [str(mine['committed']), str(mine['end_offset']), str(mine['lag'])] or row[3:6] != ['40', '100', '60']:
        fail(f'the group is {mine} here and {row} for Kafka\'s tool')
    if mine['member'] != row[6] or ours['members'][0]['client'] != 'watcher' or ours['state'] != 'Stable':
        fail(f'the member is {ours["members"]} here and {row} for Kafka\'s tool')
    refused = subprocess.run([BIN, 'group', 'reset-offsets', 'g', '--topic', 'watched', '--to', 'earliest', '--bootstrap',
                              broker.bootstrap], capture_output=True, text=True, timeout=60)
    if refused.returncode != 1 or 'stop them first' not in refused.stderr:
        fail(f'a reset under a member: {refused}')
    consumer.close()
    ringlog(broker, 'group', 'reset-offsets', 'g', '--topic', 'watched:0', '--to', 'shift:-15')
    theirs = java(GROUPS, '--bootstrap-server', broker.bootstrap, '--describe', '--group', 'g')
    row = next(line.split() for line in theirs.splitlines() if line.split()[:3] == ['g', 'watched', '0'])
    if row[3:6] != ['25', '100', '75']:
        fail(f'after our reset Kafka\'s tool says {row}')
    passed('groups_agree', 'offsets, lag and member as Kafka\'s tool has them; a reset seen by it')


def main():
    if not os.path.exists(BIN):
        fail(f'{BIN} is missing')
    with Ringlog('auto.create.topics.enable=false') as broker:
        records_cross(broker)
        java_reads(broker)
        groups_agree(broker)


main()
