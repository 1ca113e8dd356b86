"""Groups in great numbers, with raw-protocol members (`raw_members.py`) on the last core and the broker on the first.

    group_scale.py members [COUNT] [PARTITIONS]   2,000 members of one group on 5,000 partitions, consumer protocol and classic: how soon
                                      they are stable, what describing them takes, and what it costs that all vanish at once
    group_scale.py groups [COUNT]     50,000 groups that each commit and leave: they expire, and memory comes back
    group_scale.py rate [ROUNDS] [SECONDS]   10,000 heartbeating members and 10,000 commits/s, Ringlog and Apache Kafka in turns
    group_scale.py all                all three

Settings of `rate`: JAVA names the JVM (the newest that is installed by default), WARM_UP_SECONDS is how long Kafka gets before it is
measured (60).
"""
import asyncio
import gc
import glob
import json
import os
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
import time

import raw_members as proto
from raw_members import ClassicMember, ConsumerMember, Ownership, Reader, await_coordinators, connect
from ringlog import Ringlog, create_topic, passed, receive_frame, request, say, string

CPUS = sorted(os.sched_getaffinity(0))
BROKER_CPU, LOAD_CPU = CPUS[0], CPUS[-1]
TOPIC = 'read-by-many'
STABLE_SECONDS_MAX, DESCRIBE_SECONDS_MAX, REBALANCES_MAX = 10, 1, 1
SESSION_MS = 15_000


def start(broker):
    """On its core; whoever starts it stays on the other one."""
    os.sched_setaffinity(0, [BROKER_CPU])
    broker.start()
    os.sched_setaffinity(0, [LOAD_CPU])
    return broker


def cpu_seconds(broker):
    with open(f'/proc/{broker.process.pid}/stat') as stat:
        fields = stat.read().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def core_seconds():
    """(busy, all) of the broker's core, the kernel's work for others included."""
    with open('/proc/stat') as stat:
        words = next(line.split() for line in stat if line.startswith(f'cpu{BROKER_CPU} '))
    user, nice, system, idle, wait, irq, softirq = (int(word) for word in words[1:8])
    busy = user + nice + system + irq + softirq
    return busy / os.sysconf('SC_CLK_TCK'), (busy + idle + wait) / os.sysconf('SC_CLK_TCK')


def topic_id(broker, name):
    """By Metadata version 10, which is the first with ids."""
    body = proto.uvarint(2) + bytes(16) + proto.compact(name) + bytes(5)
    with socket.create_connection(('127.0.0.1', broker.port), timeout=30) as peer:
        peer.sendall(request(3, 10, body, flexible=True))
        reader = Reader(receive_frame(peer), 4 + 1 + 4)
    for _ in range(reader.uvarint() - 1):
        reader.number('i'), reader.compact(), reader.number('i'), reader.compact(), reader.tags()
    reader.compact(), reader.number('i'), reader.uvarint(), reader.number('h'), reader.compact()
    return reader.raw(16)


def at_most(what, value, limit, unit):
    if value > limit:
        raise SystemExit(f'{what}: {value:.2f} {unit}, {limit:g} at most')


# --- members -------------------------------------------------------------------------------------------------------------

class Describer:
    """Describes a group again and again over a connection of its own; the longest answer is remembered."""

    def __init__(self, peer, frame, read):
        self.peer, self.frame, self.read, self.longest, self.count = peer, frame, read, 0, 0

    async def ask(self):
        begin = time.monotonic()
        async with asyncio.timeout(60):
            answer = await self.peer.ask(self.frame)
        self.longest, self.count = max(self.longest, time.monotonic() - begin), self.count + 1
        return self.read(answer)

    async def until(self, what, holds, seconds):
        end = time.monotonic() + seconds
        while True:
            described = await self.ask()
            if holds(described):
                return described
            if time.monotonic() > end:
                raise SystemExit(f'not {what} after {seconds} s: {described.state}, {described.member_count} members')
            await asyncio.sleep(0.1)

    async def run(self):
        """While members join."""
        while True:
            await asyncio.sleep(0.25)
            await self.ask()


async def members(broker, kind, count, partitions):
    group = f'many-{kind}'
    peers = await connect(broker.port, count + 2)
    ownership = Ownership(count, partitions)
    if kind == 'consumer':
        ident = topic_id(broker, TOPIC)
        everyone = [ConsumerMember(peer, group, TOPIC, ident, ownership, n) for n, peer in enumerate(peers[:count])]
        described = Describer(peers[-1], proto.consumer_group_describe(group), proto.read_consumer_described)
    else:
        everyone = [ClassicMember(peer, group, TOPIC, ownership, n, SESSION_MS) for n, peer in enumerate(peers[:count])]
        described = Describer(peers[-1], proto.describe_groups(group), proto.read_described)
    history = Describer(peers[-2], proto.describe_groups(group), proto.read_described)
    used, begin = cpu_seconds(broker), time.monotonic()
    tasks = [asyncio.create_task(member.run()) for member in everyone]
    await asyncio.sleep(0)
    describing = asyncio.create_task(described.run())
    await ownership.settle(60)
    stable = ownership.settled_at - ownership.joined_at
    joining, used = ownership.joined_at - begin, cpu_seconds(broker) - used
    describing.cancel()
    # The broker says so too: each partition once, everyone at the epoch of the group.
    await asyncio.gather(describing, return_exceptions=True)
    before = await described.until('stable', lambda one: one.state == 'Stable', 10)
    if sorted(before.partitions) != list(range(partitions)) or before.member_count != count:
        raise SystemExit(f'{before.member_count} members are said to have {len(before.partitions)} partitions, '
                         f'{len(set(before.partitions))} different ones')
    for _ in range(10):
        await described.ask()
    passed(f'group_scale/members/{kind}', f'{count} members, {partitions} partitions: joined within {joining:.1f} s, stable {stable:.1f} s '
           f'after the last joined, {used:.1f} s of CPU; {described.count} describes, the slowest {described.longest * 1000:.0f} ms')
    at_most('stable after the last join', stable, STABLE_SECONDS_MAX, 's')
    at_most('describing', described.longest, DESCRIBE_SECONDS_MAX, 's')
    await vanish(broker, kind, everyone, tasks, described, history)


async def vanish(broker, kind, everyone, tasks, described, history):
    """All connections go at once, wherever each member is between two heartbeats: what is lost with a host or a network."""
    before = await described.ask()
    for task in tasks:
        task.cancel()
    async with asyncio.timeout(60):
        await asyncio.gather(*tasks, return_exceptions=True)
    for member in everyone:
        member.peer.abort()
    gone, used = time.monotonic(), cpu_seconds(broker)
    empty = await described.until('empty', lambda one: one.state == 'Empty' and one.member_count == 0, SESSION_MS / 1000 + 60)
    took, used = time.monotonic() - gone, cpu_seconds(broker) - used
    told = (await history.ask()).rebalances
    expired = [one for one in told if one.cause == 2]
    if kind == 'consumer':
        steps = empty.epoch - before.epoch
    else:
        steps = told[0].generation - everyone[0].generation
    further = sum(one.further for one in expired)
    passed(f'group_scale/vanish/{kind}', f'all {len(everyone)} gone at once: empty {took:.1f} s later (sessions '
           f'of {SESSION_MS / 1000:.0f} s), {steps} steps of the epoch, {len(expired)} rebalances in the history with {further} '
           f'further causes, {used:.2f} s of CPU, describes {described.longest * 1000:.0f} ms at most')
    at_most('rebalances when all vanish', steps, REBALANCES_MAX, 'steps')
    at_most('describing', described.longest, DESCRIBE_SECONDS_MAX, 's')


def measure_members(count=2000, partitions=5000):
    settings = [f'group.consumer.min.session.timeout.ms={SESSION_MS}', f'group.consumer.session.timeout.ms={SESSION_MS}']
    bad = []
    for kind in 'consumer', 'classic':
        with Ringlog(*settings, cores=1, started=False) as broker:
            start(broker)
            create_topic(broker, TOPIC, partitions)
            await_coordinators(broker.port)
            try:
                asyncio.run(members(broker, kind, count, partitions))
            except SystemExit as fault:
                bad.append(f'FAIL group_scale/members/{kind}  {fault}')
    return bad


# --- groups --------------------------------------------------------------------------------------------------------------

async def short_life(peer, number):
    """Joins, is assigned, commits and leaves."""
    group = f'short-{number}'
    frame, member = proto.join_group(group, '', TOPIC, SESSION_MS), ''
    while True:
        reader = Reader(await peer.ask(frame), 4)
        error, generation = reader.number('h'), reader.number('i')
        reader.string(), reader.string()
        member = reader.string()
        if error != proto.MEMBER_ID_REQUIRED:
            break
        frame = proto.join_group(group, member, TOPIC, SESSION_MS)
    plan = [(member, proto.assignment(TOPIC, [number % 6]))]
    codes = [error, Reader(await peer.ask(proto.sync_group(group, generation, member, plan)), 4).number('h')]
    answer = await peer.ask(proto.offset_commit(group, generation, member, TOPIC, number % 6, number))
    codes.append(struct.unpack('>h', answer[-2:])[0])
    codes.append(Reader(await peer.ask(proto.leave_group(group, member)), 4).number('h'))
    if any(codes):
        raise SystemExit(f'{group}: errors {codes} of join, sync, commit, leave')


async def short_lives(port, count, connections=64):
    peers = await connect(port, connections)

    async def some(peer, first):
        for number in range(first, count, connections):
            await short_life(peer, number)
    async with asyncio.timeout(300):
        await asyncio.gather(*(some(peer, first) for first, peer in enumerate(peers)))
    for peer in peers:
        peer.abort()


def group_count(broker):
    with socket.create_connection(('127.0.0.1', broker.port), timeout=60) as peer:
        peer.sendall(proto.list_groups())
        answer = receive_frame(peer)
    error, count = struct.unpack_from('>hi', answer, 8)
    if error:
        raise SystemExit(f'ListGroups: error {error}')
    return count


def measure_groups(count=50_000):
    settings = ['offsets.retention.minutes=1', 'offsets.retention.check.interval.ms=1000', 'group.initial.rebalance.delay.ms=0']
    with Ringlog(*settings, cores=1, started=False) as broker:
        start(broker)
        create_topic(broker, TOPIC, 6)
        await_coordinators(broker.port)
        asyncio.run(short_lives(broker.port, 64))
        before, lived_before = broker.status('RssAnon') / 1024, group_count(broker)
        begin = time.monotonic()
        asyncio.run(short_lives(broker.port, count))
        made = time.monotonic() - begin
        listed, peak = group_count(broker), broker.status('RssAnon') / 1024
        begin, used, end, left = time.monotonic(), cpu_seconds(broker), time.monotonic() + made + 120, count
        while left:
            if time.monotonic() > end:
                raise SystemExit(f'{left} of {count} groups are left')
            time.sleep(1)
            left = group_count(broker)
        expired, used = time.monotonic() - begin, cpu_seconds(broker) - used
        after = broker.status('RssAnon') / 1024
        passed('group_scale/groups', f'{count} groups joined, committed and left in {made:.1f} s ({count / made:.0f}/s), {listed} listed at once; none '
               f'{expired:.0f} s later ({used:.1f} s of CPU); {before:.1f} MiB resident before ({lived_before} groups), {peak:.1f} MiB with them '
               f'({(peak - before) * 1024 / count:.2f} KiB each), {after:.1f} MiB after')
        # What an allocator keeps for later is not a leak, but it must be little.
        if after - before > max(8, (peak - before) / 4):
            return [f'FAIL group_scale/groups  {after - before:.1f} of {peak - before:.1f} MiB did not come back']
    return []


# --- rate ----------------------------------------------------------------------------------------------------------------

GROUPS, GROUP_SIZE, COMMITS_PER_SECOND, HEARTBEAT_SECONDS = 100, 100, 10_000, 3
LONG_SESSION_MS = 1_200_000
CORE_PERCENT_MAX = 50


class Load:
    """10,000 members of 100 classic groups; when they are stable, their heartbeats and commits come at their time, answered or not."""

    def __init__(self):
        self.peers, self.beats, self.commits = [], [], []
        self.under_way = self.errors = self.sent = 0
        self.lags, self.commit_ms, self.beat_ms = [], [], []

    async def settle(self, port):
        count = GROUPS * GROUP_SIZE
        self.peers = await connect(port, count)
        groups, all_members, tasks = [], [], []
        for number in range(GROUPS):
            ownership = Ownership(GROUP_SIZE, GROUP_SIZE)
            peers = self.peers[number * GROUP_SIZE:(number + 1) * GROUP_SIZE]
            everyone = [ClassicMember(peer, f'rate-{number}', TOPIC, ownership, n, LONG_SESSION_MS) for n, peer in enumerate(peers)]
            tasks += [asyncio.create_task(member.run()) for member in everyone]
            groups.append(ownership)
            all_members += everyone
        await asyncio.gather(*(ownership.settle(240) for ownership in groups))
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        # One after another through all groups, as commits of many groups come.
        spread = [all_members[group * GROUP_SIZE + n] for n in range(GROUP_SIZE) for group in range(GROUPS)]
        self.beats = [(m.peer, proto.heartbeat(m.group, m.generation, m.id)) for m in spread]
        self.commits = [(m.peer, bytearray(proto.offset_commit(m.group, m.generation, m.id, TOPIC, min(m.owned), 0))) for m in spread]

    def send(self, peer, frame, due, now, latencies):
        self.under_way += 1
        self.lags.append(now - due)

        def on_answer(answer):
            self.under_way -= 1
            latencies.append((due, time.monotonic() - due))
            if answer is None or answer[-2:] != b'\0\0':
                self.errors += 1
        peer.send(frame, on_answer)

    async def run(self, begin, seconds):
        self.errors, self.lags, self.commit_ms, self.beat_ms = 0, [], [], []
        commit_step, beat_step = 1 / COMMITS_PER_SECOND, HEARTBEAT_SECONDS / len(self.beats)
        commits, beats, end = 0, 0, begin + seconds
        await asyncio.sleep(begin - time.monotonic())
        while (now := time.monotonic()) < end:
            while (due := begin + commits * commit_step) <= now:
                peer, frame = self.commits[commits % len(self.commits)]
                struct.pack_into('>q', frame, len(frame) - proto.OFFSET_FROM_END, commits)
                self.send(peer, bytes(frame), due, now, self.commit_ms)
                commits += 1
            while (due := begin + beats * beat_step) <= now:
                peer, frame = self.beats[beats % len(self.beats)]
                self.send(peer, frame, due, now, self.beat_ms)
                beats += 1
            await asyncio.sleep(0.0005)
        in_time = sum(due + took < end for due, took in self.commit_ms)
        async with asyncio.timeout(120):
            while self.under_way:
                await asyncio.sleep(0.01)
        return {'commits': commits / seconds, 'beats': beats / seconds, 'answered': in_time / seconds, 'errors': self.errors,
                'p50': at(self.commit_ms, 0.5), 'p99': at(self.commit_ms, 0.99), 'max': at(self.commit_ms, 1),
                'beat_p99': at(self.beat_ms, 0.99), 'lag_p99': 1000 * sorted(self.lags)[int(0.99 * (len(self.lags) - 1))],
                'drained': time.monotonic() - end}


def at(latencies, share):
    took = sorted(took for _, took in latencies)
    return 1000 * took[int(share * (len(took) - 1))]


async def load(port):
    """In a process of its own: says when its members are stable, then runs whenever it is told `BEGIN SECONDS`."""
    one = Load()
    await one.settle(port)
    gc.collect()
    gc.freeze()
    gc.disable()
    say('ready')
    while line := await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline):
        begin, seconds = (float(word) for word in line.split())
        say(json.dumps(await one.run(begin, seconds)))


class Side:
    """A broker, its load, and what was measured of it."""

    def __init__(self, name, broker):
        self.name, self.broker, self.load, self.runs = name, broker, None, []

    def prepare(self):
        start(self.broker)
        create_topic(self.broker, TOPIC, GROUP_SIZE)
        await_coordinators(self.broker.port)
        self.load = subprocess.Popen([sys.executable, __file__, 'load', str(self.broker.port)], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, text=True)
        begin = time.monotonic()
        self.said(300)
        say(f'{self.name}: {GROUPS * GROUP_SIZE} members are stable after {time.monotonic() - begin:.1f} s')

    def said(self, seconds):
        if not select.select([self.load.stdout], [], [], seconds)[0]:
            raise SystemExit(f'{self.name}: the load says nothing for {seconds} s')
        line = self.load.stdout.readline()
        if not line:
            raise SystemExit(f'{self.name}: the load has ended')
        return line

    def run(self, seconds):
        begin = time.monotonic() + 0.5
        self.load.stdin.write(f'{begin} {seconds}\n')
        self.load.stdin.flush()
        time.sleep(begin - time.monotonic())
        cpu, (busy, whole) = cpu_seconds(self.broker), core_seconds()
        time.sleep(begin + seconds - time.monotonic())
        cpu = cpu_seconds(self.broker) - cpu
        busy_now, whole_now = core_seconds()
        run = json.loads(self.said(150))
        run['cpu'], run['core'] = 100 * cpu / seconds, 100 * (busy_now - busy) / max(whole_now - whole, 0.01)
        return run

    def measure(self, seconds):
        self.broker.process.send_signal(signal.SIGCONT)
        self.runs.append(self.run(seconds))
        self.pause()

    def pause(self):
        self.broker.process.send_signal(signal.SIGSTOP)

    def median(self, what):
        column = sorted(run[what] for run in self.runs)
        return column[len(column) // 2]

    def end(self):
        if self.load:
            self.load.kill()
            self.load.wait()
        self.broker.__exit__(None, None, None)

    def text(self):
        rounds = ' '.join(f'{run["cpu"]:.0f}' for run in self.runs)
        lost = '' if self.median('answered') > 0.99 * COMMITS_PER_SECOND else ', NOT SUSTAINED'
        return (f'{self.name}: {self.median("answered"):.0f} commits/s answered of {self.median("commits"):.0f}{lost}, {self.median("beats"):.0f} '
                f'heartbeats/s; CPU {self.median("cpu"):.1f} % of a core ({rounds}), the core busy {self.median("core"):.1f} %; commit p50 '
                f'{self.median("p50"):.2f}, p99 {self.median("p99"):.2f}, max {self.median("max"):.1f} ms, heartbeat p99 '
                f'{self.median("beat_p99"):.2f} ms; sent late p99 {self.median("lag_p99"):.2f} ms; {sum(run["errors"] for run in self.runs)} errors')


def measure_rate(rounds=3, seconds=10):
    found = sorted(glob.glob('/usr/lib/jvm/*-2[1-9]-*/bin/java'))
    os.environ.setdefault('JAVA', found[-1] if found else 'java')
    from kafka import Kafka
    kafka = Kafka('offsets.topic.num.partitions=50', 'group.initial.rebalance.delay.ms=3000', 'broker.session.timeout.ms=600000',
                  heap='1g')
    sides = [Side('ringlog', Ringlog(cores=1, started=False)), Side('kafka', kafka)]
    try:
        for side in sides:
            side.prepare()
            warm = side.run(float(os.environ.get('WARM_UP_SECONDS', 60)) if side.name == 'kafka' else 3)
            say(f'{side.name} warming up: {json.dumps(warm)}')
            side.pause()
        for number in range(rounds):
            # The order turns, so that nobody is always behind the same one.
            for side in sides if number % 2 == 0 else reversed(sides):
                side.measure(seconds)
    finally:
        for side in sides:
            side.end()
    for side in sides:
        passed('group_scale/rate', side.text())
    ours, bad = sides[0], []
    if ours.median('cpu') > CORE_PERCENT_MAX or ours.median('answered') < 0.99 * COMMITS_PER_SECOND or sum(run['errors'] for run in ours.runs):
        bad.append(f'FAIL group_scale/rate  {ours.text()}; {CORE_PERCENT_MAX} % of a core at most')
    return bad


def main():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    os.sched_setaffinity(0, [LOAD_CPU])
    what, *numbers = sys.argv[1:] or ['all']
    if what == 'load':
        return asyncio.run(load(int(numbers[0])))
    parts = {'members': measure_members, 'groups': measure_groups, 'rate': measure_rate}
    bad = []
    for name in parts if what == 'all' else [what]:
        bad += parts[name](*(int(number) for number in numbers))
    if bad:
        raise SystemExit('\n'.join(bad))


main()
