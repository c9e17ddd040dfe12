"""many_followers.py TRANSCRIPT: 10,000 followers of three services of one lease in a real etcd, through a leader that is killed. The followers are of one process and come
back at another service as the rules for readers say. MANY is another number of them. Last line: `N passed, N failed, N skipped`.
"""
import asyncio
import os
import random
import re
import resource
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from table import check, section, until, write  # noqa: E402
from counterparts import Programs  # noqa: E402
from engines import EtcdEngine  # noqa: E402
from service_replicas import NAME, Replicas  # noqa: E402

COUNT = int(os.environ.get("MANY", "10000"))
TTL = 15
EVENT = re.compile(rb"id: (\d+)\.(\d+)\nevent: (\w+)\n")


class Line(asyncio.Protocol):
    """One stream of a follower."""

    def __init__(self, follower):
        self.follower, self.buffer = follower, b""

    def connection_made(self, transport):
        last = f"Last-Event-ID: {'.'.join(map(str, self.follower.at))}\r\n" if self.follower.at else ""
        transport.write(f"GET /v1/clusters/{NAME}?view=progress HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n{last}\r\n".encode())

    def data_received(self, data):
        whole, separator, self.buffer = (self.buffer + data).rpartition(b"\n\n")
        for epoch, revision, kind in EVENT.findall(whole + separator):
            self.follower.take(kind, (int(epoch), int(revision)))

    def connection_lost(self, _error):
        self.follower.lost()


class Follower:
    def __init__(self, many, first):
        self.many, self.server = many, first
        self.at, self.came_at, self.fault = None, None, None

    async def connect(self):
        while not self.many.is_over:
            try:
                await asyncio.get_running_loop().create_connection(lambda: Line(self), "127.0.0.1", self.many.ports[self.server])
                return
            except OSError:
                self.server = (self.server + 1) % len(self.many.ports)
                await asyncio.sleep(random.random())

    def lost(self):
        if self.many.is_over:
            return
        self.server = (self.server + 1) % len(self.many.ports)
        asyncio.get_running_loop().call_later(random.random(), lambda: asyncio.ensure_future(self.connect()))

    def take(self, kind, position):
        """A beat may name an epoch of which nothing is known yet."""
        if self.at and position < self.at and not (kind == b"beat" and position[1] == 0):
            self.fault = f"{kind.decode()} {position} after {self.at}"
        if kind == b"beat":
            return
        if self.came_at is None and self.many.epoch and position[0] > self.many.epoch:
            self.came_at = time.monotonic()
        self.at = position if self.at is None else max(self.at, position)


class Many:
    def __init__(self, ports):
        self.ports, self.epoch, self.is_over = ports, None, False
        self.all = [Follower(self, i % len(ports)) for i in range(COUNT)]

    async def connect(self):
        for start in range(0, COUNT, 200):
            await asyncio.gather(*(follower.connect() for follower in self.all[start:start + 200]))

    async def until_all(self, what, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end and not all(what(follower) for follower in self.all):
            await asyncio.sleep(0.1)
        return sum(1 for follower in self.all if what(follower))


async def follow(fleet):
    many = Many(fleet.ports)
    began = time.monotonic()
    await many.connect()
    check(f"{COUNT} followers have the state", await many.until_all(lambda follower: follower.at is not None, 120), COUNT)
    check("after (seconds)", round(time.monotonic() - began, 1), lambda seconds: seconds < 120)
    leader, epoch = await asyncio.to_thread(until, fleet.leader)
    await asyncio.sleep(Replicas.CHANGES_EVERY)
    many.epoch = epoch
    killed_at = time.monotonic()
    fleet.processes[leader].kill()
    fleet.processes[leader].wait()
    heard = await many.until_all(lambda follower: follower.came_at is not None, 3 * TTL)
    check("the one that leads is killed: they have a state of the next leader", heard, COUNT)
    delays = sorted(follower.came_at - killed_at for follower in many.all if follower.came_at)
    pick = lambda part: round(delays[min(len(delays) - 1, int(part * len(delays)))], 1) if delays else None
    check(f"after (seconds: the first, half of them, 99 %, all); the lease has {TTL} s", [pick(0), pick(0.5), pick(0.99), pick(1)],
          lambda got: got[-1] is not None and got[-1] <= TTL + 2)
    await asyncio.sleep(5)
    many.is_over = True
    check("a smaller position than before came to", [follower.fault for follower in many.all if follower.fault][:3], [])


def main():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    folder = tempfile.mkdtemp(prefix="rollcall-many-")
    try:
        with Programs() as programs:
            engine = EtcdEngine(programs, folder)
            section(f"{COUNT} followers, three services, one lease")
            fleet = Replicas(programs, folder, engine, TTL)
            check("all are ready", fleet.all_ready(), True)
            asyncio.run(follow(fleet))
            engine.end()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return write(sys.argv[1], "Many followers of services of one lease", "replicas")


if __name__ == "__main__":
    sys.exit(main())
