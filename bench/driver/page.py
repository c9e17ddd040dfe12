"""The page: one self-contained file of HTML, without scripts, in the reader's light or dark theme."""
from plots import bars, curve, escape
from row import figure, fraction, reported
from style import STYLE

HATCH = (
    '<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><rect width="5" height="5" style="fill:var(--faint)"/><rect width="1.8" height="5" style="fill:var(--floor)"/></pattern></defs></svg>'
)
KEY = (
    '<div class="key">'
    '<span><svg viewBox="0 0 22 12"><line class="one" x1="11" y1="0" x2="11" y2="12"/><circle class="bar-ours" cx="11" cy="6" r="5"/></svg>Rollcall, at 1×</span>'
    '<span><svg viewBox="0 0 22 12"><rect class="bar-floor" x="1" y="1" width="20" height="10"/></svg>the floor: the least that the work takes</span>'
    '<span><svg viewBox="0 0 22 12"><rect class="bar-peer" y="1" width="22" height="10" rx="2"/></svg>peers: a longer bar takes more</span>'
    '<span><svg viewBox="0 0 22 12"><path class="goal" d="M11 11l-5 -9h10z"/></svg>target: a peer’s bar should reach it, the floor’s should not pass it</span>'
    '<span><svg viewBox="0 0 22 12"><path class="whisker" d="M2 6H20M2 2v8M20 2v8"/></svg>spread: half of the distance between the quartiles, either way</span>'
    "</div>"
)


def verdicts(row):
    for target, reached, met in row.judged():
        name = {True: "met", False: "missed", None: "open"}[met]
        mark = {True: "✓ met", False: "✗ missed", None: "– not measured"}[met]
        value = fraction(reached) if target.against else figure(reached, row.digits)
        yield target, value, name, mark


def summary(rows):
    out = ['<div class="scroll"><table><thead><tr><th>What</th><th class="n">Rollcall</th><th></th><th class="n">spread</th><th class="n">floor</th><th class="n">× floor</th><th>target</th><th class="n">reached</th><th></th></tr></thead><tbody>']
    for row in rows:
        ours, floor = row.ours, row.floor
        spread = f"±{ours.spread * 100:.0f} %" if ours.spread else ""
        judged = list(verdicts(row)) or [(None, "", "open", "")]
        for i, (target, value, name, mark) in enumerate(judged):
            if i == 0:
                span = f' rowspan="{len(judged)}"'
                ratio = row.ratio(floor)
                out.append(
                    f'<tr><td{span} class="what">{escape(row.title)}</td><td{span} class="n mine">{figure(ours.median, row.digits)}</td><td{span} class="unit">{escape(row.unit)}</td>'
                    f'<td{span} class="n soft">{spread}</td><td{span} class="n">{figure(floor.median, row.digits) if floor else ""}</td>'
                    f'<td{span} class="n">{fraction(ratio) if ratio else ""}</td>'
                )
            else:
                out.append("<tr>")
            out.append(f'<td class="goal-words">{escape(reported(target, row.unit)) if target else ""}</td><td class="n">{value}</td><td class="{name}">{mark}</td></tr>')
    return "".join(out) + "</tbody></table></div>"


def card(row):
    out = [f'<section class="card"><h3>{escape(row.title)}{f""" <span class="soft">in {escape(row.unit)}</span>""" if row.unit and row.unit != "×" else ""}</h3>', bars(row) if row.ours.values else ""]
    items = "".join(f'<li>{escape(reported(target, row.unit))}: {value} <span class="{name}">{mark}</span></li>' for target, value, name, mark in verdicts(row))
    if items:
        out.append(f'<ul class="targets">{items}</ul>')
    notes = [f"{one.name}: {one.note}" for one in row.series if one.note] + ([row.note] if row.note else [])
    out += [f'<p class="note">{escape(note[:220])}</p>' for note in notes]
    return "".join(out) + "</section>"


def html(about, rows, curves):
    compared = [row for row in rows if len(row.series) > 1 or row.ours.note]
    wide = [f'<section class="card wide"><h3>{escape(one.title)}</h3>{curve(one)}<p class="note">{escape(one.note)}</p></section>' for one in curves if any(one.lines.values())]
    quick = '<div class="warn">A quick run: it proves that the benches work. Few rounds of little work were measured, and no time here means anything.</div>' if about["quick"] else ""
    judged = [met for row in rows for _, _, met in row.judged() if met is not None]
    result = f" {sum(judged)} of {len(judged)} targets are met." if judged else ""
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Rollcall: how fast it is</title><style>{STYLE}</style></head><body>{HATCH}<main>
<h1>How fast Rollcall is</h1>
<p class="soft">Beside the floor, which is what the work itself takes, and beside what else one could take for it. All asked the same server in the
same run, in turns; the server’s count of requests is the work of each, or its figure is void.{result}</p>
<div class="facts"><span><b>{escape(about["processor"])}</b></span><span><b>{about["cores"]}</b> cores</span><span>Linux <b>{escape(about["kernel"])}</b></span>
<span>load at the start <b>{about["load_at_start"]}</b></span><span><b>{about["date"]}</b></span><span>version <b>{escape(about["commit"])}</b></span>
<span><code>{escape(about["command"])}</code>, {about["seconds"] // 60} min {about["seconds"] % 60} s</span></div>{quick}
<h2>Everything</h2>
<p class="soft">Medians. Less is better everywhere.</p>
{summary(rows)}
{f'<h2>Growth</h2><div class="grid">{"".join(wide)}</div>' if wide else ""}
<h2>Beside the others</h2>
<p class="soft">How many times what Rollcall takes the others take. The scale is one of factors: the double and the half are as far from 1×.</p>
{KEY}
<div class="grid">{"".join(card(row) for row in compared)}</div>
</main></body></html>
"""
