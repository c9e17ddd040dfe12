"""The protocol of `rollcall serve --stdio` over a transport, without any waiting: sends requests, assigns lines to them, and ends the session.

docs/protocol.md specifies the lines. Requests are sent right after `initialize`, without waiting for its answer: so no half-finished start-up can be cancelled.
"""
from __future__ import annotations

import json
import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from ._errors import Cancelled, CommandFailed, CommandMismatch, InvalidArgument, RollcallError, error_of
from ._transport import Transport
from ._values import Failure, Json

PROTOCOL = 1

T = TypeVar("T")

logger = logging.getLogger("rollcall_cluster")
logger.addHandler(logging.NullHandler())

_HELLO = 0  # the id of `initialize`
CLOSED = "the client was closed while the question was under way"
STREAM_CLOSED = "the stream is closed"
END_PACE = 0.005  # seconds between two checks of how a transport ended
_SHOWN = 120  # characters of a line that is quoted in an error

#: The errors of reading data that has another form: infinity is no int (ArithmeticError), a list may be too short (LookupError).
_MISREAD = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


class Sink(Protocol):
    """The receiver of a request's events and answer. Neither method raises, except an exception of a signal's handler."""

    def event(self, name: str, params: Json) -> None: ...

    def answer(self, result: Json | None, error: RollcallError | None) -> None:
        """Called exactly once, and last: one of the two is not None."""


def encode(message: Mapping[str, Any]) -> bytes:
    """One line. Raises InvalidArgument for a text that is not Unicode, such as a file name with a lone surrogate."""
    try:
        text = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode() + b"\n"
    except UnicodeEncodeError as trouble:
        quotes = text.rfind('"', 0, trouble.start), text.find('"', trouble.end)  # of this text in the line
        around = text[max(quotes[0] + 1, trouble.start - 20) : min(quotes[1], trouble.end + 20)]
        raise InvalidArgument(f"{around!a} is no Unicode text: it has a lone surrogate") from None
    except ValueError as trouble:
        raise InvalidArgument(f"a number that is none: {trouble}") from None


def error_from(answer: Json) -> RollcallError:
    """The exception for an answer's `error`."""
    data = answer.get("data") or {}
    line = str(answer.get("message", ""))
    if answer.get("code") == -32601:
        return CommandMismatch(f"the command is too old for this question: {line}")
    if "code" not in data:
        data = {**data, "code": "invalid_argument" if answer.get("code") == -32602 else "command_failed", "message": line}
    if not data.get("progress"):
        return error_of(Failure.of(data), line)
    from ._states import BarrierProgress, Progress

    last = data["progress"]
    return error_of(Failure.of(data), line, BarrierProgress.of(last) if "here" in last else Progress.of(last))


def decoded(what: str, decode: Callable[..., T], *data: Any) -> T:
    """Decodes received data. Raises CommandFailed where it does not have the protocol's form."""
    try:
        return decode(*data)
    except _MISREAD as trouble:
        raise CommandFailed(f"the command's {what} is not of the protocol: {type(trouble).__name__}: {trouble}") from trouble


def log_mode() -> str:
    """The part of the command's log that the session asks for, by the logger's level."""
    if logger.isEnabledFor(logging.DEBUG):
        return "all"
    return "warnings" if logger.isEnabledFor(logging.WARNING) else "none"


class Session:
    """One session: `ask` and `cancel` queue lines, `pump` reads lines and passes them to the sinks."""

    def __init__(self, transport: Transport, options: Mapping[str, Any]) -> None:
        self.transport = transport
        self.is_broken = False  #: no more requests can be sent here
        self.is_closing = False  #: the client ends it, so its end is not a fault
        self._sinks: dict[int, Sink] = {}
        self._backlog: OrderedDict[int, bytes] = OrderedDict()  # requests that the server has no room for yet
        self._in_flight = 0
        self._max_requests = 16384
        self._max_bytes = 1 << 20
        self._next_id = _HELLO + 1
        hello = {"protocol": PROTOCOL, "options": {"log": log_mode(), **options}}
        transport.send(encode({"jsonrpc": "2.0", "id": _HELLO, "method": "initialize", "params": hello}))

    @property
    def is_idle(self) -> bool:
        return not self._sinks

    def ask(self, method: str, params: Json, sink: Sink) -> int:
        """Returns the request's id. Raises InvalidArgument before anything is sent."""
        number = self._next_id
        line = encode({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        if len(line) > self._max_bytes:
            raise InvalidArgument(f"the question has {len(line)} bytes; the command reads {self._max_bytes}")
        self._next_id += 1
        self._sinks[number] = sink
        if self._in_flight < self._max_requests:
            self._in_flight += 1
            self.transport.send(line)
        else:
            self._backlog[number] = line
        return number

    def cancel(self, number: int) -> None:
        """Asks the server to cancel a request; its answer still comes. A request that was not sent yet is answered here at once."""
        if self._backlog.pop(number, None) is not None:
            self._sinks.pop(number).answer(None, error_of(Failure("cancelled", "the question was cancelled before it was asked")))
        elif number in self._sinks:
            self.transport.send(encode({"jsonrpc": "2.0", "method": "cancel", "params": {"id": number}}))

    def widen(self, number: int, events: int) -> None:
        """Lets the server send so many more events of a request that has a window."""
        if number in self._sinks:
            self.transport.send(encode({"jsonrpc": "2.0", "method": "more", "params": {"id": number, "events": events}}))

    def pump(self) -> None:
        """Passes on all received lines. A session that has ended, or that violates the protocol, fails all its requests."""
        try:
            lines = self.transport.receive()
        except LookupError as trouble:
            self.fail(CommandFailed(f"the command {trouble}"))
            return
        for line in lines:
            self._take(line)
        if self.transport.has_ended and not self.is_broken:
            if self.is_idle:
                self.is_broken = True
            else:
                how = self.transport.describe_end()
                if how is not None:  # otherwise it must be called again
                    self.fail(Cancelled(CLOSED) if self.is_closing else CommandFailed(f"the command {how}"))

    def fail(self, error: RollcallError) -> None:
        """Ends the session at once: all open requests get this error. It is `is_broken` from then on."""
        self.is_broken = True
        self.transport.kill()
        self._backlog.clear()
        sinks, self._sinks = self._sinks, {}
        for sink in sinks.values():
            sink.answer(None, error_of(error.failure, str(error)))

    def _take(self, line: bytes) -> None:
        if self.is_broken:
            return
        try:
            message = json.loads(line)
            if not isinstance(message, dict):
                raise ValueError("no object")
            if "method" in message:
                self._take_event(message["method"], message["params"])
            else:
                self._take_answer(message)
        except _MISREAD as trouble:
            shown = line[:_SHOWN].decode("utf-8", "backslashreplace")
            self.fail(CommandFailed(f"the command printed what is not of the protocol ({type(trouble).__name__}: {trouble}): {shown!a}"))

    def _take_event(self, name: str, params: Json) -> None:
        if name == "log":
            log_record(params["record"])
            return
        sink = self._sinks.get(params["id"])
        if sink is not None:
            sink.event(name, params)

    def _take_answer(self, message: Json) -> None:
        number, error = message["id"], message.get("error")
        if number == _HELLO:
            self._take_hello(message)
            return
        if number is None:
            raise ValueError("it did not understand a line: " + str(error))
        failure = None if error is None else error_from(error)
        result = message["result"] if error is None else None
        if error is None and not isinstance(result, dict):
            raise ValueError("the result is no object")
        sink = self._sinks.pop(number, None)
        if sink is None:
            return
        self._in_flight -= 1
        if self._backlog:
            self._in_flight += 1
            self.transport.send(self._backlog.popitem(last=False)[1])
        sink.answer(result, failure)

    def _take_hello(self, message: Json) -> None:
        error = message.get("error")
        if error is not None:
            refusal = error_from(error)
            if refusal.message.startswith("protocol"):
                refusal = CommandMismatch(f"the command refuses version {PROTOCOL} of the protocol: {refusal}")
            self.fail(refusal)
            return
        result = message["result"]
        if result["protocol"] != PROTOCOL:
            version = result.get("version", "of no version")
            self.fail(CommandMismatch(f"the command, {version}, speaks version {result['protocol']} of the protocol; this package speaks {PROTOCOL}"))
            return
        self._max_requests = int(result.get("max_requests", self._max_requests))
        self._max_bytes = int(result.get("max_request_bytes", self._max_bytes))


def log_record(record: Any) -> None:
    """One record of the command's log. A message for people is a warning, the rest has a lower level."""
    if isinstance(record, str):
        record = json.loads(record)
    event = str(record.get("event", "message"))
    level = logging.WARNING if event in ("message", "security_warning", "left_out") else logging.DEBUG
    if logger.isEnabledFor(level):
        words = " ".join(str(record[key]) for key in ("subject", "text", "code", "message") if record.get(key))
        logger.log(level, "%s: %s", event, words, extra={"record": dict(record)})

