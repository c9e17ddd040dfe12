"""The table in the terminal, and in the Markdown of docs/performance.md."""
from row import figure, fraction, reported


def spread(series):
    return "" if series.spread is None else f"±{series.spread * 100:.0f}%"


def verdict(met):
    return {True: "met", False: "MISSED", None: "not measured"}[met]


def text(rows):
    """Each row: a line for each contender, then one for each target."""
    lines = []
    for row in rows:
        lines.append(f"{row.title}" + (f"  [{row.unit}]" if row.unit else ""))
        for one in row.series:
            if one.values:
                ratio = "" if one.kind == "ours" else f"ours is {fraction(row.ratio(one))}"
                lines.append(f"    {one.name:<28} {figure(one.median, row.digits):>10} {spread(one):>6}   {ratio}")
            else:
                lines.append(f"    {one.name:<28} {'–':>10}          {one.note}")
        for target, reached, met in row.judged():
            lines.append(f"    target {reported(target, row.unit):<32} {fraction(reached) if target.against else figure(reached, row.digits):>6}   {verdict(met)}")
        if row.note:
            lines.append(f"    {row.note}")
        lines.append("")
    return "\n".join(lines)


# The rows of the table in docs/performance.md.
MAIN = ("resolve", "at_once", "away", "growth", "memory", "tls", "start", "start_many", "pods_cpu", "group_get", "killed")


def markdown(about, rows):
    """The table of docs/performance.md: ours, the floor, the peers, and the target."""
    out = ["| what | Rollcall | floor | peers | target |", "| --- | ---: | ---: | --- | --- |"]
    for row in rows:
        if row.key not in MAIN or not row.ours.values:
            continue
        floor = f"{figure(row.floor.median, row.digits)} ({fraction(row.ratio(row.floor))} ×)" if row.floor and row.floor.values else ""
        peers = "; ".join(f"{one.name} {figure(one.median, row.digits)} ({fraction(row.ratio(one))} of it)" for one in row.series if one.kind == "peer" and one.values)
        targets = "; ".join(f"{reported(target, row.unit)}: {verdict(met)}" for target, _, met in row.judged() if met is not None)
        out.append(f"| {row.title} | {figure(row.ours.median, row.digits)} {row.unit} | {floor} | {peers} | {targets} |")
    out.append("")
    out.append(f"{about['processor']}, {about['cores']} cores, {about['date']}: `{about['command']}`")
    return "\n".join(out)
