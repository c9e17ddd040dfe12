"""A question before it is asked: its method, its checked parameters, and the decoder of its answer."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ._errors import InvalidArgument, error_of
from ._values import Failure, Json, Task

T = TypeVar("T")
Texts = str | Iterable[str] | None  #: one, or several

_MAX_SECONDS = 366 * 86400.0  # the command's limit for a time


@dataclass(frozen=True)
class Call(Generic[T]):
    """One question. `seconds`: the time after which the command has answered at the latest, by its own deadline."""

    method: str
    params: Json
    decode: Callable[[Json], T]
    seconds: float
    on_event: Callable[[str, Json], None] | None = None
    on_end: Callable[[], None] | None = None


@dataclass(frozen=True)
class Stream(Generic[T]):
    """One question with many answers. `decode` makes an item of an event, or None; `raises_missing`: a part that could not be searched is an error at the end."""

    method: str
    params: Json
    decode: Callable[[str, Json], T | Failure | None]
    seconds: float
    raises_missing: bool = False

    def end(self, failures: list[Failure]) -> None:
        """Raises the first missing part, where that is an error."""
        if failures and self.raises_missing:
            more = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
            raise error_of(failures[0], failures[0].message + more)


def params_of(**params: Any) -> dict[str, Any]:
    return {name: value for name, value in params.items() if value is not None}


def checked_targets(targets: tuple[str, ...]) -> tuple[str, ...]:
    if not targets:
        raise InvalidArgument("no target was given")
    for target in targets:
        if not isinstance(target, str):
            raise TypeError(f"a target is a text such as 'tpu:trainer', not {type(target).__name__} {target!r}")
    return targets


def checked_task(task: str | tuple[str, int] | Task) -> dict[str, Any]:
    if isinstance(task, Task):
        return {"job": task.job, "index": task.index}
    if isinstance(task, str):
        job, _, index = task.rpartition(":")
        if not job or not index.isascii() or not index.isdecimal():
            raise InvalidArgument(f"task is {task!r}, not a text such as 'worker:3'")
        return {"job": job, "index": int(index)}
    if not isinstance(task, (tuple, list)) or len(task) != 2:
        raise TypeError(f"task is a Task, a pair such as ('worker', 3) or a text such as 'worker:3', not {task!r}")
    return {"job": task[0], "index": task[1]}


def texts_of(name: str, value: Texts) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, Iterable) or isinstance(value, (bytes, bytearray)):
        raise TypeError(f"{name} takes texts, not {type(value).__name__} {value!r}")
    texts = (value,) if isinstance(value, str) else tuple(value)
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"{name} takes texts, not {type(text).__name__} {text!r}")
    return texts


def checked_seconds(name: str, value: float | None) -> float:
    if value is None:
        return _MAX_SECONDS
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} is a number of seconds, not {type(value).__name__} {value!r}")
    if not 0 < value <= _MAX_SECONDS:
        raise InvalidArgument(f"{name} is {value!r}, not a number of seconds above 0 and at most 366 days")
    return float(value)

