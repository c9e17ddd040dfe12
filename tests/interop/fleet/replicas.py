"""replicas.py etcd|kubernetes TRANSCRIPT: three services of one lease in a real engine, one of which leads. INTEROP_ROLLCALL is the command; engines.py, etcds.py and
followers.py describe the other inputs. Last line: `N passed, N failed, N skipped`.
"""
import os
import shutil
import signal
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from table import check, get_all, section, until, write  # noqa: E402
from counterparts import Programs  # noqa: E402
from engines import EtcdEngine, KubernetesEngine  # noqa: E402
from followers import Follower, check_output  # noqa: E402
from service_replicas import NAME, Replicas  # noqa: E402

TTL = 6  # seconds, of the lease
COUNT = 3


def within(seconds):
    return lambda got: got is not None and got <= seconds


def others(of):
    return [i for i in range(COUNT) if i != of]


class Run:
    """The rows, each of which leaves the services as it found them: three that run, one of which leads."""

    def __init__(self, programs, folder, engine):
        self.programs, self.folder, self.engine = programs, folder, engine
        self.fleet = Replicas(programs, folder, engine, TTL)
        self.followers, self.highest = [], 0

    def process(self, i):
        return self.fleet.processes[i]

    def follow(self):
        section("Three services, one lease")
        check("all are ready", self.fleet.all_ready(), True)
        check("all send a poll (seconds)", self.fleet.until_fresh(range(COUNT), time.monotonic()), within(20))
        self.followers = [Follower(self.fleet.urls, i, NAME, self.fleet.headers) for i in range(COUNT)]
        check("all send the same version", until(lambda: len({self.fleet.answer(i)[1] for i in range(COUNT)}) == 1), True)
        check("what the engine shows", self.engine.holder(), lambda text: "rollcall" in text or "holder" in text)
        self.highest = until(self.fleet.leader)[1]

    def compare_with_one(self):
        alone = Replicas(self.programs, self.folder, None, TTL, 1)
        more = [Follower(alone.urls, 0, NAME) for _ in range(COUNT)]
        until(lambda: alone.until_fresh([0], alone.begun))
        before = alone.asked(), self.fleet.asked()
        time.sleep(3 * Replicas.CHANGES_EVERY)
        one, three = alone.asked() - before[0], self.fleet.asked() - before[1]
        check(f"requests to the cloud in {3 * Replicas.CHANGES_EVERY} s, of one service and of the three together", [one, three], lambda got: abs(got[0] - got[1]) <= 4)
        for follower in more:
            follower.is_over = True
        alone.processes[0].terminate()
        alone.sim.terminate()

    def refused(self):
        """Of clients that are no replicas: one that may read, one that may nothing, and one without a proof."""
        leader = until(self.fleet.leader)[0]
        url = f"{self.fleet.urls[leader]}/v1/replica?id=x"
        stranger = {"Authorization": "Bearer " + self.engine.token("stranger", "rollcall")}
        other_audience = {"Authorization": "Bearer " + self.engine.token("rollcall-0")}
        check("who follows as a replica: a launcher, a stranger, a token for another audience, none",
              [get_all(url, headers=headers)[0] for headers in (self.fleet.headers, stranger, other_audience, {})], [403, 403, 401, 401])

    def fails(self, what, begin, seconds=TTL + 2, end=None):
        leader, epoch = until(self.fleet.leader)
        begin(leader)
        check(f"{what}: the others send a poll of the next leader (seconds)", self.fleet.until_later(others(leader), epoch), within(seconds))
        now = until(self.fleet.leader)
        check("another one leads, in a later epoch", [now and now[0] != leader, now and now[1] > epoch], [True, True])
        if end:
            end(leader)
        check("all are fresh again (seconds)", self.fleet.until_fresh(range(COUNT), time.monotonic(), 60), within(TTL + 14))

    def again(self, i):
        self.process(i).wait(20)
        self.fleet.start(i)
        self.fleet.all_ready()

    def kill(self, i):
        self.process(i).kill()
        self.process(i).wait()

    def go_on(self, i):
        time.sleep(20 - TTL)
        self.process(i).send_signal(signal.SIGCONT)

    def fail_leaders(self):
        section("The one that leads fails")
        self.fails("it is killed", self.kill, end=self.again)
        self.fails("it is drained", lambda i: self.process(i).terminate(), 5, end=self.again)
        self.fails("it stands still (SIGSTOP), and goes on after 20 s", lambda i: self.process(i).send_signal(signal.SIGSTOP), end=self.go_on)
        self.fails("it cannot reach the engine", lambda i: self.fleet.to_engine[i].cut(True), TTL + 4, end=lambda i: self.fleet.to_engine[i].cut(False))

    def cut_off(self):
        section("One that leads, and is cut off from others than the engine")
        fleet = self.fleet
        leader, epoch = until(fleet.leader)
        fleet.from_peers[leader].cut(True)
        time.sleep(12)
        answers = {i: fleet.answer(i) for i in range(COUNT)}
        check("from the replicas: it leads, and they send the known state, with its age",
              [fleet.leader() == (leader, epoch), *(answers[i][0] == 200 and answers[i][2] > 5 for i in others(leader))], [True, True, True])
        fleet.from_peers[leader].cut(False)
        check("it is reached again: all are fresh (seconds)", fleet.until_fresh(range(COUNT), time.monotonic()), within(14))
        lonely, near = others(leader)
        fleet.from_peers[leader].cut(True, self.process(lonely).pid)
        time.sleep(12)
        ages = {i: fleet.answer(i) for i in (lonely, near)}
        check("from one replica only: that one sends the known state, with its age, and the other one a fresh state",
              [fleet.leader() == (leader, epoch), ages[lonely][0] == 200 and ages[lonely][2] > 5, ages[near][0] == 200 and fleet.number(near, "view_age_seconds") < 5],
              [True, True, True])
        fleet.from_peers[leader].cut(False)
        check("it is reached again: all are fresh (seconds)", fleet.until_fresh(range(COUNT), time.monotonic()), within(14))
        fleet.to_cloud[leader].cut(True)
        began = time.monotonic()
        check("from the cloud: followers at all of them get the trouble", until(lambda: all(follower.has(["trouble"], began) for follower in self.followers), 20), True)
        fleet.to_cloud[leader].cut(False)
        check("the cloud is reached again: all are fresh (seconds)", fleet.until_fresh(range(COUNT), time.monotonic()), within(14))

    def fail_engine(self):
        section("The engine")
        fleet, (name, deletion) = self.fleet, self.engine.NAMES
        self.engine.stand_still(True)
        time.sleep(20)
        answers = [fleet.answer(i) for i in range(COUNT)]
        check(f"{name} stands still for 20 s: the known state is sent, with its age", [[status for status, _, _ in answers], min(age for _, _, age in answers) > 5], [[200] * 3, True])
        self.engine.stand_still(False)
        check("it goes on: all are fresh (seconds)", fleet.until_fresh(range(COUNT), time.monotonic()), within(TTL + 14))
        _, epoch = until(fleet.leader)
        self.engine.delete()
        time.sleep(TTL / 2)
        self.engine.make_again()
        time.sleep(TTL + 4)
        now = until(fleet.leader)
        check(f"{deletion}: one leads, in a later epoch", now and now[1] > epoch, True)
        check("all are fresh (seconds)", fleet.until_fresh(range(COUNT), time.monotonic()), within(14))

    def restore_engine(self):
        leader, _ = until(self.fleet.leader)
        self.engine.save()
        self.kill(leader)
        self.again(leader)
        _, epoch = until(self.fleet.leader)
        self.engine.restore(TTL)
        check("a backup of an earlier leader is restored: all are fresh (seconds)", self.fleet.until_fresh(range(COUNT), time.monotonic(), 60), within(2 * TTL + 14))
        now = until(self.fleet.leader)
        check("one leads, in a later epoch", now and now[1] > epoch, True)

    def upgrade(self):
        section("A rolling upgrade")
        leader, _ = until(self.fleet.leader)
        for i in [*others(leader), leader]:
            began = time.monotonic()
            self.process(i).terminate()
            rest = self.fleet.until_fresh(others(i), began)
            self.again(i)
            check(f"{'the one that leads' if i == leader else 'a replica'} is stopped: the others send a later poll (seconds), and all are ready (seconds)",
                  [rest, round(time.monotonic() - began, 1)], lambda got: got[0] is not None and got[0] <= 14 and got[1] < 30)

    def judge(self):
        section("All of it")
        end = time.monotonic()
        for follower in self.followers:
            follower.is_over = True
        epochs = [self.fleet.number(i, "epoch") for i in range(COUNT)]
        check("all replicas know the same epoch, a later one than at first", [len(set(epochs)) == 1, epochs[0] > self.highest], [True, True])
        faults = check_output(self.followers, self.fleet.timeline, self.fleet.begun, end)
        check("what followers received, by the rules of the stories in virtual time", faults[:5], [])


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    which, transcript = sys.argv[1:]
    folder = tempfile.mkdtemp(prefix="rollcall-replicas-")
    try:
        with Programs() as programs:
            engine = (EtcdEngine if which == "etcd" else KubernetesEngine)(programs, folder)
            try:
                run = Run(programs, folder, engine)
                run.follow()
                run.compare_with_one()
                if which == "kubernetes":
                    run.refused()
                run.fail_leaders()
                run.cut_off()
                run.fail_engine()
                if which == "etcd":
                    run.restore_engine()
                run.upgrade()
                run.judge()
            finally:
                engine.end()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return write(transcript, f"Services that follow the one that leads, by a lease in {'etcd' if which == 'etcd' else 'Kubernetes'}", "replicas")


if __name__ == "__main__":
    sys.exit(main())
