"""Three brokers that found a cluster, any one of which is killed, paused or stopped again and again while topics are made and deleted
through all of them.

    cluster.py [SECONDS]        (60 by default)

Holds: a topic whose creation was acknowledged is there, one whose deletion was acknowledged is not, and all brokers tell the same at
the end; records that were acknowledged with acks=all by a broker that was killed are there when it is back; two brokers that are
paused leave a minority that acknowledges nothing. Tells how long the metadata quorum was away after its leader was killed.
"""
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from ringlog import BIN, free_port, say

NODES = (1, 2, 3)
# An operation that a broker cannot have carried out is given up after so long, in seconds.
PATIENCE = 4.0


class Cluster:
    def __init__(self):
        self.scratch = tempfile.mkdtemp(prefix='ringlog-cluster-')
        self.ports = {node: free_port() for node in NODES}
        self.peers = {node: free_port() for node in NODES}
        self.processes = {}

    def address(self, node):
        return f'127.0.0.1:{self.ports[node]}'

    def start(self, node):
        voters = ','.join(f'{other}@127.0.0.1:{self.peers[other]}' for other in NODES)
        with open(os.path.join(self.scratch, f'{node}.log'), 'ab') as log:
            self.processes[node] = subprocess.Popen(
                [BIN, 'start', '--node-id', str(node), '--listen', self.address(node), '--peer-listen', f'127.0.0.1:{self.peers[node]}',
                 '--bootstrap', voters, '--data-dir', os.path.join(self.scratch, str(node)), '--cores', '2'], stdout=log, stderr=log)

    def end(self, node, how):
        self.processes[node].send_signal(how)
        self.processes[node].wait(timeout=30)

    def leader(self):
        """The node that leads the quorum, as one of the others knows it."""
        for node in NODES:
            asked = subprocess.run([BIN, 'cluster', '--json', '--bootstrap', self.address(node), '--timeout', '2'], capture_output=True,
                                   text=True)
            if asked.returncode == 0:
                return json.loads(asked.stdout)['quorum']['leader']
        return None

    def close(self, keeps):
        for process in self.processes.values():
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait()
        if keeps:
            say(f'logs and data are kept in {self.scratch}')
        else:
            shutil.rmtree(self.scratch, ignore_errors=True)


def admin_of(cluster, node):
    # Through this broker alone: each names itself as the controller.
    return AdminClient({'bootstrap.servers': cluster.address(node), 'socket.timeout.ms': 3000, 'log_level': 0})


def create(cluster, node, name):
    """True if acknowledged, None if nobody knows what became of it."""
    try:
        admin = admin_of(cluster, node)
        admin.create_topics([NewTopic(name, 3, 1)], operation_timeout=3, request_timeout=PATIENCE)[name].result(timeout=PATIENCE + 1)
        return True
    except (KafkaException, TimeoutError) as error:
        return True if 'TOPIC_ALREADY_EXISTS' in str(error) else None


def delete(cluster, node, name):
    try:
        admin = admin_of(cluster, node)
        admin.delete_topics([name], operation_timeout=3, request_timeout=PATIENCE)[name].result(timeout=PATIENCE + 1)
        return True
    except (KafkaException, TimeoutError) as error:
        return True if 'UNKNOWN_TOPIC_OR_PART' in str(error) else None


def topics_of(cluster, node):
    listed = admin_of(cluster, node).list_topics(timeout=PATIENCE)
    return {name: sorted((p.id, p.leader) for p in topic.partitions.values()) for name, topic in listed.topics.items()}


class Worker(threading.Thread):
    """Makes and deletes topics; what was acknowledged is remembered."""

    def __init__(self, cluster, number):
        super().__init__(daemon=True)
        self.cluster, self.number = cluster, number
        self.there, self.gone, self.unsure = set(), set(), set()
        self.is_over = False

    def run(self):
        count = 0
        while not self.is_over:
            node = random.choice(NODES)
            if self.there and random.random() < 0.3:
                name = random.choice(sorted(self.there))
                self.there.discard(name)
                (self.gone if delete(self.cluster, node, name) else self.unsure).add(name)
                continue
            count += 1
            name = f'w{self.number}-{count}'
            (self.there if create(self.cluster, node, name) else self.unsure).add(name)


def wait_for_all(cluster, deadline_s=30):
    """Until every broker tells of the same brokers and topics, each with its leader."""
    until = time.time() + deadline_s
    while True:
        try:
            told = [topics_of(cluster, node) for node in NODES]
            if told[0] == told[1] == told[2] and all(leader > 0 for topic in told[0].values() for _, leader in topic):
                return told[0]
        except KafkaException as error:
            told = error
        if time.time() > until:
            raise AssertionError(f'the brokers do not come to tell the same: {str(told)[:2000]}')


def create_through(cluster, node, name, deadline_s=30):
    """Seconds until a topic could be made."""
    begin = time.time()
    while create(cluster, node, name) is None:
        assert time.time() < begin + deadline_s, f'no topic can be made through broker {node}'
    return time.time() - begin


def disturb(cluster, seconds, away):
    until, count = time.time() + seconds, 0
    while time.time() < until:
        count += 1
        node = random.choice(NODES)
        kind = random.choice(('kill', 'kill the leader', 'pause', 'stop'))
        if kind == 'kill the leader':
            node = cluster.leader() or node
        if kind == 'pause':
            cluster.processes[node].send_signal(signal.SIGSTOP)
            time.sleep(random.uniform(0.2, 4))
            cluster.processes[node].send_signal(signal.SIGCONT)
            continue
        cluster.end(node, signal.SIGTERM if kind == 'stop' else signal.SIGKILL)
        if kind == 'kill the leader':
            other = random.choice([other for other in NODES if other != node])
            away.append(create_through(cluster, other, f'after-{count}'))
        cluster.start(node)
        # A disturbance after another: two at a time would be a majority.
        create_through(cluster, node, f'back-{count}')
    return count


def check_minority(cluster):
    """With two of three paused nothing is acknowledged."""
    for node in (1, 2):
        cluster.processes[node].send_signal(signal.SIGSTOP)
    assert create(cluster, 3, 'of-a-minority') is None, 'one of three brokers has acknowledged a topic'
    for node in (1, 2):
        cluster.processes[node].send_signal(signal.SIGCONT)


def check_records(cluster):
    """Acknowledged records are where they were when all brokers have been killed."""
    create_through(cluster, 1, 'records')
    wait_for_all(cluster)
    producer = Producer({'bootstrap.servers': cluster.address(2), 'acks': 'all', 'log_level': 0})
    failed = []
    for number in range(3000):
        producer.produce('records', str(number), partition=number % 3, on_delivery=lambda error, _: error and failed.append(error))
    assert producer.flush(20) == 0 and not failed, failed[:3]
    for node in NODES:
        cluster.end(node, signal.SIGKILL)
    for node in NODES:
        cluster.start(node)
    wait_for_all(cluster)
    consumer = Consumer({'bootstrap.servers': cluster.address(3), 'group.id': 'all', 'log_level': 0})
    consumer.assign([TopicPartition('records', partition, 0) for partition in range(3)])
    read, until = set(), time.time() + 20
    while len(read) < 3000 and time.time() < until:
        message = consumer.poll(1)
        if message is not None and not message.error():
            read.add(int(message.value()))
    consumer.close()
    assert len(read) == 3000, f'{len(read)} of 3000 acknowledged records are there'


def run(cluster, seconds):
    for node in NODES:
        cluster.start(node)
    create_through(cluster, 1, 'first')
    workers = [Worker(cluster, number) for number in range(3)]
    for worker in workers:
        worker.start()
    away = []
    count = disturb(cluster, seconds, away)
    for worker in workers:
        worker.is_over = True
    for worker in workers:
        worker.join(timeout=30)
    told = wait_for_all(cluster)
    there = set().union(*(worker.there for worker in workers))
    gone = set().union(*(worker.gone for worker in workers))
    lost, back = there - set(told), gone & set(told)
    assert not lost, f'acknowledged topics are lost: {sorted(lost)}'
    assert not back, f'deleted topics are back: {sorted(back)}'
    half_made = {name: topic for name, topic in told.items() if name.startswith('w') and len(topic) != 3}
    assert not half_made, f'topics are half made: {half_made}'
    check_minority(cluster)
    check_records(cluster)
    median = f'{statistics.median(away) * 1000:.0f} ms' if away else 'never measured'
    say(f'PASS cluster  {count} disturbances, {len(there)} topics made, {len(gone)} deleted, none lost, none back; a topic could be made '
        f'again {median} (median of {len(away)}) after the leader of the quorum was killed')


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60
    cluster = Cluster()
    is_fine = False
    try:
        run(cluster, seconds)
        is_fine = True
    finally:
        cluster.close(keeps=not is_fine)


if __name__ == '__main__':
    main()
