"""The display of a wait: a function, the log, a table on a terminal, rich or tqdm where they are installed, or a notebook."""
from __future__ import annotations

import inspect
import logging
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from ._errors import InvalidArgument
from ._session import logger

if TYPE_CHECKING:
    from ._states import BarrierProgress, Progress

OnProgress = Callable[["Progress"], object]
OnBarrierProgress = Callable[["BarrierProgress"], object]
Function = TypeVar("Function", bound=Callable[..., object])
Reporter = tuple[OnProgress | None, Callable[[], None] | None]

_MAX_ROWS = 12  # of a table; further members are counted


def reporter(chosen: OnProgress | str | None) -> Reporter:
    """Two functions: for each Progress, and for the end. Raises InvalidArgument for a word that is none of these."""
    if chosen is None:
        return None, None
    if callable(chosen):
        return _plain(chosen), None
    if chosen == "auto":
        chosen = _best()
    makers: dict[str, Callable[[], Reporter]] = {"log": _log, "table": _table, "rich": _rich, "tqdm": _tqdm, "notebook": _notebook}
    if chosen not in makers:
        raise InvalidArgument(f"on_progress is {chosen!r}: give a function, or 'auto', {', '.join(map(repr, makers))}, or None")
    return makers[chosen]()


def barrier_reporter(chosen: OnBarrierProgress | str | None) -> OnBarrierProgress | None:
    """The function for each BarrierProgress. Raises InvalidArgument for a word that is none of these."""
    if chosen is None:
        return None
    if callable(chosen):
        return _plain(chosen)
    if chosen != "log":
        raise InvalidArgument(f"on_progress is {chosen!r}: give a function, or 'log', or None")
    return (lambda progress: logger.info("%s", progress.line)) if logger.isEnabledFor(logging.INFO) else None


def _plain(function: Function) -> Function:
    if inspect.iscoroutinefunction(function):
        raise TypeError(f"on_progress is a plain function, not a coroutine function, which nothing would await: {function!r}")
    return function


def _best() -> str:
    if "IPython" in sys.modules and type(sys.modules["IPython"].get_ipython()).__name__ == "ZMQInteractiveShell":
        return "notebook"
    if not sys.stderr.isatty():
        return "log"
    import importlib.util

    return next((name for name in ("rich", "tqdm") if importlib.util.find_spec(name) is not None), "table")


def _log() -> Reporter:
    if not logger.isEnabledFor(logging.INFO):
        return None, None  # it would not be shown: the command need not send it
    last = ""

    def show(progress: Progress) -> None:
        nonlocal last
        if progress.line != last:
            last = progress.line
            logger.info("%s", progress.line)

    return show, None


def rows(progress: Progress) -> list[tuple[str, str]]:
    """The missing members with their reasons, as many as fit on a screen."""
    shown = [(one.label, one.why) for one in progress.missing[:_MAX_ROWS]]
    more = len(progress.missing) - len(shown) + progress.missing_more
    return [*shown, *([(f"and {more} more", "")] if more > 0 else [])]


def heading(progress: Progress) -> str:
    """`3/4 ready · provisioning`."""
    total = f"/{progress.total}" if progress.total else ""
    words = [f"{progress.ready}{total} ready", *([progress.phase] if progress.phase != "running" else []), *([progress.trouble] if progress.trouble else [])]
    return " · ".join(words)


def _table() -> Reporter:
    height = 0

    def clear() -> None:
        nonlocal height
        if height:
            sys.stderr.write(f"\x1b[{height}A\x1b[J")
        height = 0

    def show(progress: Progress) -> None:
        nonlocal height
        clear()
        wide = rows(progress)
        width = max((len(name) for name, _ in wide), default=0)
        lines = [heading(progress), *(f"  {name:<{width}}  {why}".rstrip() for name, why in wide)]
        sys.stderr.write("".join(line + "\n" for line in lines))
        sys.stderr.flush()
        height = len(lines)

    return show, clear


def _rich() -> Reporter:
    from rich.console import Console
    from rich.live import Live
    from rich.table import Table
    from rich.text import Text

    live: Any = Live(console=Console(stderr=True), transient=True, auto_refresh=False)

    def show(progress: Progress) -> None:
        table = Table(title=Text(heading(progress)), title_justify="left", show_header=False, box=None)
        for name, why in rows(progress):
            table.add_row(Text(name), Text(why, style="yellow"))
        if not live.is_started:
            live.start()
        live.update(table, refresh=True)

    return show, live.stop


def _tqdm() -> Reporter:
    from tqdm import tqdm

    bar: Any = tqdm(total=None, unit="member", leave=False)

    def show(progress: Progress) -> None:
        bar.total = progress.total or None
        bar.n = progress.ready
        bar.set_postfix_str("; ".join(f"{name}: {why}" for name, why in rows(progress)[:3]), refresh=True)

    return show, bar.close


def _notebook() -> Reporter:
    from IPython.display import display

    handle: Any = None

    def show(progress: Progress) -> None:
        nonlocal handle
        if handle is None:
            handle = display(progress, display_id=True)  # type: ignore[no-untyped-call, unused-ignore]
        else:
            handle.update(progress)

    return show, None
