"""A real Kafka of a test's own: one process, broker and controller, with its data in a temporary directory.

JARS names the directory of its jars (prepare.sh sets it), JAVA the JVM.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from ringlog import answers_at, free_port

JARS = os.environ.get('JARS') or os.path.expanduser('~/.cache/ringlog-check/kafka/libs')
JAVA = os.environ.get('JAVA', 'java')
CLASSES = os.path.join(JARS, '*')


def java(*words):
    """Runs one of Kafka's tools; returns what it says."""
    command = [JAVA, '-Xmx256m', '-cp', CLASSES, *words]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise SystemExit(f'{" ".join(words)} ended with {done.returncode}:\n{done.stdout}')
    return done.stdout


class Kafka:
    """Use it in a `with`: leaving kills the process and removes the data."""

    def __init__(self, *settings, heap='512m'):
        self.heap = heap
        self.scratch = tempfile.mkdtemp(prefix='kafka-test-')
        self.log_dir = os.path.join(self.scratch, 'data')
        self.port, controller = free_port(), free_port()
        self.log_path = os.path.join(self.scratch, 'log')
        self.process = None
        self.properties = os.path.join(self.scratch, 'properties')
        lines = [
            'process.roles=broker,controller', 'node.id=1', f'controller.quorum.voters=1@127.0.0.1:{controller}',
            f'listeners=PLAINTEXT://127.0.0.1:{self.port},CONTROLLER://127.0.0.1:{controller}',
            'controller.listener.names=CONTROLLER', f'log.dirs={self.log_dir}', 'offsets.topic.num.partitions=1',
            'offsets.topic.replication.factor=1', 'transaction.state.log.replication.factor=1',
            'transaction.state.log.min.isr=1', 'transaction.state.log.num.partitions=1',
            'group.initial.rebalance.delay.ms=0', *settings]
        with open(self.properties, 'w') as file:
            file.write('\n'.join(lines) + '\n')
        java('kafka.tools.StorageTool', 'format', '-t', 'MkU3OEVBNTcwNTJENDM2Qg', '-c', self.properties)

    @property
    def bootstrap(self):
        return f'127.0.0.1:{self.port}'

    def start(self):
        log = open(self.log_path, 'ab')
        command = [JAVA, f'-Xmx{self.heap}', '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn', '-cp', CLASSES, 'kafka.Kafka']
        self.process = subprocess.Popen([*command, self.properties], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        begin = time.monotonic()
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() - begin > 120:
                raise SystemExit(f'Kafka does not answer:\n{self.log_tail()}')
            time.sleep(0.1)

    def answers(self):
        return answers_at(self.port)

    def stop(self):
        """In order, so that it leaves its files closed."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=120)

    def log_tail(self, lines=30):
        with open(self.log_path, errors='replace') as log:
            return ''.join(log.readlines()[-lines:])

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, fault, *_):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if fault:
            print('--- the end of Kafka\'s log:\n' + self.log_tail(), file=sys.stderr)
        shutil.rmtree(self.scratch, ignore_errors=True)
