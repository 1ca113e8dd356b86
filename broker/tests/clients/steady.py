"""A well-behaved producer beside whatever a test does: one record at a time, each acknowledged."""
import socket
import struct
import time

from ringlog import receive_frame, request, string

SLOWEST_SECONDS_MAX = 2.0


def _batch(value):
    """A record batch v2 of one record without key."""
    body = b'\0' + _varint(0) + _varint(0) + _varint(-1) + _varint(len(value)) + value + _varint(0)
    records = _varint(len(body)) + body
    tail = struct.pack('>hiqqqhii', 0, 0, 1, 1, -1, -1, -1, 1) + records
    return struct.pack('>qiibI', 0, 9 + len(tail), -1, 2, _crc32c(tail)) + tail


def _varint(value):
    value, out = (value << 1) ^ (value >> 63), bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def _table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ 0x82f63b78 if byte & 1 else byte >> 1
        table.append(byte)
    return table


_TABLE = _table()


def _crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 0xff]
    return crc ^ 0xffffffff


def produce(topic, partition, value):
    """A Produce v3 request, acks=1."""
    batch = _batch(value)
    body = struct.pack('>hhii', -1, 1, 10000, 1) + string(topic) + struct.pack('>iii', 1, partition, len(batch)) + batch
    return request(0, 3, body)


def produce_steadily(broker, topic, partitions, seconds):
    """Sends for so long; returns the slowest answer's seconds. Each refused or late record is a fault."""
    frames = [produce(topic, p, b'steady') for p in range(partitions)]
    slowest, number, end = 0.0, 0, time.monotonic() + seconds
    with socket.create_connection(('127.0.0.1', broker.port), timeout=30) as peer:
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while time.monotonic() < end:
            begin = time.monotonic()
            peer.sendall(frames[number % partitions])
            answer = receive_frame(peer)
            slowest = max(slowest, time.monotonic() - begin)
            code = struct.unpack('>h', answer[4 + 4 + 2 + len(topic) + 4 + 4:][:2])[0]
            if code:
                raise SystemExit(f'the steady producer was refused: error {code}')
            number += 1
    if slowest > SLOWEST_SECONDS_MAX:
        raise SystemExit(f'the steady producer waited {slowest:.1f} s for an answer, {SLOWEST_SECONDS_MAX} at most')
    return slowest
