"""Ringlog beside Apache Kafka: `ringlog-bench compare` on one and the same core, in turns, and each figure held against its floor.

    against_kafka.py [SCENARIO...] [--rounds N] [--out DIR]

All scenarios with a floor by default, 5 rounds: about an hour and a half, during which the machine does nothing else. Settings: JAVA
names the JVM (the newest that is installed by default), BROKER_CPUS=0, LOAD_CPUS the last core, TOUCH_MIB=6000.
"""
import argparse
import glob
import json
import os
import subprocess

from kafka import JARS
from ringlog import BIN, say

# Of Kafka's figure; 'more' must reach it, 'less' must not exceed it. A bound in ms is one of ours alone.
FLOORS = {
    'produce': [('produced, MiB/s', 'more', 10), ('broker CPU, s/GiB', 'less', 0.1)],
    'small-records': [('produced, records/s', 'more', 8)],
    'single-records': [('produced, requests/s', 'more', 15), ('acknowledged p99, ms', 'less', 0.1)],
    'single-records-durable': [('produced, requests/s', 'more', 25)],
    'produce-durable': [('produced, MiB/s', 'more', 8)],
    'fetch': [('broker CPU, s/GiB', 'less', 0.6)],
    'fetch-small': [('broker CPU, s/GiB', 'less', 0.5)],
    'tail-1k': [('end to end p50, ms', 'less', 0.35), ('end to end p99, ms', 'less', 0.1), ('end to end p99.9, ms', 'less', 0.1)],
    'tail-10k': [('end to end p99, ms', 'below', 1)],
    'tail-durable': [('end to end p99, ms', 'below the p50 of Kafka', None)],
    'pipeline': [('end to end p99, ms', 'less', 0.1), ('end to end p99, ms', 'below', 10)],
    'many-connections': [('broker CPU, % of a core', 'less', 0.5), ('acknowledged p99, ms', 'less', 0.1)],
}
BENCH = os.path.join(os.path.dirname(BIN), 'ringlog-bench')


def newest_java():
    found = sorted(glob.glob('/usr/lib/jvm/*-2[1-9]-*/bin/java'))
    return os.environ.get('JAVA') or (found[-1] if found else 'java')


def compare(scenarios, rounds, out):
    last = os.cpu_count() - 1
    subprocess.run([BENCH, 'compare', *scenarios, '--a', 'ringlog:' + BIN, '--b', 'kafka:' + JARS, '--rounds', str(rounds),
                    '--broker-cpus', os.environ.get('BROKER_CPUS', '0'), '--load-cpus', os.environ.get('LOAD_CPUS', str(last)),
                    '--touch-mib', os.environ.get('TOUCH_MIB', '6000'), '--java', newest_java(), '--out', out,
                    '--work', os.path.join(out, 'work')], check=True)
    markdown = subprocess.run([BENCH, 'report', out, '--markdown'], check=True, stdout=subprocess.PIPE, text=True).stdout
    return markdown


def figures(markdown):
    """{scenario: {figure: (ours, Kafka's, ratio)}}, all medians; what is missing is None."""
    found, scenario = {}, None
    for line in markdown.splitlines():
        if line.startswith('### '):
            scenario = found.setdefault(line[4:], {})
        elif line.startswith('| ') and not line.startswith('| |'):
            name, *values = [cell.strip() for cell in line.strip('|').split('|')]
            scenario[name] = tuple(float(value.split()[0].replace(',', '')) if value != '–' else None for value in values)
    return found


def verdicts(scenario, found, out):
    runs = [json.load(open(path)) for path in glob.glob(os.path.join(out, f'{scenario}-ringlog-*.json'))]
    if any(run['unanswered'] or run['errors'] for run in runs):
        yield False, f'{scenario}: records without an answer, or refused'
    for name, kind, floor in FLOORS[scenario]:
        ours, theirs, ratio = found.get(name, (None, None, None))
        if kind == 'below':
            yield ours is not None and ours < floor, f'{scenario}: {name}: {ours}, below {floor}'
        elif kind == 'below the p50 of Kafka':
            middle = found['end to end p50, ms'][1]
            yield ours < middle, f'{scenario}: {name}: {ours}, below {middle}, the p50 of Kafka'
        else:
            good = ratio is not None and (ratio >= floor if kind == 'more' else ratio <= floor)
            yield good, f'{scenario}: {name}: {ours} and {theirs}, ratio {ratio}, {floor} or {kind}'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('scenarios', nargs='*')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--out', default='ringlog-bench-out')
    args = parser.parse_args()
    unknown = [name for name in args.scenarios if name not in FLOORS]
    if unknown:
        raise SystemExit(f'against_kafka: no floors for {", ".join(unknown)}; there are {", ".join(FLOORS)}')
    scenarios = args.scenarios or list(FLOORS)
    markdown = compare(scenarios, args.rounds, args.out)
    found, bad = figures(markdown), 0
    for scenario in scenarios:
        for is_good, text in verdicts(scenario, found.get(scenario, {}), args.out):
            bad += not is_good
            say(f'{"PASS" if is_good else "FAIL"} against_kafka  {text}')
    raise SystemExit(1 if bad else 0)


main()
