"""Two JAX processes on this machine, which find each other by rollcall: `check.py TRANSCRIPT`."""
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import jax

rollcall = os.environ["ROLLCALL"]
here = Path(__file__).parent
lines = []
is_right = True


def free_port(family=socket.AF_INET, host="127.0.0.1"):
    with socket.socket(family) as probe:
        probe.bind((host, 0))
        return probe.getsockname()[1]


def row(what, result, right):
    global is_right
    is_right = is_right and right
    lines.append(f"| {what} | {result} | {'yes' if right else 'NO'} |")


def gather(commands):
    """The last line of each, as JSON."""
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "JAX_CPU_COLLECTIVES_IMPLEMENTATION": "gloo"}
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) for command in commands]
    results = []
    for process in running:
        out, err = process.communicate(timeout=120)
        results.append(json.loads(out.splitlines()[-1]) if process.returncode == 0 else {"failed": err[-2000:]})
    return results


def check(how, host, commands_of, coordinator):
    results = gather([commands_of(i) for i in range(2)])
    expected = [{"count": 2, "index": i, "gathered": [1, 2], "coordinator": coordinator} for i in range(2)]
    shown = [{key: str(value).replace(coordinator, f"{host}:PORT") for key, value in one.items()} for one in results]
    row(how, "; ".join(", ".join(f"{key} {value}" for key, value in one.items()) for one in shown), results == expected)


def target(host):
    return f"simple:job.worker={host}:2001+{host}:2002"


def spec(host, port, index):
    command = [rollcall, "spec", target(host), "--format", "jax", "--task", f"worker:{index}", "--coordinator-port", str(port)]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


port = free_port()
check("`rollcall exec … --as jax -- python process.py`", "127.0.0.1", lambda i: [
    rollcall, "exec", target("127.0.0.1"), "--until", "state", "--task", f"worker:{i}", "--as", "jax", "--coordinator-port", str(port), "--",
    sys.executable, str(here / "process.py"), "environment"], f"127.0.0.1:{port}")
port = free_port()
check("`jax.distributed.initialize(**json.loads(…))` with the text of `rollcall spec … --format jax`", "127.0.0.1",
      lambda i: [sys.executable, str(here / "process.py"), spec("127.0.0.1", port, i)], f"127.0.0.1:{port}")
try:
    port = free_port(socket.AF_INET6, "::1")
except OSError:
    port = None
if port:
    check("the same over IPv6", "[::1]", lambda i: [sys.executable, str(here / "process.py"), spec("[::1]", port, i)], f"[::1]:{port}")

# JAX's own detection in a TPU pod, which reads libtpu's variables: two slices of two hosts each.
for slot in range(4):
    command = [rollcall, "exec", "simple:job.s0=127.0.0.1:1+127.0.0.2:1,job.s1=127.0.0.3:1+127.0.0.4:1", "--until", "state", "--task", f"s{slot // 2}:{slot % 2}",
               "--accelerator-type", "v4-16", "--as", "pjrt,megascale", "--", sys.executable, str(here / "detection.py")]
    out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout.splitlines()
    found = json.loads(out[-1]) if out else {}
    row(f"`--as pjrt,megascale`, two slices of a v4-16, task {slot % 2} of slice {slot // 2}: `GkeTpuCluster` of JAX", ", ".join(f"{key} {value}" for key, value in found.items()),
        found == {"coordinator": "127.0.0.1:8482", "count": 4, "id": slot, "present": True})

example = spec("127.0.0.1", 29511, 1).strip()
version = subprocess.run([rollcall, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()[1]
head = ["# JAX reads the form `jax`", "", "Written by `tests/interop/launch/jax/run`.", "", "| | version |", "| --- | --- |", f"| rollcall | {version} |",
        f"| jax | {jax.__version__} |", "", "Two processes on CPUs of one machine, described by two commands. `gathered`: what each adds, by an all-gather over both.",
        "The text of `rollcall spec … --format jax --task worker:1 --coordinator-port 29511`:", "", "```json", example, "```", "",
        "| how | what the two say | |", "| --- | --- | --- |"]
Path(sys.argv[1]).write_text("\n".join(head + lines) + "\n")
print("\n".join(lines))
sys.exit(0 if is_right else 1)
