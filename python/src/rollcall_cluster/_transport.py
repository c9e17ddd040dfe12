"""The interface between questions and the program that answers them: lines out, lines in, descriptors that an event loop or a poll can watch.

A child process is one such transport (`_child.py`); the layers above work with another, such as a native module with an event descriptor.
"""
from __future__ import annotations

from typing import Protocol


class Transport(Protocol):
    """Only `wait_for_end` blocks. A transport is used by one thread at a time."""

    @property
    def read_fds(self) -> tuple[int, ...]:
        """Readable when `receive` has work; descriptors that have ended are left out."""
        ...

    @property
    def write_fd(self) -> int:
        """Writable when `flush` has work. Only valid while `has_unsent`."""
        ...

    @property
    def has_unsent(self) -> bool:
        """True while queued lines wait for room."""
        ...

    @property
    def has_ended(self) -> bool:
        """True once no more lines will come."""
        ...

    @property
    def is_forked(self) -> bool:
        """True in a child that was forked after this was made: it belongs to the parent."""
        ...

    def send(self, line: bytes) -> None:
        """Queues one line, which ends with a line feed; `flush` sends it."""
        ...

    def flush(self) -> None:
        """Sends as much as there is room for."""
        ...

    def receive(self) -> list[bytes]:
        """The complete lines that have arrived. Raises LookupError, with a reason, when a line is longer than any answer."""
        ...

    def finish_input(self) -> None:
        """Nothing more is sent, not even queued lines: the other side ends its open work, and then itself."""
        ...

    def kill(self) -> None:
        """Ends the other side at once."""
        ...

    def describe_end(self) -> str | None:
        """How it ended, as text; call it once `has_ended`. None: not known yet, call it again soon; it is known within a second."""
        ...

    def wait_for_end(self, seconds: float) -> None:
        """Waits at most that long for the other side's end, then ends it; releases everything."""
        ...
