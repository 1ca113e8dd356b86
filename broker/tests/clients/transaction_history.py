"""What transactional clients, their readers and whoever disturbed them have noted, and what must hold of it.

Each process writes a file of its own, a line an event, fields parted by tabs: the moment (ns of the machine's monotonic clock, so that
moments of different processes can be compared), the event, and what it is about. A transaction's name says who it is of:
`ID.PROCESS.SESSION/NUMBER`; each InitProducerId that succeeds begins a session. A record's value is `TRANSACTION/INDEX/COUNT`, and with
`|PARTITION/OFFSET` behind it where it was made of another record.

    open SESSION                              init_transactions() has succeeded
    begin TXN COUNT                           COUNT records are about to be sent
    ending TXN commit|abort                   the client library is about to be asked
    ended TXN commit|abort                    it has said that this is done
    failed TXN WHY                            nobody knows what became of it
    fenced SESSION                            somebody else has the id
    hangs TXN                                 the client library does not come back from a call
    fault WHY                                 what a client must never meet
    from TOPIC PARTITION OFFSET               a reader of committed records begins here
    saw TOPIC PARTITION OFFSET VALUE          and sees this
    did WHAT                                  a disturbance
    stable TOPIC PARTITION STABLE END         at the end of all: the last stable offset, and the log's end
    committed PARTITION OFFSET                likewise: the transformers' group
    usable ID yes|WHY                         likewise: init_transactions() for the id

The file `final` is what a reader saw from the first record to the last when all was over.
"""
import os
from bisect import bisect_left, bisect_right
from collections import defaultdict, namedtuple

SOURCE, MADE = 'lists', 'made'
NEARBY_NS = 1_500_000_000

Row = namedtuple('Row', 'offset value at')
# A rule that does not hold: its name, what is wrong, and the words by which the story is found in the files.
Fault = namedtuple('Fault', 'rule text words')


class Txn:
    def __init__(self):
        self.count = self.asked = self.asked_at = self.told = None


class History:
    def __init__(self, files):
        """`files`: lines of each process by its name."""
        self.files = files
        self.txns = defaultdict(Txn)
        self.final = defaultdict(list)
        # Of each reader: (name, (topic, partition), first offset, rows).
        self.spans = []
        self.stable, self.committed, self.usable, self.faults = {}, {}, {}, []
        for name, lines in files.items():
            self.take(name, lines)

    @staticmethod
    def read(folder):
        files = {}
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), encoding='utf-8', errors='replace') as file:
                # The last line of a process that was killed may be cut.
                files[name] = [line[:-1] for line in file if line.endswith('\n')]
        return History(files)

    def take(self, name, lines):
        open_spans = {}
        for line in lines:
            at, event, *rest = line.split('\t')
            at = int(at)
            if event == 'saw':
                place, row = (rest[0], int(rest[1])), Row(int(rest[2]), rest[3], at)
                (self.final[place] if name == 'final' else open_spans[place]).append(row)
            elif event == 'from' and name != 'final':
                open_spans[rest[0], int(rest[1])] = rows = []
                self.spans.append((name, (rest[0], int(rest[1])), int(rest[2]), rows))
            elif event == 'begin':
                self.txns[rest[0]].count = int(rest[1])
            elif event == 'ending':
                # An abort after a commit that failed is another question: the first counts for what may be seen.
                txn = self.txns[rest[0]]
                if txn.asked != 'commit':
                    txn.asked, txn.asked_at = rest[1], at
            elif event == 'ended':
                self.txns[rest[0]].told = rest[1]
            elif event == 'stable':
                self.stable[rest[0], int(rest[1])] = (int(rest[2]), int(rest[3]))
            elif event == 'committed':
                self.committed[int(rest[0])] = int(rest[1])
            elif event == 'usable':
                self.usable[rest[0]] = rest[1]
            elif event == 'fault':
                self.faults.append((name, rest[0]))

    def told(self, what):
        return [name for name, txn in self.txns.items() if txn.told == what]

    def seen(self):
        """Every place, name of a reader and row that anybody saw."""
        for place, rows in self.final.items():
            for row in rows:
                yield place, 'final', row
        for name, place, _, rows in self.spans:
            for row in rows:
                yield place, name, row

    def story(self, fault, lines_max=60):
        """The last lines that speak of it, and the disturbances around them, in the order of time."""
        found = []
        for name, lines in self.files.items():
            found += [(int(line.split('\t')[0]), name, line) for line in lines if any(word in line + '\t' for word in fault.words)]
        moments = [at for at, _, _ in found]
        for name, lines in self.files.items():
            for line in lines:
                at = int(line.split('\t')[0])
                if '\tdid\t' in line and any(abs(at - moment) < NEARBY_NS for moment in moments):
                    found.append((at, name, line))
        found = sorted(set(found))[-lines_max:]
        begin = found[0][0] if found else 0
        return [f'{(at - begin) / 1e9:10.3f} s  {name:24} {" ".join(line.split(chr(9))[1:])}' for at, name, line in found]


def parse(value):
    """(transaction, index, count, source) of a record's value; the source is (partition, offset) or None."""
    own, _, source = value.partition('|')
    txn, index, count = own.rsplit('/', 2)
    partition, _, offset = source.partition('/')
    return txn, int(index), int(count), (int(partition), int(offset)) if source else None


def session_of(txn):
    """(ID, session) of a transaction."""
    session = txn.rsplit('/', 1)[0]
    return session.split('.')[0], session


def lost_write(history):
    """What was acknowledged as committed is there."""
    there = {parse(row.value)[0] for rows in history.final.values() for row in rows}
    for txn in history.told('commit'):
        if txn not in there:
            yield f'{txn} was acknowledged, and none of it is there', [txn]


def torn(history):
    """Of a transaction all is there or nothing."""
    found = defaultdict(set)
    for rows in history.final.values():
        for row in rows:
            txn, index, count, _ = parse(row.value)
            found[txn].add((index, count))
    for txn, parts in found.items():
        count = next(iter(parts))[1]
        if {index for index, _ in parts} != set(range(count)):
            yield f'{txn} has {count} records, and there are {sorted(index for index, _ in parts)}', [txn + '/', txn + '\t']


def twice(history):
    """Nothing is there twice."""
    first = {}
    for place, rows in history.final.items():
        for row in rows:
            if row.value in first:
                yield f'{row.value} is at {first[row.value]} and at {place, row.offset}', [row.value]
            first[row.value] = (place, row.offset)


def aborted_read(history):
    """Nobody sees what was aborted, or what its client has never asked to commit."""
    for place, name, row in history.seen():
        txn = parse(row.value)[0]
        if history.txns[txn].told == 'abort' or history.txns[txn].asked != 'commit':
            yield f'{name} saw {row.value} at {place, row.offset}, which was not committed', [txn + '/', txn + '\t']


def early_read(history):
    """Nobody sees anything before its client has asked to commit it."""
    for place, name, row in history.seen():
        txn = history.txns[parse(row.value)[0]]
        if txn.asked == 'commit' and row.at < txn.asked_at:
            yield f'{name} saw {row.value} at {place, row.offset} before it was committed', [row.value.rsplit('/', 2)[0]]


def reordered(history):
    """A partition has a session's records as they were sent, and an id's sessions one after another, the same in all."""
    follows = {}
    for place, rows in history.final.items():
        sessions, last = defaultdict(list), {}
        for row in rows:
            txn, index, _, _ = parse(row.value)
            id_of, session = session_of(txn)
            at = (int(txn.rsplit('/', 1)[1]), index)
            if session in last and last[session] >= at:
                yield f'{row.value} at {place, row.offset} is behind {session}/{last[session]}', [row.value, session + '\t']
            last[session] = at
            if not sessions[id_of] or sessions[id_of][-1] != session:
                if session in sessions[id_of]:
                    yield f'{row.value} at {place, row.offset} is behind {sessions[id_of][-1]}, which came later', [row.value]
                sessions[id_of].append(session)
        for own in sessions.values():
            for number, earlier in enumerate(own):
                for later in own[number + 1:number + 3]:
                    if follows.setdefault(frozenset((earlier, later)), (earlier, later)) != (earlier, later):
                        yield f'{earlier} is before {later} in {place}, and behind it elsewhere', [earlier + '\t', later + '\t']


def not_exactly_once(history):
    """Each record is made into one other, in order, and the group's offsets are behind the last."""
    made = defaultdict(int)
    for place, rows in history.final.items():
        last = {}
        for row in rows if place[0] == MADE else ():
            partition, offset = parse(row.value)[3]
            made[partition, offset] += 1
            if last.get(partition, -1) >= offset:
                yield f'{row.value} at {place, row.offset} is behind {last[partition]}', [f'|{partition}/{offset}']
            last[partition] = offset
    for (topic, partition), rows in history.final.items():
        for row in rows if topic == SOURCE else ():
            count = made.pop((partition, row.offset), 0)
            if count != 1:
                yield f'{row.value} at {partition, row.offset} was used {count} times', [row.value, f'|{partition}/{row.offset}']
        if topic == SOURCE and rows and history.committed.get(partition, -1) <= rows[-1].offset:
            yield f'partition {partition}: the group is at {history.committed.get(partition)}, behind {rows[-1].offset}', []
    for (partition, offset), count in made.items():
        yield f'there is nothing at {partition, offset}, and it was used {count} times', [f'|{partition}/{offset}']


def misread(history):
    """A reader of committed records sees what is there in the end, from where it begins to where it stops: nothing else, no less."""
    for name, place, first, rows in history.spans:
        for before, row in zip(rows, rows[1:]):
            if row.offset <= before.offset:
                yield f'{name} went from {before.offset} to {row.offset} in {place}', [before.value, row.value]
        seen = {row.offset: row.value for row in rows}
        final = history.final[place]
        begin = bisect_left(final, first, key=lambda row: row.offset)
        for row in final[begin:bisect_right(final, max(seen, default=-1), key=lambda row: row.offset)]:
            if seen.pop(row.offset, None) != row.value:
                yield f'{name} missed {row.value} at {place, row.offset}, or saw another', [row.value]
        for offset, value in seen.items():
            yield f'{name} saw {value} at {place, offset}, where it is not', [value]


def stuck(history):
    """When nobody writes, all of a partition is stable."""
    for place, (stable, end) in history.stable.items():
        if stable != end:
            yield f'{place} is stable up to {stable} of {end}', []


def unusable(history):
    """Every transactional id can be used again."""
    for id_of, word in history.usable.items():
        if word != 'yes':
            yield f'{id_of}: {word}', [f'{id_of}.', f'{id_of}\t']


def client_fault(history):
    """No client meets an error that it must not."""
    for name, why in history.faults:
        yield f'{name}: {why}', [why]


RULES = (lost_write, torn, twice, aborted_read, early_read, reordered, not_exactly_once, misread, stuck, unusable, client_fault)


def check(history):
    """All faults, each rule's first ones."""
    faults = []
    for rule in RULES:
        for text, words in rule(history):
            faults.append(Fault(rule.__name__, text, words))
            if sum(fault.rule == rule.__name__ for fault in faults) >= 5:
                break
    return faults
