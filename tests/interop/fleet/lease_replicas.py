"""Replicas in the contest for a lease, each a process of its own (hold_lease), and what they said when."""
import os
import signal
import subprocess
import time

from table import until

HOLD = os.environ["HOLD_LEASE"]
TTL = 5


class Replica:
    def __init__(self, programs, folder, name, engine, environment):
        self.name, self.path = name, os.path.join(folder, f"{name}-{time.monotonic_ns()}.out")
        with open(self.path, "w", encoding="utf-8") as out:
            self.process = subprocess.Popen([HOLD, name, str(TTL), *engine], stdout=out, stderr=out, env={"PATH": os.environ["PATH"], **environment})
        programs.running.append(self.process)
        self.stopped = []  # from when until when it stood still
        self.ended_at = None

    def lines(self):
        with open(self.path, encoding="utf-8") as file:
            return [line.rstrip("\n").split(" ", 5) for line in file if line.endswith("\n")]

    def last(self):
        said = self.lines()
        return said[-1] if said else ["0", "follows", "-", "-", "0", ""]

    def leads(self):
        return self.ended_at is None and not self.stands_still() and self.last()[1] == "leads"

    def stands_still(self):
        return bool(self.stopped) and self.stopped[-1][1] is None

    def epoch(self):
        return int(self.last()[4])

    def trouble(self):
        return self.last()[5]

    def stop(self):
        self.process.send_signal(signal.SIGSTOP)
        self.stopped.append([clock(), None])

    def go_on(self):
        self.stopped[-1][1] = clock()
        self.process.send_signal(signal.SIGCONT)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.ended_at = clock()

    def drain(self):
        self.process.terminate()
        self.process.wait(10)
        self.ended_at = clock()

    def spans(self):
        """From when until when it led, as far as it could do anything meanwhile, with the epoch."""
        spans, since = [], None
        for line in [*self.lines(), [str(self.ended_at or clock()), "follows", "-", "-", "0", "-"]]:
            at, leads = float(line[0]), line[1] == "leads"
            if leads and since is None:
                since, epoch = at, int(line[4])
            if not leads and since is not None:
                end = min([at] + [begun for begun, _ in self.stopped if since < begun < at])
                spans.append((since, end, self.name, epoch))
                since = None
        return spans


def clock():
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Contest:
    """All replicas of one lease."""

    def __init__(self, programs, folder, engine, environment=None):
        self.programs, self.folder, self.engine, self.environment = programs, folder, engine, environment or {}
        self.all, self.added = [], 0

    def add(self, engine=None):
        self.added += 1
        self.all.append(Replica(self.programs, self.folder, f"r{self.added}", engine or self.engine, self.environment))
        return self.all[-1]

    def leader(self):
        return next((replica for replica in self.all if replica.leads()), None)

    def until_leads(self, seconds=3 * TTL + 10, other=None):
        """The delay until one leads, another one than `other`; None: none does."""
        began = clock()
        found = until(lambda: self.leader() not in (None, other), seconds)
        return round(clock() - began, 1) if found else None

    def follow(self):
        """Whether all that are there agree on the holder and the epoch."""
        there = [replica for replica in self.all if replica.ended_at is None]
        return bool(until(lambda: len({(replica.last()[2], replica.last()[4]) for replica in there}) == 1, 10))

    def faults(self):
        """Two that led at once, and epochs that did not grow."""
        spans = sorted(span for replica in self.all for span in replica.spans())
        faults = []
        for before, after in zip(spans, spans[1:]):
            if after[0] < before[1]:
                faults.append(f"{before[2]} led until {before[1]:.3f}, {after[2]} from {after[0]:.3f}")
            if after[3] <= before[3]:
                faults.append(f"{after[2]} led with the epoch {after[3]} after {before[3]}")
        return faults

    def end(self):
        for replica in self.all:
            if replica.ended_at is None:
                replica.kill()
