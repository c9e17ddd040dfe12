"""One plot of the page as an image for Markdown: with its title and colors, in a light and a dark version, on a background."""
import re

from page import HATCH
from plots import bars, curve, escape
from style import STYLE

MARGIN, TITLE = 18, 30


def framed(title, plot):
    width, height = (float(number) for number in re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', plot).groups())
    inner = re.sub(r"^<svg [^>]*>", "", plot)
    pattern = re.search(r"<defs>.*</defs>", HATCH).group()
    left, top, width, height = -MARGIN, -TITLE - MARGIN, width + 2 * MARGIN, height + TITLE + 2 * MARGIN
    paper = f'<rect x="{left}" y="{top}" width="{width:g}" height="{height:g}" rx="10" style="fill:var(--card)"/>'
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left} {top} {width:g} {height:g}" style="margin:0" role="img" aria-label="{escape(title)}"><style>{escape(STYLE)}</style>{pattern}{paper}'
            f'<text class="bold" x="0" y="{-TITLE + 10}">{escape(title)}</text>{inner}\n')


def pictures(rows, curves):
    """{name: SVG} of all rows that compare, and of the curves."""
    named = {row.key: (f"{row.title}, in {row.unit}" if row.unit not in ("", "×") else row.title, bars(row))
             for row in rows if row.ours.values and len(row.series) > 1}
    named |= {one.key: (one.title, curve(one)) for one in curves}
    return {name: framed(title, plot) for name, (title, plot) in named.items() if plot}
