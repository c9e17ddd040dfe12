"""Shared by the peers in Python: their arguments, their clocks, and the line of JSON that all contenders of scripts/bench print."""
import asyncio
import json
import os
import resource
import ssl
import sys
import time


def memory(key):
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(key + ":"))


def arguments():
    """PORT COUNT IN_FLIGHT [--once]: the root to ask, and the numbers."""
    if len(sys.argv) < 4:
        sys.exit("usage: PORT COUNT IN_FLIGHT [--once]")
    scheme = "https" if "BENCH_CA" in os.environ else "http"
    return f"{scheme}://127.0.0.1:{sys.argv[1]}/", int(sys.argv[2]), int(sys.argv[3]), 1 if "--once" in sys.argv else 2


def trust():
    """For https: the authority in the file BENCH_CA. Else the usual one, which is not asked."""
    return ssl.create_default_context(cafile=os.environ.get("BENCH_CA"))


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class Reported:
    """The measurements so far."""

    def __init__(self):
        self._line = {"rss_kb": [memory("VmRSS"), 0], "ready": 0, "requests": 0}
        self._begun = None

    def begin(self):
        self._begun = time.perf_counter(), cpu()

    def end(self, ready, requests):
        wall, used = self._begun
        self._line["warm" if "cold" in self._line else "cold"] = [time.perf_counter() - wall, cpu() - used]
        self._line["ready"] += ready
        self._line["requests"] += requests

    def print(self):
        self._line["rss_kb"][1] = memory("VmHWM")
        print(json.dumps(self._line), flush=True)


def names(count):
    return [f"node-{i}" for i in range(count)]


def run(count, rounds, ask_all):
    """ask_all takes names and returns how many nodes were ready."""
    reported = Reported()
    for _ in range(rounds):
        reported.begin()
        ready = ask_all(names(count))
        reported.end(ready, count)
    reported.print()


async def run_async(count, rounds, ask_all):
    reported = Reported()
    for _ in range(rounds):
        reported.begin()
        ready = await ask_all(names(count))
        reported.end(ready, count)
    reported.print()


async def so_many_at_once(in_flight, names_of_nodes, ask):
    """The sum of ask's results for all names; that many tasks share the names, as in the library's contender."""
    waiting = iter(names_of_nodes)

    async def ask_some():
        return sum([await ask(name) for name in waiting])

    return sum(await asyncio.gather(*(ask_some() for _ in range(in_flight))))
