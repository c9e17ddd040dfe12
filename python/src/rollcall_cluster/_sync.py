"""The blocking twin of the asyncio client: the same questions as plain methods, which work in notebooks, within running loops and on any thread.

Each open question has a child for itself, which then serves the next one: threads share only a list of idle children. Ctrl-C takes effect at once: it interrupts `poll`, the
question is cancelled, and KeyboardInterrupt propagates.
"""
from __future__ import annotations

import math
import os
import select
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from . import _calls
from ._errors import Cancelled, CommandFailed, DeadlineExceeded, RollcallError
from ._launch import ClientOptions, as_method
from ._question import Call, Stream
from ._session import END_PACE, STREAM_CLOSED, Session, decoded
from ._transport import Transport
from ._values import Failure, Json

P = ParamSpec("P")
T = TypeVar("T")

ANSWER_PATIENCE = 10.0  # seconds after its own deadline during which the command counts as busy
CANCEL_PATIENCE = 0.5  # seconds for which Ctrl-C waits for the end of the work; then the child is ended instead
_MAX_POLL = 86400.0  # seconds; poll counts milliseconds in 31 bits
CLOSE_PATIENCE = 1.0  # seconds for a child's own end


class _Question:
    """One request's events and answer."""

    def __init__(self, on_event: Callable[[str, Json], None] | None) -> None:
        self.on_event = on_event
        self.is_answered = False
        self.result: Json | None = None
        self.error: RollcallError | None = None
        self.trouble: BaseException | None = None

    def event(self, name: str, params: Json) -> None:
        if self.on_event is not None and self.trouble is None:
            try:
                self.on_event(name, params)
            except BaseException as trouble:  # also Ctrl-C in a user's function: it is raised in the call of the question
                self.trouble = trouble

    def answer(self, result: Json | None, error: RollcallError | None) -> None:
        self.is_answered, self.result, self.error = True, result, error


class _Line:
    """A child that answers one question of one thread at a time."""

    def __init__(self, child: Transport, options: dict[str, Any], environment: dict[Any, Any]) -> None:
        self.environment = environment
        self.child = child
        self.session = Session(child, options)

    @property
    def is_usable(self) -> bool:
        if not self.child.is_forked and not self.session.is_broken:
            self.session.pump()  # did it die meanwhile?
        return not self.child.is_forked and not self.session.is_broken

    def wait(self, question: _Question, until: float, seconds: float) -> None:
        """One turn. Raises DeadlineExceeded when there was no answer until then, even if the child sends other lines without end."""
        is_late = time.monotonic() >= until  # this process may have been delayed more than the child: read once more
        self.turn(until - time.monotonic())
        if is_late and not question.is_answered:
            raise DeadlineExceeded(f"the command did not answer within the {seconds:g} s that it was given")

    def turn(self, seconds: float) -> None:
        """Sends and receives as much as possible, and waits at most that long."""
        self.child.flush()
        if not self.child.has_ended:
            poll = select.poll()
            for fd in self.child.read_fds:
                poll.register(fd, select.POLLIN)
            if self.child.has_unsent:
                poll.register(self.child.write_fd, select.POLLOUT)
            poll.poll(math.ceil(1000 * min(max(seconds, 0), _MAX_POLL)))
        elif not self.session.is_broken:
            time.sleep(END_PACE)  # until it is known how it ended
        self.session.pump()

    def close(self) -> None:
        self.session.is_broken = True
        self.child.finish_input()
        self.child.wait_for_end(CLOSE_PATIENCE)


def _ask(line: _Line, method: str, params: Json, question: _Question, seconds: float) -> Json:
    """Returns the answer. When it raises, the request has been cancelled or the child been ended."""
    number = line.session.ask(method, params, question)
    until = time.monotonic() + seconds + ANSWER_PATIENCE
    try:
        while not question.is_answered and question.trouble is None:
            line.wait(question, until, seconds)
    except BaseException as trouble:
        question.trouble = trouble
    if question.trouble is not None:
        _end(line, number, question)
        raise question.trouble
    if question.error is not None:
        raise question.error
    assert question.result is not None
    return question.result


def _end(line: _Line, number: int, question: _Question) -> None:
    try:
        line.session.cancel(number)
        until = time.monotonic() + CANCEL_PATIENCE
        while not question.is_answered and time.monotonic() < until:
            line.turn(until - time.monotonic())
    finally:
        if not question.is_answered:
            line.session.fail(CommandFailed("the question was given up"))


class SyncStream(Generic[T]):
    """The events of a watch or a search, as they arrive: `with` it, `for` over it. When the context is left, its work has ended.

    Attributes:
        failures: the parts that could not be searched or followed, so far.
    """

    def __init__(self, client: SyncClient, stream: Stream[T]) -> None:
        self.failures: list[Failure] = []
        self._client = client
        self._stream = stream
        self._items: deque[T] = deque()
        self._line: _Line | None = None
        self._question: _Question | None = None
        self._until = math.inf
        self._is_closed = False

    def __enter__(self) -> SyncStream[T]:
        self._begin()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __iter__(self) -> SyncStream[T]:
        return self

    def __next__(self) -> T:
        line, question = self._begin()
        while not self._items:  # the child is read only here, so it notices a slow reader
            if question.trouble is not None:
                raise question.trouble
            if question.error is not None:
                raise question.error
            if question.is_answered:
                self._stream.end(self.failures)
                raise StopIteration
            line.wait(question, self._until, self._stream.seconds)
            if self._is_closed:  # by another thread
                raise Cancelled(STREAM_CLOSED)
        return self._items.popleft()

    def close(self) -> None:
        """Ends the stream and waits until its work has ended. Unread events are dropped, and a thread that still reads gets Cancelled."""
        self._is_closed = True
        if self._line is not None:
            self._line.close()
        self._items.clear()

    def _begin(self) -> tuple[_Line, _Question]:
        if self._is_closed:
            raise Cancelled(STREAM_CLOSED)
        if self._line is None or self._question is None:
            me = weakref.ref(self)

            def on_event(name: str, params: Json) -> None:
                if (stream := me()) is not None:
                    stream._take(name, params)

            line = self._client._open()
            question = _Question(on_event)
            try:
                line.session.ask(self._stream.method, self._stream.params, question)
                line.child.flush()
            except BaseException:
                line.close()
                raise
            self._line, self._question = line, question
            self._until = time.monotonic() + self._stream.seconds + ANSWER_PATIENCE
        return self._line, self._question

    def _take(self, name: str, params: Json) -> None:
        item = decoded(name, self._stream.decode, name, params)
        if isinstance(item, Failure):
            self.failures.append(item)
        elif item is not None:
            self._items.append(item)


def _question(build: Callable[P, Call[T]]) -> Callable[Concatenate[SyncClient, P], T]:
    def method(self: SyncClient, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._ask(build(*args, **kwargs))

    as_method(method, build)
    return method


def _stream(build: Callable[P, Stream[T]]) -> Callable[Concatenate[SyncClient, P], SyncStream[T]]:
    def method(self: SyncClient, /, *args: P.args, **kwargs: P.kwargs) -> SyncStream[T]:
        return SyncStream(self, build(*args, **kwargs))

    as_method(method, build)
    return method


class SyncClient(ClientOptions):
    """Asks and waits: `with SyncClient(project="p") as client: client.resolve("tpu:trainer")`. Threads may share it."""

    __doc__ = f"{__doc__}\n\n{ClientOptions.__doc__}"

    def _prepare(self) -> None:
        self._idle: list[_Line] = []
        self._lock = threading.Lock()
        _clients.add(self)

    def __enter__(self) -> SyncClient:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends the idle children; busy ones end after their answers. Further questions are refused."""
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for line in idle:
            line.close()

    def _open(self) -> _Line:
        environment = self._environment()
        return _Line(self._start(environment), self._options, environment)

    def _take_line(self) -> _Line:
        while True:
            with self._lock:
                line = self._idle.pop() if self._idle else None
            if line is None:
                return self._open()
            if not self._is_closed and self._is_same(line.environment) and line.is_usable:
                return line
            line.close()

    def _ask(self, call: Call[T]) -> T:
        try:
            line = self._take_line()
            try:
                answer = _ask(line, call.method, call.params, _Question(call.on_event), call.seconds)
            finally:
                with self._lock:
                    is_kept = not self._is_closed and not line.session.is_broken
                    if is_kept:
                        self._idle.append(line)
                if not is_kept:
                    line.close()
            return decoded(f"answer to {call.method}", call.decode, answer)
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


_clients: weakref.WeakSet[SyncClient] = weakref.WeakSet()


def _forget_idle() -> None:
    """In a forked child: no thread holds the locks, and the children are the parent's."""
    for client in _clients:
        client._lock = threading.Lock()
        client._idle = []


os.register_at_fork(after_in_child=_forget_idle)

default = SyncClient()
