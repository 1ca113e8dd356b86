#!/usr/bin/env python3
"""A loopback proxy that keeps one frame a (key, version, direction) of what a client and a real Kafka say to each other.

    ./capture.py LISTEN_PORT BROKER_PORT CLIENT     until interrupted; CLIENT names the files, like librdkafka_2.0.2

The broker must advertise LISTEN_PORT. Among frames of one kind the longest below 1,500 bytes is kept, since it says the
most; files that exist stay as they are.
"""

import collections
import os
import signal
import socket
import struct
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
LONGEST = 1500
# Frames with secrets in them, and frames that name the machine they were taken on, are not kept.
SECRET_KEYS = {36, 38, 41, 51}  # SaslAuthenticate, CreateDelegationToken, DescribeDelegationToken, AlterUserScramCredentials
PRIVATE_WORDS = [os.path.expanduser("~").encode(), socket.gethostname().encode()]
best = {}
lock = threading.Lock()


def keep(key, version, direction, frame):
    if key in SECRET_KEYS or any(word in frame for word in PRIVATE_WORDS):
        return
    with lock:
        if len(frame) < LONGEST and len(frame) > len(best.get((key, version, direction), b"")):
            best[key, version, direction] = frame


def read_exactly(sock, count):
    data = b""
    while len(data) < count:
        more = sock.recv(count - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def pump(source, target, on_frame):
    try:
        while True:
            size = read_exactly(source, 4)
            frame = read_exactly(source, struct.unpack(">i", size)[0])
            on_frame(frame)
            target.sendall(size + frame)
    except (EOFError, OSError):
        for sock in (source, target):
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def serve(client, broker_port):
    broker = socket.create_connection(("127.0.0.1", broker_port))
    pending = collections.deque()

    def on_request(frame):
        key, version, correlation_id = struct.unpack(">hhi", frame[:8])
        pending.append((key, version, correlation_id))
        keep(key, version, "request", frame)

    def on_response(frame):
        (correlation_id,) = struct.unpack(">i", frame[:4])
        while pending:  # a Produce with acks=0 has no response
            key, version, expected = pending.popleft()
            if expected == correlation_id:
                keep(key, version, "response", frame)
                return

    threading.Thread(target=pump, args=(client, broker, on_request), daemon=True).start()
    threading.Thread(target=pump, args=(broker, client, on_response), daemon=True).start()


def save(client_name):
    for (key, version, direction), frame in sorted(best.items()):
        path = os.path.join(HERE, f"{key:02}-{version}-{direction}-{client_name}.hex")
        if not os.path.exists(path):
            text = frame.hex()
            with open(path, "w") as out:
                out.write("".join(text[at : at + 120] + "\n" for at in range(0, len(text), 120)))
    print(f"{len(best)} kinds of frame")


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    listen_port, broker_port, client_name = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: (save(client_name), os._exit(0)))
    listener = socket.create_server(("127.0.0.1", listen_port))
    while True:
        client, _ = listener.accept()
        serve(client, broker_port)


if __name__ == "__main__":
    main()
