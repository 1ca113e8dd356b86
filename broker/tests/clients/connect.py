"""Kafka Connect in distributed mode: a file goes through a topic into another file, over a restart of the worker, and both are the same."""
import os
import time

from ringlog import Ringlog, create_topic, free_port, passed
from workers import APPS, Worker, ask

LINES, DEADLINE_S = 5000, 90


def worker_of(broker, port):
    return Worker('org.apache.kafka.connect.cli.ConnectDistributed', broker.scratch, 'connect', {
        'bootstrap.servers': broker.bootstrap, 'group.id': 'connect', 'listeners': f'http://127.0.0.1:{port}',
        'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
        'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
        'config.storage.topic': 'connect-configs', 'config.storage.replication.factor': 1,
        'offset.storage.topic': 'connect-offsets', 'offset.storage.replication.factor': 1, 'offset.storage.partitions': 5,
        'status.storage.topic': 'connect-status', 'status.storage.replication.factor': 1, 'status.storage.partitions': 2,
        'offset.flush.interval.ms': 1000, 'plugin.path': os.path.dirname(APPS), 'plugin.discovery': 'service_load'})


def main():
    begin = time.monotonic()
    with Ringlog() as broker:
        create_topic(broker, 'lines', 1)
        source, sink, port = os.path.join(broker.scratch, 'source'), os.path.join(broker.scratch, 'sink'), free_port()
        append(source, range(LINES // 2))
        worker = worker_of(broker, port)
        with worker:
            create(worker, port, 'source', 'FileStreamSource', file=source, topic='lines')
            create(worker, port, 'sink', 'FileStreamSink', file=sink, topics='lines')
            worker.wait_for(lambda: content(sink) == content(source), 'the first half in the sink', DEADLINE_S)
            worker.stop()
        append(source, range(LINES // 2, LINES))
        with worker:
            worker.wait_for(lambda: content(sink) == content(source), 'the second half in the sink', DEADLINE_S)
            states = {name: ask(port, f'/connectors/{name}/status') for name in ('source', 'sink')}
            if any(task['state'] != 'RUNNING' for status in states.values() for task in status['tasks']):
                raise SystemExit(f'not all tasks run: {states}')
            worker.stop()
    passed('connect', f'{LINES} lines from file to file, {time.monotonic() - begin:.1f} s')


def create(worker, port, name, connector, **config):
    config = {'connector.class': connector, 'tasks.max': '1', **config}
    body = {'name': name, 'config': config}
    worker.wait_for(lambda: ask(port, '/connectors', body), f'the connector {name}', DEADLINE_S)


def append(path, numbers):
    with open(path, 'a') as file:
        file.writelines(f'line {number} of many\n' for number in numbers)


def content(path):
    if not os.path.exists(path):
        return None
    with open(path) as file:
        return file.read()


main()
