"""Forks, other processes, the end of this one: nothing hangs, nothing is left running, no warnings."""
from __future__ import annotations

import asyncio
import multiprocessing
import os
import select
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import rollcall_cluster as r
from conftest import FAKE, run
from rollcall_cluster import _child

pytestmark = pytest.mark.usefixtures("fake")

PYTHON = [sys.executable, "-X", "dev", "-W", "error"]


# With asyncio's debugging, which -X dev brings along, a start on a busy machine is a slow callback.
PREAMBLE = """
import asyncio, logging, os, sys
import rollcall_cluster as r
logging.getLogger("asyncio").setLevel(logging.ERROR)
"""


def program(text: str, **options: Any) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen([*PYTHON, "-c", PREAMBLE + text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, **options)


def outcome(text: str) -> tuple[int, bytes, bytes]:
    with program(text) as process:
        out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def resolve_in_child(_: int = 0) -> int:
    return r.resolve_sync("fake:fine").num_tasks() + run(r.resolve("fake:fine")).num_tasks()  # type: ignore[no-any-return]


def in_fork(function: object) -> int:
    """Runs the function in a forked child and returns its result."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(write, str(function()).encode())  # type: ignore[operator]
        finally:
            os._exit(0)
    os.close(write)
    os.waitpid(pid, 0)
    with os.fdopen(read, "rb") as text:
        return int(text.read() or b"-1")


@pytest.mark.usefixtures("fake", "impatient")
def test_a_grandchild_that_keeps_the_output_open_does_not_hold_up_the_end(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = tmp_path / "rollcall"
    script.write_text(f"#!/bin/sh\nsleep 5 &\necho $! >{tmp_path}/pid\nexec {sys.executable} {FAKE}\n")
    script.chmod(0o755)
    monkeypatch.setenv("ROLLCALL_COMMAND", str(script))

    async def main() -> None:
        assert (await r.resolve("fake:fine")).num_tasks() == 3

    run(main())
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)  # which still exists


@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_a_forked_child_has_children_of_its_own() -> None:
    async def main() -> None:
        client = r.Client()
        await client.resolve("fake:fine")
        held = asyncio.ensure_future(client.resolve("fake:held"))
        before = (await client.resolve("fake:pid"), r.resolve_sync("fake:pid"))
        (first, *_) = _child._children

        def forked() -> int:
            assert first.is_forked
            with pytest.raises(OSError, match="Bad file descriptor"):
                os.fstat(first._fds[0])  # so that the parent's end is seen
            asyncio.events._set_running_loop(None)
            return resolve_in_child()

        assert in_fork(forked) == 6
        assert (await client.resolve("fake:pid"), r.resolve_sync("fake:pid")) == before
        held.cancel()
        with pytest.raises(asyncio.CancelledError):
            await held
        await client.aclose()

    run(main())


@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_a_fork_in_the_middle_of_a_blocking_question() -> None:
    seen = []

    def fork(progress: r.Progress) -> None:
        if progress.ready == 2:
            seen.append(in_fork(resolve_in_child))

    r.wait_sync("fake:progress", on_progress=fork)
    assert seen == [6]


def test_a_fork_while_another_thread_asks() -> None:
    text = """
import threading, warnings
warnings.simplefilter("ignore")
begun = threading.Event()
thread = threading.Thread(target=lambda: r.wait_sync("fake:held", on_progress=lambda _: begun.set()), daemon=True)
thread.start()
begun.wait()
pid = os.fork()
if pid == 0:
    print(r.resolve_sync("fake:fine").num_tasks(), flush=True)
    os._exit(0)
os.waitpid(pid, 0)
"""
    assert outcome(text) == (0, b"3\n", b"")


@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_pools(method: str) -> None:
    r.resolve_sync("fake:fine")
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(resolve_in_child, range(4)) == [6] * 4
        pool.close()
        pool.join()


QUIET_ENDS = {
    "after a question": "asyncio.run(r.resolve('fake:fine')); r.resolve_sync('fake:fine')",
    "without closing": "c = r.Client(); asyncio.run(c.resolve('fake:fine')); s = r.SyncClient(); s.resolve('fake:fine')",
    "in the middle of a stream": "w = r.watch_sync('fake:changes'); next(w)",
    "with a thread that asks": "import threading; e = threading.Event()\n"
    "threading.Thread(target=lambda: r.wait_sync('fake:held', on_progress=lambda _: e.set()), daemon=True).start(); e.wait(); os._exit(0)",
    "with tasks under way": """
async def main():
    begun = asyncio.Event()
    task = asyncio.create_task(r.wait('fake:held', on_progress=lambda _: begun.set()))
    await begun.wait()
asyncio.run(main())""",
}


@pytest.mark.parametrize("how", QUIET_ENDS)
def test_the_end_of_the_interpreter_is_quiet(how: str) -> None:
    assert outcome(QUIET_ENDS[how]) == (0, b"", b"")


def test_ctrl_c_ends_asyncio_run_and_the_work() -> None:
    text = """
async def main():
    try:
        await r.wait("fake:held", on_progress=lambda _: os.write(1, b"begun\\n"))
    finally:
        print("ended", flush=True)
try:
    asyncio.run(main())
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    with program(text) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() == b"begun\n"
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
        # Python 3.10's asyncio.run gives way to the exception itself.
        assert rest == b"ended\ninterrupted\n"
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.parametrize("how", ["asyncio.run(r.wait('fake:held', on_progress=show))", "r.wait_sync('fake:held', on_progress=show)"])
def test_a_parent_that_is_killed_leaves_nothing_running(how: str) -> None:
    text = f"""
def show(progress):
    from rollcall_cluster import _child
    print(*[child.pid for child in _child._children], flush=True)
{how}
"""
    with program(text) as process:
        assert process.stdout is not None
        descriptor = os.pidfd_open(int(process.stdout.readline()))
        process.kill()
        ended, _, _ = select.select([descriptor], [], [], 30)
        os.close(descriptor)
        assert ended


def test_a_child_that_does_not_end_by_itself_is_ended_with_the_interpreter() -> None:
    with program("print(r.resolve_sync('fake:deaf')['worker'][0], flush=True); sys.stdin.readline()", stdin=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdin is not None
        descriptor = os.pidfd_open(int(process.stdout.readline().split(b":")[0]))
        process.stdin.close()
        process.wait()
        ended, _, _ = select.select([descriptor], [], [], 0)
        os.close(descriptor)
        assert ended
    assert process.returncode == 0


def test_the_child_has_a_session_of_its_own_and_inherits_nothing() -> None:
    pid, session = r.resolve_sync("fake:pid")["worker"][0].split(":")
    assert pid == session
    read, write = os.pipe()
    os.set_inheritable(write, True)
    r.resolve_sync("fake:fine")
    with r.SyncClient() as client:
        client.resolve("fake:fine")
        os.close(write)
        assert os.read(read, 1) == b""  # no other process has it
    os.close(read)


def test_twenty_threads_share_the_client() -> None:
    def several() -> None:
        for _ in range(50):
            assert r.whoami_sync("fake:fine").index == 1

    threads = [threading.Thread(target=several) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(_child._children) <= 20


def test_threads_that_ask_when_the_interpreter_ends_say_nothing() -> None:
    text = """
import threading
def ask(event):
    r.wait_sync("fake:held", on_progress=lambda _: event.set())
def ask_async(event):
    asyncio.run(r.wait("fake:held", on_progress=lambda _: event.set()))
for function in (ask, ask_async):
    event = threading.Event()
    threading.Thread(target=function, args=(event,), daemon=True).start()
    event.wait()
"""
    assert outcome(text) == (0, b"", b"")


@pytest.mark.parametrize("wanted", [0, -signal.SIGPIPE])
def test_a_child_that_has_ended_is_no_fatal_broken_pipe(wanted: int) -> None:
    """In many programs that print into a pipe SIGPIPE is fatal: it must not be for writes to a child, but still for the program's own writes."""
    text = f"""
import signal
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
from rollcall_cluster._child import Child
child = Child(["true"], None)
os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
child.send(b"hello")
child.flush()
assert not child.has_unsent
assert signal.SIGPIPE not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
print("goes on", flush=True)
if {wanted}:
    os.kill(os.getpid(), signal.SIGPIPE)
"""
    assert outcome(text)[:2] == (wanted, b"goes on\n")


def test_a_sub_interpreter_answers_or_says_why_not() -> None:
    text = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
code = '''
import sys
sys.path[:0] = PATH
import rollcall_cluster
try:
    print(rollcall_cluster.resolve_sync("fake:fine").num_tasks(), flush=True)
except rollcall_cluster.CommandFailed as trouble:
    print("cannot be started" if "subinterpreters" in str(trouble) else trouble, flush=True)
'''
one = interpreters.create()
assert not interpreters.run_string(one, code.replace("PATH", repr(sys.path)))
interpreters.destroy(one)
"""
    code, out, err = outcome(text)
    assert (code, out) in ((0, b"3\n"), (0, b"cannot be started\n")), err
