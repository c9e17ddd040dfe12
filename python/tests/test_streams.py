"""Watches and searches with asyncio: readers that sleep, streams that are left, in whatever way."""
from __future__ import annotations

import asyncio
import gc

import pytest

import rollcall_cluster as r
from conftest import run, turns
from rollcall_cluster import _child

pytestmark = pytest.mark.usefixtures("fake")


@pytest.mark.usefixtures("impatient")
def test_a_reader_that_sleeps_stops_the_flood_and_nothing_else() -> None:
    async def main() -> None:
        async with r.watch("fake:flood") as changes:
            first = await changes.__anext__()
            assert first.kind is r.ChangeKind.TROUBLE
            link = changes._link
            assert link is not None
            await turns(lambda: link._is_paused)
            most = len(changes._items)
            assert most < 10_000  # what one read holds
            for _ in range(50):
                await r.resolve("fake:fine")
            assert len(changes._items) == most
            for _ in range(most + 1000):  # it flows again
                await changes.__anext__()
            child = link._transport
        assert child.has_ended

    run(main())


def test_a_watch_that_is_left_has_ended_and_tells_why_it_ends() -> None:
    async def main() -> None:
        async with r.watch("fake:changes") as changes:
            texts = [(await changes.__anext__()).text for _ in range(3)]
            assert texts == ["0", "1", "2"]
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(changes.__anext__(), 0.01)  # which does not end the watch
        assert not _child._children
        with pytest.raises(r.PermissionDenied):
            async for _ in r.watch("fake:error:permission_denied"):
                pass
        with pytest.raises(r.CommandFailed, match="ended with exit code 3"):
            async with r.watch("fake:die") as changes:
                await changes.__anext__()

    run(main())


def test_a_watch_that_was_closed_is_not_begun_anew() -> None:
    async def main() -> None:
        never_begun, begun = r.watch("fake:changes"), r.watch("fake:changes")
        await begun.__anext__()
        for changes in (never_begun, begun):
            await changes.aclose()
            with pytest.raises(r.Cancelled, match="the stream is closed"):
                await asyncio.wait_for(changes.__anext__(), 10)
        assert not _child._children

    run(main())


def test_a_watch_that_nobody_holds_any_more_is_closed() -> None:
    async def main() -> None:
        async for _ in r.watch("fake:changes"):
            break
        gc.collect()
        await turns(lambda: not _child._children)

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
        assert not _child._children

    run(main())


def test_a_search_tells_what_was_missed() -> None:
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
