"""Members of groups by hand, thousands in one process: frames of both group protocols, and members on asyncio that speak them.

A member takes partitions through its group's `Ownership`, which fails at the first partition that two have at a time.
"""
import asyncio
import collections
import socket
import struct
import time
import uuid

from ringlog import API_VERSIONS, receive_frame, request, string

OFFSET_COMMIT, FIND_COORDINATOR, JOIN_GROUP, HEARTBEAT, LEAVE_GROUP, SYNC_GROUP = 8, 10, 11, 12, 13, 14
DESCRIBE_GROUPS, LIST_GROUPS, CONSUMER_GROUP_HEARTBEAT, CONSUMER_GROUP_DESCRIBE = 15, 16, 68, 69
LOADING, NOT_AVAILABLE, NOT_COORDINATOR, REBALANCE_IN_PROGRESS, MEMBER_ID_REQUIRED = 14, 15, 16, 27, 79
HISTORY_TAG = 21065
# Kafka's `socket.listen.backlog.size` is 50.
CONNECTS_AT_ONCE, CONNECT_SECONDS = 32, 60
NULL_STRING = struct.pack('>h', -1)


# --- bytes ---------------------------------------------------------------------------------------------------------------

def sized(data):
    return struct.pack('>i', len(data)) + data


def uvarint(number):
    out = bytearray()
    while number > 0x7f:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


def compact(text):
    return uvarint(len(text) + 1) + text.encode()


class Reader:
    """Reads what the protocol is made of, from the beginning on."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def number(self, code):
        value = struct.unpack_from('>' + code, self.data, self.at)[0]
        self.at += struct.calcsize('>' + code)
        return value

    def raw(self, size):
        self.at += size
        return bytes(self.data[self.at - size:self.at])

    def string(self):
        size = self.number('h')
        return None if size < 0 else self.raw(size).decode()

    def bytes(self):
        return self.raw(max(self.number('i'), 0))

    def uvarint(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    def compact_bytes(self):
        size = self.uvarint()
        return None if size == 0 else self.raw(size - 1)

    def compact(self):
        data = self.compact_bytes()
        return None if data is None else data.decode()

    def tags(self):
        """The tagged fields at this place: number → content."""
        return {self.uvarint(): self.raw(self.uvarint()) for _ in range(self.uvarint())}

    def topic_partitions(self, has_name=False):
        """An array of topic ids with partitions: the partitions of all of them, for our members read one topic."""
        partitions = []
        for _ in range(self.uvarint() - 1):
            self.raw(16)
            if has_name:
                self.compact()
            partitions += [self.number('i') for _ in range(self.uvarint() - 1)]
            self.tags()
        return partitions


# --- requests ------------------------------------------------------------------------------------------------------------

def subscription(topic):
    """What a member of the classic protocol says that it reads."""
    return struct.pack('>hi', 0, 1) + string(topic) + struct.pack('>i', -1)


def assignment(topic, partitions):
    """What the leader of a classic group gives a member."""
    numbers = struct.pack(f'>i{len(partitions)}i', len(partitions), *partitions)
    return struct.pack('>hi', 0, 1) + string(topic) + numbers + struct.pack('>i', -1)


def assigned_partitions(data):
    if not data:
        return []
    reader, partitions = Reader(data, 2), []
    for _ in range(reader.number('i')):
        reader.string()
        partitions += [reader.number('i') for _ in range(reader.number('i'))]
    return partitions


def join_group(group, member, topic, session_ms, rebalance_ms=60_000):
    protocols = struct.pack('>i', 1) + string('range') + sized(subscription(topic))
    body = string(group) + struct.pack('>ii', session_ms, rebalance_ms) + string(member) + NULL_STRING + string('consumer')
    return request(JOIN_GROUP, 5, body + protocols)


def sync_group(group, generation, member, assignments):
    body = string(group) + struct.pack('>i', generation) + string(member) + NULL_STRING + struct.pack('>i', len(assignments))
    return request(SYNC_GROUP, 3, body + b''.join(string(one) + sized(data) for one, data in assignments))


def heartbeat(group, generation, member):
    return request(HEARTBEAT, 3, string(group) + struct.pack('>i', generation) + string(member) + NULL_STRING)


def leave_group(group, member):
    return request(LEAVE_GROUP, 3, string(group) + struct.pack('>i', 1) + string(member) + NULL_STRING)


def offset_commit(group, generation, member, topic, partition, offset):
    """The offset stands 14 bytes before the end."""
    body = string(group) + struct.pack('>i', generation) + string(member) + NULL_STRING + struct.pack('>i', 1) + string(topic)
    return request(OFFSET_COMMIT, 7, body + struct.pack('>iiqih', 1, partition, offset, -1, -1))


OFFSET_FROM_END = 14


def consumer_heartbeat(group, member, epoch, topic=None, topic_id=bytes(16), owned=None):
    """With a topic it is a whole one, as one that joins; `owned` is told if it is not None."""
    head = compact(group) + compact(member) + struct.pack('>i', epoch) + b'\0\0' + struct.pack('>i', 60_000 if topic else -1)
    topics = uvarint(2) + compact(topic) if topic else b'\0'
    if owned is None:
        has = b'\0'
    elif not owned:
        has = b'\1'
    else:
        has = b'\2' + topic_id + uvarint(len(owned) + 1) + struct.pack(f'>{len(owned)}i', *owned) + b'\0'
    return request(CONSUMER_GROUP_HEARTBEAT, 1, head + topics + b'\0\0' + has + b'\0', flexible=True)


def describe_groups(group):
    """Version 5, and asks for the history as well."""
    body = uvarint(2) + compact(group) + b'\0' + uvarint(1) + uvarint(HISTORY_TAG) + uvarint(1) + b'\0'
    return request(DESCRIBE_GROUPS, 5, body, flexible=True)


def consumer_group_describe(group):
    return request(CONSUMER_GROUP_DESCRIBE, 0, uvarint(2) + compact(group) + b'\0\0', flexible=True)


def list_groups():
    return request(LIST_GROUPS, 2, b'')


# --- answers -------------------------------------------------------------------------------------------------------------

Rebalance = collections.namedtuple('Rebalance', 'cause further began_ms took_ms is_superseded generation before after')
Described = collections.namedtuple('Described', 'state epoch partitions member_count rebalances')


def read_rebalance(reader):
    cause, _ = reader.number('b'), reader.number('q')
    reader.compact(), reader.compact()
    fields = [reader.number(code) for code in 'Iqq?iII']
    reader.compact(), reader.number('q'), reader.number('b'), reader.tags()
    return Rebalance(cause, *fields)


def read_described(answer):
    """A group of DescribeGroups version 5: the partitions of all members one after another, and the history."""
    reader = Reader(answer, 1 + 4)
    assert reader.uvarint() == 2, 'one group was asked for'
    error, partitions = reader.number('h'), []
    if error:
        raise SystemExit(f'DescribeGroups: error {error}')
    reader.compact()
    state = reader.compact()
    reader.compact(), reader.compact()
    count = reader.uvarint() - 1
    for _ in range(count):
        reader.compact(), reader.compact(), reader.compact(), reader.compact(), reader.compact_bytes()
        partitions += assigned_partitions(reader.compact_bytes())
        reader.tags()
    reader.number('i'), reader.tags()
    told, rebalances = reader.tags().get(HISTORY_TAG), []
    if told:
        history = Reader(told, 1)
        history.uvarint(), history.compact(), history.compact()
        rebalances = [read_rebalance(history) for _ in range(history.uvarint() - 1)]
    return Described(state, rebalances[0].generation if rebalances else -1, partitions, count, rebalances)


def read_consumer_described(answer):
    """A group of ConsumerGroupDescribe version 0; who has not come to the group's epoch has nothing here."""
    reader = Reader(answer, 1 + 4)
    assert reader.uvarint() == 2, 'one group was asked for'
    error, why = reader.number('h'), reader.compact()
    if error:
        raise SystemExit(f'ConsumerGroupDescribe: error {error} {why}')
    reader.compact()
    state, epoch, _ = reader.compact(), reader.number('i'), reader.number('i')
    reader.compact()
    partitions, count = [], reader.uvarint() - 1
    for _ in range(count):
        reader.compact(), reader.compact(), reader.compact()
        member_epoch = reader.number('i')
        reader.compact(), reader.compact()
        for _ in range(reader.uvarint() - 1):
            reader.compact()
        reader.compact()
        has = reader.topic_partitions(has_name=True)
        reader.tags(), reader.topic_partitions(has_name=True), reader.tags(), reader.tags()
        partitions += has if member_epoch == epoch else []
    return Described(state, epoch, partitions, count, [])


# --- connections ---------------------------------------------------------------------------------------------------------

class Peer(asyncio.Protocol):
    """A connection: answers come in the order of the requests, each to whoever waits for it."""

    def __init__(self):
        self.transport, self.waiting, self.rest = None, collections.deque(), b''

    def connection_made(self, transport):
        # The default makes and throws away a quarter of a MiB for each read.
        transport.max_size = 16 << 10
        self.transport = transport

    def data_received(self, data):
        if self.rest:
            data = self.rest + data
        at = 0
        while len(data) - at >= 4:
            end = at + 4 + int.from_bytes(data[at:at + 4], 'big')
            if end > len(data):
                break
            self.waiting.popleft()(data[at + 8:end])
            at = end
        self.rest = data[at:]

    def connection_lost(self, fault):
        for waiting in self.waiting:
            waiting(None)
        self.waiting.clear()

    def send(self, frame, on_answer):
        """`on_answer` gets the answer without its correlation id, or None if the connection ends."""
        self.waiting.append(on_answer)
        self.transport.write(frame)

    async def ask(self, frame):
        future = asyncio.get_running_loop().create_future()
        self.send(frame, lambda answer: future.done() or future.set_result(answer))
        answer = await future
        if answer is None:
            raise ConnectionError('closed by the broker')
        return answer

    def abort(self):
        self.transport.abort()


async def connect(port, count):
    """`count` connections that the broker has taken, so many at a time as fit into the shortest queue before an accept."""
    peers = []
    while len(peers) < count:
        some = min(CONNECTS_AT_ONCE, count - len(peers))
        peers += await asyncio.gather(*(connect_one(port) for _ in range(some)))
    return peers


async def connect_one(port):
    """To the first answer. A connect alone says nothing: where the queue before the accept is full, the kernel forgets the
    connection, the client's end takes it for open, and what it sends is tried again ever more rarely."""
    _, peer = await asyncio.get_running_loop().create_connection(Peer, '127.0.0.1', port)
    async with asyncio.timeout(CONNECT_SECONDS):
        await peer.ask(API_VERSIONS)
    return peer


def await_coordinators(port, seconds=60):
    """Until every partition of `__consumer_offsets` takes questions: some hundred names meet them all."""
    end = time.monotonic() + seconds
    with socket.create_connection(('127.0.0.1', port), timeout=seconds) as peer:
        def error_of(frame, place):
            peer.sendall(frame)
            return struct.unpack_from('>h', receive_frame(peer), 4 + place)[0]
        for number in range(400):
            group, error = f'probe-{number}', -1
            while True:
                error = error_of(request(FIND_COORDINATOR, 2, string(group) + b'\0'), 4)
                error = error or error_of(heartbeat(group, 1, 'nobody'), 4)
                if error not in (LOADING, NOT_AVAILABLE, NOT_COORDINATOR):
                    break
                if time.monotonic() > end:
                    raise SystemExit(f'no coordinator for {group} after {seconds} s: error {error}')
                time.sleep(0.05)


# --- members -------------------------------------------------------------------------------------------------------------

class Ownership:
    """Who has which partition of a group's topic, and which member has come to which epoch or generation.

    Settled is a group whose partitions all have an owner and whose members have all acknowledged one and the same epoch."""

    def __init__(self, member_count, partition_count):
        self.member_count, self.partition_count = member_count, partition_count
        self.owners, self.epochs, self.at_epoch = {}, {}, collections.Counter()
        self.is_settled, self.settled_at, self.fault = asyncio.Event(), None, None
        self.joined_at = 0

    def take(self, member, before, now):
        for partition in before - now:
            del self.owners[partition]
        for partition in now - before:
            if partition in self.owners:
                self.fail(f'partition {partition} was given to {member} while {self.owners[partition]} had it')
            self.owners[partition] = member

    def acknowledged(self, member, epoch):
        before = self.epochs.get(member)
        if before != epoch:
            self.at_epoch[before] -= 1
            self.at_epoch[epoch] += 1
            self.epochs[member] = epoch
        is_now = len(self.owners) == self.partition_count and self.at_epoch[epoch] == self.member_count
        if is_now and not self.is_settled.is_set():
            self.settled_at = time.monotonic()
            self.is_settled.set()
        elif not is_now:
            self.is_settled.clear()

    def fail(self, why):
        self.fault = self.fault or why
        self.is_settled.set()
        raise RuntimeError(why)

    async def settle(self, seconds):
        try:
            async with asyncio.timeout(seconds):
                await self.is_settled.wait()
        except TimeoutError:
            at = ', '.join(f'{count} at {epoch}' for epoch, count in self.at_epoch.most_common(3) if epoch is not None)
            raise SystemExit(f'not stable after {seconds} s: {len(self.owners)} of {self.partition_count} partitions have an owner, '
                             f'of {self.member_count} members {at}') from None
        if self.fault:
            raise SystemExit(self.fault)


class ConsumerMember:
    """A member of a group of the consumer protocol (KIP-848). It lets go before it says so, and says what it has taken up at once."""

    def __init__(self, peer, group, topic, topic_id, ownership, number):
        self.peer, self.group, self.topic, self.topic_id, self.ownership = peer, group, topic, topic_id, ownership
        self.id, self.epoch, self.owned, self.interval = str(uuid.UUID(int=uuid.uuid4().int)), 0, frozenset(), 5
        self.number = number

    async def beat(self, owned=None, topic=None):
        """One heartbeat; whether what it may have has changed."""
        if topic:
            self.ownership.joined_at = time.monotonic()
        frame = consumer_heartbeat(self.group, self.id, self.epoch, topic, self.topic_id, owned)
        reader = Reader(await self.peer.ask(frame), 1 + 4)
        error, why = reader.number('h'), reader.compact()
        if error:
            self.ownership.fail(f'ConsumerGroupHeartbeat of member {self.number}: error {error} {why}')
        reader.compact()
        self.epoch, self.interval = reader.number('i'), reader.number('i') / 1000
        given = frozenset(reader.topic_partitions()) if reader.number('b') >= 0 else self.owned
        has_changed = given != self.owned
        self.ownership.take(self.id, self.owned, given)
        self.owned = given
        return has_changed

    async def run(self):
        has_changed = await self.beat([], self.topic)
        while True:
            while has_changed:
                has_changed = await self.beat(sorted(self.owned))
            # An answer without news to a heartbeat that hid nothing: the broker knows that it has come there.
            self.ownership.acknowledged(self.id, self.epoch)
            await asyncio.sleep(self.interval)
            has_changed = await self.beat()


class ClassicMember:
    """A member of a classic group that gives all up before it joins again, as eager ones do."""

    def __init__(self, peer, group, topic, ownership, number, session_ms=10_000, interval=3):
        self.peer, self.group, self.topic, self.ownership, self.number = peer, group, topic, ownership, number
        self.id, self.generation, self.owned = '', -1, frozenset()
        self.session_ms, self.interval = session_ms, interval

    async def join(self):
        """Until it has an assignment."""
        while True:
            self.ownership.take(self.id, self.owned, frozenset())
            self.owned = frozenset()
            self.ownership.joined_at = time.monotonic()
            reader = Reader(await self.peer.ask(join_group(self.group, self.id, self.topic, self.session_ms)), 4)
            error, generation = reader.number('h'), reader.number('i')
            reader.string()
            leader, self.id = reader.string(), reader.string()
            if error == MEMBER_ID_REQUIRED:
                continue
            if error:
                self.ownership.fail(f'JoinGroup of member {self.number}: error {error}')
            self.generation = generation
            plan = self.plan(reader) if leader == self.id else []
            reader = Reader(await self.peer.ask(sync_group(self.group, generation, self.id, plan)), 4)
            error = reader.number('h')
            if error == REBALANCE_IN_PROGRESS:
                continue
            if error:
                self.ownership.fail(f'SyncGroup of member {self.number}: error {error}')
            given = frozenset(assigned_partitions(reader.bytes()))
            self.ownership.take(self.id, frozenset(), given)
            self.owned = given
            return

    def plan(self, reader):
        """As the leader: partitions to the members in turn."""
        members = []
        for _ in range(reader.number('i')):
            members.append(reader.string())
            reader.string(), reader.bytes()
        count = self.ownership.partition_count
        return [(member, assignment(self.topic, range(at, count, len(members)))) for at, member in enumerate(members)]

    async def beat(self):
        """One heartbeat; whether it has to join again."""
        answer = await self.peer.ask(heartbeat(self.group, self.generation, self.id))
        error = struct.unpack_from('>h', answer, 4)[0]
        if error not in (0, REBALANCE_IN_PROGRESS):
            self.ownership.fail(f'Heartbeat of member {self.number}: error {error}')
        return error == REBALANCE_IN_PROGRESS

    async def run(self):
        while True:
            await self.join()
            while not await self.beat():
                self.ownership.acknowledged(self.id, self.generation)
                await asyncio.sleep(self.interval)
