"""Metrics as Prometheus reads them: its own parser takes the page, and what clients do is found in it.

    metrics.py            parser, counts of produced and consumed records, a group and its lag, health
    metrics.py many [N]   what a scrape of N partitions (10,000) costs a core, and what a producer notices of it
"""
import os
import statistics
import subprocess
import sys
import threading
import time
import urllib.request

from ringlog import BIN, Ringlog, create_topic, free_port, passed, say


class Watched(Ringlog):
    def __init__(self, *settings, **how):
        self.http = free_port()
        super().__init__(f'ringlog.http.listen=127.0.0.1:{self.http}', *settings, **how)

    def get(self, path):
        with urllib.request.urlopen(f'http://127.0.0.1:{self.http}{path}', timeout=20) as answer:
            return answer.read().decode()

    def samples(self):
        """All samples by name and labels, as Prometheus' parser reads them."""
        from prometheus_client.parser import text_string_to_metric_families
        samples = {}
        for family in text_string_to_metric_families(self.get('/metrics')):
            assert family.documentation, family.name
            for sample in family.samples:
                key = (sample.name, tuple(sorted(sample.labels.items())))
                assert key not in samples, f'{key} is there twice'
                samples[key] = sample.value
        return samples


def find(samples, name, **labels):
    return samples.get((name, tuple(sorted(labels.items()))))


def check(promtool):
    from confluent_kafka import Consumer, Producer
    with Watched(cores=2) as broker:
        assert broker.get('/health/live') == 'alive\n'
        create_topic(broker, 'seen', 3)
        producer = Producer({'bootstrap.servers': broker.bootstrap})
        for number in range(1000):
            producer.produce('seen', str(number).encode(), partition=max(0, number % 10 - 7))
        assert producer.flush(20) == 0
        consumer = Consumer({'bootstrap.servers': broker.bootstrap, 'group.id': 'a "group" with a \\ and more',
                             'auto.offset.reset': 'earliest', 'enable.auto.commit': False})
        consumer.subscribe(['seen'])
        # A partition of which nothing was read has no committed offset, and so no lag.
        count, seen = 0, set()
        while count < 600 or len(seen) < 3:
            message = consumer.poll(10)
            assert message and not message.error(), message
            count += 1
            seen.add(message.partition())
        consumer.commit(asynchronous=False)
        samples = broker.samples()
        assert find(samples, 'ringlog_topic_records_in_total', topic='seen') == 1000
        assert find(samples, 'ringlog_topic_records_out_total', topic='seen') >= 600
        group = 'a "group" with a \\ and more'
        lag = find(samples, 'ringlog_group_lag_records', group=group)
        assert lag == 1000 - count > 0, (lag, count)
        assert find(samples, 'ringlog_group_members', group=group) == 1
        assert find(samples, 'ringlog_group_lag_seconds', group=group) > 0
        assert find(samples, 'ringlog_group_rebalances_total', cause='member_joined') >= 1
        by_partition = [value for (name, labels), value in samples.items()
                        if name == 'ringlog_group_partition_lag_records' and ('topic', 'seen') in labels]
        assert sum(by_partition) == lag, by_partition
        buckets = [value for (name, labels), value in samples.items()
                   if name == 'ringlog_request_duration_seconds_bucket' and ('api', 'Fetch') in labels]
        assert buckets == sorted(buckets) and buckets[-1] > 0, buckets
        consumer.close()
        if promtool:
            text = broker.get('/metrics')
            linted = subprocess.run([promtool, 'check', 'metrics'], input=text, capture_output=True, text=True)
            assert linted.returncode == 0, linted.stdout + linted.stderr
        passed('metrics', f'{len(samples)} samples' + (', promtool agrees' if promtool else ''))


def load(broker, *arguments):
    command = [os.path.join(os.path.dirname(BIN), 'examples', 'produce_load'), '--bootstrap', broker.bootstrap, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f'produce_load failed: {done.stderr}')
    return done.stdout.split()


def many(partitions):
    with Watched(cores=1) as broker:
        load(broker, '--topic', 'many', '--partitions', str(partitions), '--connections', '4', '--batch-records', '1',
             '--record-bytes', '100', '--warmup-mib', '0', '--mib', str(max(2, partitions // 5000)))
        cpu, took, size = [], [], 0
        for _ in range(30):
            begin = time.monotonic()
            text = broker.get('/metrics')
            took.append(time.monotonic() - begin)
            size = len(text)
            line = next(line for line in text.splitlines() if line.startswith('ringlog_core_cpu_seconds_total{core="0"}'))
            cpu.append(float(line.split()[-1]))
        each = sorted(after - before for before, after in zip(cpu, cpu[1:]))
        rows = text.count('\nringlog_partition_log_end_offset{')
        say(f'{rows} partitions, {size >> 20} MiB of text in {statistics.median(took):.3f} s: a scrape costs the core '
            f'{1000 * statistics.median(each):.2f} ms (at most {1000 * each[-1]:.2f} ms), {broker.resident_mib():.1f} MiB resident')
        stop, is_on = threading.Event(), threading.Event()

        def scrape():
            while not stop.wait(1.0):
                if is_on.is_set():
                    broker.get('/metrics')
        threading.Thread(target=scrape, daemon=True).start()
        seen = {False: [], True: []}
        for turn in range(10):
            is_on.set() if turn % 2 else is_on.clear()
            words = load(broker, '--topic', 'steady', '--batch-records', '1', '--record-bytes', '100', '--connections', '2',
                         '--in-flight', '1', '--mib', '5', '--warmup-mib', '1')
            seen[bool(turn % 2)].append((float(words[words.index('p50') + 1]), float(words[words.index('p99') + 1])))
        stop.set()
        for on, runs in seen.items():
            p50, p99 = (statistics.median(run[place] for run in runs) for place in (0, 1))
            say(f'{"with a scrape a second" if on else "without"}: produce p50 {p50:.2f} ms, p99 {p99:.2f} ms (medians of {len(runs)})')
        passed('metrics many')


if sys.argv[1:2] == ['many']:
    many(int(sys.argv[2]) if len(sys.argv) > 2 else 10_000)
else:
    check(os.environ.get('PROMTOOL'))
