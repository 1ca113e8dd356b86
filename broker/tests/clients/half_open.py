"""Half-open frames: connections that begin a frame of up to 100 MB, or send it byte by byte, or claim nonsense, and then say
nothing. Memory follows what was sent, not what was claimed; a producer beside them is undisturbed; nonsense is closed.

    half_open.py [COUNT]
"""
import socket
import struct
import sys

from ringlog import API_VERSIONS, Ringlog, create_topic, passed, receive_frame
from steady import produce_steadily

CLAIMED = 100_000_000
RESIDENT_MIB_MAX = 200


def connect(broker):
    return socket.create_connection(('127.0.0.1', broker.port), timeout=10)


def is_closed(peer):
    try:
        return peer.recv(1) == b''
    except ConnectionResetError:
        return True


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    with Ringlog() as broker:
        create_topic(broker, 'beside', 6)
        before = broker.resident_mib()
        peers = []
        for number in range(count):
            peer = connect(broker)
            # A size, and perhaps the header and a part of a Produce, and then silence.
            peer.sendall([b'\0', struct.pack('>i', CLAIMED),
                          struct.pack('>ihhih', CLAIMED, 0, 3, 1, 3) + b'raw' + b'x' * 3000][number % 3])
            peers.append(peer)
        slow = connect(broker)
        for byte in API_VERSIONS:
            slow.sendall(bytes([byte]))
        receive_frame(slow)
        for nonsense in [struct.pack('>i', -1), struct.pack('>i', 2_000_000_000), b'GET / HTTP/1.1\r\n\r\n']:
            peer = connect(broker)
            peer.sendall(nonsense)
            if not is_closed(peer):
                raise SystemExit(f'{nonsense!r} was answered')
        slowest = produce_steadily(broker, 'beside', 6, seconds=5)
        grown = broker.peak_mib() - before
        if grown > RESIDENT_MIB_MAX:
            raise SystemExit(f'{count} half-open frames take {grown:.0f} MiB, {RESIDENT_MIB_MAX} at most')
        passed('half_open', f'{count} frames of {CLAIMED // 1_000_000} MB begun: {grown:.0f} MiB more at the peak; slowest produce '
                            f'beside them {slowest * 1000:.0f} ms')


main()
