"""Watches and searches with asyncio: slow readers, and streams that are left in every way."""
from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest

import rollcall_cluster as r
from conftest import run, turns
from rollcall_cluster import _async, _child

pytestmark = pytest.mark.usefixtures("fake")


def is_over(stream: _async.AsyncStream[Any]) -> bool:
    """True if its work has ended."""
    return stream._reply is not None and stream._reply.done()


@pytest.mark.usefixtures("impatient")
def test_a_reader_that_sleeps_stops_the_flood_and_nothing_else() -> None:
    async def main() -> None:
        async with r.watch("fake:flood") as changes:
            first = await changes.__anext__()
            assert first.kind is r.ChangeKind.TROUBLE
            for _ in range(50):
                await r.resolve("fake:fine")
            assert len(changes._items) == _async._WINDOW - 1
            for _ in range(1000):  # it flows again
                await changes.__anext__()
            assert len(changes._items) <= _async._WINDOW
        assert is_over(changes)
        assert len(_child._children) == 1

    run(main())


def test_a_command_that_sends_more_than_its_window_is_reported_apart() -> None:
    async def main() -> None:
        with pytest.raises(r.CommandFailed, match="more than the 256 events"):
            async with r.watch("fake:deluge") as changes:
                async for _ in changes:
                    await turns(lambda: is_over(changes))
        assert (await r.resolve("fake:fine")).num_tasks() == 3

    run(main())


def test_a_thousand_watches_have_one_child_and_go_on_side_by_side() -> None:
    async def main() -> None:
        watches = [r.watch("fake:changes") for _ in range(1000)]
        for changes in watches:
            assert (await changes.__anext__()).text == "0"
        assert len(_child._children) == 1
        for changes in reversed(watches):
            assert [(await changes.__anext__()).text for _ in range(2)] == ["1", "2"]
        await asyncio.gather(*(changes.aclose() for changes in watches))
        assert all(map(is_over, watches))
        assert (await r.resolve("fake:fine")).num_tasks() == 3

    run(main())


def test_a_watch_that_is_left_has_ended_with_its_reason() -> None:
    async def main() -> None:
        async with r.watch("fake:changes") as changes:
            texts = [(await changes.__anext__()).text for _ in range(3)]
            assert texts == ["0", "1", "2"]
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(changes.__anext__(), 0.01)  # which does not end the watch
        assert is_over(changes)
        with pytest.raises(r.PermissionDenied):
            async for _ in r.watch("fake:error:permission_denied"):
                pass
        with pytest.raises(r.CommandFailed, match="ended with exit code 3"):
            async with r.watch("fake:die") as changes:
                await changes.__anext__()

    run(main())


def test_a_watch_that_was_closed_is_not_restarted() -> None:
    async def main() -> None:
        never_begun, begun = r.watch("fake:changes"), r.watch("fake:changes")
        await begun.__anext__()
        for changes in (never_begun, begun):
            await changes.aclose()
            with pytest.raises(r.Cancelled, match="the stream is closed"):
                await asyncio.wait_for(changes.__anext__(), 10)
        assert is_over(begun)

    run(main())


def test_a_watch_without_references_is_closed() -> None:
    async def main() -> None:
        await r.resolve("fake:fine")
        (link,) = [held() for held in _async.default._links.values()]
        assert link is not None
        async for _ in r.watch("fake:changes"):
            break
        gc.collect()
        await turns(lambda: link.session.is_idle)

    run(main())


def test_a_watch_that_is_cancelled_while_it_is_left_has_ended() -> None:
    async def main() -> None:
        inside = asyncio.Event()

        async def follow() -> None:
            async with r.watch("fake:changes") as changes:
                async for _ in changes:
                    inside.set()

        task = asyncio.ensure_future(follow())
        await inside.wait()
        task.cancel()
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        (held,) = _async.default._links.values()
        link = held()
        assert link is not None and link.session.is_idle

    run(main())


def test_a_search_reports_its_missing_parts() -> None:
    async def main() -> None:
        found = []
        with pytest.raises(r.PermissionDenied, match="zone z must not be seen"):
            async for one in r.discover(project="p"):
                found.append(one.target)
        assert found == ["tpu:t"]
        async with r.discover(project="p", partial=True) as search:
            assert [one.name async for one in search] == ["t"]
            assert [one.code for one in search.failures] == ["permission_denied"]

    run(main())
