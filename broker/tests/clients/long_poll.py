"""Consumers that wait: each connection asks for records that do not come, 500 ms at a time, and asks again.

    long_poll.py HOST:PORT TOPIC CONSUMERS SECONDS

Prints how many answers came and how late the slowest was. Meant to run on another core than the broker.
"""
import asyncio
import struct
import sys
import time

from ringlog import fetch

WAIT_MS = 500


async def consumer(host, port, topic, number, end, seen):
    reader, writer = await asyncio.open_connection(host, port)
    # Spread, as consumers that started at different times are.
    await asyncio.sleep(number % 500 / 1000)
    ask = fetch(topic, number % 6, 0, 1 << 20, WAIT_MS)
    while time.monotonic() < end:
        begin = time.monotonic()
        writer.write(ask)
        size = struct.unpack('>i', await reader.readexactly(4))[0]
        await reader.readexactly(size)
        seen.append(time.monotonic() - begin)
    writer.close()


async def main():
    host, port = sys.argv[1].split(':')
    topic, consumers, seconds = sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
    end, seen = time.monotonic() + seconds, []
    await asyncio.gather(*(consumer(host, int(port), topic, n, end, seen) for n in range(consumers)))
    print(f'{len(seen)} answers, the quickest after {min(seen) * 1000:.0f} ms, the slowest after {max(seen) * 1000:.0f} ms')


asyncio.run(main())
