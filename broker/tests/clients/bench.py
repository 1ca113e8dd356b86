"""`ringlog-bench` against a broker: every scenario that it brings along runs for a moment, loses nothing, and counts no more than
the log has; two brokers are compared, and a page is drawn.

    bench.py
"""
import json
import os
import subprocess

from confluent_kafka import Consumer, TopicPartition

from ringlog import BIN, Ringlog, passed

BENCH = os.path.join(os.path.dirname(BIN), 'ringlog-bench')
# Rates and sizes that a busy machine takes too: this is about what is counted, not about how fast.
SMALL = {
    'produce': ['warmup=4 MiB', 'measure=16 MiB'],
    'fetch': ['preload.mib=8', 'warmup=8 MiB', 'measure=64 MiB'],
    'fetch-small': ['preload.mib=1', 'warmup=1 MiB', 'measure=8 MiB'],
    'pipeline': ['rate=5_000', 'codec=lz4'],
    'tail-10k': ['rate=2_000', 'idempotent=true', 'in.flight=5'],
    'back-fill': ['preload.mib=16', 'rate=1_600'],
    'fan-out': ['rate=200'],
    'many-partitions': ['partitions=100', 'rate=2_000'],
    'many-connections': ['partitions=100', 'producers=100', 'idle.connections=400', 'rate=2_000'],
    'long': ['rate=6_400'],
}


def bench(*words):
    done = subprocess.run([BENCH, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
    if done.returncode:
        raise SystemExit(f'bench: ringlog-bench {" ".join(words)}: {done.stderr}')
    return done.stdout


def run(broker, scenario, out):
    settings = ['warmup=1 s', 'measure=1 s', *SMALL.get(scenario, [])]
    words = [word for setting in settings for word in ('--set', setting)]
    bench('run', scenario, '--bootstrap', broker.bootstrap, '--broker-pid', str(broker.process.pid), '--keep-topic', '--out', out, *words)
    [name] = [name for name in os.listdir(out) if name.startswith(scenario + '-127')]
    with open(os.path.join(out, name)) as file:
        return json.load(file)


def stored(broker, scenario):
    """Records in the topics that the scenario has left."""
    consumer = Consumer({'bootstrap.servers': broker.bootstrap, 'group.id': 'bench'})
    topics = consumer.list_topics(timeout=30).topics.values()
    own = [(topic.topic, number) for topic in topics for number in topic.partitions if topic.topic.startswith(f'ringlog-bench-{scenario}-')]
    ends = [consumer.get_watermark_offsets(TopicPartition(*place), timeout=30)[1] for place in own]
    consumer.close()
    return sum(ends)


def check(broker, scenario, outcome):
    if outcome['errors'] or outcome['unanswered'] or outcome['used']['resident_bytes'] == 0:
        raise SystemExit(f'bench: {scenario}: {outcome["errors"]}, {outcome["unanswered"]} unanswered, {outcome["used"]}')
    counted = outcome['records'] or outcome['back_fill_records']
    there = stored(broker, scenario)
    is_reading_again = outcome['records'] == 0
    if counted == 0 or there == 0 or (counted > there and not is_reading_again):
        raise SystemExit(f'bench: {scenario}: {counted} records counted, {there} stored')
    latency = outcome['end_to_end'] or outcome['acknowledged']
    if outcome['tail_records'] and not latency:
        raise SystemExit(f'bench: {scenario}: records were read, and none was timed')


def main():
    scenarios = [line.split()[0] for line in bench('scenarios').splitlines()]
    with Ringlog() as broker:
        for scenario in scenarios:
            out = os.path.join(broker.scratch, 'out')
            check(broker, scenario, run(broker, scenario, out))
        work, out = os.path.join(broker.scratch, 'work'), os.path.join(broker.scratch, 'compared')
        side = 'ringlog:' + BIN
        said = bench('compare', 'single-records', '--a', side, '--b', side, '--rounds', '2', '--touch-mib', '16', '--work', work, '--out', out,
                     '--b-set', 'num.partitions=3', '--set', 'warmup=1 s', '--set', 'measure=1 s', '--broker-cpus', '0', '--load-cpus', str(os.cpu_count() - 1))
        if '| produced, requests/s |' not in said or os.listdir(work):
            raise SystemExit(f'bench: no table, or data left in {os.listdir(work)}: {said}')
        page = os.path.join(broker.scratch, 'page.html')
        bench('report', out, '--html', page)
        if os.path.getsize(page) < 2000:
            raise SystemExit('bench: an empty page')
    passed('bench', f'{len(scenarios)} scenarios, a comparison and a page')


main()
