"""The asyncio client. Each question is a coroutine method; one child answers all questions of one event loop. A stream has a window, which limits its unread events, so a slow
reader delays no other question."""
from __future__ import annotations

import asyncio
import weakref
from collections import deque
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from . import _calls
from ._errors import Cancelled, CommandFailed
from ._launch import ClientOptions, as_method
from ._link import Link, Reply
from ._question import Call, Stream
from ._session import STREAM_CLOSED, decoded
from ._values import Failure, Json

P = ParamSpec("P")
T = TypeVar("T")

_WINDOW = 256  # maximum of unread events


class AsyncStream(Generic[T]):
    """The events of a watch or a search, as they arrive: `async with` it, `async for` over it. When the context is left, its work has ended.

    Attributes:
        failures: the parts that could not be searched or followed, so far.
    """

    def __init__(self, client: Client, stream: Stream[T]) -> None:
        self.failures: list[Failure] = []
        self._client = client
        self._stream = stream
        self._items: deque[T] = deque()
        self._link: Link | None = None
        self._reply: Reply | None = None
        self._unreported = _WINDOW  # how many more events the command may send
        self._taken = 0  # how many events were consumed since the command last got a larger window
        self._waiter: asyncio.Future[None] | None = None
        self._is_closed = False

    async def __aenter__(self) -> AsyncStream[T]:
        await self._begin()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.aclose()

    def __aiter__(self) -> AsyncStream[T]:
        return self

    async def __anext__(self) -> T:
        link, reply = await self._begin()
        while not self._items:
            if self._is_closed:  # by another task
                raise Cancelled(STREAM_CLOSED)
            if reply.done():
                reply.result()
                self._stream.end(self.failures)
                raise StopAsyncIteration
            self._waiter = link.loop.create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        item = self._items.popleft()
        self._make_room(link, reply)
        return item

    async def aclose(self) -> None:
        """Ends the stream and waits until its work has ended. Unread events are dropped, and a task that still reads gets Cancelled."""
        self._is_closed = True
        self._items.clear()
        reply, cancelled = self._reply, None
        if reply is None:
            return
        reply.cancel()
        self._wake()
        while not reply.done():
            try:
                await asyncio.wait([reply])
            except asyncio.CancelledError as reported:
                cancelled = reported
        if cancelled is not None:
            raise cancelled

    async def _begin(self) -> tuple[Link, Reply]:
        if self._is_closed:
            raise Cancelled(STREAM_CLOSED)
        if self._link is None or self._reply is None:
            me = weakref.ref(self)  # a stream without references is closed

            def on_event(name: str, params: Json) -> None:
                if (stream := me()) is not None:
                    stream._take(name, params)

            def on_done(_: asyncio.Future[Any]) -> None:
                if (stream := me()) is not None:
                    stream._wake()

            link = await self._client._current()
            if self._is_closed:
                raise Cancelled(STREAM_CLOSED)
            if self._link is not None and self._reply is not None:  # another task was faster
                return self._link, self._reply
            params = {**self._stream.params, "window": _WINDOW}
            call: Call[None] = Call(self._stream.method, params, lambda _: None, self._stream.seconds, on_event)
            reply = link.ask(call)
            reply.add_done_callback(on_done)
            self._link, self._reply = link, reply
        return self._link, self._reply

    def _take(self, name: str, params: Json) -> None:
        if self._is_closed:
            return
        self._unreported -= 1
        if self._unreported < 0:
            raise CommandFailed(f"the command tells more than the {_WINDOW} events that it may at a time")
        item = decoded(name, self._stream.decode, name, params)
        if isinstance(item, Failure):
            self.failures.append(item)
        if item is not None and not isinstance(item, Failure):
            self._items.append(item)
            self._wake()
        elif self._link is not None and self._reply is not None:
            self._make_room(self._link, self._reply)

    def _make_room(self, link: Link, reply: Reply) -> None:
        """One event was consumed. The command gets a larger window after many of them."""
        self._taken += 1
        if self._taken >= _WINDOW // 2:
            link.widen(reply, self._taken)
            self._unreported += self._taken
            self._taken = 0

    def _wake(self) -> None:
        if self._reply is not None and self._reply.done() and not self._reply.cancelled():
            self._reply.exception()  # also when nothing reads on
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def __del__(self) -> None:
        link, reply = getattr(self, "_link", None), getattr(self, "_reply", None)
        if link is not None and reply is not None and not reply.done() and not link.loop.is_closed():
            link.loop.call_soon_threadsafe(reply.cancel)


def _question(build: Callable[P, Call[T]]) -> Callable[Concatenate[Client, P], Coroutine[Any, Any, T]]:
    async def method(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._ask(build(*args, **kwargs))

    as_method(method, build)
    return method


def _stream(build: Callable[P, Stream[T]]) -> Callable[Concatenate[Client, P], AsyncStream[T]]:
    def method(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> AsyncStream[T]:
        return AsyncStream(self, build(*args, **kwargs))

    as_method(method, build)
    return method


class Client(ClientOptions):
    """Asks with asyncio: `async with Client(project="p") as client: await client.resolve("tpu:trainer")`. It serves any number of loops."""

    __doc__ = f"{__doc__}\n\n{ClientOptions.__doc__}"

    def _prepare(self) -> None:
        # A loop keeps its link alive by the descriptors that it watches.
        self._links: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, weakref.ref[Link]] = weakref.WeakKeyDictionary()

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Ends the child of this loop; open questions raise Cancelled, and further ones are refused."""
        self._is_closed = True
        held = self._links.pop(asyncio.get_running_loop(), None)
        link = held() if held is not None else None
        if link is not None:
            await link.aclose()

    async def _open(self) -> Link:
        environment = self._environment()
        link = Link(self._start(environment), self._options, environment)
        await link.keep()
        return link

    async def _current(self) -> Link:
        loop = asyncio.get_running_loop()
        held = self._links.get(loop)
        link = held() if held is not None else None
        if link is not None and link.is_usable:
            if self._is_same(link.environment):
                return link
            link.retire()
        link = await self._open()
        self._links[loop] = weakref.ref(link)
        return link

    async def _ask(self, call: Call[T]) -> T:
        try:
            reply = (await self._current()).ask(call)
            try:
                answer: T = await reply
                return answer
            finally:
                if not reply.done():  # the coroutine is dropped
                    reply.cancel()
        finally:
            if call.on_end is not None:
                call.on_end()

    resolve = _question(_calls.resolve)
    status = _question(_calls.status)
    why = _question(_calls.why)
    wait = _question(_calls.wait)
    devices = _question(_calls.devices)
    accelerators = _question(_calls.accelerators)
    whoami = _question(_calls.whoami)
    topology = _question(_calls.topology)
    doctor = _question(_calls.doctor)
    barrier = _question(_calls.barrier)
    preflight = _question(_calls.preflight)
    watch = _stream(_calls.watch)
    discover = _stream(_calls.discover)


default = Client()
