"""Services of one lease over a simulated cloud, and the ways between them, which can be cut."""
import os
import re
import socket
import threading
import time

from table import get, get_all, start_cloud, until
from counterparts import ROLLCALL, free_port

NAME = "tpu:trainer,project=p,zone=us-central2-b"


def sockets_of(pid):
    """The inodes of a process's sockets."""
    found = set()
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            found.update(re.findall(r"socket:\[(\d+)\]", os.readlink(f"/proc/{pid}/fd/{name}")))
        except OSError:
            pass
    return found


def is_of(pid, port):
    """Whether the process has the connection whose own end is this port."""
    own = sockets_of(pid)
    with open("/proc/net/tcp", encoding="ascii") as lines:
        return any(fields[1].endswith(f":{port:04X}") and fields[9] in own for fields in map(str.split, lines))


class Way(threading.Thread):
    """A way to a port of this machine, which can be cut, for all or for one process: connections end, and new ones are refused."""

    def __init__(self, target):
        super().__init__(daemon=True)
        self.target, self.port, self.is_cut, self.cut_for, self.open, self.requests = target, free_port(), False, None, [], 0
        self.start()

    def run(self):
        listener = socket.create_server(("127.0.0.1", self.port))
        while True:
            incoming, (_, port) = listener.accept()
            if self.is_cut or (self.cut_for and is_of(self.cut_for, port)):
                incoming.close()
                continue
            try:
                outgoing = socket.create_connection(("127.0.0.1", self.target), 5)
            except OSError:
                incoming.close()
                continue
            self.open += [incoming, outgoing]
            for source, sink in ((incoming, outgoing), (outgoing, incoming)):
                threading.Thread(target=self.pass_on, args=(source, sink, source is incoming), daemon=True).start()

    def pass_on(self, source, sink, is_question):
        try:
            while data := source.recv(65536):
                self.requests += data.count(b" HTTP/1.1\r\n") if is_question else 0
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self, on, pid=None):
        """`pid`: for this process alone; connections of others end as well, and may be made again."""
        self.is_cut, self.cut_for = on and pid is None, pid if on else None
        for end in self.open if on else ():
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.open = []


class Replicas:
    """Several services over one simulated cloud, whose TPU is alternately ready and under repair. Each has its own ways to the engine and to the cloud, and the others
    reach it by a way of its own. Without an engine it is one service without a lease."""

    CHANGES_EVERY = 19

    def __init__(self, programs, folder, engine, ttl, count=3):
        self.programs, self.engine, self.count = programs, engine, count
        self.headers = engine.headers if engine else {}
        self.ports = [free_port() for _ in range(count)]
        self.urls = [f"http://127.0.0.1:{port}" for port in self.ports]
        self.timeline = [{"at": self.CHANGES_EVERY * i, "state": "REPAIRING" if i % 2 else "READY"} for i in range(60)]
        self.sim, environment = start_cloud(programs, folder, {
            "project": "p", "zone": "us-central2-b", "nodes": [{"name": "trainer", "accelerator_type": "v4-16", "timeline": self.timeline}]})
        self.begun = time.monotonic()
        sim_port = int(re.search(r"127\.0\.0\.1:(\d+)", " ".join(environment.values())).group(1))
        self.to_engine = [Way(engine.port) for _ in range(count) if engine]
        self.to_cloud = [Way(sim_port) for _ in range(count)]
        self.from_peers = [Way(port) for port in self.ports]
        self.settings, self.environments, self.processes = [], [], [None] * count
        for i, port in enumerate(self.ports):
            lease, more = engine.settings(i, self.to_engine[i].port, f"http://127.0.0.1:{self.from_peers[i].port}", ttl) if engine else ("", {})
            self.environments.append({**{key: value.replace(f":{sim_port}", f":{self.to_cloud[i].port}") for key, value in environment.items()}, **more})
            self.settings.append(os.path.join(folder, f"serve-{port}.yaml"))
            with open(self.settings[-1], "w", encoding="utf-8") as file:
                file.write(f'listen: ["127.0.0.1:{port}"]\n{lease}')
        for i in range(count):
            self.start(i)

    def start(self, i):
        self.processes[i] = self.programs.start([ROLLCALL, "serve", "--config", self.settings[i], "--drain", "2s"], [self.ports[i]], env=self.environments[i])

    def metrics(self, i):
        return get(f"{self.urls[i]}/metrics", timeout=3, headers=self.headers)[1]

    def number(self, i, family):
        found = re.search(rf"^rollcall_serve_{family} (\S+)$", self.metrics(i), re.M)
        return float(found.group(1)) if found else None

    def leader(self):
        """The one that leads, and its epoch; None: none, or two."""
        found = [i for i in range(self.count) if self.processes[i].poll() is None and self.number(i, "leads") == 1]
        return (found[0], self.number(found[0], "epoch")) if len(found) == 1 else None

    def answer(self, i):
        status, _, headers = get_all(f"{self.urls[i]}/v1/clusters/{NAME}?view=status", timeout=10, headers=self.headers)
        return status, headers.get("ETag"), int(headers.get("Rollcall-Age-Ms", -1)) / 1000

    def until_fresh(self, of, since, seconds=40):
        """The delay after `since` until all of these send a poll that began after it."""
        done = until(lambda: all(status == 200 and 0 <= age < time.monotonic() - since for status, _, age in map(self.answer, of)), seconds)
        return round(time.monotonic() - since, 1) if done else None

    def until_later(self, of, epoch, seconds=40):
        """The delay until all of these send what a leader of a later epoch has polled."""
        since = time.monotonic()
        done = until(lambda: all(status == 200 and tag and int(tag.strip('"').split(".")[0]) > epoch for status, tag, _ in map(self.answer, of)), seconds)
        return round(time.monotonic() - since, 1) if done else None

    def all_ready(self):
        return bool(until(lambda: all(get(f"{url}/readyz")[0] == 200 for url in self.urls), 60))

    def asked(self):
        """Requests to the cloud, counted on the ways to it."""
        return sum(way.requests for way in self.to_cloud)
