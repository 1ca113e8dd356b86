"""10,000 idle connections: a producer beside them is undisturbed, memory stays bounded, and all are still served afterwards.

    idle_connections.py [COUNT]
"""
import resource
import socket
import sys
import time

from ringlog import API_VERSIONS, Ringlog, create_topic, passed, receive_frame
from steady import produce_steadily

RESIDENT_MIB_MAX = 512


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if hard < count + 100:
        raise SystemExit(f'this machine allows {hard} descriptors a process; {count} connections need more')
    with Ringlog() as broker:
        create_topic(broker, 'idle', 6)
        before = broker.resident_mib()
        # Loopback addresses take turns, so that no client address runs out of ports.
        peers = []
        for number in range(count):
            peer = socket.socket()
            peer.bind((f'127.0.0.{2 + number % 4}', 0))
            peer.connect(('127.0.0.1', broker.port))
            peers.append(peer)
        slowest = produce_steadily(broker, 'idle', 6, seconds=5)
        resident = broker.resident_mib()
        begin = time.monotonic()
        for peer in peers:
            peer.sendall(API_VERSIONS)
        for peer in peers:
            peer.settimeout(30)
            receive_frame(peer)
        served = time.monotonic() - begin
        if resident > RESIDENT_MIB_MAX:
            raise SystemExit(f'{count} idle connections take {resident:.0f} MiB, {RESIDENT_MIB_MAX} at most')
        passed('idle_connections', f'{count}: resident {before:.0f} MiB before, {resident:.0f} MiB with them '
                                   f'({(resident - before) * 1024 / count:.1f} KiB each); all answered in {served:.1f} s; '
                                   f'slowest produce beside them {slowest * 1000:.0f} ms')


main()
