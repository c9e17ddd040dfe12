"""The seam between questions and whatever answers them: lines out, lines in, descriptors that an event loop or a poll can watch.

A child process is one such transport (`_child.py`); all above works with another, such as a native module with an event descriptor.
"""
from __future__ import annotations

from typing import Protocol


class Transport(Protocol):
    """Nothing here blocks but `wait_for_end`. A transport is used by one thread at a time."""

    @property
    def read_fds(self) -> tuple[int, ...]:
        """Readable when `receive` has something to do; those that have ended are not among them."""
        ...

    @property
    def write_fd(self) -> int:
        """Writable when `flush` has something to do. Only valid while `has_unsent`."""
        ...

    @property
    def has_unsent(self) -> bool:
        """True while something that was sent waits for room."""
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
        """Sends what there is room for."""
        ...

    def receive(self) -> list[bytes]:
        """The whole lines that have come. LookupError, whose text says what is wrong, when a line is longer than any answer."""
        ...

    def finish_input(self) -> None:
        """Nothing more will be sent, nor what is unsent: the other side ends what is under way, and then itself."""
        ...

    def kill(self) -> None:
        """Ends the other side at once."""
        ...

    def describe_end(self) -> str | None:
        """How it ended, for people; to be asked once `has_ended`. None: it is not known yet, ask again soon; in a second at the latest it is."""
        ...

    def wait_for_end(self, seconds: float) -> None:
        """Waits that long at most for the other side's end, then ends it; gives everything back."""
        ...
