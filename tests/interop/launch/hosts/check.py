"""Hosts and flags, printed by rollcall against a simulated cloud and read by the launchers' own code: compares, and writes the transcript.

`check.py TRANSCRIPT`. Inputs in the environment: ROLLCALL (the command), INTEROP_VERSIONS (lines `name version`), INTEROP_TORCH (a Python with PyTorch), INTEROP_ACCELERATE,
INTEROP_DEEPSPEED, INTEROP_HOROVOD (folders of sources). A part whose input is empty is skipped and the transcript says so.
"""
from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROLLCALL = os.environ["ROLLCALL"]
TORCH = os.environ.get("INTEROP_TORCH", "")
SOURCES = {name: os.environ.get(f"INTEROP_{name.upper()}", "") for name in ("accelerate", "deepspeed", "horovod")}
CLOUD = {
    "project": "demo-project",
    "zone": "us-central2-b",
    "nodes": [
        {"name": "first", "accelerator_type": "v4-8", "timeline": [{"at": 0, "state": "CREATING", "endpoints": []}, {"at": 8, "state": "READY", "endpoints": ["10.0.0.1"]}, {"at": 20, "state": "PREEMPTED"}]},
        {"name": "second", "accelerator_type": "v4-8", "timeline": [{"at": 0, "state": "CREATING", "endpoints": []}, {"at": 14, "state": "READY", "endpoints": ["10.0.0.2"]}]},
        {"name": "trainer", "accelerator_type": "v4-32", "endpoints": {"base": "10.0.0.1"}},
        {"name": "six", "accelerator_type": "v4-16", "endpoints": ["[2001:db8::1]:8470", "[2001:db8::2]:8470"]},
        {"name": "creating", "accelerator_type": "v4-8", "state": "CREATING"},
        {"name": "down", "accelerator_type": "v4-8"},
    ],
    "faults": [{"match": {"path": "**/nodes/down"}, "status": 503}],
}
FOUR = {f"10.0.0.{i}": 4 for i in range(1, 5)}


class Transcript:
    def __init__(self) -> None:
        self.lines = ["# Hosts and flags, read by the launchers", "", "Written by `tests/interop/launch/hosts/run`.", "", "| | version |", "| --- | --- |"]
        self.wrong = 0
        for line in os.environ["INTEROP_VERSIONS"].splitlines():
            self.lines.append("| " + " | ".join(line.rsplit(" ", 1)) + " |")

    def section(self, title: str, words: str) -> None:
        self.lines += ["", f"## {title}", "", words, "", "| what | result | |", "| --- | --- | --- |"]

    def equal(self, what: str, got: object, expected: object) -> None:
        good = got == expected
        self.wrong += not good
        text = str(got).replace("|", "\\|").replace("\n", " ")
        self.lines.append(f"| {what} | {text} | {'yes' if good else '**no**'} |")
        print(f"{'ok ' if good else 'NO '} {what}: {got}" + ("" if good else f", not {expected}"), flush=True)

    def skipped(self, what: str) -> None:
        self.lines.append(f"| all | skipped: {what} could not be had | |")
        print(f"--  {what}: skipped", flush=True)


T = Transcript()


class Cloud:
    """`rollcall sim`, which the environment points at while it runs."""

    def __enter__(self) -> Cloud:
        self.file = tempfile.NamedTemporaryFile("w", suffix=".json")  # noqa: SIM115
        json.dump(CLOUD, self.file)
        self.file.flush()
        self.process = subprocess.Popen([ROLLCALL, "sim", self.file.name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdout is not None
        for line in self.process.stdout:
            os.environ.update(re.findall(r"^export ([A-Z_0-9]+)='([^']*)'$", line))
            if "ROLLCALL_SIM_PID" in line:
                break
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait()


def printed(*words: str) -> str:
    return subprocess.run([ROLLCALL, *words], stdout=subprocess.PIPE, text=True, check=True).stdout


def read(how: str, folder: str, *words: str) -> dict[str, object]:
    python = TORCH if how == "torchrun" else sys.executable
    done = subprocess.run([python, os.path.join(HERE, "readers.py"), how, folder, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=240)
    last = done.stdout.strip().rpartition("\n")[2]
    return json.loads(last[7:]) if last.startswith("RESULT ") else {"error": done.stderr.strip().rpartition("\n")[2]}


def script(folder: str, name: str, *words: str) -> str:
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\nexec "{ROLLCALL}" hosts {" ".join(words)} --format horovod\n')
    os.chmod(path, 0o755)
    return path


def horovod(folder: str) -> None:
    T.section("Horovod", "Its `HostManager` and `HostDiscoveryScript` run a script of one line, `rollcall hosts tpu:first tpu:second --slots 4 --format horovod`, while the cloud changes: nobody "
              "is there, then the first host, then both; then the first one is preempted.")
    sources = SOURCES["horovod"]
    if not sources:
        return T.skipped("Horovod")
    story = [{}, {"10.0.0.1": 4}, {"10.0.0.1": 4, "10.0.0.2": 4}, {"10.0.0.2": 4}]
    with Cloud():
        result = read("horovod", sources, script(folder, "elastic", "tpu:first", "tpu:second", "--slots", "4"), *map(json.dumps, story))
        T.equal("what its host manager saw, in this order", result.get("seen"), story)
        T.equal("a call took less than a second", float(str(result.get("slowest", 9))) < 1, True)
        T.equal("slots by the accelerator type", read("horovod_error", sources, script(folder, "four", "tpu:trainer")), {"hosts": FOUR})
        T.equal("the first call while no host is ready", read("horovod_error", sources, script(folder, "none", "tpu:creating")), {"hosts": {}})
        for what, name, words, code in (("a service that answers 503", "down", ("tpu:down", "--retries", "1"), 5), ("a name that does not exist", "no", ("tpu:no",), 1),
                                        ("an IPv6 host, which it would cut at the first colon", "six", ("tpu:six",), 2)):
            error = str(read("horovod_error", sources, script(folder, name, *words)).get("error")).replace(folder + "/", "")
            T.equal(what, error, f"RuntimeError: Failed to execute discovery script: {name}. Exit code: {code}")
        T.equal("the same that does not exist yet, with `--for-existence`", read("horovod_error", sources, script(folder, "yet", "tpu:no", "--for-existence")), {"hosts": {}})


def deepspeed(folder: str) -> None:
    T.section("DeepSpeed", "Its `fetch_hostfile()` reads the file; its `main()` gets the flags, and the process that it would start is looked at.")
    sources = SOURCES["deepspeed"]
    if not sources:
        return T.skipped("DeepSpeed")
    with Cloud():
        file = os.path.join(folder, "host file")
        for target, hosts in (("tpu:trainer", FOUR), ("tpu:six", {"2001:db8::1": 4, "2001:db8::2": 4})):
            printed("hosts", target, "--format", "deepspeed", "--output", file)
            T.equal(f"`rollcall hosts {target} --format deepspeed --output FILE`", read("deepspeed_hosts", sources, file), {"hosts": [list(one) for one in hosts.items()]})
            line = printed("flags", target, "--for", "deepspeed", "--hostfile", file, "--task", "worker:1")
            world = {host: list(range(slots)) for host, slots in hosts.items()}
            T.equal(f"`rollcall flags {target} --for deepspeed`, as worker 1", read("deepspeed", sources, line),
                    {"world": world, "rank": "1", "host": next(iter(hosts)), "port": "29500"})
        printed("hosts", "tpu:creating", "--format", "deepspeed", "--output", file)
        error = str(read("deepspeed_hosts", sources, file).get("error"))
        T.equal("no host is ready: an empty file, which it refuses", error.split(",")[0], "ValueError: Hostfile is empty or not formatted correctly")
        T.equal("for comparison, what is no regular file: it takes this machine alone", read("deepspeed_hosts", sources, "/dev/null"), {"hosts": None})


def accelerate() -> None:
    T.section("accelerate", "Its parser of `accelerate launch`, and what `prepare_multi_gpu_env()` hands on to torchrun.")
    if not SOURCES["accelerate"]:
        return T.skipped("accelerate")
    with Cloud():
        listed = "simple:job.worker=10.0.0.1+10.0.0.2"
        for target, host, machines, hardware in (("tpu:trainer", "10.0.0.1", 4, "tpu"), ("tpu:six", "2001:db8::1", 2, "tpu"), (listed, "10.0.0.1", 2, "multi_gpu")):
            words = ["--for", "accelerate", "--task", "worker:1", "--coordinator-port", "29511", *(["--slots", "4"] if target == listed else [])]
            result = read("accelerate", SOURCES["accelerate"], printed("flags", target, *words))
            result.pop("stopped_at", None)
            T.equal(f"`rollcall flags {target} --for accelerate`, as worker 1", result,
                    {"hardware": [hardware], "machines": machines, "rank": 1, "processes": 4 * machines, "host": host, "port": 29511, "nnodes": str(machines), "nproc_per_node": "4", "node_rank": 1,
                     "endpoint": f"{host}:29511"})


def torchrun() -> None:
    T.section("torchrun", "Its parser, `config_from_args()`, and what its static rendezvous makes of the endpoint.")
    if not TORCH:
        return T.skipped("PyTorch")
    with Cloud():
        for target, host, nodes in (("tpu:trainer", "10.0.0.1", 4), ("tpu:six", "2001:db8::1", 2)):
            expected = {"nodes": [nodes, nodes], "rank": 1, "processes": 4, "host": host, "port": 29500}
            T.equal(f"`rollcall flags {target} --for torchrun`, as worker 1", read("torchrun", "", printed("flags", target, "--for", "torchrun", "--task", "worker:1")), expected)
            line = printed("spec", target, "--format", "torchrun", "--task", "worker:1").removeprefix("torchrun ")
            T.equal(f"`rollcall spec {target} --format torchrun`", read("torchrun", "", line), expected)


def main(path: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        horovod(folder)
        deepspeed(folder)
        accelerate()
        torchrun()
    T.lines += ["", "All as expected." if T.wrong == 0 else f"{T.wrong} not as expected."]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(T.lines) + "\n")
    return 1 if T.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
