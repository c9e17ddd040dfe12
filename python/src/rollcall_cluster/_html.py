"""What a notebook shows: readiness as a bar and a table, a topology as its layers of hosts. Everything that came from outside is escaped."""
from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from ._states import MemberState

if TYPE_CHECKING:
    from ._inventory import Topology
    from ._states import Progress, Status
    from ._values import ClusterSpec

_MOST_ROWS = 200
_MOST_CELLS = 4096
_COLORS = {
    MemberState.READY: "#2e9e5b",
    MemberState.WAITING: "#d9a400",
    MemberState.UNSCHEDULABLE: "#d97a00",
    MemberState.STOPPED: "#8a8a8a",
    MemberState.LOST: "#cc3b3b",
}
_CELL = "border:1px solid #8888;padding:2px 6px;text-align:center;min-width:1.6em"


def of_cluster(spec: ClusterSpec) -> str:
    return _table(("job", "index", "address"), ((task.job, str(task.index), task.address) for task in spec.tasks), len(spec.tasks))


def of_status(status: Status) -> str:
    total = max(status.expected, len(status.members))
    lines = [_bar(status.num_ready, total), f"<div>{escape(status.phase)} {escape(status.state.text)}</div>"]
    body = (
        (member.job, str(member.index), member.address or member.name, _word(member.state, member.state_text), _word(member.health, member.health_text))
        for member in status.members
    )
    lines.append(_table(("job", "index", "address", "state", "health"), body, len(status.members), raw=(3, 4)))
    return "".join(lines)


def of_progress(progress: Progress) -> str:
    body = ((one.label, one.why, f"{one.waited:.0f} s") for one in progress.missing)
    missing = _table(("missing", "why", "for"), body, len(progress.missing) + progress.missing_more) if progress.missing else ""
    return _bar(progress.ready, progress.total) + f"<div>{escape(progress.line)}</div>" + missing


def of_topology(topology: Topology) -> str:
    """A table for each layer; x runs to the right, y downwards. Workers are numbered along x first, then y, then z."""
    x, y, z = topology.host_bounds
    heading = f"{topology.type}, {topology.topology}: {topology.chips} chips on {topology.hosts} hosts, {topology.hbm_gib_per_chip} GiB each"
    parts = [f"<div><b>{escape(heading)}</b> {escape(topology.target)} {escape(topology.state)}</div>"]
    if x * y * z > _MOST_CELLS:
        return parts[0] + f"<div>{x}x{y}x{z} hosts: too many to draw</div>"
    addresses = {worker.index: worker.address for worker in topology.workers}
    for layer in range(z):
        lines = []
        for row in range(y):
            cells = []
            for column in range(x):
                index = column + x * (row + y * layer)
                title = f' title="{escape(addresses[index])}"' if index in addresses else ""
                color = ";background:#2e9e5b55" if index in addresses else ""
                cells.append(f'<td style="{_CELL}{color}"{title}>{index}</td>')
            lines.append(f"<tr>{''.join(cells)}</tr>")
        caption = f"<caption>z={layer}</caption>" if z > 1 else ""
        parts.append(f'<table style="display:inline-table;margin:4px;border-collapse:collapse">{caption}{"".join(lines)}</table>')
    return "".join(parts)


def _bar(ready: int, total: int) -> str:
    share = 100 * ready / total if total else 0
    color = _COLORS[MemberState.READY if total and ready >= total else MemberState.WAITING]
    text = f"{ready}/{total} ready" if total else f"{ready} ready"
    return (
        '<div style="display:flex;align-items:center;gap:8px"><div style="width:240px;height:10px;border:1px solid #8888">'
        f'<div style="width:{share:.1f}%;height:100%;background:{color}"></div></div><b>{text}</b></div>'
    )


def _word(state: MemberState, text: str) -> str:
    return f'<span style="color:{_COLORS.get(state, "#8a8a8a")}">●</span> {escape(text or state)}'


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]], count: int, raw: tuple[int, ...] = ()) -> str:
    """Cells are escaped but those of the columns `raw`, which are so already."""
    shown = []
    for number, row in enumerate(rows):
        if number == _MOST_ROWS:
            break
        shown.append("<tr>" + "".join(f"<td>{cell if column in raw else escape(cell)}</td>" for column, cell in enumerate(row)) + "</tr>")
    more = f'<tr><td colspan="{len(heads)}">and {count - len(shown)} more</td></tr>' if count > len(shown) else ""
    head = "".join(f"<th>{name}</th>" for name in heads)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(shown)}{more}</tbody></table>"
