"""Consumers that wait: each connection asks for records that do not come, 500 ms at a time, and asks again.

    long_poll.py HOST:PORT TOPIC CONSUMERS SECONDS

Says `asking` when all of them ask, goes on for SECONDS, and prints how many answers came since it began and how late the slowest was.
Meant to run on another core than the broker.
"""
import asyncio
import struct
import sys
import time

from ringlog import fetch

WAIT_MS = 500


class Consumers:
    def __init__(self, count, seconds):
        self.left, self.seconds, self.end, self.seen = count, seconds, float('inf'), []

    def asks(self):
        self.left -= 1
        if not self.left:
            print('asking', flush=True)
            self.end = time.monotonic() + self.seconds

    async def consumer(self, host, port, topic, number):
        reader, writer = await asyncio.open_connection(host, port)
        # Spread, as consumers that started at different times are.
        await asyncio.sleep(number % 500 / 1000)
        ask = fetch(topic, number % 6, 0, 1 << 20, WAIT_MS)
        is_first = True
        while time.monotonic() < self.end:
            begin = time.monotonic()
            writer.write(ask)
            if is_first:
                self.asks()
                is_first = False
            size = struct.unpack('>i', await reader.readexactly(4))[0]
            await reader.readexactly(size)
            self.seen.append(time.monotonic() - begin)
        writer.close()


async def main():
    host, port = sys.argv[1].split(':')
    topic, count, seconds = sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
    consumers = Consumers(count, seconds)
    await asyncio.gather(*(consumers.consumer(host, int(port), topic, number) for number in range(count)))
    seen = consumers.seen
    print(f'{len(seen)} answers, the quickest after {min(seen) * 1000:.0f} ms, the slowest after {max(seen) * 1000:.0f} ms')


asyncio.run(main())
