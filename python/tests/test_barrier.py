"""`barrier` with the real command: tasks on loopback addresses of this machine."""
from __future__ import annotations

import asyncio
import socket
import threading

import pytest

import rollcall_cluster as r
from conftest import run


def target(tasks: int = 2) -> str:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    return "simple:job.worker=" + "+".join(f"127.0.0.{i + 1}:{port}" for i in range(tasks))


def test_tasks_of_one_loop_meet(real: str) -> None:
    async def main() -> None:
        where, seen = target(3), list[r.BarrierProgress]()
        tasks: tuple[str | tuple[str, int] | r.Task, ...] = ("worker:0", ("worker", 1), r.Task("worker", 2))
        starts = await asyncio.gather(*(r.barrier(where, task=task, timeout=60, generation=2 + i, on_progress=seen.append) for i, task in enumerate(tasks)))
        assert [(one.task.job, one.task.index, one.rank, one.generation) for one in starts] == [("worker", i, i, 4) for i in range(3)]
        assert starts[1].task.address == starts[1].cluster["worker"][1]
        assert {one.total for one in seen} == {3}

    run(main())


def test_blocking_and_asyncio_meet(real: str) -> None:
    where, starts = target(), list[r.Barrier]()
    other = threading.Thread(target=lambda: starts.append(r.barrier_sync(where, task="worker:1", timeout=60, on_progress=None)))
    other.start()
    assert run(r.barrier(where, task="worker:0", timeout=60)).rank == 0
    other.join()
    assert [one.rank for one in starts] == [1]


def test_the_late_are_named(real: str) -> None:
    lines: list[str] = []
    with pytest.raises(r.DeadlineExceeded, match="1/2 here · worker:1: not ") as caught:
        r.barrier_sync(target(), task="worker:0", timeout=0.5, on_progress=lambda progress: lines.append(str(progress)))
    assert isinstance(caught.value.progress, r.BarrierProgress)
    assert (caught.value.progress.here, [one.label for one in caught.value.missing]) == (1, ["worker:1"])
    assert lines[0].startswith("1/2 here")


def test_a_cancelled_task_has_left(real: str) -> None:
    async def main() -> None:
        where, begun = target(), asyncio.Event()
        task = asyncio.ensure_future(r.barrier(where, task="worker:0", on_progress=lambda _: begun.set()))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        address = where.split("=")[1].split("+")[0].split(":")
        socket.create_server((address[0], int(address[1]))).close()  # the port is free

        def refuse(progress: r.BarrierProgress) -> None:
            raise KeyError(progress.here)

        with pytest.raises(KeyError, match="1"):
            await r.barrier(where, task="worker:0", on_progress=refuse)

    run(main())


@pytest.mark.parametrize("task", ["worker", "worker:x", ":1", "worker:-1"])
def test_a_task_that_is_none(real: str, task: str) -> None:
    with pytest.raises(r.InvalidArgument, match="not a text such as"):
        r.barrier_sync(target(), task=task)
    with pytest.raises(r.InvalidArgument, match="on_progress is 'table'"):
        r.barrier_sync(target(), task="worker:0", on_progress="table")
