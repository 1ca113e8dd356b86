"""Two groups read 20,000 records a second between them and their members are killed, paused, added and sent away every few seconds.

    group_faults.py [SECONDS] [SEED] [kafka]       default: 600 seconds, a random seed; the last word puts Apache Kafka in the broker's place

One group is five confluent-kafka consumers of the classic protocol with cooperative-sticky, the other five Java consumers of the consumer protocol
(KIP-848). Held, for each group: every acknowledged record is taken by somebody; no partition is had by two members at a time; committed offsets never
go back. And of the consumer protocol: a member goes on with what it keeps, whatever happens to the others, with no gap above a second. With the
classic one librdkafka itself stops for longer while it rejoins: in 90 s of one seed there were 11 gaps of more than a second here, 1.1 s the longest, and 11 with
Apache Kafka 4.3.1 in the broker's place, 2.0 s the longest; so they are told and not held.

A member that was stopped for longer than its session learns late that it has lost everything, with this broker as with Kafka: what it takes between
its awakening and that news is counted, not held against it. That its commits are refused by then is held.
"""
import random
import signal
import sys
import threading
import time

from confluent_kafka import ConsumerGroupTopicPartitions
from confluent_kafka.admin import AdminClient

from group_members import Member, Producing, unread
from kafka import Kafka
from ringlog import Ringlog, create_topic, passed

PARTITIONS = 20
MEMBERS, MEMBERS_MIN, MEMBERS_MAX = 5, 3, 7
A_SECOND = 10_000
SESSION_S = 10
GAP_S = 1.0
SETTINGS = ['group.min.session.timeout.ms=1000', 'group.consumer.min.session.timeout.ms=1000',
            f'group.consumer.session.timeout.ms={SESSION_S * 1000}', 'group.consumer.min.heartbeat.interval.ms=100',
            'group.consumer.heartbeat.interval.ms=300']


class Clock:
    """Notes when this machine kept a thread that only sleeps from running: nobody's pauses can be judged then."""

    def __init__(self):
        self.stalls = []
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            begin = time.monotonic_ns()
            time.sleep(0.05)
            end = time.monotonic_ns()
            if end - begin > 150_000_000:
                self.stalls.append((begin, end))

    def within(self, begin, end):
        """Seconds of stalls between two moments."""
        return sum(max(0, min(end, until) - max(begin, since)) for since, until in self.stalls) / 1e9


class Commits:
    """Asks for a group's committed offsets all the time."""

    def __init__(self, broker, group):
        self.admin, self.group = AdminClient({'bootstrap.servers': broker.bootstrap}), group
        self.offsets, self.went_back, self.looks = {}, [], 0
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.is_over.wait(0.3):
            answer = self.admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(self.group)])[self.group]
            for one in answer.result(timeout=30).topic_partitions:
                before = self.offsets.get(one.partition, -1)
                if one.offset < before:
                    self.went_back.append((one.partition, before, one.offset))
                self.offsets[one.partition] = max(before, one.offset)
            self.looks += 1

    def end(self):
        self.is_over.set()
        self.thread.join(timeout=60)


class Group:
    """Its members, those that were, and what was done to them."""

    def __init__(self, broker, client, protocol, topic):
        self.what, self.goes_on = f'group_faults/{client}/{protocol}', protocol == 'consumer'
        self.start = lambda: Member(client, broker, topic, protocol, 'cooperative-sticky')
        self.members = [self.start() for _ in range(MEMBERS)]
        self.everyone = list(self.members)
        self.pauses = {}  # by member: from, to
        self.ends = {}  # by member: when it was killed
        self.done = dict.fromkeys(['killed', 'sent away', 'added', 'paused', 'stopped'], 0)
        self.commits = Commits(broker, 'group-' + topic)
        self.paused = None
        self.history = []  # when, what

    def add(self):
        member = self.start()
        self.members.append(member)
        self.everyone.append(member)

    def disturb(self, chance):
        """One thing, to one member."""
        may_lose, may_gain = len(self.members) > MEMBERS_MIN, len(self.members) < MEMBERS_MAX
        kind = chance.choice(['killed', 'sent away'] * may_lose + ['added'] * may_gain + ['paused', 'stopped'])
        member = chance.choice(self.members)
        self.done[kind] += 1
        self.history.append((time.monotonic_ns(), f'{kind} {member.process.pid}'))
        if kind == 'killed':
            member.process.kill()
            self.ends[member] = time.monotonic_ns()
            self.members.remove(member)
        elif kind == 'sent away':
            self.members.remove(member)
            member.leave()
        elif kind == 'added':
            self.add()
        else:
            self.pause(member, chance.uniform(0.5, 3) if kind == 'paused' else SESSION_S + chance.uniform(2, 4))

    def pause(self, member, seconds):
        member.process.send_signal(signal.SIGSTOP)
        self.pauses.setdefault(member, []).append((time.monotonic_ns(), time.monotonic_ns() + int(seconds * 1e9)))
        self.paused = (member, time.monotonic() + seconds)

    def wake(self):
        if self.paused and time.monotonic() >= self.paused[1]:
            member = self.paused[0]
            member.process.send_signal(signal.SIGCONT)
            self.pauses[member][-1] = (self.pauses[member][-1][0], time.monotonic_ns())
            self.paused = None

    def spans(self, member):
        """What a member had: partition, from, to. One that was stopped for too long had nothing from then on until it was told so."""
        end = self.ends.get(member, time.monotonic_ns())
        for number, since, until in member.had + [(number, since, end) for number, since in member.since.items()]:
            longer = [begin for begin, stop in self.pauses.get(member, ()) if stop - begin > SESSION_S * 0.9e9 and begin < until and stop > since]
            yield number, since, min([until, *longer])

    def owners(self):
        """Pairs of members that had a partition at one time."""
        spans = sorted((number, since, until, member.name) for member in self.everyone for number, since, until in self.spans(member))
        return [(one, other) for one, other in zip(spans, spans[1:]) if one[0] == other[0] and other[1] < one[2]]

    def gaps(self, clock):
        """The longest times that a member took nothing of a partition which it had throughout and which had records, stalls left out: how long,
        from when, who, which partition."""
        found = []
        for member in self.everyone:
            spans, pauses = list(self.spans(member)), self.pauses.get(member, ())
            taken = {}
            for number, _, _, when in member.took:
                taken.setdefault(number, []).append(when)
            for number, since, until in spans:
                moments = [when for when in taken.get(number, ()) if since <= when <= until]
                for one, other in zip(moments, moments[1:]):
                    if (other - one) / 1e9 > GAP_S / 5 and not any(begin < other and one < stop for begin, stop in pauses):
                        found.append(((other - one) / 1e9 - clock.within(one, other), one, member.process.pid, number))
        return sorted(found, reverse=True)

    def before(self, moment):
        """What was done last before a moment."""
        return next((f'{(moment - when) / 1e9:.2f} s after {what}' for when, what in reversed(self.history) if when <= moment), 'at the start')

    def late(self):
        """Records that stopped members took after they had lost them and before they knew."""
        count = 0
        for member in self.everyone:
            whole = member.had + [(number, since, time.monotonic_ns()) for number, since in member.since.items()]
            for (number, since, until), (_, _, cut) in zip(whole, self.spans(member)):
                count += sum(last - first + 1 for one, first, last, when in member.took if one == number and cut < when <= until)
        return count

    def check(self, counts, clock, seconds):
        missing, first, twice = unread(self.everyone, counts)
        owners, found = self.owners(), self.gaps(clock)
        gaps = [gap for gap, _, _, _ in found]
        longest = [f'{gap:.2f} s at {pid} in {number}, {self.before(moment)}' for gap, moment, pid, number in found[:8]]
        said = f'{sum(counts)} records in {seconds:.0f} s, {twice} taken twice ({self.late()} by members that had been stopped), ' \
               f'longest gap {max(gaps, default=0):.2f} s, {sum(gap > GAP_S for gap in gaps)} above {GAP_S} s, {self.commits.looks} looks at commits, {self.done}'
        faults = [f'{missing} records were taken by nobody, the first is {first}'] if missing else []
        faults += [f'a partition was had by two members: {owners[0]}, and {len(owners) - 1} more'] if owners else []
        faults += [f'{sum(gap > GAP_S for gap in gaps)} gaps of more than {GAP_S} s: {longest}'] if self.goes_on and max(gaps, default=0) > GAP_S else []
        faults += [f'committed offsets went back: {self.commits.went_back[:3]}'] if self.commits.went_back else []
        if faults:
            raise SystemExit(f'{self.what}: ' + '; '.join(faults) + f'\n{said}')
        passed(self.what, said)


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 600
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 32)
    print(f'seed {seed}', flush=True)
    chance, clock, begin = random.Random(seed), Clock(), time.monotonic()
    with Kafka(*SETTINGS) if 'kafka' in sys.argv[3:] else Ringlog(*SETTINGS) as broker:
        topics = ['classic', 'consumer']
        for topic in topics:
            create_topic(broker, topic, PARTITIONS)
        groups = [Group(broker, 'confluent', 'classic', topics[0]), Group(broker, 'java', 'consumer', topics[1])]
        producing = [Producing(broker, topic, PARTITIONS, A_SECOND) for topic in topics]
        next_at = begin + 10
        while time.monotonic() < begin + seconds:
            time.sleep(0.1)
            for group in groups:
                group.wake()
            if time.monotonic() >= next_at:
                next_at = time.monotonic() + chance.uniform(2, 5)
                free = [group for group in groups if not group.paused]
                if free:
                    chance.choice(free).disturb(chance)
        for one in producing:
            one.end()
        end = time.monotonic() + 90
        while time.monotonic() < end and any(
                group.paused or unread(group.everyone, one.counts)[0] for group, one in zip(groups, producing)):
            time.sleep(0.5)
            for group in groups:
                group.wake()
        took = time.monotonic() - begin
        for group in groups:
            group.commits.end()
            for member in group.members:
                member.leave()
        for group, one in zip(groups, producing):
            group.check(one.counts, clock, took)


main()
