"""A Ringlog process of a test's own: starts it on a free port with a data directory of its own, watches it, ends it.

RINGLOG_BIN names the binary (default: target/release/ringlog of this repository, or below CARGO_TARGET_DIR).
"""
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), '..', '..', '..'))
BIN = os.environ.get('RINGLOG_BIN') or os.path.join(
    os.environ.get('CARGO_TARGET_DIR', os.path.join(TOP, 'target')), 'release', 'ringlog')
TICKS = os.sysconf('SC_CLK_TCK')


def free_port():
    """A port below the ephemeral ones, so that no client's own end takes it while the broker is down."""
    while True:
        port = random.randrange(15000, 32000)
        with socket.socket() as probe:
            if probe.connect_ex(('127.0.0.1', port)) != 0:
                return port


def answers_at(port):
    """Whether an ApiVersions request is answered there."""
    try:
        with socket.create_connection(('127.0.0.1', port), timeout=5) as peer:
            peer.sendall(API_VERSIONS)
            return len(receive_frame(peer)) > 4
    except OSError:
        return False


class Ringlog:
    """One broker. Use it in a `with`: leaving ends the process and removes the data."""

    def __init__(self, *settings, cores=None, port=None, started=True):
        self.scratch = tempfile.mkdtemp(prefix='ringlog-test-')
        self.data_dir = os.path.join(self.scratch, 'data')
        self.port = port or free_port()
        self.settings = settings
        self.cores = cores
        self.process = None
        self.log_path = os.path.join(self.scratch, 'log')
        self.started = started

    @property
    def bootstrap(self):
        return f'127.0.0.1:{self.port}'

    def start(self, cores=None):
        """Starts it and waits until it answers; returns the seconds that took."""
        cores = cores or self.cores
        command = [BIN, 'start', '--listen', self.bootstrap, '--data-dir', self.data_dir]
        command += ['--cores', str(cores)] if cores else []
        for setting in self.settings:
            command += ['--set', setting]
        log = open(self.log_path, 'ab')
        begin = time.monotonic()
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        while not self.answers():
            if self.process.poll() is not None:
                raise SystemExit(f'ringlog ended with {self.process.returncode}:\n{self.log_tail()}')
            if time.monotonic() - begin > 60:
                raise SystemExit(f'ringlog does not answer after 60 s:\n{self.log_tail()}')
            time.sleep(0.002)
        return time.monotonic() - begin

    def answers(self):
        return answers_at(self.port)

    def kill_nine(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        """SIGTERM; returns the exit code."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            raise SystemExit(f'ringlog did not stop within 30 s of SIGTERM:\n{self.log_tail()}')

    def log_tail(self, lines=30):
        if not os.path.exists(self.log_path):
            return '(it was never started)'
        with open(self.log_path, errors='replace') as log:
            return ''.join(log.readlines()[-lines:])

    def resident_mib(self):
        return self.status('VmRSS') / 1024

    def peak_mib(self):
        return self.status('VmHWM') / 1024

    def status(self, name):
        with open(f'/proc/{self.process.pid}/status') as status:
            for line in status:
                if line.startswith(name + ':'):
                    return int(line.split()[1])
        raise KeyError(name)

    def cpu_seconds(self):
        """User and system time of the process and its threads, the kernel's workers for its rings included."""
        with open(f'/proc/{self.process.pid}/stat') as stat:
            fields = stat.read().rsplit(')', 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def __enter__(self):
        if self.started:
            self.start()
        return self

    def __exit__(self, fault, *_):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if fault:
            print('--- the end of the broker\'s log:\n' + self.log_tail(), file=sys.stderr)
        shutil.rmtree(self.scratch, ignore_errors=True)


# Frames by hand, for tests that misbehave on purpose.

def request(key, version, body, correlation=1, flexible=False):
    """A whole request frame; the client id is 'raw'."""
    head = struct.pack('>hhih', key, version, correlation, 3) + b'raw' + (b'\0' if flexible else b'')
    return struct.pack('>i', len(head) + len(body)) + head + body


API_VERSIONS = request(18, 0, b'')


def string(text):
    return struct.pack('>h', len(text)) + text.encode()


def receive_exactly(peer, size):
    parts = []
    while size:
        part = peer.recv(min(size, 1 << 20))
        if not part:
            raise ConnectionError('closed by the broker')
        parts.append(part)
        size -= len(part)
    return b''.join(parts)


def receive_frame(peer):
    """The next response without its size."""
    return receive_exactly(peer, struct.unpack('>i', receive_exactly(peer, 4))[0])


def create_topic(broker, name, partitions, **configs):
    """CreateTopics v2 over a connection of its own."""
    entries = b''.join(string(k.replace('_', '.')) + string(str(v)) for k, v in configs.items())
    topic = string(name) + struct.pack('>ihi', partitions, 1, 0) + struct.pack('>i', len(configs)) + entries
    body = struct.pack('>i', 1) + topic + struct.pack('>i?', 30000, False)
    with socket.create_connection(('127.0.0.1', broker.port), timeout=30) as peer:
        peer.sendall(request(19, 2, body))
        answer = receive_frame(peer)
    code = struct.unpack('>h', answer[12 + 2 + len(name):][:2])[0]
    if code:
        raise SystemExit(f'CreateTopics {name}: error {code}')


def fetch(topic, partition, offset, max_bytes, wait_ms, min_bytes=1, correlation=1):
    """A Fetch v4 request of one partition."""
    body = struct.pack('>iiiibi', -1, wait_ms, min_bytes, max_bytes, 0, 1) + string(topic)
    body += struct.pack('>iiqi', 1, partition, offset, max_bytes)
    return request(1, 4, body, correlation)


def say(text):
    print(text, flush=True)


def passed(name, text=''):
    say(f'PASS {name}  {text}'.rstrip())
