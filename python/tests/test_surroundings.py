"""The modules that an import loads, the log, and the display of progress."""
from __future__ import annotations

import importlib.util
import io
import logging
import subprocess
import sys
from typing import Any

import pytest

import rollcall_cluster as r
from conftest import Ask
from rollcall_cluster import _progress

PROGRESS = r.Progress(0.0, 1, 4, "queued", "", tuple(r.MissingMember("worker", n, n, why="CREATING") for n in range(20)), 3, "cannot ask", "1/4 ready")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def loaded_by(text: str) -> set[str]:
    script = f"import sys; sys.path[:0] = {sys.path!r}; before = set(sys.modules); import rollcall_cluster\n{text}\nprint(*set(sys.modules) - before)"
    return set(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split())


def test_an_import_imports_nothing_and_the_blocking_twin_no_asyncio() -> None:
    alone = loaded_by("")
    assert {one for one in alone if one.startswith("rollcall_cluster")} == {"rollcall_cluster"}
    assert not alone & {"asyncio", "subprocess", "dataclasses", "json", "logging", "typing"}
    used = loaded_by("rollcall_cluster.resolve_sync, rollcall_cluster.ClusterSpec, rollcall_cluster.NotReady")
    assert "rollcall_cluster._sync" in used
    assert not used & {"asyncio", "rich", "tqdm", "IPython", "rollcall_cluster._async"}


def test_a_module_is_imported_when_it_is_used() -> None:
    used = loaded_by("rollcall_cluster.launch.tf_config_sync, rollcall_cluster.testing.SimulatedCloud")
    assert {"rollcall_cluster.launch", "rollcall_cluster.testing"} <= used
    refused = "try: rollcall_cluster.jax\nexcept AttributeError as error: raise SystemExit(0 if 'import rollcall_cluster.jax first' in str(error) else 1)"
    assert not loaded_by(refused)


@pytest.mark.usefixtures("fake")
def test_the_log_of_the_command_goes_to_logging(ask: Ask, caplog: pytest.LogCaptureFixture) -> None:
    ask("resolve", "fake:log")
    assert [(one.levelname, one.getMessage()) for one in caplog.records] == [("WARNING", "security_warning: careful")]
    caplog.clear()
    with caplog.at_level(logging.DEBUG, "rollcall_cluster"):
        ask("resolve", "fake:log")
        ask("wait", "fake:progress")
    messages = [one.getMessage() for one in caplog.records]
    assert messages == ["security_warning: careful", "attempt_started: ", *(f"{n}/4 ready · waiting" for n in range(5))]


@pytest.mark.usefixtures("fake")
@pytest.mark.parametrize("how", ["table", "auto", "log", None])
def test_ways_to_show_a_wait(ask: Ask, how: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    ask("wait", "fake:progress", on_progress=how)
    out, err = capsys.readouterr()
    assert out == ""
    assert ("4/4 ready" in err) == (how == "table")


def test_the_table() -> None:
    show, end = _progress.reporter("table")
    assert show is not None and end is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", screen := io.StringIO())
        show(PROGRESS)
        first = screen.getvalue()
        show(PROGRESS)
        end()
    assert first.splitlines()[:2] == ["1/4 ready · queued · cannot ask", "  worker 0     CREATING"]
    assert first.splitlines()[-1] == "  and 11 more"
    assert screen.getvalue() == first + f"\x1b[{len(first.splitlines())}A\x1b[J" + first + f"\x1b[{len(first.splitlines())}A\x1b[J"


@pytest.mark.parametrize("package", ["rich", "tqdm"])
def test_other_packages_show_it_where_they_are(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(package)
    monkeypatch.setattr(sys, "stderr", screen := Terminal())
    show, end = _progress.reporter(package)
    assert show is not None and end is not None
    show(PROGRESS)
    show(PROGRESS)
    end()
    assert "worker 0" in screen.getvalue()


def test_auto_takes_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    there: set[str] = set()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object() if name in there else None)
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert _progress._best() == "log"
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert _progress._best() == "table"
    there.add("tqdm")
    assert _progress._best() == "tqdm"
    there.add("rich")
    assert _progress._best() == "rich"


@pytest.mark.usefixtures("fake")
def test_options_reach_the_session(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    from rollcall_cluster import _session

    take = _session.Session._take_hello

    def take_hello(self: _session.Session, message: Any) -> None:
        seen.append(message["result"]["options"])
        take(self, message)

    monkeypatch.setattr(_session.Session, "_take_hello", take_hello)
    with r.SyncClient(project="p", zone="z", token_file="t", connect_to="a:1:b:2", http1_1=True, retries=0) as client:
        client.resolve("fake:fine")
    assert seen == [{"log": "warnings", "project": "p", "zone": "z", "token_file": "t", "connect_to": ["a:1:b:2"], "http1_1": True, "retries": 0}]
