"""That the checker of transactions has teeth: made-up histories, a sound one and one for each way to break each rule.

    transaction_history_test.py
"""
from ringlog import passed
from transaction_history import RULES, History, check

# Two transactions of one session over two partitions, one that was aborted, and what was made of them.
SOUND = {
    'a.0': ['10 open a.0.1', '11 begin a.0.1/0 2', '12 ending a.0.1/0 commit', '13 ended a.0.1/0 commit',
            '20 begin a.0.1/1 2', '21 ending a.0.1/1 abort', '22 ended a.0.1/1 abort',
            '30 begin a.0.1/2 2', '31 ending a.0.1/2 commit', '32 failed a.0.1/2 timeout'],
    'a.1': ['40 open a.1.1', '41 begin a.1.1/0 1', '42 ending a.1.1/0 commit', '43 ended a.1.1/0 commit'],
    't.0': ['44 open t.0.1', '45 begin t.0.1/0 5', '46 ending t.0.1/0 commit', '47 ended t.0.1/0 commit'],
    'reader': ['50 from lists 0 0', '50 from lists 1 2', '51 saw lists 0 0 a.0.1/0/0/2', '52 saw lists 0 4 a.0.1/2/0/2'],
    'final': ['60 saw lists 0 0 a.0.1/0/0/2', '60 saw lists 0 4 a.0.1/2/0/2', '60 saw lists 0 6 a.1.1/0/0/1',
              '61 saw lists 1 0 a.0.1/0/1/2', '61 saw lists 1 4 a.0.1/2/1/2',
              '62 saw made 0 0 t.0.1/0/0/5|0/0', '62 saw made 0 1 t.0.1/0/1/5|0/4', '62 saw made 0 2 t.0.1/0/2/5|0/6',
              '63 saw made 1 0 t.0.1/0/3/5|1/0', '63 saw made 1 1 t.0.1/0/4/5|1/4'],
    'end': ['70 stable lists 0 8 8', '70 stable lists 1 6 6', '70 committed 0 7', '70 committed 1 6', '70 usable a yes'],
}
ALL = None

# (rule, what is wrong, the file, the line that goes, the line that comes)
BROKEN = [
    ('lost_write', 'an acknowledged transaction is gone', 'final', 'a.1.1/0/0/1', ALL),
    ('torn', 'a part of a transaction is gone', 'final', 'lists 1 0', ALL),
    ('torn', 'a part of a transaction that nobody was told of is gone', 'final', 'lists 1 4', ALL),
    ('twice', 'a record is there twice', 'final', '', '61 saw lists 1 5 a.0.1/2/1/2'),
    ('aborted_read', 'an aborted record is there', 'final', '', '61 saw lists 1 2 a.0.1/1/1/2'),
    ('aborted_read', 'a reader saw an aborted record that is gone later', 'reader', '', '53 saw lists 0 2 a.0.1/1/0/2'),
    ('aborted_read', 'a client that was killed had not asked for a commit', 'a.1', 'ending', ALL),
    ('early_read', 'a reader saw a record before its commit', 'reader', 'saw lists 0 4', '29 saw lists 0 4 a.0.1/2/0/2'),
    ('reordered', 'two transactions of a session are the other way round', 'final', 'saw lists 0 0', '60 saw lists 0 5 a.0.1/0/0/2'),
    ('reordered', 'two records of a transaction are the other way round', 'final', '', '62 saw made 1 2 t.0.1/0/3/5|1/0'),
    ('reordered', 'a producer that was fenced goes on', 'final', '', '61 saw lists 0 7 a.0.1/3/0/1'),
    ('reordered', 'sessions are in another order elsewhere', 'final', 'saw lists 1 0', '60 saw lists 1 -1 a.1.1/1/0/1'),
    ('not_exactly_once', 'a record was used twice', 'final', '', '64 saw made 1 3 t.0.1/1/0/1|1/4'),
    ('not_exactly_once', 'a record was not used', 'final', 'made 1 1', ALL),
    ('not_exactly_once', 'a record was used that is not there', 'final', '', '64 saw made 1 3 t.0.1/1/0/1|1/5'),
    ('not_exactly_once', 'records were used out of order', 'final', 'made 0 0', '64 saw made 0 9 t.0.1/1/0/1|0/0'),
    ('not_exactly_once', 'the group is behind', 'end', 'committed 1', '70 committed 1 4'),
    ('misread', 'a reader missed a record', 'reader', 'saw lists 0 0', ALL),
    ('misread', 'a reader saw a record elsewhere', 'reader', 'saw lists 0 0', '51 saw lists 0 1 a.0.1/0/0/2'),
    ('misread', 'a reader went back', 'reader', '', '53 saw lists 0 0 a.0.1/0/0/2'),
    ('stuck', 'a last stable offset stays behind', 'end', 'stable lists 1', '70 stable lists 1 4 6'),
    ('unusable', 'an id cannot be used', 'end', 'usable', '70 usable a CONCURRENT_TRANSACTIONS'),
    ('client_fault', 'a client met what it must not', 'a.0', '', '33 fault UNKNOWN_SERVER_ERROR'),
]


def history(files):
    """Spaces part the fields of these lines, but for the last one of each."""
    def order(name, lines):
        rows = [line.replace(' ', '\t') for line in lines]
        # A partition is read in the order of its offsets.
        return sorted(rows, key=lambda row: int(row.split('\t')[4])) if name == 'final' else rows
    return History({name: order(name, lines) for name, lines in files.items()})


def main():
    faults = check(history(SOUND))
    assert not faults, f'a sound history: {faults}'
    for rule, what, name, gone, new in BROKEN:
        files = {key: list(lines) for key, lines in SOUND.items()}
        if gone:
            kept = [line for line in files[name] if gone not in line]
            assert len(kept) == len(files[name]) - 1, f'{what}: {gone} is not one line'
            files[name] = kept
        files[name] += [new] if new is not ALL else []
        broken = history(files)
        found = [fault for fault in check(broken) if fault.rule == rule]
        assert found, f'{what}: {rule} does not see it, but {check(broken)}'
        if found[0].words:
            assert broken.story(found[0]), f'{what}: there is no story of {found[0]}'
    untested = {rule.__name__ for rule in RULES} - {rule for rule, *_ in BROKEN}
    assert not untested, f'nothing breaks {untested}'
    passed('transaction_history_test', f'{len(BROKEN)} broken histories, each seen by its rule')


main()
