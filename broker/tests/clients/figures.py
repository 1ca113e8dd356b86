"""The figures of the README, in one go: start to listening on an empty directory, resident memory idle with 2 cores, and CPU with
1,000 idle consumers that long-poll for 500 ms each.

    figures.py [FACTOR]      with a factor it fails where a figure is worse than so many times its floor: 1 on a calm machine,
                             3 in ./check, which may share its machine with others
"""
import os
import resource
import statistics
import subprocess
import sys
import time

from ringlog import Ringlog, create_topic, passed

HERE = os.path.dirname(os.path.abspath(__file__))
STARTS = 20
CONSUMERS = 1000
MEASURED_SECONDS = 20
START_MS_FLOOR, RESIDENT_MIB_FLOOR, CPU_PERCENT_FLOOR = 100, 24, 3


def start_ms():
    """Median and slowest, from the start of the process to the first answered request."""
    times = []
    for _ in range(STARTS):
        broker = Ringlog(cores=2, started=False)
        with broker:
            times.append(broker.start() * 1000)
    return statistics.median(times), max(times)


def resident_mib():
    with Ringlog(cores=2) as broker:
        time.sleep(2)
        return broker.resident_mib()


def long_poll_percent():
    """CPU of the broker, in percent of one core. The consumers run on the last core."""
    with Ringlog(cores=1) as broker:
        create_topic(broker, 'idle', 6)
        last = max(os.sched_getaffinity(0))
        command = [sys.executable, os.path.join(HERE, 'long_poll.py'), broker.bootstrap, 'idle', str(CONSUMERS),
                   str(MEASURED_SECONDS + 1)]
        consumers = subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                                     preexec_fn=lambda: os.sched_setaffinity(0, [last]))
        if consumers.stdout.readline() != 'asking\n':
            raise SystemExit('the consumers have ended')
        before, begin = broker.cpu_seconds(), time.monotonic()
        time.sleep(MEASURED_SECONDS)
        used, elapsed = broker.cpu_seconds() - before, time.monotonic() - begin
        print(consumers.communicate()[0].strip())
        return 100 * used / elapsed


def main():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    median, slowest = start_ms()
    resident = resident_mib()
    percent = long_poll_percent()
    passed('figures/start', f'{median:.0f} ms median of {STARTS} starts on an empty directory, {slowest:.0f} ms the slowest')
    passed('figures/resident', f'{resident:.1f} MiB resident, idle, 2 cores')
    passed('figures/long_poll', f'{percent:.1f} % of a core with {CONSUMERS} consumers that long-poll for 500 ms')
    if len(sys.argv) > 1:
        factor = float(sys.argv[1])
        worse = [f'{value:.1f} {unit}, {floor * factor:g} at most' for value, floor, unit in [
            (median, START_MS_FLOOR, 'ms to start'), (resident, RESIDENT_MIB_FLOOR, 'MiB resident'),
            (percent, CPU_PERCENT_FLOOR, '% of a core')] if value > floor * factor]
        if worse:
            raise SystemExit('\n'.join(worse))


main()
