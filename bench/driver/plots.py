"""The page's pictures as SVG: bars of ratios, from ours at 1 outward on a scale of factors, and curves of growth."""
import html
import math

from row import figure, fraction

WIDTH, BAR, STEP = 560, 15, 27
NAMES, FIGURES = 178, 64  # columns at the left: the name and the value


def escape(text):
    return html.escape(str(text), quote=True)


def times(value):
    """A factor as the text of a label."""
    return f"{value:,.0f}×" if value >= 20 else f"{value:.1f}×" if value >= 10 else f"{value:.2f}×"


def ticks(low, high):
    """Round factors within the bounds, few enough to be read."""
    for steps in ((1, 1.25, 1.5, 2, 3, 4, 5, 6, 8), (1, 2, 5), (1, 3), (1,)):
        found = [s * 10.0**p for p in range(-3, 6) for s in steps if low <= s * 10.0**p <= high]
        if steps[1:2] == (1.25,) and high / low > 2.6:
            continue
        if len(found) <= 6:
            return found
    return found


def bars(row):
    """The other contenders' costs as multiples of ours: a bar to the right of 1 costs more than ours, one to the left less. The scale is logarithmic, so that a half and the
    double are equally long."""
    targets = {target.against: target.limit for target in row.targets if target.against}
    shown = [one for one in row.series if one.values]
    others = [one for one in shown if one.kind != "ours"]
    factors = {one.name: 1 / row.ratio(one) for one in others if row.ratio(one)}
    goals = {name: 1 / limit for name, limit in targets.items() if name in factors}
    spreads = {one.name: min(one.spread or 0, 0.9) for one in others}
    reach = [1, *goals.values(), *(f * (1 + sign * spreads[name]) for name, f in factors.items() for sign in (-1, 1))]
    low, high = min(0.8, min(reach) * 0.95), max(1.25, max(reach) * 1.06)
    left, right = NAMES + FIGURES + 14, WIDTH - 54
    x = lambda factor: left + (math.log(factor) - math.log(low)) / (math.log(high) - math.log(low)) * (right - left)
    order = sorted(shown, key=lambda one: one.median)
    bottom = 8 + STEP * len(order)
    out = [f'<svg viewBox="0 0 {WIDTH} {bottom + 24}" role="img" aria-label="{escape(row.title)}">']
    for tick in ticks(low, high):
        strong = abs(tick - 1) < 1e-9
        if not strong:
            out.append(f'<line class="rule" x1="{x(tick):.1f}" y1="4" x2="{x(tick):.1f}" y2="{bottom}"/>')
        out.append(f'<text class="small middle" x="{x(tick):.1f}" y="{bottom + 17}">{tick:g}×</text>')
    for i, one in enumerate(order):
        y = 8 + i * STEP
        middle = y + BAR / 2
        out.append(f'<text class="end name-{one.kind}" x="{NAMES}" y="{middle + 4.5}">{escape(one.name)}</text>')
        out.append(f'<text class="end{" bold" if one.kind == "ours" else ""}" x="{NAMES + FIGURES}" y="{middle + 4.5}">{figure(one.median, row.digits)}</text>')
        if one.kind == "ours":
            out.append(f'<circle class="bar-ours" cx="{x(1):.1f}" cy="{middle}" r="6.5"/>')
            continue
        if one.name not in factors:
            continue
        factor = factors[one.name]
        start, end = sorted((x(1), x(factor)))
        out.append(f'<rect class="bar-{one.kind}" x="{start:.1f}" y="{y}" width="{max(end - start, 1):.1f}" height="{BAR}" rx="2"/>')
        if spreads[one.name] > 0.01:
            a, b = x(factor * (1 - spreads[one.name])), x(factor * (1 + spreads[one.name]))
            out.append(f'<path class="whisker" d="M{a:.1f} {middle}H{b:.1f}M{a:.1f} {middle - 3}v6M{b:.1f} {middle - 3}v6"/>')
            end = max(end, b)
        if one.name in goals:
            at = x(goals[one.name])
            out.append(f'<path class="goal" d="M{at:.1f} {y + 4}l-5 -8h10z"><title>target</title></path>')
            end = max(end, at + 4)
        out.append(f'<text x="{max(end, x(1)) + 7:.1f}" y="{middle + 4.5}">{times(factor)}</text>')
    out.append(f'<line class="one" x1="{x(1):.1f}" y1="2" x2="{x(1):.1f}" y2="{bottom}"/></svg>')
    return "".join(out)


def nice(top):
    """Steps of an axis from 0 to at least `top`."""
    step = 10 ** math.floor(math.log10(top))
    step *= next(f for f in (0.2, 0.5, 1, 2) if top / (step * f) <= 6)
    return [step * i for i in range(math.ceil(top / step) + 1)]


def curve(one):
    """A line for each contender. Both axes have titles; the lower one is logarithmic, the left one begins at 0."""
    width, height, left, right, top, bottom = 1000, 340, 64, 190, 34, 44
    points = {name: line for name, line in one.lines.items() if line}
    xs = sorted({x for line in points.values() for x, _ in line})
    if not xs:
        return ""
    marks = nice(max(y for line in points.values() for _, y in line))
    low, high = math.log(xs[0]), math.log(xs[-1])
    px = lambda x: left + (math.log(x) - low) / ((high - low) or 1) * (width - left - right)
    py = lambda y: height - bottom - y / marks[-1] * (height - top - bottom)
    out = [f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(one.title)}">']
    for mark in marks:
        out.append(f'<line class="rule" x1="{left}" y1="{py(mark):.1f}" x2="{width - right}" y2="{py(mark):.1f}"/>')
        out.append(f'<text class="small end" x="{left - 10}" y="{py(mark) + 4:.1f}">{mark:g}</text>')
    out.append(f'<text class="small" x="{left - 34}" y="16">{escape(one.unit)}</text>')
    last = -math.inf
    for x in xs:
        if px(x) - last > 52:
            out.append(f'<text class="small middle" x="{px(x):.1f}" y="{height - bottom + 20}">{x:,}</text>')
            last = px(x)
    out.append(f'<text class="small end" x="{width - right}" y="{height - 4}">{escape(one.x_name)}</text>')
    taken = []
    for name, line in sorted(points.items(), key=lambda item: -item[1][-1][1]):
        kind = one.kinds[name]
        path = "L".join(f"{px(x):.1f} {py(y):.1f}" for x, y in line)
        out.append(f'<path class="line line-{kind}" d="M{path}"/>')
        out += [f'<circle class="dot-{kind}" cx="{px(x):.1f}" cy="{py(y):.1f}" r="3.6"><title>{escape(name)}: {figure(y)} {escape(one.unit)} at {x:,}</title></circle>' for x, y in line]
        y = max(py(line[-1][1]), taken[-1] + 17 if taken else 0)  # labels must not overlap
        taken.append(y)
        grown = f" ({fraction(line[-1][1] / line[0][1])}×)" if len(line) > 1 else ""
        out.append(f'<text class="name-{kind}" x="{px(line[-1][0]) + 12:.1f}" y="{y + 4:.1f}">{escape(name)} {figure(line[-1][1])}{grown}</text>')
    return "".join(out) + "</svg>"
