"""The markup of values in a notebook: a bar, a table, a grid of hosts. All texts are escaped. The classes of values use it; it knows none of them.

The styles are attributes of the elements, since a notebook has its own styles (centered tables, right-aligned cells, stripes) and a dark theme: text has the page's color,
and colored text is legible on white and on black.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape

_MAX_ROWS = 200
_MAX_CELLS = 4096
_MAX_ADDRESSES = 64  # hosts of a grid whose addresses are written out; for more hosts they appear under the pointer
_GREY = "#8a8a8a"
_COLORS = {"ready": "#2e9e5b", "waiting": "#d9a400", "unschedulable": "#d97a00", "stopped": _GREY, "lost": "#cc3b3b"}
_HOST = "border:1px solid #8888;padding:2px 6px;text-align:center;min-width:1.6em"
_LEFT = ' style="text-align:left;vertical-align:top;padding:3px 10px"'


def span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def bar(ready: int, total: int, words: Iterable[str]) -> str:
    """How much of a cluster is ready. Empty words are left out."""
    share = 100 * ready / total if total else 0
    color = _COLORS["ready" if total and ready >= total else "waiting"]
    text = f"{ready}/{total} ready" if total else f"{ready} ready"
    more = "".join(f" · {escape(word)}" for word in words if word)
    return (
        '<div style="display:flex;align-items:center;gap:8px"><div style="flex:none;width:240px;height:10px;border:1px solid #8888">'
        f'<div style="width:{share:.1f}%;height:100%;background:{color}"></div></div><div><b>{text}</b>{more}</div></div>'
    )


def word(state: str, text: str) -> str:
    """A text, or the state itself, behind a dot in the state's color."""
    return f'<span style="color:{_COLORS.get(str(state), _GREY)}">●</span>&nbsp;{escape(text or str(state))}'


def table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]], count: int, raw: tuple[int, ...] = ()) -> str:
    """`count`: the number of rows before any limit. Escapes the cells, except in the columns `raw`, which contain markup."""
    shown = []
    for number, row in enumerate(rows):
        if number == _MAX_ROWS:
            break
        shown.append("<tr>" + "".join(f"<td{_LEFT}>{cell if column in raw else escape(cell)}</td>" for column, cell in enumerate(row)) + "</tr>")
    more = f'<tr><td{_LEFT} colspan="{len(heads)}">and {count - len(shown)} more</td></tr>' if count > len(shown) else ""
    head = "".join(f"<th{_LEFT}>{name}</th>" for name in heads)
    return f'<table style="margin:4px 0"><thead><tr>{head}</tr></thead><tbody>{"".join(shown)}{more}</tbody></table>'


def heading(text: str, notes: Iterable[str]) -> str:
    """A line in bold, and a line of notes. Empty notes are left out."""
    return f"<div><b>{escape(text)}</b></div><div>{escape(' · '.join(note for note in notes if note))}</div>"


def grid(bounds: tuple[int, int, int], hosts: int, addresses: Mapping[int, str]) -> str:
    """A table for each layer of hosts; x runs to the right, y downwards. Hosts are numbered along x first, then y, then z."""
    x, y, z = bounds
    if x * y * z > _MAX_CELLS:
        return f"<div>{x}x{y}x{z} hosts: too many to draw</div>"
    parts = []
    for layer in range(z):
        lines = []
        for row in range(y):
            cells = []
            for column in range(x):
                index = column + x * (row + y * layer)
                address = escape(addresses.get(index, ""))
                title = f' title="{address}"' if address else ""
                color = ";background:#2e9e5b55" if address else ""
                text = f"<br><small>{address}</small>" if address and hosts <= _MAX_ADDRESSES else ""
                cells.append(f'<td style="{_HOST}{color}"{title}>{index}{text}</td>')
            lines.append(f'<tr style="background:none">{"".join(cells)}</tr>')
        caption = f'<caption style="caption-side:top;text-align:center;padding:0">z={layer}</caption>' if z > 1 else ""
        parts.append(f'<table style="display:inline-table;margin:4px 8px 4px 0;border-collapse:collapse">{caption}{"".join(lines)}</table>')
    return "".join(parts)
