"""The blocking twin: in threads, within a running loop, with Ctrl-C."""
from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from typing import Any

import pytest

import rollcall_cluster as r
from conftest import run
from rollcall_cluster import _child, _session

pytestmark = pytest.mark.usefixtures("fake")


def test_one_child_serves_one_question_after_the_other() -> None:
    pids = {r.resolve_sync("fake:pid")["worker"][0] for _ in range(5)}
    assert len(pids) == 1
    assert len(_child._children) == 1


def test_within_a_running_loop() -> None:
    async def main() -> None:
        assert r.resolve_sync("fake:fine").num_tasks() == 3

    run(main())


def test_threads_do_not_wait_for_each_other() -> None:
    inside = threading.Barrier(4)

    def wait() -> None:
        seen: list[int] = []

        def show(progress: r.Progress) -> None:
            seen.append(progress.ready)
            if len(seen) == 1:
                inside.wait()  # all four are being answered now

        r.wait_sync("fake:progress", on_progress=show)
        assert seen == [0, 1, 2, 3, 4]

    threads = [threading.Thread(target=wait) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not inside.broken
    assert len(_child._children) == 4


@pytest.mark.parametrize("how", ["held", "hang"])
def test_ctrl_c_ends_the_question_and_the_next_one_works(how: str) -> None:
    def interrupt(progress: r.Progress) -> None:
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        r.wait_sync("fake:" + how, on_progress=interrupt)
    assert r.resolve_sync("fake:cancels")["worker"] == ["1:1" if how == "held" else "0:1"]  # the child that hangs was replaced


def test_ctrl_c_on_the_terminal_reaches_this_process_alone() -> None:
    """The whole process group gets SIGINT during the question, as from a terminal."""
    script = """
import os, signal, sys, threading
import rollcall_cluster as r
def begun(progress):
    os.write(1, b"begun\\n")
try:
    r.wait_sync("fake:held", on_progress=begun)
except KeyboardInterrupt:
    print("interrupted", r.resolve_sync("fake:pid").num_tasks(), flush=True)
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, start_new_session=True, env=with_package()) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        os.killpg(process.pid, signal.SIGINT)
        assert process.stdout.read() == b"interrupted 1\n"
    assert process.returncode == 0


def test_progress_that_raises_ends_the_wait() -> None:
    def refuse(progress: r.Progress) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        r.wait_sync("fake:held", on_progress=refuse)
    assert r.resolve_sync("fake:cancels")["worker"] == ["1:1"]
    assert len(_child._children) == 1


def test_streams() -> None:
    with r.watch_sync("fake:changes") as changes:
        assert [next(changes).text for _ in range(3)] == ["0", "1", "2"]
        assert r.resolve_sync("fake:fine").num_tasks() == 3
    found = []
    with pytest.raises(r.PermissionDenied, match="zone z"):
        for one in r.discover_sync(project=["p", "q"]):
            found.append(one.name)
    assert found == ["t"]
    with pytest.raises(r.CommandFailed, match="exit code 3"), r.watch_sync("fake:die") as changes:
        next(changes)
    with pytest.raises(r.NotFound), r.watch_sync("fake:error:not_found") as changes:
        next(changes)


@pytest.mark.usefixtures("impatient")
def test_a_watch_that_is_not_read_stops() -> None:
    with r.watch_sync("fake:flood") as changes:
        next(changes)
        assert len(changes._items) < 10_000
        for _ in range(20_000):
            next(changes)


def test_a_watch_that_was_closed_is_over_for_its_reader_too() -> None:
    never_begun, begun, polled = (r.watch_sync("fake:changes") for _ in range(3))
    next(begun)
    for changes in (never_begun, begun):
        changes.close()
        with pytest.raises(r.Cancelled, match="the stream is closed"):
            next(changes)
    for _ in range(3):
        next(polled)
    closer = threading.Thread(target=polled.close)
    with pytest.raises(r.Cancelled, match="the stream is closed"):
        closer.start()
        next(polled)
    closer.join()
    assert not _child._children


@pytest.mark.usefixtures("impatient")
def test_a_child_that_says_other_things_without_end_does_not_hold_up_the_time_out(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[None] = []

    def pump(session: _session.Session) -> None:  # nothing is taken: the child's output can always be read
        looks.append(None)
        assert len(looks) < 100_000, "the time-out is past"

    r.resolve_sync("fake:fine")
    monkeypatch.setattr(_session.Session, "pump", pump)
    with pytest.raises(r.DeadlineExceeded, match=r"did not answer within the 0\.01 s"):
        r.resolve_sync("fake:fine", timeout=0.01)


def test_a_watch_without_references_is_closed() -> None:
    for _ in r.watch_sync("fake:changes"):
        break
    assert not _child._children


def test_the_environment_is_that_of_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    assert r.resolve_sync("fake:environment")["worker"] == ["none:1"]
    monkeypatch.setenv("PROBE", "new")
    assert r.resolve_sync("fake:environment")["worker"] == ["new:1"]
    with r.SyncClient(environ={"PATH": os.environ["PATH"], "PROBE": "given"}) as client:
        assert client.resolve("fake:environment")["worker"] == ["given:1"]
    with pytest.raises(RuntimeError, match="closed"):
        client.resolve("fake:environment")


@pytest.mark.parametrize("client", [r.Client, r.SyncClient])
def test_an_environment_that_is_no_texts_is_refused_by_name(client: Any) -> None:
    secret = 7351
    with pytest.raises(TypeError, match=r"environ\['TOKEN'\] is a text, not int") as reported:
        client(environ={"PATH": "/bin", "TOKEN": secret})
    assert "7351" not in str(reported.value)
    with pytest.raises(TypeError, match="environ has texts for names, not int 1"):
        client(environ={1: "a"})
    with pytest.raises(TypeError, match="environ is a mapping of texts, not list"):
        client(environ=["A=1"])


def test_a_child_that_died_while_idle_is_not_noticed() -> None:
    first = r.resolve_sync("fake:pid")["worker"]
    (child,) = _child._children
    os.kill(child.pid, signal.SIGKILL)
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert r.resolve_sync("fake:pid")["worker"] != first


def with_package() -> dict[str, str]:
    """The environment of a program that imports what these tests import."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def test_both_at_once() -> None:
    async def main() -> None:
        task = asyncio.ensure_future(r.resolve("fake:pid"))
        blocking = r.resolve_sync("fake:pid")
        assert (await task) != blocking

    run(main())
