"""What was written with one core is served with two, and the other way round: hashes of every partition before and after.

    cores.py
"""
import hashlib
import subprocess

from records import record
from ringlog import Ringlog, create_topic, passed

PARTITIONS = 12
RECORDS = 1000


def fill(broker, topic, begin):
    """The same number of records into each partition, by kcat."""
    for p in range(PARTITIONS):
        lines = b''.join(record(begin + n * PARTITIONS + p) + b'\n' for n in range(RECORDS))
        subprocess.run(['kcat', '-P', '-b', broker.bootstrap, '-t', topic, '-p', str(p)], input=lines, check=True)


def hashes(broker, topic):
    """Per partition: how many records, and a hash of offsets and bytes."""
    found = []
    for p in range(PARTITIONS):
        command = ['kcat', '-C', '-b', broker.bootstrap, '-t', topic, '-p', str(p), '-o', 'beginning', '-e', '-q',
                   '-f', '%o %T %s\n']
        out = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
        found.append((out.count(b'\n'), hashlib.sha256(out).hexdigest()))
    return found


def main():
    with Ringlog(cores=1) as broker:
        create_topic(broker, 'cores', PARTITIONS)
        fill(broker, 'cores', 0)
        before = hashes(broker, 'cores')
        assert [count for count, _ in before] == [RECORDS] * PARTITIONS, before
        for step, cores in enumerate([2, 1]):
            assert broker.stop() == 0
            broker.start(cores=cores)
            after = hashes(broker, 'cores')
            if after != before:
                raise SystemExit(f'with --cores {cores} other records are served: {before} {after}')
            fill(broker, 'cores', (step + 1) * RECORDS * PARTITIONS)
            before = hashes(broker, 'cores')
            assert [count for count, _ in before] == [RECORDS * (step + 2)] * PARTITIONS, before
        passed('cores', f'{PARTITIONS} partitions, --cores 1, then 2, then 1: the same records each time')


main()
