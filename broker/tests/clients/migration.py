"""A group is rolled from the classic protocol to the consumer protocol and back, member by member, while a producer runs (KIP-848).

    migration.py [confluent|java|both ...]

Each kind of client runs with an eager and with a cooperative assignor, and with static members. Held: every record is read, no partition is had by
two members at a time, each member has partitions once the group has settled, and the group is of the kind that its members make it.
"""
import sys
import time

from confluent_kafka.admin import AdminClient

from group_members import Member, Producing, unread
from ringlog import Ringlog, create_topic, passed

PARTITIONS = 6
MEMBERS = 3
SETTLED_S = 60


def settle(members, what):
    """Waits until every partition is had once and every member has some."""
    end = time.monotonic() + SETTLED_S
    while time.monotonic() < end:
        numbers = sorted(number for member in members for number in member.has)
        if numbers == list(range(PARTITIONS)) and all(member.has for member in members):
            return
        for member in members:
            if member.process.poll() is not None:
                raise SystemExit(f'{what}: {member.name} has ended: {member.lines[-10:]}')
        time.sleep(0.05)
    said = '\n'.join(f'{member.name} has {sorted(member.has)}: {member.lines[-12:]}' for member in members)
    raise SystemExit(f'{what}: the group does not settle within {SETTLED_S} s:\n{said}')


def kind_of(broker, group):
    admin = AdminClient({'bootstrap.servers': broker.bootstrap})
    groups = admin.list_consumer_groups().result().valid
    return next(str(one.type).rsplit('.', 1)[-1].lower() for one in groups if one.group_id == group)


def check(members, counts, what):
    had = sorted((number, begin, end, member.name) for member in members for number, begin, end in member.had)
    for one, other in zip(had, had[1:]):
        if one[0] == other[0] and other[1] < one[2]:
            raise SystemExit(f'{what}: partition {one[0]} was had by {one[3]} and {other[3]} for {(one[2] - other[1]) / 1e6} ms')
    missing, first, twice = unread(members, counts)
    if missing:
        raise SystemExit(f'{what}: {missing} records were read by nobody, the first is {first}')
    return twice


def roll(clients, assignor, is_static):
    """Every member is replaced by one of the other protocol, and then back; clients take turns."""
    what = f'migration/{"+".join(clients)}/{assignor}' + ('/static' if is_static else '')
    instance = (lambda number: f'i{number}') if is_static else (lambda _: '-')
    begin = time.monotonic()
    with Ringlog('group.consumer.heartbeat.interval.ms=300', 'group.consumer.min.heartbeat.interval.ms=100') as broker:
        create_topic(broker, 'rolled', PARTITIONS)
        start = lambda number, protocol: Member(clients[number % len(clients)], broker, 'rolled', protocol, assignor,
                                                instance(number))
        producing = Producing(broker, 'rolled', PARTITIONS)
        everyone = [start(number, 'classic') for number in range(MEMBERS)]
        members = list(everyone)
        settle(members, what)
        if kind_of(broker, 'group-rolled') != 'classic':
            raise SystemExit(f'{what}: the group of classic members is not a classic one')
        for protocol in ('consumer', 'classic'):
            for number in range(MEMBERS):
                members[number].leave()
                members[number] = start(number, protocol)
                everyone.append(members[number])
                settle(members, f'{what}, member {number} with {protocol}')
            if kind_of(broker, 'group-rolled') != protocol:
                raise SystemExit(f'{what}: the group did not become a {protocol} one')
        producing.end()
        end = time.monotonic() + 30
        while unread(everyone, producing.counts)[0] and time.monotonic() < end:
            time.sleep(0.1)
        for member in members:
            member.leave()
        twice = check(everyone, producing.counts, what)
        lines = [line for member in everyone for line in member.lines]
        lost = sum(line.startswith('lost') and not line.startswith('lost -') for line in lines)
        faults = [line for line in lines if line.startswith(('fault', 'uncommitted'))]
        passed(what, f'{sum(producing.counts)} records, {twice} read twice, partitions lost {lost} times, {len(faults)} '
                     f'faults {faults[:3]}, {time.monotonic() - begin:.0f} s')


def main():
    named = sys.argv[1:] or ['confluent', 'java', 'both']
    for name in named:
        clients = ['java', 'confluent'] if name == 'both' else [name]
        for assignor, is_static in (('range', False), ('cooperative-sticky', False), ('cooperative-sticky', True)):
            roll(clients, assignor, is_static)


main()
