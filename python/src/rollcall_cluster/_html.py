"""What a notebook shows: readiness as a bar and a table, a topology as its layers of hosts. Everything that came from outside is escaped.

Styles are on the elements, since a notebook's own (tables in the middle, cells to the right, stripes) and its dark theme are there as well: text has the page's
color, and what is colored is legible on white and on black.
"""
from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from ._states import MemberState

if TYPE_CHECKING:
    from ._inventory import Devices, Diagnosis, TargetDevices, Topology
    from ._states import Progress, Status
    from ._values import ClusterSpec, Failure

_MOST_ROWS = 200
_MOST_CELLS = 4096
_MOST_ADDRESSES = 64  # hosts of a topology whose addresses are written out; of more they appear under the pointer
_COLORS = {
    MemberState.READY: "#2e9e5b",
    MemberState.WAITING: "#d9a400",
    MemberState.UNSCHEDULABLE: "#d97a00",
    MemberState.STOPPED: "#8a8a8a",
    MemberState.LOST: "#cc3b3b",
}
_OUTCOMES = {"pass": MemberState.READY, "warning": MemberState.WAITING, "fail": MemberState.LOST}
_HOST = "border:1px solid #8888;padding:2px 6px;text-align:center;min-width:1.6em"
_LEFT = ' style="text-align:left;vertical-align:top;padding:3px 10px"'


def of_cluster(spec: ClusterSpec) -> str:
    table = _table(("job", "index", "address"), ((task.job, str(task.index), task.address) for task in spec.tasks), len(spec.tasks))
    return table + _failures(spec.failures)


def of_status(status: Status) -> str:
    total = max(status.expected, len(status.members))
    words = [*([status.phase] if status.phase != "running" else []), *([status.state.text] if status.state.text else [])]
    body = (
        (member.job, str(member.index), member.address or member.name, _word(member.state, member.state_text), _word(member.health, member.health_text))
        for member in status.members
    )
    table = _table(("job", "index", "address", "state", "health"), body, len(status.members), raw=(3, 4)) if status.members else ""
    return _bar(status.num_ready, total, words) + table


def of_progress(progress: Progress) -> str:
    words = [*([progress.phase] if progress.phase != "running" else []), *([progress.trouble] if progress.trouble else [])]
    body = ((one.label, one.why, _span(one.waited)) for one in progress.missing)
    missing = _table(("missing", "why", "for"), body, len(progress.missing) + progress.missing_more) if progress.missing else ""
    return _bar(progress.ready, progress.total, words) + missing


def of_devices(devices: Devices) -> str:
    body = ((one.target, *_counts(one), one.topology or "", one.source) for one in devices.targets)
    table = _table(("target", "devices", "hosts", "each", "topology", "source"), body, len(devices.targets)) if devices.targets else ""
    return table + _failures(devices.failures)


def of_diagnosis(diagnosis: Diagnosis) -> str:
    body = (
        (_word(_OUTCOMES.get(one.outcome, MemberState.STOPPED), one.outcome), one.name, f"{one.found}: {one.hint}" if one.hint else one.found)
        for one in diagnosis.checks
    )
    return _table(("outcome", "check", "found"), body, len(diagnosis.checks), raw=(0,))


def of_topology(topology: Topology) -> str:
    """A table for each layer; x runs to the right, y downwards. Workers are numbered along x first, then y, then z."""
    x, y, z = topology.host_bounds
    heading = f"{topology.type}, {topology.topology}: {topology.chips} chips on {topology.hosts} hosts, {topology.hbm_gib_per_chip} GiB each"
    around = ", ".join(axis for axis, wraps in zip("xyz", topology.wrap, strict=False) if wraps)
    notes = [
        *([f"{topology.target} {topology.state}".strip()] if topology.target else []),
        *([] if topology.topology_certain else ["the usual topology; the type alone leaves others open"]),
        *([f"wraps around {around}"] if around else []),
    ]
    parts = [f"<div><b>{escape(heading)}</b></div><div>{escape(' · '.join(notes))}</div>"]
    if x * y * z > _MOST_CELLS:
        return parts[0] + f"<div>{x}x{y}x{z} hosts: too many to draw</div>"
    addresses = {worker.index: worker.address for worker in topology.workers}
    for layer in range(z):
        lines = []
        for row in range(y):
            cells = []
            for column in range(x):
                index = column + x * (row + y * layer)
                address = escape(addresses.get(index, ""))
                title = f' title="{address}"' if address else ""
                color = ";background:#2e9e5b55" if address else ""
                text = f"<br><small>{address}</small>" if address and topology.hosts <= _MOST_ADDRESSES else ""
                cells.append(f'<td style="{_HOST}{color}"{title}>{index}{text}</td>')
            lines.append(f'<tr style="background:none">{"".join(cells)}</tr>')
        caption = f'<caption style="caption-side:top;text-align:center;padding:0">z={layer}</caption>' if z > 1 else ""
        parts.append(f'<table style="display:inline-table;margin:4px 8px 4px 0;border-collapse:collapse">{caption}{"".join(lines)}</table>')
    return "".join(parts)


def _counts(one: TargetDevices) -> tuple[str, str, str]:
    """How many devices of each type, on how many hosts, and how many one host has: empty where that is not known, or hosts differ."""
    if not one.hosts:  # the type alone was asked
        devices, hosts, each_host = ("" if number is None else str(number) for number in (one.num_cores, one.num_hosts, one.num_of_cores_per_host))
        return devices, hosts, each_host
    total: dict[str, int] = {}
    for host in one.hosts:
        for kind, count in host.counts:
            total[kind] = total.get(kind, 0) + count
    each = {host.counts for host in one.hosts}
    words = [", ".join(f"{count} {kind}" for kind, count in counts) for counts in (total.items(), *each)]
    return words[0], str(len(one.hosts)), words[1] if len(each) == 1 else ""


def _failures(failures: tuple[Failure, ...]) -> str:
    body = ((_word(MemberState.LOST, one.target), one.message, one.hint) for one in failures)
    return _table(("no answer", "why", "what to do"), body, len(failures), raw=(0,)) if failures else ""


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _bar(ready: int, total: int, words: list[str]) -> str:
    share = 100 * ready / total if total else 0
    color = _COLORS[MemberState.READY if total and ready >= total else MemberState.WAITING]
    text = f"{ready}/{total} ready" if total else f"{ready} ready"
    more = "".join(f" · {escape(word)}" for word in words)
    return (
        '<div style="display:flex;align-items:center;gap:8px"><div style="flex:none;width:240px;height:10px;border:1px solid #8888">'
        f'<div style="width:{share:.1f}%;height:100%;background:{color}"></div></div><div><b>{text}</b>{more}</div></div>'
    )


def _word(state: MemberState, text: str) -> str:
    return f'<span style="color:{_COLORS.get(state, "#8a8a8a")}">●</span>&nbsp;{escape(text or state)}'


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]], count: int, raw: tuple[int, ...] = ()) -> str:
    """Cells are escaped but those of the columns `raw`, which are so already."""
    shown = []
    for number, row in enumerate(rows):
        if number == _MOST_ROWS:
            break
        shown.append("<tr>" + "".join(f"<td{_LEFT}>{cell if column in raw else escape(cell)}</td>" for column, cell in enumerate(row)) + "</tr>")
    more = f'<tr><td{_LEFT} colspan="{len(heads)}">and {count - len(shown)} more</td></tr>' if count > len(shown) else ""
    head = "".join(f"<th{_LEFT}>{name}</th>" for name in heads)
    return f'<table style="margin:4px 0"><thead><tr>{head}</tr></thead><tbody>{"".join(shown)}{more}</tbody></table>'
