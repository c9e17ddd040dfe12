"""Follows a cluster in a thread of its own, so that a poll is answered at once: for launchers that poll every second or more often."""
from __future__ import annotations

import asyncio
import contextlib
import threading

from ._async import Client
from ._errors import RollcallError
from ._session import logger
from ._states import Change, ChangeKind, Member


class Followed:
    """The members of a cluster at the last update. It starts at once; `close` ends it.

    Args:
        targets: the targets to follow.

    Attributes:
        failure: the failure that has ended it; else None.
    """

    def __init__(self, *targets: str) -> None:
        self.failure: RollcallError | None = None
        self._targets = targets
        self._members: dict[tuple[str, int], Member] = {}
        self._seen: list[Member] | None = None  # replaced as a whole, since other threads read it
        self._has_begun = threading.Event()
        self._is_closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._thread = threading.Thread(target=self._run, name="rollcall watch", daemon=True)
        self._thread.start()

    def ready_members(self) -> list[Member] | None:
        """The ready members, job by job, indices ascending; None: no update yet, so they are unknown. Never waits."""
        seen = self._seen
        return None if seen is None else [member for member in seen if member.is_ready]

    def close(self) -> None:
        """Ends it; its child has ended when this returns."""
        self._is_closed = True
        self._has_begun.wait()
        if self._loop is not None and self._task is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: the thread has ended by itself
                self._loop.call_soon_threadsafe(self._task.cancel)
        self._thread.join()

    def _run(self) -> None:
        try:
            asyncio.run(self._follow())
        except asyncio.CancelledError:
            pass
        except RollcallError as trouble:
            self.failure = trouble
            if not self._is_closed:
                logger.warning("%s is followed no longer: %s", ", ".join(self._targets), trouble)
        finally:
            self._has_begun.set()

    async def _follow(self) -> None:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        self._has_begun.set()
        client = Client()
        async with client, client.watch(*self._targets, notices=False) as changes:
            async for change in changes:
                self._take(change)

    def _take(self, change: Change) -> None:
        if change.member is not None:
            key = (change.member.job, change.member.index)
            if change.kind is ChangeKind.MEMBER_LEFT:
                self._members.pop(key, None)
            elif change.kind in (ChangeKind.MEMBER_JOINED, ChangeKind.MEMBER_CHANGED):
                self._members[key] = change.member
        # Of changes that arrive together the last has the cluster; before it the members are incomplete. Trouble and notices may come before any poll, and
        # then the cluster has no members.
        is_whole = change.cluster is not None
        if is_whole and (self._seen is not None or self._members or change.kind not in (ChangeKind.TROUBLE, ChangeKind.NOTICE)):
            self._seen = sorted(self._members.values(), key=lambda member: (member.job, member.index))
