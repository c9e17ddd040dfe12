"""replicas.py TRANSCRIPT: three services of one lease in a real etcd, one of which leads. INTEROP_ROLLCALL is the command; etcds.py and followers.py describe the other
inputs. Last line: `N passed, N failed, N skipped`.
"""
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from table import check, get, get_all, section, start_cloud, until, versions, write  # noqa: E402
from counterparts import Programs, ROLLCALL, free_port  # noqa: E402
from etcds import ETCD, NAME, Etcds  # noqa: E402
from followers import Follower, check_output  # noqa: E402

TTL = 6  # seconds, of the lease
COUNT = 3


class Way(threading.Thread):
    """A way to a port of this machine, which can be cut: connections end, and new ones are refused."""

    def __init__(self, target):
        super().__init__(daemon=True)
        self.target, self.port, self.is_cut, self.open = target, free_port(), False, []
        self.start()

    def run(self):
        listener = socket.create_server(("127.0.0.1", self.port))
        while True:
            incoming, _ = listener.accept()
            if self.is_cut:
                incoming.close()
                continue
            try:
                outgoing = socket.create_connection(("127.0.0.1", self.target), 5)
            except OSError:
                incoming.close()
                continue
            self.open += [incoming, outgoing]
            for source, sink in ((incoming, outgoing), (outgoing, incoming)):
                threading.Thread(target=self.pass_on, args=(source, sink), daemon=True).start()

    @staticmethod
    def pass_on(source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self, on):
        self.is_cut = on
        for end in self.open if on else ():
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.open = []


class Replicas:
    """Several services over one simulated cloud, whose TPU is alternately ready and under repair. Each has its own ways to etcd and to the cloud, and the others reach it
    by a way of its own."""

    CHANGES_EVERY = 19

    def __init__(self, programs, folder, etcds, count=COUNT):
        self.programs, self.etcds, self.count = programs, etcds, count
        self.ports = [free_port() for _ in range(count)]
        self.urls = [f"http://127.0.0.1:{port}" for port in self.ports]
        self.timeline = [{"at": self.CHANGES_EVERY * i, "state": "REPAIRING" if i % 2 else "READY"} for i in range(60)]
        self.sim, environment = start_cloud(programs, folder, {
            "project": "p", "zone": "us-central2-b", "nodes": [{"name": "trainer", "accelerator_type": "v4-16", "timeline": self.timeline}]})
        self.begun = time.monotonic()
        sim_port = int(re.search(r"127\.0\.0\.1:(\d+)", " ".join(environment.values())).group(1))
        self.to_engine = [Way(etcds.ports[0]) for _ in range(count)]
        self.to_cloud = [Way(sim_port) for _ in range(count)]
        self.from_peers = [Way(port) for port in self.ports]
        self.environments = [{key: value.replace(f":{sim_port}", f":{way.port}") for key, value in environment.items()} for way in self.to_cloud]
        self.settings, self.processes = [], [None] * count
        for i, port in enumerate(self.ports):
            self.settings.append(os.path.join(folder, f"serve-{port}.yaml"))
            with open(self.settings[-1], "w", encoding="utf-8") as file:
                file.write(f'listen: ["127.0.0.1:{port}"]\nlease: {{etcd: ["http://127.0.0.1:{self.to_engine[i].port}"], fleet: prod, ttl: {TTL}s, '
                           f'serves_at: "http://127.0.0.1:{self.from_peers[i].port}"}}\n')
            self.start(i)

    def start(self, i):
        self.processes[i] = self.programs.start([ROLLCALL, "serve", "--config", self.settings[i], "--drain", "2s"], [self.ports[i]], env=self.environments[i])

    def number(self, i, family):
        found = re.search(rf"^rollcall_serve_{family} (\S+)$", get(f"{self.urls[i]}/metrics", timeout=3)[1], re.M)
        return float(found.group(1)) if found else None

    def leader(self):
        """The one that leads, and its epoch; None: none, or two."""
        found = [i for i in range(self.count) if self.processes[i].poll() is None and self.number(i, "leads") == 1]
        return (found[0], self.number(found[0], "epoch")) if len(found) == 1 else None

    def answer(self, i):
        status, _, headers = get_all(f"{self.urls[i]}/v1/clusters/{NAME}?view=status", timeout=10)
        return status, headers.get("ETag"), int(headers.get("Rollcall-Age-Ms", -1)) / 1000

    def until_fresh(self, of, since, seconds=40):
        """The delay after `since` until all of these send a poll that began after it."""
        done = until(lambda: all(status == 200 and 0 <= age < time.monotonic() - since for status, _, age in map(self.answer, of)), seconds)
        return round(time.monotonic() - since, 1) if done else None

    def all_ready(self):
        return bool(until(lambda: all(get(f"{url}/readyz")[0] == 200 for url in self.urls), 60))

    def asked(self):
        return sum(int(value) for value in re.findall(r"rollcall_serve_upstream_requests_total\{[^}]*\} (\d+)", "".join(get(f"{url}/metrics")[1] for url in self.urls)))


def within(seconds):
    return lambda got: got is not None and got <= seconds


def others(of):
    return [i for i in range(COUNT) if i != of]


def try_replicas(programs, folder):
    etcds = Etcds(programs, folder, 1)
    versions.append(subprocess.run([ETCD, "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[0])
    section("Three services, one lease")
    fleet = Replicas(programs, folder, etcds)
    check("all are ready", fleet.all_ready(), True)
    until(lambda: fleet.until_fresh(range(COUNT), fleet.begun))
    followers = [Follower(fleet.urls, i, NAME) for i in range(COUNT)]
    check("all send the same version", until(lambda: len({fleet.answer(i)[1] for i in range(COUNT)}) == 1), True)
    leader, epoch = fleet.leader()
    before, began = fleet.asked(), time.monotonic()
    time.sleep(20)
    check("requests to the cloud a minute, of all three together", round((fleet.asked() - before) * 60 / (time.monotonic() - began)), lambda rate: 3 <= rate <= 32)

    def fails(what, begin, seconds=TTL + 2, end=None, of=None):
        nonlocal leader, epoch
        leader, epoch = until(fleet.leader)
        rest = others(leader) if of is None else of
        since = time.monotonic()
        begin(leader)
        check(f"{what}: the others send a later poll (seconds)", fleet.until_fresh(rest, since), within(seconds))
        now = until(fleet.leader)
        if of is None:
            check("another one leads, in a later epoch", [now and now[0] != leader, now and now[1] > epoch], [True, True])
        if end:
            end(leader)
        check("all are fresh again (seconds)", fleet.until_fresh(range(COUNT), time.monotonic(), 60), within(TTL + 14))

    def kill(i):
        fleet.processes[i].kill()
        fleet.processes[i].wait()

    def drain(i):
        fleet.processes[i].terminate()

    def again(i):
        fleet.processes[i].wait(20)
        fleet.start(i)
        fleet.all_ready()

    fails("the one that leads is killed", kill, end=again)
    fails("it is stopped", drain, 5, end=again)
    fails("it stands still", lambda i: fleet.processes[i].send_signal(signal.SIGSTOP), end=lambda i: (time.sleep(8), fleet.processes[i].send_signal(signal.SIGCONT)))
    fails("it cannot reach the lease", lambda i: fleet.to_engine[i].cut(True), TTL + 4, end=lambda i: fleet.to_engine[i].cut(False))

    section("One that leads, and is cut off from others than the lease")
    leader, epoch = until(fleet.leader)
    fleet.from_peers[leader].cut(True)
    time.sleep(12)
    answers = {i: fleet.answer(i) for i in range(COUNT)}
    check("from the replicas: it leads, and they send the known state, with its age", [fleet.leader() == (leader, epoch), *(answers[i][0] == 200 and answers[i][2] > 5 for i in others(leader))],
          [True, True, True])
    fleet.from_peers[leader].cut(False)
    check("it is reached again: all are fresh (seconds)", fleet.until_fresh(range(COUNT), time.monotonic()), within(14))
    fleet.to_cloud[leader].cut(True)
    began = time.monotonic()
    check("from the cloud: followers at all of them get the trouble", until(lambda: all(follower.has(["trouble"], began) for follower in followers), 20), True)
    fleet.to_cloud[leader].cut(False)
    check("the cloud is reached again: all are fresh (seconds)", fleet.until_fresh(range(COUNT), time.monotonic()), within(14))

    section("What befalls the lease")
    etcds.processes[0].send_signal(signal.SIGSTOP)
    time.sleep(20)
    answers = [fleet.answer(i) for i in range(COUNT)]
    check("etcd stands still for 20 s: the known state is sent, with its age", [[status for status, _, _ in answers], min(age for _, _, age in answers) > 5], [[200] * 3, True])
    etcds.processes[0].send_signal(signal.SIGCONT)
    check("it goes on: all are fresh (seconds)", fleet.until_fresh(range(COUNT), time.monotonic()), within(TTL + 14))
    _, epoch = until(fleet.leader)
    etcds.ctl("del", "/rollcall/prod/leader")
    time.sleep(TTL + 4)
    now = until(fleet.leader)
    check("the key is deleted: one leads, in no earlier epoch", now and now[1] >= epoch, True)
    check("all are fresh (seconds)", fleet.until_fresh(range(COUNT), time.monotonic()), within(14))

    end = time.monotonic()
    for follower in followers:
        follower.is_over = True
    faults = check_output(followers, fleet.timeline, fleet.begun, end)
    check("what followers received, by the rules of the stories in virtual time", faults[:5], [])


def main():
    with tempfile.TemporaryDirectory() as folder, Programs() as programs:
        try_replicas(programs, folder)
    return write(sys.argv[1], "Services that follow the one that leads", "replicas")


if __name__ == "__main__":
    sys.exit(main())
