"""The asyncio client: confirmed cancellation, many questions at once, slow readers, loops that start and end."""
from __future__ import annotations

import asyncio
import gc
import os
import select
import sys
import threading
import weakref
from typing import Any

import pytest

import rollcall_cluster as r
from conftest import run, turns
from rollcall_cluster import _async, _child

pytestmark = pytest.mark.usefixtures("fake")


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


async def held(question: str = "fake:held") -> asyncio.Task[Any]:
    """A wait that the command has begun and does not answer."""
    begun = asyncio.Event()
    task = asyncio.ensure_future(r.wait(question, on_progress=lambda _: begun.set()))
    await begun.wait()
    return task


def current_child() -> _child.Child:
    (child,) = _child._children
    return child


def test_a_loop_that_is_closed_with_a_question_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    unraised: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", unraised.append)
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda loop, context: None)  # asyncio logs the task
    task = loop.create_task(r.resolve("fake:held"))
    loop.run_until_complete(turns(lambda: bool(_child._children)))
    loop.close()
    del task
    gc.collect()
    assert not unraised
    assert not _child._children


@pytest.mark.parametrize("how", ["fake:held", "fake:wins"])
def test_cancelled_is_reported_when_the_server_has_said_so_even_if_the_result_was_faster(how: str) -> None:
    async def main() -> None:
        task = await held(how)
        lines: list[bytes] = []
        child = current_child()
        receive = child.receive
        child.receive = lambda: lines.extend(got := receive()) or got  # type: ignore[func-returns-value, method-assign]
        task.cancel("enough")
        assert not task.done()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert any(b'"id": 1' in line for line in lines)
        assert (await r.resolve("fake:fine")).num_tasks() == 3
        assert current_child() is child

    run(main())


@pytest.mark.usefixtures("impatient")
def test_a_command_that_does_not_end_what_was_cancelled_is_ended() -> None:
    async def main() -> None:
        task = await held("fake:hang")
        beside = asyncio.ensure_future(r.resolve("fake:held"))
        child = current_child()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert child.has_ended
        with pytest.raises(r.CommandFailed, match="did not end what was cancelled"):
            await beside
        assert (await r.resolve("fake:fine")).num_tasks() == 3

    run(main())


def test_a_task_that_is_cancelled_before_the_child_has_said_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        task = asyncio.ensure_future(r.resolve("fake:held"))
        await asyncio.sleep(0)  # the child is started, and has not read its first line
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        task = asyncio.ensure_future(r.resolve("fake:fine"))
        task.cancel()  # not even started
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main())


def test_wait_for_gather_and_a_coroutine_that_is_thrown_away() -> None:
    async def main() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(r.resolve("fake:held"), 0.01)
        with pytest.raises(r.NotFound):
            await asyncio.gather(r.resolve("fake:held"), r.resolve("fake:error:not_found"))
        coroutine = r.resolve("fake:held")
        coroutine.send(None)
        coroutine.close()

    run(main())


@pytest.mark.skipif(sys.version_info < (3, 11), reason="came with Python 3.11")
def test_timeout_and_task_group() -> None:
    async def main() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):  # type: ignore[attr-defined, unused-ignore]
                await r.resolve("fake:held")
        with pytest.raises(BaseException) as caught:
            async with asyncio.TaskGroup() as group:  # type: ignore[attr-defined, unused-ignore]
                waiting = [group.create_task(r.resolve("fake:held")) for _ in range(5)]
                group.create_task(r.resolve("fake:error:not_ready"))
        assert [type(one) for one in caught.value.exceptions] == [r.NotReady]  # type: ignore[attr-defined]
        assert all(one.cancelled() for one in waiting)

    run(main())


def test_ten_thousand_at_once_beyond_what_the_server_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_LIMITS", '{"max_requests": 100, "max_request_bytes": 1000}')

    async def main() -> None:
        await r.resolve("fake:first")
        answers = await asyncio.gather(*(r.whoami("fake:fine") for _ in range(10_000)))
        assert answers == [r.Task("worker", 1)] * 10_000
        with pytest.raises(r.InvalidArgument, match="the command reads 1000"):
            await r.resolve("x" * 1000)
        waiting = [asyncio.ensure_future(r.resolve("fake:held")) for _ in range(100)]
        await asyncio.sleep(0)
        behind = [asyncio.ensure_future(r.whoami("fake:fine")) for _ in range(10)]
        await asyncio.sleep(0)
        waiting[0].cancel()  # makes room for later ones
        assert await asyncio.gather(*behind) == [r.Task("worker", 1)] * 10
        waiting += [asyncio.ensure_future(r.resolve("fake:held")) for _ in range(300)]
        await asyncio.sleep(0)
        for task in reversed(waiting):
            task.cancel()
        assert {type(one) for one in await asyncio.gather(*waiting, return_exceptions=True)} == {asyncio.CancelledError}
        assert len(_child._children) == 1

    run(main())


def test_progress_is_reported_on_this_loop_and_what_it_raises_ends_the_wait() -> None:
    async def main() -> None:
        seen: list[r.Progress] = []
        status = await r.wait("fake:progress", on_progress=seen.append)
        assert [one.ready for one in seen] == [0, 1, 2, 3, 4]
        assert status.num_ready == 0

        def refuse(progress: r.Progress) -> None:
            raise KeyError(progress.ready)

        with pytest.raises(KeyError, match="1"):
            await r.wait("fake:held", on_progress=refuse)

    run(main())


def test_the_environment_is_that_of_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async def probe(**options: Any) -> str:
            async with r.Client(**options) as client:
                return (await client.resolve("fake:environment"))["worker"][0]

        assert (await r.resolve("fake:environment"))["worker"] == ["none:1"]
        pending = await held()
        monkeypatch.setenv("PROBE", "new")
        assert (await r.resolve("fake:environment"))["worker"] == ["new:1"]
        assert not pending.done()
        assert len(_child._children) == 2
        pending.cancel()
        await asyncio.gather(pending, return_exceptions=True)
        await turns(lambda: len(_child._children) == 1)  # the old child ended with its last question
        assert await probe(environ={"PATH": os.environ["PATH"], "PROBE": "given"}) == "given:1"
        assert await probe() == "new:1"

    run(main())


def test_a_child_that_died_while_idle_is_not_noticed() -> None:
    async def main() -> None:
        first = (await r.resolve("fake:pid"))["worker"]
        child = current_child()
        os.kill(child.pid, 9)
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert (await r.resolve("fake:pid"))["worker"] != first

    run(main())


def test_a_client_that_is_closed() -> None:
    async def main() -> None:
        client = r.Client()
        waiting = asyncio.ensure_future(client.resolve("fake:held"))
        await client.resolve("fake:fine")
        await client.aclose()
        with pytest.raises(r.Cancelled):
            await waiting
        with pytest.raises(RuntimeError, match="closed"):
            await client.resolve("fake:fine")
        await client.aclose()

    run(main())


def test_loops_in_threads_leave_nothing_behind() -> None:
    async def ask() -> None:
        await asyncio.gather(*(r.resolve("fake:fine") for _ in range(10)))

    def several() -> None:
        for _ in range(3):
            asyncio.run(ask())

    run(ask())
    before = open_descriptors()
    threads = [threading.Thread(target=several) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert open_descriptors() == before
    assert not _child._children
    assert not list(_async.default._links)


def test_a_loop_that_is_closed_without_ceremony() -> None:
    loop = asyncio.new_event_loop()
    assert loop.run_until_complete(r.resolve("fake:fine")).num_tasks() == 3
    loop.close()
    gone = weakref.ref(loop)
    del loop
    gc.collect()
    assert gone() is None
    assert not _child._children


def test_uvloop() -> None:
    uvloop = pytest.importorskip("uvloop")

    async def main() -> None:
        assert type(asyncio.get_running_loop()).__module__.startswith("uvloop")
        await asyncio.gather(*(r.resolve("fake:fine") for _ in range(100)))
        task = await held()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with r.watch("fake:changes") as changes:
            await changes.__anext__()

    loop = uvloop.new_event_loop()
    try:
        loop.run_until_complete(main())
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()
    assert not _child._children


def test_a_loop_that_was_held_up_takes_the_answers_that_came_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        await r.resolve("fake:first")
        tasks = [asyncio.ensure_future(r.resolve("fake:fine")) for _ in range(5000)]
        for _ in range(3):
            await asyncio.sleep(0)  # they are asked
        select.select([current_child().read_fds[0]], [], [])
        loop = asyncio.get_running_loop()
        now = loop.time
        monkeypatch.setattr(loop, "time", lambda: now() + 1000)
        assert all(spec.num_tasks() == 3 for spec in await asyncio.gather(*tasks))

    run(main())
