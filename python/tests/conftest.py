"""Fixtures of the tests: the real command, which ROLLCALL_COMMAND names, and a fake one whose faults are chosen. Nothing sleeps: tests wait for events."""
from __future__ import annotations

import asyncio
import gc
import os
import sys
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

import rollcall_cluster
from rollcall_cluster import _link, _sync

pytest_plugins = ["rollcall_cluster.pytest_plugin"]

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
COMMAND = os.environ.get("ROLLCALL_COMMAND", "")
FAKE = str(HERE / "fake_rollcall.py")

Ask = Callable[..., Any]


@pytest.fixture(autouse=True)
def _no_cloud(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No setting of the machine reaches a question; afterwards a left-over child or thread is a failure."""
    for name in ("TPU_NAME", "TF_CONFIG", "KUBECONFIG", "GOOGLE_APPLICATION_CREDENTIALS"):
        monkeypatch.delenv(name, raising=False)
    yield
    _sync.default._idle, idle = [], _sync.default._idle
    for line in idle:
        line.close()
    gc.collect()


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on the command is the fake one. It is run by this Python, independent of PATH."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    monkeypatch.setenv("ROLLCALL_COMMAND", FAKE)


@pytest.fixture
def real() -> str:
    """The real command."""
    if not COMMAND:
        pytest.skip("ROLLCALL_COMMAND does not name the command")
    return COMMAND


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that hangs is given up almost at once."""
    for module in (_link, _sync):
        monkeypatch.setattr(module, "ANSWER_PATIENCE", 0.05)
        monkeypatch.setattr(module, "CANCEL_PATIENCE", 0.05)
        monkeypatch.setattr(module, "CLOSE_PATIENCE", 0.05)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The closing line, whose numbers scripts/test adds up."""
    count = {name: len(terminalreporter.stats.get(name, ())) for name in ("passed", "failed", "error", "skipped")}
    terminalreporter.write_line(f"{count['passed']} passed, {count['failed'] + count['error']} failed, {count['skipped']} skipped")


def run(main: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(main, debug=False)


async def turns(condition: Callable[[], bool]) -> None:
    """Runs the loop until the condition holds."""
    while not condition():
        await asyncio.sleep(0)


@pytest.fixture(params=["async", "sync"])
def ask(request: pytest.FixtureRequest) -> Ask:
    """`ask("resolve", …)`: the same question by either client."""

    def by_loop(question: str, *targets: Any, **options: Any) -> Any:
        async def main() -> Any:
            return await getattr(rollcall_cluster, question)(*targets, **options)

        return run(main())

    def blocking(question: str, *targets: Any, **options: Any) -> Any:
        return getattr(rollcall_cluster, question + "_sync")(*targets, **options)

    return by_loop if request.param == "async" else blocking
