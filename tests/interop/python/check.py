"""The plug-ins over the real frameworks and a simulated cloud: starts the processes of each job, compares the results, writes the transcript.

`check.py TRANSCRIPT`. Inputs in the environment: INTEROP_VERSIONS (lines `name version`), INTEROP_PYTHON (with TensorFlow and JAX), INTEROP_NEW_JAX (a Python with a later JAX),
INTEROP_TORCH (a Python with PyTorch), INTEROP_TORCH_PATH (PYTHONPATH for it, with Lightning), INTEROP_TORCH_SOURCES, INTEROP_LIGHTNING_SOURCES, INTEROP_HOROVOD_SOURCES
(folders). A part whose input is empty is skipped and the transcript says so.
"""
from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tomllib
from jobs import HERE, ROOT, Process, T, cloud, every, free_ports, missed, run, run_in, run_late, task, tpu

PYTHON, NEW_JAX, TORCH = (os.environ.get(name, "") for name in ("INTEROP_PYTHON", "INTEROP_NEW_JAX", "INTEROP_TORCH"))
LATE = "the cloud shows the second worker four seconds after both have begun to wait."


def tensorflow_jobs() -> None:
    T.section("TensorFlow: MultiWorkerMirroredStrategy", f"Two processes with their servers on loopback; {LATE}")
    expected = ["cluster_spec", "cluster_spec", "task_type", "task_id", "port", "rpc_layer", "num_accelerators", "num_accelerators", "rpc_layer"]
    with free_ports(2) as ports:
        both = [Process(PYTHON, "tensorflow_worker.py", "mirrored", "tpu:late", "worker", str(index), is_held=True) for index in (0, 1)]
        results = run_late(tpu("late", ports, 4), *both)
    line = "1/2 ready · waiting for worker 1 (late): no address yet"
    T.row("both say meanwhile who is missing", f"`{line}`", all(line in one.text for one in both))
    T.equal("the all-reduce over both", every("sum", results), [3.0, 3.0])
    own_calls = [[name for name in one.get("calls", []) if name != "master"] for one in results]
    T.row("TensorFlow asked the resolver", ", ".join(own_calls[0]), own_calls == [expected, expected])

    with free_ports(2) as ports, cloud(tpu("now", ports)):
        results = run(*(Process(PYTHON, "tensorflow_worker.py", "mirrored", "auto:", wrap=task(index)) for index in (0, 1)))
    T.equal('`rollcall exec … python train.py` and `ClusterResolver("auto:")`: the tasks', every("task", results), [["worker", 0], ["worker", 1]])
    T.equal("the all-reduce over both", every("sum", results), [3.0, 3.0])

    with free_ports(2) as ports, cloud(tpu("now", ports)):
        results = run(*(Process(PYTHON, "tensorflow_worker.py", "fit", "tpu:now", "worker", str(index)) for index in (0, 1)))
    losses = [[round(loss, 4) for loss in one.get("losses", [])] for one in results]
    T.row("`model.fit` of tf_keras: losses of both", losses, losses[0] == losses[1] and len(losses[0]) == 3 and losses[0][0] > losses[0][-1])

    T.section("TensorFlow: the second worker never comes", "Time-out 5 s.")
    with free_ports(2) as ports, cloud(tpu("never", ports, None)):
        (result,) = run(Process(PYTHON, "tensorflow_worker.py", "never", "tpu:never", "worker", "0", f"127.0.0.1:{ports[0]}"))
        missed("the exception", result, "worker 1 (never): no address yet")
        T.equal("its `missing`", result.get("missing"), ["worker 1 (never)"])
        T.row("seconds, at most 7", round(result.get("after", 99), 1), result.get("after", 99) <= 7)
        T.equal("no TensorFlow server was started: its port can be bound", result.get("is_port_free"), True)
        for number in (signal.SIGTERM, signal.SIGINT):
            process = Process(PYTHON, "tensorflow_worker.py", "patient", "tpu:never", "worker", "0")
            has_begun = process.wait_for("PROGRESS")
            begin = time.monotonic()
            process.process.send_signal(number)
            code = process.end(30)
            took = time.monotonic() - begin
            T.row(f"{number.name} ends it while it waits, within 2 s", f"exit {code}, {took:.1f} s", has_begun and took < 2 and code in (-number, 130))

    T.section("TensorFlow: ParameterServerStrategy, a client, TPUClusterResolver")
    with free_ports(3) as (chief, worker, ps):
        target = f"simple:job.chief=127.0.0.1:{chief},job.worker=127.0.0.1:{worker},job.ps=127.0.0.1:{ps}"
        servers = [Process(PYTHON, "tensorflow_worker.py", "parameter_server", target, job, "0") for job in ("worker", "ps")]
        for server in servers:
            server.wait_for("SERVING")
        (result,) = run(Process(PYTHON, "tensorflow_worker.py", "parameter_server", f"{target},type=chief,task=0"))
        T.equal("`schedule` and `fetch` with chief, worker and ps", [result.get("value"), result.get("device")], [3.0, "/job:ps/replica:0/task:0/device:CPU:0"])
        expected = ["cluster_spec", "cluster_spec", "task_type", "task_id", "cluster_spec", "cluster_spec", "rpc_layer", "cluster_spec", "cluster_spec"]
        T.row("TensorFlow asked the resolver", ", ".join(result.get("calls", [])), result.get("calls") == expected)
        for server in servers:
            server.kill()
    with free_ports(1) as (port,):
        target = f"simple:job.worker=127.0.0.1:{port}"
        server_process = Process(PYTHON, "tensorflow_worker.py", "parameter_server", target, "worker", "0")
        server_process.wait_for("SERVING")
        (result,) = run(Process(PYTHON, "tensorflow_worker.py", "connect", target))
        server_process.kill()
        T.row("`experimental_connect_to_cluster` of a program that is no task", result, result.get("value") == 21.0 and "/job:worker/replica:0/task:0" in result.get("device", ""))
    with free_ports(2) as ports, cloud(tpu("now", ports)):
        (result,) = run(Process(PYTHON, "tensorflow_worker.py", "tpu", "tpu:now"))
    addresses = [f"127.0.0.1:{port}" for port in ports]
    T.equal("TPUClusterResolver, offline: master", result.get("master"), f"grpc://{addresses[0]}")
    T.equal("its cluster", result.get("spec"), {"worker": addresses})
    T.equal("it is TensorFlow's class, its copy is itself, its job", [result.get(key) for key in ("is_real", "is_copy_same", "job")], [True, True, "worker"])


def jax_jobs(python: str, version: str) -> None:
    T.section(f"JAX {version}", f"Two processes on CPU; {LATE}")
    with free_ports(2) as ports:
        both = [Process(python, "jax_process.py", "initialize", "tpu:late", str(index), is_held=True) for index in (0, 1)]
        results = run_late(tpu("late", ports, 4), *both)
    line = "1/2 ready · waiting for worker 1 (late): no address yet"
    T.row("`initialize()`: both say meanwhile who is missing", f"`{line}`", all(line in one.text for one in both))
    T.equal("process_allgather", every("gathered", results), [[1, 2], [1, 2]])
    T.equal("environments that JAX asked besides", every("asked", results), [[], []])
    with free_ports(3) as ports, cloud(tpu("now", ports[:2])):
        results = run(*(Process(python, "jax_process.py", "initialize", "auto:", wrap=task(index)) for index in (0, 1)))
        T.equal('`rollcall exec … python train.py`, `initialize("auto:")`', every("gathered", results), [[1, 2], [1, 2]])
        results = run(*(Process(python, "jax_process.py", "named", wrap=task(index)) for index in (0, 1)))
        T.equal('the same with `cluster_detection_method="rollcall"`, nothing else said', every("gathered", results), [[1, 2], [1, 2]])
        override = {"ROLLCALL_TARGET": "tpu:now", "JAX_COORDINATOR_PORT": str(ports[2])}
        results = run(*(Process(python, "jax_process.py", "named", environment={"JAX_PROCESS_ID": str(index), **override}) for index in (0, 1)))
        T.equal("with ROLLCALL_TARGET, JAX_PROCESS_ID and JAX_COORDINATOR_PORT", every("gathered", results), [[1, 2], [1, 2]])
        T.equal("the coordinator has that port", every("coordinator", results), [f"127.0.0.1:{ports[2]}"] * 2)
    (result,) = run(Process(python, "jax_process.py", "imported"))
    good = result.get("added") == ["RollcallCluster"] and "rollcall" not in result.get("asked", ["rollcall"]) and "coordinator_address" in result.get("text", "")
    T.row("the import alone changes nothing: `jax.distributed.initialize()` asks", ", ".join(result.get("asked", [])), good)

    with free_ports(2) as ports, cloud(tpu("never", ports, None), tpu("now", ports)):
        process = Process(python, "jax_process.py", "initialize", "tpu:never", "0", "5")
        (result,) = run(process)
        missed("a peer that never comes, time-out 5 s", result, "worker 1 (never): no address yet", process)
        process = Process(python, "jax_process.py", "initialize", "tpu:now", "1", "5")
        (result,) = run(process)
        missed("process 0 was never started, time-out 5 s", result, "coordinator 0", process)
        process = Process(python, "jax_process.py", "named", "5", environment={"ROLLCALL_TARGET": "tpu:never", "JAX_PROCESS_ID": "0"})
        (result,) = run(process)
        missed("by name, `initialization_timeout=5`", result, "worker 1 (never): no address yet", process)
        process = Process(python, "jax_process.py", "alone", f"127.0.0.1:{ports[0]}")
        process.end()
        code = process.process.returncode
        T.row("for comparison, JAX alone without its process 0, `initialization_timeout=5`", f"exit {code} (SIGABRT is -6)", code == -signal.SIGABRT)


def torch_jobs() -> None:
    T.section("PyTorch", "Two nodes on CPU, gloo.")
    if not TORCH:
        T.skipped("`init_method`, torchrun, Lightning", "no PyTorch: Debian's python3-torch has one for CPUs")
        return
    path = os.environ.get("INTEROP_TORCH_PATH", "")
    with free_ports(2) as ports:
        both = [Process(TORCH, "torch_node.py", "init_method", f"rollcall://tpu:late?rank={index}&world_size=2", path=path, is_held=True) for index in (0, 1)]
        results = run_late(tpu("late", ports, 4), *both)
    T.equal('`init_method="rollcall://tpu:late"`, the second late: all-reduce', every("sum", results), [3.0, 3.0])
    T.row("both say meanwhile who is missing", "1/2 ready · waiting for worker 1 (late): no address yet", all("waiting for worker 1 (late)" in one.text for one in both))
    with free_ports(2) as ports, cloud(tpu("now", ports)):
        results = run(*(Process(TORCH, "torch_node.py", "init_method", "rollcall://", path=path, wrap=task(index)) for index in (0, 1)))
        T.equal('`rollcall exec …`, `init_method="rollcall://"`', every("sum", results), [3.0, 3.0])
        (result,) = run(Process(TORCH, "torch_node.py", "init_method", "rollcall://", path=path, wrap=task(0), environment={"PATIENCE": "5"}))
        missed("process 1 was never started, time-out 5 s", result, "missing: worker 1")
    torchrun_jobs(path)
    if importlib_finds(path, "lightning_fabric"):
        with free_ports(2) as ports:
            both = [Process(TORCH, "torch_node.py", "lightning", "tpu:late", str(node), path=path, is_held=True) for node in (0, 1)]
            results = run_late(tpu("late", ports, 4), *both)
        T.equal("Lightning Fabric, strategy ddp, two nodes: all-reduce", every("sum", results), [3.0, 3.0])
        T.equal("the mean gradient", every("gradient", results), [1.5, 1.5])
    else:
        T.skipped("Lightning Fabric, strategy ddp", "not installed beside PyTorch")


def importlib_finds(path: str, name: str) -> bool:
    return any((Path(part) / name).is_dir() for part in path.split(":") if part)


def torchrun_jobs(path: str) -> None:
    def agent(target: str, nodes: str, rank: int, results: str, is_held: bool = False, **environment: str) -> Process:
        options = ["--rdzv_backend=rollcall", f"--rdzv_endpoint={target}", f"--rdzv_conf=timeout=100,rank={rank}", "--rdzv_id=run"]
        options += [f"--nnodes={nodes}", "--nproc_per_node=1", "--max_restarts=3", "--monitor_interval=0.1"]
        options += ["--redirects=1", "--tee=1"]  # PyTorch 1.13 fails over their default under Python 3.11
        environment |= {"RESULTS": results, "OMP_NUM_THREADS": "1"}
        return Process(TORCH, "torch_node.py", "agent", *options, str(HERE / "torch_node.py"), "worker", path=path, is_held=is_held, environment=environment)

    def lines(file: str) -> list[dict[str, Any]]:
        return sorted((json.loads(line) for line in Path(file).read_text().splitlines()), key=lambda one: (one["size"], one["rank"]))

    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/now"
        with free_ports(2) as ports:
            agents = [agent("tpu:late", "2", rank, file, is_held=True) for rank in (0, 1)]
            codes = run_in({"project": "demo", "zone": "us-central2-b", "nodes": [tpu("late", ports, 4)]}, *agents)
        got = [(one["sum"], one["rank"], one["size"]) for one in (lines(file) if os.path.exists(file) else [])]
        T.row("torchrun, two nodes, the second late: all-reduce, rank, size of each worker", got, got == [(3.0, 0, 2), (3.0, 1, 2)] and codes == [0, 0])
        if codes != [0, 0]:
            print(*(one.text[-3000:] for one in agents), sep="\n----\n", file=sys.stderr)
        file = f"{folder}/elastic"
        # The second node is created after half a minute, which is enough for an agent and its worker to start, also on a busy machine.
        machines = [{"name": "node-0", "ip": "127.83.9.1"}, {"name": "node-1", "ip": "127.83.9.2", "timeline": [{"at": 30, "status": "RUNNING"}]}]
        with free_ports(1) as (port,):
            target = f"gce:train,port={port}"
            first = agent(target, "1:2", 0, file, is_held=True, STAY_BELOW="2")
            second = agent(target, "1:2", 1, file, is_held=True)
            codes = run_in({"project": "demo", "zone": "us-central2-b", "compute": {"instances": machines, "groups": [{"name": "train"}]}}, first, second)
        got = [(one["sum"], one["rank"], one["size"]) for one in (lines(file) if os.path.exists(file) else [])]
        T.row("`--nnodes=1:2`: the first begins alone and is restarted when the second is ready", got, got == [(1.0, 0, 1), (3.0, 0, 2), (3.0, 1, 2)] and codes == [0, 0])
        if codes != [0, 0]:
            print(first.text[-3000:], second.text[-3000:], sep="\n----\n", file=sys.stderr)


def source_jobs() -> None:
    words = "PyTorch's wheels for CPUs are not on PyPI: its later registry is loaded from its source files, as are Lightning's base class and Horovod's host manager."
    T.section("Over the sources", words)
    python = PYTHON or sys.executable
    folder = os.environ.get("INTEROP_TORCH_SOURCES", "")
    if folder:
        with tempfile.TemporaryDirectory() as installed:
            project = tomllib.loads((ROOT / "python/pyproject.toml").read_text())["project"]
            info = Path(installed) / "rollcall_cluster-0.dist-info"
            info.mkdir()
            (info / "METADATA").write_text("Metadata-Version: 2.1\nName: rollcall-cluster\nVersion: 0\n")
            entries = project["entry-points"]["torchrun.handlers"]
            (info / "entry_points.txt").write_text("[torchrun.handlers]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items()))
            (result,) = run(Process(python, "plain_sources.py", "torchrun", folder, path=installed))
        T.equal("torchrun's registry finds `rollcall` by its entry point", [result.get("handler"), result.get("backend")], ["rollcall_cluster.torch", "rollcall"])
        T.equal("the endpoint arrives untouched", result.get("targets"), ["tpu:trainer,zone=us-central2-b"])
        T.equal("abstract members that are missing", result.get("missing"), [])
    else:
        T.skipped("torchrun's registry", "the wheel was not to be had")
    folder = os.environ.get("INTEROP_LIGHTNING_SOURCES", "")
    if folder:
        with free_ports(2) as ports, cloud(tpu("now", ports)):
            (result,) = run(Process(python, "plain_sources.py", "lightning", folder, "tpu:now"))
        T.row("Lightning's base class: all abstract members are there", ", ".join(result.get("members", [])), result.get("is_base") is True and result.get("port") == ports[0])
    else:
        T.skipped("Lightning's base class", "the wheel was not to be had")
    folder = os.environ.get("INTEROP_HOROVOD_SOURCES", "")
    if folder:
        node = tpu("grows", [8470, 8470], 5)
        node["endpoints"] = ["127.83.9.1:8470", "127.83.9.2:8470"]
        (result,) = run_late(node, Process(python, "plain_sources.py", "horovod", folder, "tpu:grows", is_held=True))
        seen = [[["127.83.9.1"], 4], [["127.83.9.1", "127.83.9.2"], 8]]
        T.row("Horovod's HostManager: hosts and slots as they come", result.get("seen"), result.get("seen") == seen)
        T.row("its slowest question after the first, at most 0.1 s", f"{result.get('slowest_after_the_first', 9):.3f} s", result.get("slowest_after_the_first", 9) <= 0.1)
    else:
        T.skipped("Horovod's HostManager", "the source was not to be had")


def unit_tests() -> None:
    T.section("The package's own tests of its plug-ins, over TensorFlow and JAX instead of their stand-ins")
    tests = sorted(str(file) for file in (ROOT / "python/tests").glob("test_plugins_*.py"))
    done = subprocess.run([PYTHON, "-m", "pytest", "-q", *tests], capture_output=True, text=True, cwd=ROOT / "python")
    last = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.stderr
    T.row("pytest", re.sub(r" in .*", "", last), done.returncode == 0)


def main() -> int:
    chosen = os.environ.get("INTEROP_ONLY", "tensorflow jax torch sources").split()
    jobs: dict[str, Callable[[], None]] = {"tests": unit_tests, "tensorflow": tensorflow_jobs, "torch": torch_jobs, "sources": source_jobs}
    versions = [line.split() for line in os.environ["INTEROP_VERSIONS"].splitlines()]
    head = ["# Plug-ins over the real frameworks", "", "Written by `tests/interop/python/run`; see `README.md` one folder up.", "", "| | version |", "| --- | --- |"]
    T.lines += [*head, *(f"| {' '.join(words[:-1])} | {words[-1]} |" for words in versions)]
    for name in ("tests", "tensorflow"):
        if name in chosen:
            jobs[name]()
    if "jax" in chosen:
        for python in filter(None, (PYTHON, NEW_JAX)):
            version = subprocess.run([python, "-c", "import jax; print(jax.__version__)"], capture_output=True, text=True, check=True).stdout.strip()
            jax_jobs(python, version)
    for name in ("torch", "sources"):
        if name in chosen:
            jobs[name]()
    Path(sys.argv[1]).write_text("\n".join([*T.lines, ""]))
    print(f"{T.wrong} differences", flush=True)
    return 1 if T.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
