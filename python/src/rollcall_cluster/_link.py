"""One child on one event loop: the loop itself watches its pipes and its deadlines; no thread.

A cancellation is confirmed: `CancelledError` is raised only once the server has answered that the work has ended, or its process has ended. A request that was asked to be
cancelled counts as cancelled even if its result came first: otherwise a `timeout` around it would be lost.
"""
from __future__ import annotations

import asyncio
import heapq
import math
from collections.abc import AsyncGenerator, Mapping
from typing import Any

from ._errors import Cancelled, CommandFailed, DeadlineExceeded, RollcallError
from ._question import Call
from ._session import CLOSED, END_PACE, Session, decoded
from ._transport import Transport
from ._values import Json

ANSWER_PATIENCE = 10.0  # seconds after its own deadline during which the command counts as busy
CANCEL_PATIENCE = 5.0  # seconds for the end of cancelled work
CLOSE_PATIENCE = 5.0  # seconds for the command's own end


class Reply(asyncio.Future[Any]):
    """The object that a question's task awaits. `cancel` asks the server; the server's answer then cancels the future."""

    def __init__(self, link: Link, call: Call[Any]) -> None:
        super().__init__(loop=link.loop)
        self.link = link
        self.call = call
        self.number = 0
        self.deadline = 0.0
        self.is_ending = False  # the server was asked to cancel it
        self.is_cancelled = False
        self.is_late = False
        self.trouble: Exception | None = None
        self.cancel_message: Any = None

    def cancel(self, msg: Any = None) -> bool:
        if self.done():
            return False
        self.is_cancelled, self.cancel_message = True, msg
        self.link.end(self)
        return True

    def event(self, name: str, params: Json) -> None:
        if self.is_ending or self.call.on_event is None:
            return
        try:
            self.call.on_event(name, params)
        except Exception as trouble:
            self.trouble = trouble
            self.link.end(self)

    def answer(self, result: Json | None, error: RollcallError | None) -> None:
        if self.done():
            return
        if self.is_cancelled:
            super().cancel(self.cancel_message)
        elif self.trouble is not None:
            self.set_exception(self.trouble)
        elif error is not None and self.is_late:
            self.set_exception(DeadlineExceeded(f"the command did not answer within the {self.call.seconds:g} s that it was given"))
        elif error is not None:
            self.set_exception(error)
        else:
            try:
                self.set_result(decoded(f"answer to {self.call.method}", self.call.decode, result))
            except CommandFailed as trouble:
                self.set_exception(trouble)


class Link:
    """One child, one loop: the session's reader, writer and timer."""

    def __init__(self, transport: Transport, options: Mapping[str, Any], environment: dict[Any, Any]) -> None:
        self.loop = asyncio.get_running_loop()
        self.environment = environment
        self.session = Session(transport, options)
        self._transport = transport
        self._read_fds: tuple[int, ...] = ()
        self._writes = False
        self._flushes = False
        self._is_still = False
        self._is_retired = False
        self._deadlines: list[tuple[float, int, Reply]] = []  # a reply that is being cancelled has two entries
        self._expected = 0
        self._open = 0
        self._timer: asyncio.TimerHandle | None = None
        self._reaper: asyncio.TimerHandle | None = None
        self._ended = self.loop.create_future()
        self._keeper: AsyncGenerator[None, None] | None = None
        self._watch_fds()
        self._flush_soon()

    async def keep(self) -> None:
        """From now on `loop.shutdown_asyncgens()`, which `asyncio.run` calls at its end, closes this link."""
        self._keeper = _closes_at_end(self)
        await self._keeper.asend(None)

    @property
    def is_usable(self) -> bool:
        if self.session.is_broken or self._is_retired or self._transport.is_forked:
            return False
        if self.session.is_idle:  # did it die between two questions?
            self._on_readable()
        return not self.session.is_broken and not self._transport.has_ended

    def ask(self, call: Call[Any]) -> Reply:
        reply = Reply(self, call)
        reply.number = self.session.ask(call.method, call.params, reply)
        self._open += 1
        reply.add_done_callback(self._on_done)
        self._expect(reply, call.seconds + ANSWER_PATIENCE)
        self._flush_soon()
        return reply

    def end(self, reply: Reply) -> None:
        """Asks the server to cancel the request. Its answer settles the reply; if none comes in time, the child counts as hanging."""
        if not reply.is_ending and not self.loop.is_closed():  # a closed loop has dropped its tasks
            reply.is_ending = True
            self._expect(reply, CANCEL_PATIENCE)
            self.session.cancel(reply.number)
            self._flush_soon()

    def widen(self, reply: Reply, events: int) -> None:
        """Allows so many more events of this question."""
        if not reply.done() and not reply.is_ending:
            self.session.widen(reply.number, events)
            self._flush_soon()

    def retire(self) -> None:
        """No more questions; the child ends when the open ones have their answers."""
        self._is_retired = True
        if self._open == 0:
            self._finish_input()

    async def aclose(self) -> None:
        """Ends the child and waits for its end, also when the caller is cancelled meanwhile."""
        self._is_retired = self.session.is_closing = True
        cancelled: asyncio.CancelledError | None = None
        if not self._transport.is_forked:
            self._finish_input()
            timer = self.loop.call_later(CLOSE_PATIENCE, self.drop)  # not at the end of its output: a process that it started may hold that open
            while not self._ended.done():
                try:
                    await asyncio.wait([self._ended])
                except asyncio.CancelledError as reported:
                    cancelled = reported
            timer.cancel()
        self.drop()
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            await keeper.aclose()  # which then finds that nothing is left
        if cancelled is not None:
            raise cancelled

    def drop(self) -> None:
        """Releases everything at once; open questions get an error."""
        self.session.fail(Cancelled(CLOSED))
        self._on_end()

    def _on_readable(self) -> None:
        try:
            self.session.pump()
        except SystemExit:  # the interpreter ends: this loop of a daemon thread never runs again
            self._is_still = True
            self._watch_fds()
            return
        self._flush_soon()
        if self._transport.has_ended and self._transport.describe_end() is None:
            self._watch_fds()
            if self._reaper is None:
                self._reaper = self.loop.call_later(END_PACE, self._reap)
        elif self.session.is_broken or self._transport.has_ended:
            self._on_end()
        elif self._transport.read_fds != self._read_fds:
            self._watch_fds()

    def _reap(self) -> None:
        """Its output has ended, but the process may live for a moment longer, and the loop must not block on it."""
        self._reaper = None
        if not self._ended.done():
            self._on_readable()

    def _on_end(self) -> None:
        if self._transport.is_forked:  # the loop's selector is shared with the parent: remove nothing from it
            self._read_fds = ()
            return
        for timer in (self._timer, self._reaper):
            if timer is not None:
                timer.cancel()
        for fd in self._read_fds:
            self.loop.remove_reader(fd)
        self._read_fds = ()
        self._write_no_more()
        self.session.is_broken = True
        self._transport.wait_for_end(0.2)
        if not self._ended.done():
            self._ended.set_result(None)

    def _watch_fds(self) -> None:
        wanted = () if self._is_still else self._transport.read_fds
        for fd in set(self._read_fds) - set(wanted):
            self.loop.remove_reader(fd)
        for fd in set(wanted) - set(self._read_fds):
            self.loop.add_reader(fd, self._on_readable)
        self._read_fds = wanted

    def _flush_soon(self) -> None:
        """Sends everything that one turn of the loop has queued in one write."""
        if not self._flushes and self._transport.has_unsent:
            self._flushes = True
            self.loop.call_soon(self._flush)

    def _flush(self) -> None:
        self._flushes = False
        if self._transport.is_forked:
            return
        if self._transport.has_unsent:
            fd = self._transport.write_fd
            self._transport.flush()
            if self._transport.has_unsent and not self._writes:
                self._writes = True
                self.loop.add_writer(fd, self._flush)
                return
        if not self._transport.has_unsent:
            self._write_no_more()

    def _write_no_more(self) -> None:
        if self._writes:
            self._writes = False
            self.loop.remove_writer(self._transport.write_fd)

    def _finish_input(self) -> None:
        self._write_no_more()
        self._transport.finish_input()

    def _on_done(self, reply: asyncio.Future[Any]) -> None:
        self._open -= 1
        if self._is_retired and self._open == 0:
            self._finish_input()

    def _expect(self, reply: Reply, seconds: float) -> None:
        reply.deadline = self.loop.time() + seconds
        if seconds == math.inf:
            return
        if len(self._deadlines) > 2 * self._open + 64:  # most are answered by then
            self._deadlines = [one for one in self._deadlines if not one[2].done()]
            heapq.heapify(self._deadlines)
        self._expected += 1  # replies are not compared
        heapq.heappush(self._deadlines, (reply.deadline, self._expected, reply))
        first = self._deadlines[0][0]
        if self._timer is None or self._timer.cancelled() or first < self._timer.when():
            if self._timer is not None:
                self._timer.cancel()
            self._timer = self.loop.call_at(first, self._on_deadline)

    def _on_deadline(self) -> None:
        self._timer = None
        if self._transport.is_forked:
            return
        self._on_readable()  # the loop may have been delayed more than the command
        now = self.loop.time()
        while self._deadlines and (self._deadlines[0][0] <= now or self._deadlines[0][2].done()):
            reply = heapq.heappop(self._deadlines)[2]
            if reply.done() or reply.deadline > now:
                continue
            if reply.is_ending:
                self.session.fail(CommandFailed(f"the command hangs: it did not end what was cancelled within {CANCEL_PATIENCE:g} s"))
                self._on_end()
                return
            reply.is_late = True
            self.end(reply)
        if self._deadlines:
            self._timer = self.loop.call_at(self._deadlines[0][0], self._on_deadline)


async def _closes_at_end(link: Link) -> AsyncGenerator[None, None]:
    try:
        yield
    finally:
        link._keeper = None  # this one is being closed
        await link.aclose()
