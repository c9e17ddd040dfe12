"""Shared by the jobs of `check.py`: the transcript, processes that are held until their cloud exists, and clouds of two hosts on this machine."""
from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rollcall_cluster.testing import SimulatedCloud

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SOURCES = str(ROOT / "python/src")
PATIENCE = 240.0  # seconds for one job: machines with few cores take long to import TensorFlow


class Transcript:
    """Sections of rows `what, result, yes or no`."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.wrong = 0

    def section(self, title: str, *words: str) -> None:
        self.lines += ["", f"## {title}", "", *([" ".join(words), ""] if words else []), "| what | result | |", "| --- | --- | --- |"]
        print(f"== {title}", flush=True)

    def row(self, what: str, shown: object, good: bool) -> None:
        text = re.sub(r"127\.0\.0\.1:(\d+)", "127.0.0.1:PORT", str(shown)).replace("|", "\\|").replace("\n", " ")
        self.lines.append(f"| {what} | {text} | {'yes' if good else '**no**'} |")
        self.wrong += not good
        print(f"{'ok ' if good else 'NO '} {what}: {shown}", flush=True)

    def equal(self, what: str, got: object, expected: object) -> None:
        self.row(what, got, got == expected)

    def skipped(self, what: str, why: str) -> None:
        self.lines.append(f"| {what} | skipped: {why} | |")
        print(f"--  {what}: skipped: {why}", flush=True)


T = Transcript()


class Process:
    """One process and its output."""

    def __init__(
        self, python: str, script: str, *arguments: str, wrap: tuple[str, ...] = (), path: str = "", is_held: bool = False, environment: dict[str, str] | None = None
    ) -> None:
        search = ":".join(part for part in (SOURCES, path) if part)
        command = [*wrap, python, str(HERE / script), *arguments]
        self.log = tempfile.TemporaryFile("w+")  # noqa: SIM115
        environ = {**os.environ, "PYTHONPATH": search, "PYTHONUNBUFFERED": "1", **({"HOLD": "1"} if is_held else {}), **(environment or {})}
        self.process = subprocess.Popen(
            command, stdout=self.log, stderr=subprocess.STDOUT, stdin=subprocess.PIPE if is_held else subprocess.DEVNULL, env=environ, start_new_session=True, text=True
        )

    @property
    def text(self) -> str:
        self.log.seek(0)
        return self.log.read()

    def end(self, seconds: float = PATIENCE) -> int:
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return self.kill()

    def kill(self) -> int:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        return self.process.wait()

    def wait_for(self, words: str, seconds: float = PATIENCE) -> bool:
        until = time.monotonic() + seconds
        while time.monotonic() < until and self.process.poll() is None and words not in self.text:
            time.sleep(0.05)
        return words in self.text

    @property
    def result(self) -> dict[str, Any]:
        found = re.findall(r"^RESULT (.*)$", self.text, re.M)
        if not found:
            print(self.text[-3000:], file=sys.stderr)
        return json.loads(found[-1]) if found else {}


def run_in(description: dict[str, Any], *processes: Process) -> list[int]:
    """Starts the cloud when all processes are held and have imported all they need: so its times hold for them. Returns exit codes."""
    for process in processes:
        process.wait_for("HELD")
    with SimulatedCloud(description) as simulated:
        for process in processes:
            assert process.process.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                process.process.stdin.write(json.dumps(simulated.environment) + "\n")
                process.process.stdin.close()
        return [process.end() for process in processes]


def run_late(node: dict[str, Any], *processes: Process) -> list[dict[str, Any]]:
    run_in({"project": "demo", "zone": "us-central2-b", "nodes": [node]}, *processes)
    return [process.result for process in processes]


def run(*processes: Process) -> list[dict[str, Any]]:
    for process in processes:
        process.end()
    return [process.result for process in processes]


@contextlib.contextmanager
def free_ports(count: int) -> Iterator[list[int]]:
    """Ports that were free a moment ago."""
    with contextlib.ExitStack() as stack:
        held = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in held:
            one.bind(("127.0.0.1", 0))
        ports = [one.getsockname()[1] for one in held]
    yield ports


def tpu(name: str, ports: list[int], second_at: float | None = 0) -> dict[str, Any]:
    """A TPU of two hosts on this machine, whose second shows its address only at that time."""
    timeline: list[dict[str, Any]] = [{"at": 0, "state": "READY", "health": "HEALTHY", "endpoints": 2 if second_at == 0 else 1}]
    if second_at:
        timeline.append({"at": second_at, "endpoints": 2})
    return {"name": name, "accelerator_type": "v4-16", "endpoints": [f"127.0.0.1:{port}" for port in ports], "timeline": timeline}


@contextlib.contextmanager
def cloud(*nodes: dict[str, Any]) -> Iterator[None]:
    with SimulatedCloud({"project": "demo", "zone": "us-central2-b", "nodes": list(nodes)}):
        yield


def task(index: int) -> tuple[str, ...]:
    """So that the process has to find its own task."""
    return (os.environ["ROLLCALL_COMMAND"], "exec", "tpu:now", "--task", f"worker:{index}", "--")


def every(key: str, results: list[dict[str, Any]]) -> list[Any]:
    return [one.get(key) for one in results]


def missed(what: str, result: dict[str, Any], words: str, process: Process | None = None) -> None:
    """A row for a peer that was missing: the process continued with our exception, which contains its name."""
    code = process.process.returncode if process is not None else 0
    text = result.get("text", "")
    T.row(what, f"exit {code}; {result.get('error')}: {text}", code == 0 and result.get("error") == "DeadlineExceeded" and words in text)
