"""python.py COMMAND [PYTHON…]: the costs of the Python package, beside those of Python itself and of google-cloud-tpu, in the same run.

Imports and cold starts are processes (the fastest of several); lines and cancellations are medians of many. Memory is of both processes. The first of the Pythons that has
google-cloud-tpu, and the first that has TensorFlow, are used for comparison; without PYTHON those that tests/interop/run has set up, and this one.
"""
import asyncio
import compileall
import json
import os
import pathlib
import select
import statistics
import subprocess
import sys
import time

BENCH = pathlib.Path(__file__).resolve().parent
ROOT = BENCH.parent
SOURCE = ROOT / "python/src"
TARGET = "simple:job.worker=a:1+b:1"
sys.path.insert(0, str(SOURCE))

OUR_FIRST = """
import rollcall_cluster
environment = {{"CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU": "http://127.0.0.1:{}/", "ROLLCALL_ACCESS_TOKEN": "t"}}
with rollcall_cluster.SyncClient(project="p", zone="z", environ=environment) as client:
    assert client.resolve("tpu:node-0").num_tasks() == 4
"""
THEIR_FIRST = """
import grpc
from google.cloud import tpu_v2
from google.cloud.tpu_v2.services.tpu.transports import TpuGrpcTransport
client = tpu_v2.TpuClient(transport=TpuGrpcTransport(channel=grpc.insecure_channel("127.0.0.1:{}")))
assert len(client.get_node(name="projects/p/locations/z/nodes/node-0").network_endpoints) == 4
"""


def seconds(function):
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def program(text):
    """Wall seconds of a cold interpreter, the fastest of twenty."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    run = lambda: subprocess.run([sys.executable, "-s", "-c", text], env=environment, check=True, stdout=subprocess.DEVNULL)
    return min(seconds(run) for _ in range(20))


def import_of(module, python=sys.executable, times=20):
    """Seconds of an import in a cold interpreter, the fastest of several."""
    text = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    return min(float(subprocess.run([python, "-s", "-c", text], env=environment, check=True, capture_output=True).stdout) for _ in range(times))


def find_python(module):
    """The first of the Pythons that has the module; none: a sentence about it, and None."""
    pythons = sys.argv[2:] or [*map(str, sorted(ROOT.glob("build/interop/*/bin/python"))), sys.executable]
    for python in pythons:
        if subprocess.run([python, "-c", f"import importlib.util as u, sys; sys.exit(not u.find_spec({module!r}))"], stderr=subprocess.DEVNULL).returncode == 0:
            return python
    print(f"None of {', '.join(pythons)} has {module}: there is no comparison with it. Install it into a virtual environment and name its Python as an argument.")
    return None


class Stub:
    """tpu_stub.py while the context is entered; `rest` and `rpc` are its ports."""

    def __init__(self, python, delay):
        self._command = [python, str(BENCH / "tpu_stub.py"), str(delay)]

    def __enter__(self):
        self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.rest, self.rpc = self._process.stdout.readline().split()
        return self

    def __exit__(self, *_):
        self._process.communicate()

    def cpu(self):
        fields = pathlib.Path(f"/proc/{self._process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def ask_nodes(stub, google, who, how):
    python, port = (google, stub.rpc) if who == "google" else (sys.executable, stub.rest)
    environment = {**os.environ, "PYTHONPATH": str(SOURCE) if who == "rollcall" else ""}
    return subprocess.run([python, str(BENCH / "ask_nodes.py"), who, how, port], env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


def beside_google(google):
    """A thousand TPUs, and a first answer, over the same stub. The stub's own CPU during theirs is printed, since they wait for it.

    Theirs are all in flight at once. The command has 64 in flight to one host, and chooses one list for all but the first eight.
    """
    with Stub(google, 50) as stub:
        theirs = {}
        for how in ("each", "list"):
            before = stub.cpu()
            theirs[how] = json.loads(ask_nodes(stub, google, "google", how))
            print(f"google-cloud-tpu, 1,000 TPUs, {how}: the stub's CPU {stub.cpu() - before:.2f} s in 8 rounds")
        for what, how, other in (
            ("1,000 TPUs at 50 ms, a question each", "each", "each"),
            ("1,000 TPUs at 50 ms, one question", "one", "each"),
            ("1,000 TPUs at 50 ms, one question, list=True", "list", "each"),
            ("1,000 TPUs at 50 ms, one list each", "list", "list"),
        ):
            wall, cpu, of_child = json.loads(ask_nodes(stub, google, "rollcall", how))
            their_wall, their_cpu, _ = theirs[other]
            row(
                what,
                milliseconds(wall),
                f"CPU {cpu * 1e3:.0f} + {of_child * 1e3:.0f} ms; google-cloud-tpu ({'list_nodes' if other == 'list' else 'get_node'}) {milliseconds(their_wall)}, "
                f"CPU {their_cpu * 1e3:.0f} ms: wall {wall / their_wall:.2f}, CPU {(cpu + of_child) / their_cpu:.2f} of theirs",
            )
    subprocess.run([google, "-m", "compileall", "-q", str(SOURCE)], check=True)  # as pip does for theirs
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    with Stub(google, 0) as stub:
        programs = ["pass", OUR_FIRST.format(stub.rest), THEIR_FIRST.format(stub.rpc)]
        cold = lambda text: seconds(lambda: subprocess.run([google, "-c", text], env=environment, check=True))
        bare, ours, theirs = map(min, zip(*([cold(text) for text in programs] for _ in range(10))))
    row("first answer about a TPU, cold interpreter", milliseconds(ours), f"interpreter {milliseconds(bare)}; google-cloud-tpu {milliseconds(theirs)}: {ours / theirs:.3f} of theirs")


def row(what, value, beside=""):
    print(f"{what:<58} {value:>14}  {beside}")


def milliseconds(value):
    return f"{value * 1e3:.1f} ms"


def microseconds(value):
    return f"{value * 1e6:.1f} us"


def echo_round_trip(rounds=2000):
    """The minimum for a line there and back from Python: `cat`, written and read by hand."""
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
    await rollcall_cluster.resolve(TARGET)  # all lines before it are read by now
    after = resident(os.getpid()), resident(child.pid)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return statistics.median(taken), at_once, statistics.median(ends), [b - a for a, b in zip(before, after)]


def main():
    compileall.compile_dir(SOURCE, quiet=1)
    os.environ["ROLLCALL_COMMAND"] = os.path.abspath(sys.argv[1])
    bare = program("")
    first = program(f"import rollcall_cluster; rollcall_cluster.resolve_sync({TARGET!r})")
    command = min(seconds(lambda: subprocess.run([sys.argv[1], "spec", TARGET], check=True, stdout=subprocess.DEVNULL)) for _ in range(10))
    row("import rollcall_cluster", milliseconds(import_of("rollcall_cluster")), f"import asyncio {milliseconds(import_of('asyncio'))}")
    tensorflow = find_python("tensorflow")
    if tensorflow:
        row("import tensorflow", milliseconds(import_of("tensorflow", tensorflow, 3)))
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
    google = find_python("google.cloud.tpu_v2")
    if google:
        beside_google(google)


main()
