"""Rollcall's output and environment for PyTorch, read by PyTorch: `check.py TRANSCRIPT`."""
import json
import os
import shlex
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from torch.distributed.elastic.rendezvous.utils import parse_rendezvous_endpoint
from torch.distributed.run import get_args_parser

rollcall = os.environ["ROLLCALL"]
sources = os.environ.get("INTEROP_TORCH_SOURCES")
here = Path(__file__).parent
lines = []
is_right = True

readers = [("torch " + torch.__version__, get_args_parser, parse_rendezvous_endpoint)]
if sources:
    sys.path.insert(0, str(here))
    import newer

    version = os.environ["INTEROP_TORCH_SOURCES_VERSION"]
    readers.append((f"torch {version}, its sources", lambda: newer.parser(sources), newer.endpoint_parser(sources)))


def row(what, result, right):
    global is_right
    is_right = is_right and right
    lines.append(f"| {what} | {result} | {'yes' if right else 'NO'} |")


def read(command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


CASES = [
    ("10.0.0.2:8470+10.0.0.3:8470", ["--slots", "4"], ("2", 1, "4", "10.0.0.2", 29500, "none")),
    ("[fd00::1]:8470+[fd00::2]:8470", ["--slots", "8", "--job-id", "run-7"], ("2", 1, "8", "fd00::1", 29500, "run-7")),
    ("w_0.example:1+w_1.example:1", ["--coordinator-port", "task"], ("2", 1, "1", "w_0.example", 1, "none")),
]


def check_parsers():
    for addresses, more, expected in CASES:
        question = ["simple:job.worker=" + addresses, "--task", "worker:1", *more]
        line = shlex.split(read([rollcall, "spec", *question, "--format", "torchrun"]))
        reported = read([rollcall, "exec", *question, "--until", "state", "--as", "torchrun", "--", "env"]).splitlines()
        variables = dict(one.split("=", 1) for one in reported if one.startswith("PET_"))
        for name, parser_of, endpoint in readers:
            for how, words in (("line", line[1:]), ("PET_*", [])):
                os.environ.update(variables if how == "PET_*" else {})
                found = parser_of().parse_args([*words, "train.py"])
                for variable in variables:
                    os.environ.pop(variable, None)
                host, port = endpoint(f"{found.master_addr}:{found.master_port}", -1)
                result = (found.nnodes, found.node_rank, found.nproc_per_node, host, port, found.rdzv_id)
                shown = f"{result[0]} nodes, this is {result[1]}, {result[2]} processes, master {host} port {port}, id {result[5]}"
                row(f"`{addresses}` {' '.join(more)}: {how}, {name}", shown, result == expected)


def run_two(form, command, slots):
    """The output of all workers of two commands on this machine, by rank."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "RESULTS": folder + "/results", "OMP_NUM_THREADS": "1"}
        running = [subprocess.Popen([rollcall, "exec", "simple:job.worker=127.0.0.1:2001+127.0.0.1:2002", "--until", "state", "--task", f"worker:{i}", "--as", form,
                                     "--coordinator-port", port, "--job-id", "run-7", *slots, "--", *command], env=environment, stderr=subprocess.PIPE, text=True) for i in range(2)]
        errors = [process.communicate(timeout=180)[1] for process in running]
        if any(process.returncode for process in running):
            return [{"failed": errors}]
        return sorted((json.loads(line) for line in open(folder + "/results")), key=lambda one: one["rank"])


def check_running():
    # PyTorch 1.13 fails over the default of these two under Python 3.11.
    found = run_two("torchrun", [sys.executable, "-m", "torch.distributed.run", "--redirects=1", "--tee=1", str(here / "worker.py")], ["--slots", "4"])
    expected = [{"rank": r, "size": 4, "sum": 10.0, "LOCAL_RANK": str(r % 2), "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "TORCHELASTIC_RUN_ID": "run-7"} for r in range(4)]
    row("`rollcall exec … --as torchrun --slots 4 -- torchrun worker.py`, twice", "; ".join(f"rank {o.get('rank')} of {o.get('size')}, local {o.get('LOCAL_RANK')}, sum {o.get('sum')}" for o in found) if "failed" not in found[0] else str(found)[-500:], found == expected)
    found = run_two("torch-env", [sys.executable, str(here / "worker.py")], [])
    expected = [{"rank": r, "size": 2, "sum": 3.0, "LOCAL_RANK": str(r), "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "TORCHELASTIC_RUN_ID": None} for r in range(2)]
    row("`rollcall exec … --as torch-env -- python worker.py`, twice", "; ".join(f"rank {o.get('rank')} of {o.get('size')}, local {o.get('LOCAL_RANK')}, sum {o.get('sum')}" for o in found) if "failed" not in found[0] else str(found)[-500:], found == expected)


check_parsers()
check_running()
version = read([rollcall, "--version"]).split()[1]
head = ["# PyTorch reads the forms `torchrun` and `torch-env`", "", "Written by `tests/interop/launch/torch/run`.", "", "| | version |", "| --- | --- |",
        f"| rollcall | {version} |", *[f"| {name.split(',')[0].split(' ')[0]}{' (source files)' if 'sources' in name else ''} | {name.split(',')[0].split(' ', 1)[1]} |" for name, _, _ in readers], "",
        "torchrun's own argument parser takes the line and the variables, and its own parser of endpoints what it makes of them. Then two commands on one machine are run, with gloo.", "",
        "| what | result | |", "| --- | --- | --- |"]
Path(sys.argv[1]).write_text("\n".join(head + lines) + "\n")
print("\n".join(lines))
sys.exit(0 if is_right else 1)
