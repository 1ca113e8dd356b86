"""Readers that ask for 50 MB and never read: the broker's memory stays bounded, and a producer beside them is undisturbed.

    slow_reader.py [READERS]
"""
import socket
import sys
import subprocess

from records import record
from ringlog import Ringlog, create_topic, fetch, passed
from steady import produce_steadily

ASKED = 50_000_000
RECORDS = 60_000
RESIDENT_MIB_MAX = 400


def main():
    readers = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    with Ringlog() as broker:
        create_topic(broker, 'big', 1)
        create_topic(broker, 'beside', 6)
        lines = b''.join(record(number) + b'\n' for number in range(RECORDS))
        subprocess.run(['kcat', '-P', '-b', broker.bootstrap, '-t', 'big', '-p', '0'], input=lines, check=True)
        before = broker.resident_mib()
        peers = []
        for _ in range(readers):
            peer = socket.socket()
            # A small window, so that almost all of the answer has to wait in the broker.
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            peer.connect(('127.0.0.1', broker.port))
            # Ten requests each: what is asked for next must not be read while nobody takes what there is.
            peer.sendall(b''.join(fetch('big', 0, 0, ASKED, 500, correlation=n) for n in range(10)))
            peers.append(peer)
        slowest = produce_steadily(broker, 'beside', 6, seconds=5)
        resident, peak = broker.resident_mib(), broker.peak_mib()
        if peak - before > RESIDENT_MIB_MAX:
            raise SystemExit(f'{readers} readers that do not read take {peak - before:.0f} MiB, {RESIDENT_MIB_MAX} at most')
        for peer in peers:
            peer.close()
        produce_steadily(broker, 'beside', 6, seconds=1)
        passed('slow_reader', f'{readers} readers x 10 x 50 MB: resident {before:.0f} MiB before, {resident:.0f} MiB with them '
                              f'(peak {peak:.0f}), {broker.resident_mib():.0f} MiB after; slowest produce beside them '
                              f'{slowest * 1000:.0f} ms')


main()
