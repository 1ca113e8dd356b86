"""A proxy between clients and one broker that knows Kafka's frames: when it is told to be rough it delays requests, cuts connections
before a request has gone on or before its answer has come back, and delivers requests of cut connections, and copies of others, later
on new connections.

    frames_proxy.py LISTEN_PORT BROKER_PORT SEED      commands on standard input: rough, calm; `calm` is answered when nothing is held

A client of version 1 of transactions has one epoch for many of them, so a late request of one can end another, with Kafka too
(KIP-890). So late and repeated requests are those of clients whose client.id begins with `v2` alone.
"""
import asyncio
import random
import sys
import time

PRODUCE, INIT_PRODUCER_ID, ADD_PARTITIONS, ADD_OFFSETS, END_TXN, TXN_OFFSET_COMMIT = 0, 22, 24, 25, 26, 28
OF_TRANSACTIONS = {PRODUCE, INIT_PRODUCER_ID, ADD_PARTITIONS, ADD_OFFSETS, END_TXN, TXN_OFFSET_COMMIT}
# Chances by kind of request, in the order in which they are tried.
CHANCES_OF_TRANSACTIONS = {'delay': 0.03, 'drop': 0.01, 'lose answer': 0.01, 'deliver late': 0.015, 'repeat': 0.03}
CHANCES_OF_OTHERS = {'delay': 0.005, 'drop': 0.002, 'lose answer': 0.001}
# What would end the producer that has just begun comes less often.
CHANCES_OF_INIT = {**CHANCES_OF_TRANSACTIONS, 'deliver late': 0.005, 'repeat': 0.005}
DELAY_SECONDS_MAX, LATE_SECONDS_MAX, ANSWER_SECONDS_MAX = 0.5, 6, 5
FRAME_BYTES_MAX = 100 << 20


class Request:
    def __init__(self, frame):
        self.frame = frame
        self.key = int.from_bytes(frame[4:6], 'big')
        self.correlation = frame[8:12]
        self.client = frame[14:14 + max(int.from_bytes(frame[12:14], 'big', signed=True), 0)].decode(errors='replace')


async def read_frame(reader):
    head = await reader.readexactly(4)
    size = int.from_bytes(head, 'big')
    if not 0 <= size <= FRAME_BYTES_MAX:
        raise ConnectionError(f'a frame of {size} bytes')
    return head + await reader.readexactly(size)


class Proxy:
    def __init__(self, listen_port, broker_port, seed):
        self.listen_port, self.broker_port, self.random = listen_port, broker_port, random.Random(seed)
        self.is_rough, self.held, self.counts = False, set(), {}

    def choose(self, request):
        """What is done to a request."""
        if not self.is_rough:
            return None
        chances = CHANCES_OF_OTHERS
        if request.key in OF_TRANSACTIONS:
            chances = CHANCES_OF_INIT if request.key == INIT_PRODUCER_ID else CHANCES_OF_TRANSACTIONS
        for fault, chance in chances.items():
            is_allowed = fault not in ('deliver late', 'repeat') or request.client.startswith('v2')
            if self.random.random() < chance and is_allowed:
                self.counts[fault] = self.counts.get(fault, 0) + 1
                return fault
        return None

    async def serve(self, reader, writer):
        lost, broker = set(), None
        try:
            from_broker, broker = await asyncio.open_connection('127.0.0.1', self.broker_port, limit=1 << 20)
            halves = [asyncio.ensure_future(self.requests(reader, broker, lost)),
                      asyncio.ensure_future(self.answers(from_broker, writer, lost))]
            await asyncio.wait(halves, return_when=asyncio.FIRST_COMPLETED)
            for half in halves:
                half.cancel()
            await asyncio.gather(*halves, return_exceptions=True)
        except OSError:
            pass
        finally:
            for end in (writer, broker):
                if end:
                    end.close()

    async def requests(self, reader, broker, lost):
        try:
            while True:
                request = Request(await read_frame(reader))
                fault = self.choose(request)
                if fault == 'delay':
                    await asyncio.sleep(self.random.uniform(0, DELAY_SECONDS_MAX))
                elif fault == 'lose answer':
                    lost.add(request.correlation)
                elif fault in ('deliver late', 'repeat'):
                    self.hold(request)
                if fault in ('drop', 'deliver late'):
                    return
                broker.write(request.frame)
                await broker.drain()
        except (OSError, EOFError):
            return

    async def answers(self, from_broker, writer, lost):
        try:
            while True:
                frame = await read_frame(from_broker)
                if frame[4:8] in lost:
                    return
                writer.write(frame)
                await writer.drain()
        except (OSError, EOFError):
            return

    def hold(self, request):
        task = asyncio.ensure_future(self.deliver_later(request))
        self.held.add(task)
        task.add_done_callback(self.held.discard)

    async def deliver_later(self, request):
        """On a connection of its own; its answer goes nowhere. A broker that is down is tried for a while."""
        await asyncio.sleep(LATE_SECONDS_MAX * self.random.random() ** 3)
        give_up = time.monotonic() + 2 * LATE_SECONDS_MAX
        while time.monotonic() < give_up:
            try:
                reader, writer = await asyncio.open_connection('127.0.0.1', self.broker_port)
            except OSError:
                await asyncio.sleep(0.05)
                continue
            try:
                writer.write(request.frame)
                await asyncio.wait_for(read_frame(reader), ANSWER_SECONDS_MAX)
            except (OSError, EOFError, asyncio.TimeoutError):
                pass
            writer.close()
            return

    async def obey(self):
        loop = asyncio.get_running_loop()
        while True:
            word = (await loop.run_in_executor(None, sys.stdin.readline)).strip()
            if not word:
                return
            self.is_rough = word == 'rough'
            if word == 'calm' and self.held:
                await asyncio.wait(self.held)
            say = ', '.join(f'{count} {fault}' for fault, count in sorted(self.counts.items()))
            print(f'{word}: {say}', flush=True)

    async def run(self):
        server = await asyncio.start_server(self.serve, '127.0.0.1', self.listen_port, limit=1 << 20, backlog=256)
        async with server:
            print('listening', flush=True)
            await self.obey()


asyncio.run(Proxy(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])).run())
