"""The limit for a resolve's instructions and allocations: 5 % over the numbers in bench/counts.txt for this kind of build."""
import re

from contenders import BENCH, say

MARGIN = 0.05
FIGURES = ("instructions", "allocations")
BUILD = re.compile(r"(gcc|clang)-\d+-(debug|release)")


def known_counts(text):
    """{(build, figure): value} of the file's text; a ValueError names a malformed line."""
    known = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split(None, 3)
        if len(fields) != 4:
            raise ValueError(f"bench/counts.txt:{number}: expected BUILD FIGURE VALUE REASON, not {line!r}")
        build, figure, value, _ = fields
        if not BUILD.fullmatch(build) or figure not in FIGURES or not re.fullmatch(r"\d+(\.\d+)?", value):
            raise ValueError(f"bench/counts.txt:{number}: no build, figure and value: {line!r}")
        known[build, figure] = float(value)
    return known


def grown(known, build, counted):
    """Sentences about figures that have grown. `counted` has figures by name."""
    sentences = []
    for figure, value in counted.items():
        limit = known.get((build, figure))
        if limit is not None and value > limit * (1 + MARGIN):
            sentences.append(f"{figure} of a resolve: {value:,.1f}, more than 5 % over the {limit:,.1f} of bench/counts.txt ({build}): "
                             "make it less again, or change the line there and say why")
    return sentences


def check(build, counted):
    """Raises a ValueError if anything has grown; prints which kinds of build have no recorded counts."""
    known = known_counts((BENCH / "counts.txt").read_text(encoding="utf-8"))
    if not any(one == build for one, _ in known):
        say(f"  bench/counts.txt has no figures for {build}: nothing is judged")
    for figure, value in counted.items():
        say(f"  {build} {figure} {value:.1f}")
    sentences = grown(known, build, counted)
    if sentences:
        raise ValueError("; ".join(sentences))
