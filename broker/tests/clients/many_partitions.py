"""Thousands of partitions: how long they take to make, what they cost idle, how soon a broker serves again after kill -9 and after
a clean stop, and how long a clean stop takes.

    many_partitions.py quick           1,000 partitions: checks what must hold anywhere, and prints the figures
    many_partitions.py create          5,000 partitions in one request, as one topic and as fifty; each is written to
    many_partitions.py idle            50,000 partitions with a record each: memory, CPU, Metadata, a fetch session, stops, starts
    many_partitions.py restart [GIB]   20 GiB in 5,000 partitions, acks=1 and acks=all, killed while it writes
    many_partitions.py all             all but quick, 20 GiB of disk and about ten minutes
"""
import atexit
import os
import resource
import shutil
import socket
import statistics
import struct
import subprocess
import sys
import threading
import time

from ringlog import BIN, Ringlog, passed, receive_frame, request, say, string

PER_REQUEST = 500
PROBE = 'probe'


class Kept(Ringlog):
    """A broker whose data stays until the end of all: for half a minute ext4 is slow in making files after many were removed."""

    def __exit__(self, *fault):
        scratch, self.scratch = self.scratch, self.scratch + '-gone'
        super().__exit__(*fault)
        atexit.register(shutil.rmtree, scratch, ignore_errors=True)


# --- frames --------------------------------------------------------------------------------------------------------------

def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def one_record_batch(value):
    record = b'\0\0\0\1' + bytes([2 * len(value)]) + value + b'\0'
    record = bytes([2 * len(record)]) + record
    now = int(time.time() * 1000)
    body = struct.pack('>hiqqqhii', 0, 0, now, now, -1, -1, -1, 1) + record
    return struct.pack('>qiibI', 0, 4 + 1 + 4 + len(body), -1, 2, crc32c(body)) + body


class Line:
    """A connection that asks one thing at a time."""

    def __init__(self, broker):
        self.peer = socket.create_connection(('127.0.0.1', broker.port), timeout=120)
        self.peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, key, version, body):
        self.peer.sendall(request(key, version, body))
        return receive_frame(self.peer)[4:]

    def close(self):
        self.peer.close()


def create_topics(line, topics, **configs):
    body = struct.pack('>i', len(topics))
    entries = b''.join(string(name.replace('_', '.')) + string(value) for name, value in configs.items())
    for name, count in topics:
        body += string(name) + struct.pack('>ihii', count, 1, 0, len(configs)) + entries
    answer = line.ask(19, 2, body + struct.pack('>i?', 60000, False))
    at = 8
    for _ in range(struct.unpack('>i', answer[4:8])[0]):
        at += 2 + struct.unpack('>h', answer[at:at + 2])[0]
        code, size = struct.unpack('>hh', answer[at:at + 4])
        if code:
            raise SystemExit(f'CreateTopics: error {code} {answer[at + 4:at + 4 + size]}')
        at += 2 + 2 + max(size, 0)


def metadata_frame(line, names):
    body = struct.pack('>i', -1 if names is None else len(names)) + b''.join(string(name) for name in names or [])
    return line.ask(3, 1, body)


def leaders(answer):
    """How many partitions have a leader, of a Metadata response of version 1."""
    at, led = 4, 0
    for _ in range(struct.unpack('>i', answer[:4])[0]):
        at += 4
        at += 2 + struct.unpack('>h', answer[at:at + 2])[0] + 4
        at += 2 + max(struct.unpack('>h', answer[at:at + 2])[0], 0)
    count = struct.unpack('>i', answer[at + 4:at + 8])[0]
    at += 8
    for _ in range(count):
        at += 2
        at += 2 + struct.unpack('>h', answer[at:at + 2])[0] + 1
        partitions = struct.unpack('>i', answer[at:at + 4])[0]
        at += 4
        for _ in range(partitions):
            code, _, leader, replicas = struct.unpack('>hiii', answer[at:at + 14])
            at += 14 + 4 * replicas
            at += 4 + 4 * struct.unpack('>i', answer[at:at + 4])[0]
            led += code == 0 and leader >= 0
    return led


def produce(line, topic, partitions, batch, acks=1):
    body = struct.pack('>hhii', -1, acks, 60000, 1) + string(topic) + struct.pack('>i', len(partitions))
    body += b''.join(struct.pack('>ii', number, len(batch)) + batch for number in partitions)
    answer = line.ask(0, 3, body)
    at = 4 + 2 + len(topic)
    count = struct.unpack('>i', answer[at:at + 4])[0]
    codes = [struct.unpack('>ih', answer[at + 4 + 22 * i:at + 10 + 22 * i]) for i in range(count)]
    bad = [(number, code) for number, code in codes if code]
    if bad or count != len(partitions):
        raise SystemExit(f'produce to {topic}: {count} answers, errors {bad[:5]}')


def fetch_one(line, topic, partition, offset=0):
    """Error, high watermark and number of bytes."""
    body = struct.pack('>iiiibi', -1, 0, 1, 1 << 20, 0, 1) + string(topic) + struct.pack('>iiqi', 1, partition, offset, 1 << 20)
    answer = line.ask(1, 4, body)
    at = 4 + 4 + 2 + len(topic) + 4 + 4
    code, high_watermark, _, aborted = struct.unpack('>hqqi', answer[at:at + 22])
    return code, high_watermark, struct.unpack('>i', answer[at + 22 + 16 * max(aborted, 0):][:4])[0]


def chunks(count):
    return [range(first, min(first + PER_REQUEST, count)) for first in range(0, count, PER_REQUEST)]


# --- what is measured ----------------------------------------------------------------------------------------------------

def create_once(topics):
    """Seconds until all is answered, until Metadata shows all led, until each partition has taken a record."""
    total = sum(count for _, count in topics)
    batch = one_record_batch(b'v')
    with Kept(cores=2) as broker:
        line = Line(broker)
        begin = time.monotonic()
        create_topics(line, topics)
        made = time.monotonic() - begin
        led = leaders(metadata_frame(line, [name for name, _ in topics]))
        shown = time.monotonic() - begin
        if led != total:
            raise SystemExit(f'{led} of {total} partitions have a leader')
        for name, count in topics:
            for numbers in chunks(count):
                produce(line, name, numbers, batch)
        return made, shown, time.monotonic() - begin


def create(count, runs=3):
    for what, topics in [(f'1 topic of {count}', [('one', count)]),
                         (f'{count // 100} topics of 100', [(f'many-{i}', 100) for i in range(count // 100)])]:
        times = [create_once(topics) for _ in range(runs)]
        made, shown, written = (statistics.median(column) for column in zip(*times))
        passed('many_partitions/create', f'{what}: {made * 1000:.0f} ms to the answer, {shown * 1000:.0f} ms to Metadata with all '
               f'leaders, {written * 1000:.0f} ms until each has taken a record; medians of {runs}')


def descriptors(broker):
    return len(os.listdir(f'/proc/{broker.process.pid}/fd'))


def cpu_percent(broker, seconds=10):
    before, begin = broker.cpu_seconds(), time.monotonic()
    time.sleep(seconds)
    return 100 * (broker.cpu_seconds() - before) / (time.monotonic() - begin)


class Stalls(threading.Thread):
    """Asks something small all the time, over a connection to each core that takes one: the longest answer is a stall."""

    def __init__(self, broker):
        super().__init__(daemon=True)
        self.line = Line(broker)
        self.is_over = False
        self.longest = 0

    def run(self):
        while not self.is_over:
            begin = time.monotonic()
            metadata_frame(self.line, [])
            self.longest = max(self.longest, time.monotonic() - begin)
            time.sleep(0.001)

    def end_ms(self):
        self.is_over = True
        self.join()
        self.line.close()
        return self.longest * 1000


def timed_ms(act):
    begin = time.monotonic()
    result = act()
    return (time.monotonic() - begin) * 1000, result


def fetch_session(broker, topics):
    """A session over all partitions: ms of its first fetch, of an empty one after it, and bytes of both answers."""
    line = Line(broker)
    def body(session, epoch, topics, wait_ms):
        head = struct.pack('>iiiibii', -1, wait_ms, 1, 1 << 20, 0, session, epoch) + struct.pack('>i', len(topics))
        each = [string(name) + struct.pack('>i', count) + b''.join(struct.pack('>iqqi', number, 1, -1, 1 << 20) for number in range(count))
                for name, count in topics]
        return head + b''.join(each) + struct.pack('>i', 0)
    first_ms, answer = timed_ms(lambda: line.ask(1, 7, body(0, 0, topics, 0)))
    code, session = struct.unpack('>hi', answer[4:10])
    if code or not session:
        raise SystemExit(f'fetch session: error {code}, session {session}')
    next_ms, empty = timed_ms(lambda: line.ask(1, 7, body(session, 1, [], 0)))
    line.close()
    return first_ms, next_ms, len(answer), len(empty)


def restarts(broker, what, check, runs=3):
    """Stops and starts: ms of clean stops, of starts after them, and of starts after kill -9; each served when `check` passes."""
    for kill in [False, True]:
        stops, listening, served = [], [], []
        for _ in range(runs):
            if kill:
                broker.kill_nine()
            else:
                stop_ms, code = timed_ms(broker.stop)
                stops.append(stop_ms)
                if code:
                    raise SystemExit(f'a clean stop ended with {code}')
            begin = time.monotonic()
            broker.start()
            listening.append((time.monotonic() - begin) * 1000)
            check()
            served.append((time.monotonic() - begin) * 1000)
        how = 'kill -9' if kill else 'a clean stop'
        stop = '' if kill else f'a clean stop takes {statistics.median(stops):.0f} ms ({max(stops):.0f} the longest); '
        passed('many_partitions/restart', f'{what}: {stop}listens {statistics.median(listening):.0f} ms after a start after {how}, Metadata '
               f'and fetches answered after {statistics.median(served):.0f} ms ({max(served):.0f} the longest); medians of {runs}')


def idle(topic_count, partitions_each, mib_max=None, rests=False, seconds=10):
    topics = [(f'idle-{i}', partitions_each) for i in range(topic_count)]
    total, batch = topic_count * partitions_each, one_record_batch(b'v')
    with Kept(cores=2) as broker:
        line = Line(broker)
        each = max(1, 5000 // partitions_each)
        made_ms, _ = timed_ms(lambda: [create_topics(line, topics[i:i + each]) for i in range(0, len(topics), each)])
        bare = broker.resident_mib()
        wrote_ms, _ = timed_ms(lambda: [produce(line, name, numbers, batch) for name, count in topics for numbers in chunks(count)])
        time.sleep(3)
        passed('many_partitions/idle', f'{total} partitions: made in {made_ms:.0f} ms, {bare:.0f} MiB resident; a record in each after '
               f'{wrote_ms:.0f} ms, {broker.resident_mib():.0f} MiB, {descriptors(broker)} descriptors')
        percent = cpu_percent(broker, seconds)
        stalls = Stalls(broker)
        stalls.start()
        metadata_ms, answer = timed_ms(lambda: metadata_frame(line, None))
        if leaders(answer) < total:
            raise SystemExit('Metadata does not show all partitions')
        first_ms, next_ms, first_bytes, next_bytes = fetch_session(broker, topics)
        passed('many_partitions/idle', f'{percent:.2f} % of a core idle; Metadata of all {metadata_ms:.0f} ms, {len(answer) >> 10} KiB; a fetch session '
               f'over all {first_ms:.0f} ms, {first_bytes >> 10} KiB, then {next_ms:.0f} ms, {next_bytes} bytes; {stalls.end_ms():.0f} ms the longest stall')
        line.close()

        def check():
            line = Line(broker)
            metadata_frame(line, ['idle-0'])
            for i in range(0, topic_count, max(1, topic_count // 10)):
                if fetch_one(line, f'idle-{i}', i % partitions_each)[:2] != (0, 1):
                    raise SystemExit(f'idle-{i} has lost its record')
            line.close()
        restarts(broker, f'{total} partitions just written', check)
        resident = broker.resident_mib()
        stalls = Stalls(broker)
        stalls.start()
        cpu = cpu_percent(broker, 2 * seconds)
        longest = stalls.end_ms()
        passed('many_partitions/idle', f'in the {2 * seconds} s after a start after kill -9: {cpu:.1f} % of a core, {longest:.0f} ms the longest stall, from '
               f'{resident:.0f} to {broker.resident_mib():.0f} MiB resident, {descriptors(broker)} descriptors; then {cpu_percent(broker, seconds):.2f} % of a core')
        if mib_max and broker.resident_mib() > mib_max:
            raise SystemExit(f'{total} idle partitions take {broker.resident_mib():.0f} MiB, {mib_max} at most')
        if rests:
            time.sleep(100)
            passed('many_partitions/idle', f'not used for a while: {cpu_percent(broker):.2f} % of a core, {broker.resident_mib():.0f} MiB resident, {descriptors(broker)} descriptors')
            restarts(broker, f'{total} idle partitions', check)


def load(broker, mib, partitions, acks, *more):
    command = [os.path.join(os.path.dirname(BIN), 'examples', 'produce_load'), '--bootstrap', broker.bootstrap, '--topic', f'load-{acks % 9}',
               '--partitions', str(partitions), '--acks', str(acks), '--warmup-mib', '0', '--mib', str(mib), '--connections', '2', *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def restart(gib, partitions=5000, is_killed_writing=True):
    half = partitions // 2
    with Kept(cores=2) as broker:
        line = Line(broker)
        create_topics(line, [('load-1', half), ('load-8', half)], retention_ms='-1')
        line.close()
        # acks=1 in one half of the partitions, acks=all in the other: 8 says -1 in the topic's name.
        for acks, share in [(1, 0.9), (-1, 0.1)]:
            run = load(broker, int(gib * 1024 * share), half, acks)
            out, fault = run.communicate()
            if run.returncode:
                raise SystemExit(f'produce_load failed: {fault}')
            say(f'acks={acks}: {out.strip()}')
        # Killed while both go on.
        runs = [load(broker, 1 << 20, half, acks) for acks in [1, -1]] if is_killed_writing else []
        time.sleep(2 if runs else 0)
        broker.kill_nine()
        for run in runs:
            run.wait()
        size = subprocess.run(['du', '-sm', broker.data_dir], capture_output=True, text=True).stdout.split()[0]
        say(f'{int(size) / 1024:.1f} GiB in the data directory')

        def check():
            line = Line(broker)
            if leaders(metadata_frame(line, ['load-1', 'load-8'])) != 2 * half:
                raise SystemExit('not all partitions have a leader')
            for topic in ['load-1', 'load-8']:
                for number in range(0, half, half // 5):
                    code, high_watermark, _ = fetch_one(line, topic, number)
                    if code or not high_watermark:
                        raise SystemExit(f'{topic}-{number}: error {code}, high watermark {high_watermark}')
            line.close()
        begin = time.monotonic()
        broker.start()
        listening = (time.monotonic() - begin) * 1000
        check()
        served = (time.monotonic() - begin) * 1000
        stalls = Stalls(broker)
        stalls.start()
        line = Line(broker)
        all_ms, _ = timed_ms(lambda: [fetch_one(line, topic, number) for topic in ['load-1', 'load-8'] for number in range(0, half, 10)])
        passed('many_partitions/restart', f'{partitions} partitions, killed while they were written: listens after {listening:.0f} ms, Metadata and 10 '
               f'fetches answered after {served:.0f} ms, every tenth fetched once {all_ms / 1000:.1f} s later; {stalls.end_ms():.0f} ms the longest stall')
        line.close()
        restarts(broker, f'{partitions} partitions with {int(size) / 1024:.1f} GiB', check)


def main():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    what = sys.argv[1] if len(sys.argv) > 1 else 'quick'
    if what == 'quick':
        create(1000, runs=1)
        idle(10, 100, mib_max=100, seconds=2)
    if what in ('create', 'all'):
        create(5000)
    if what in ('idle', 'all'):
        idle(500, 100, mib_max=600, rests=True)
    if what in ('restart', 'all'):
        restart(float(sys.argv[2]) if len(sys.argv) > 2 else 20)


main()
