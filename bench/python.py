"""python.py COMMAND: what the Python package costs, each beside what Python itself costs in the same run.

Imports and cold starts are processes (the fastest of several); lines and cancellations are medians of many. Memory is of both processes.
"""
import asyncio
import os
import pathlib
import select
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCE = ROOT / "python/src"
TARGET = "simple:job.worker=a:1+b:1"
sys.path.insert(0, str(SOURCE))


def seconds(function):
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def program(text):
    """Wall seconds of a cold interpreter, the fastest of twenty."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    run = lambda: subprocess.run([sys.executable, "-s", "-c", text], env=environment, check=True, stdout=subprocess.DEVNULL)
    return min(seconds(run) for _ in range(20))


def import_of(module):
    """Seconds of an import in a cold interpreter, the fastest of twenty."""
    text = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    return min(float(subprocess.run([sys.executable, "-s", "-c", text], env=environment, check=True, capture_output=True).stdout) for _ in range(20))


def row(what, value, beside=""):
    print(f"{what:<58} {value:>14}  {beside}")


def milliseconds(value):
    return f"{value * 1e3:.1f} ms"


def microseconds(value):
    return f"{value * 1e6:.1f} us"


def echo_round_trip(rounds=2000):
    """The least that a line there and back can cost from Python: `cat`, written and read by hand."""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as cat:
        write, read = cat.stdin.fileno(), cat.stdout.fileno()
        taken = []
        for _ in range(rounds):
            started = time.perf_counter()
            os.write(write, b"x" * 120 + b"\n")
            select.select([read], [], [])
            os.read(read, 4096)
            taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def resident(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
    return 0


async def by_loop(rollcall_cluster):
    taken = []
    for _ in range(2000):
        started = time.perf_counter()
        await rollcall_cluster.resolve(TARGET)
        taken.append(time.perf_counter() - started)
    started = time.perf_counter()
    await asyncio.gather(*(rollcall_cluster.resolve(TARGET) for _ in range(10_000)))
    at_once = time.perf_counter() - started

    ends = []
    for _ in range(300):
        begun = asyncio.Event()
        task = asyncio.ensure_future(rollcall_cluster.wait("simple:job.worker=127.0.0.1:1", until="reachable", on_progress=lambda _: begun.set()))
        await begun.wait()
        started = time.perf_counter()
        task.cancel()
        await asyncio.wait([task])
        ends.append(time.perf_counter() - started)

    from rollcall_cluster import _child

    (child,) = _child._children
    before = resident(os.getpid()), resident(child.pid)
    tasks = [asyncio.ensure_future(rollcall_cluster.wait("simple:job.worker=127.0.0.1:1", members=2, on_progress=None)) for _ in range(10_000)]
    await rollcall_cluster.resolve(TARGET)  # those before it have been read by now
    after = resident(os.getpid()), resident(child.pid)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return statistics.median(taken), at_once, statistics.median(ends), [b - a for a, b in zip(before, after)]


def main():
    os.environ["ROLLCALL_COMMAND"] = os.path.abspath(sys.argv[1])
    bare = program("")
    first = program(f"import rollcall_cluster; rollcall_cluster.resolve_sync({TARGET!r})")
    command = min(seconds(lambda: subprocess.run([sys.argv[1], "spec", TARGET], check=True, stdout=subprocess.DEVNULL)) for _ in range(10))
    row("import rollcall_cluster", milliseconds(import_of("rollcall_cluster")), f"import asyncio {milliseconds(import_of('asyncio'))}")
    row("first answer, cold interpreter, blocking", milliseconds(first), f"interpreter {milliseconds(bare)}, command {milliseconds(command)}")

    import rollcall_cluster

    with rollcall_cluster.SyncClient() as client:
        taken = [seconds(lambda: client.resolve(TARGET)) for _ in range(2000)]
    loop, at_once, end, memory = asyncio.run(by_loop(rollcall_cluster))
    echo = echo_round_trip()
    row("an answer, blocking, median", microseconds(statistics.median(taken)), f"a line through cat {microseconds(echo)}")
    row("an answer, asyncio, median", microseconds(loop))
    row("10,000 answers at once, asyncio", milliseconds(at_once), f"{10_000 / at_once:.0f}/s")
    row("cancel to CancelledError, median", microseconds(end))
    row("10,000 waits: memory here, and of the command", f"{memory[0] / 1e6:.0f} + {memory[1] / 1e6:.0f} MB", f"{sum(memory) / 10_000:.0f} bytes each")


main()
