"""Rows of the table: the contenders with their values of each round, compared with targets."""
import dataclasses
import statistics


@dataclasses.dataclass
class Series:
    """One contender's figures, one for each round, in the row's unit."""

    name: str
    kind: str  # ours, floor or peer
    values: list[float] = dataclasses.field(default_factory=list)
    note: str = ""  # why there are none

    @property
    def median(self):
        return statistics.median(self.values) if self.values else None

    @property
    def spread(self):
        """Half of the distance between the quartiles, relative to the median."""
        if len(self.values) < 3 or not self.median:
            return None
        low, _, high = statistics.quantiles(self.values, n=4)
        return (high - low) / 2 / self.median


@dataclasses.dataclass
class Target:
    """Ours is at most `limit` times that of `against`; without it, at most `limit` of the unit."""

    limit: float
    against: str = ""


@dataclasses.dataclass
class Row:
    key: str
    title: str
    unit: str
    series: list[Series]
    targets: list[Target] = dataclasses.field(default_factory=list)
    note: str = ""
    digits: int = 1

    def of(self, name):
        return next((one for one in self.series if one.name == name), None)

    @property
    def ours(self):
        return next(one for one in self.series if one.kind == "ours")

    @property
    def floor(self):
        return next((one for one in self.series if one.kind == "floor"), None)

    def ratio(self, other):
        """Ours against another: the median over pairs of the same round, so that a slow phase of the machine affects both."""
        if other is None or not other.values or not self.ours.values:
            return None
        if len(other.values) == len(self.ours.values):
            pairs = [mine / theirs for mine, theirs in zip(self.ours.values, other.values) if theirs]
            return statistics.median(pairs) if pairs else None
        return self.ours.median / other.median if other.median else None

    def judged(self):
        """(target, reached value, whether it is met) for each target; reached is None where its peer was not measured."""
        for target in self.targets:
            reached = self.ratio(self.of(target.against)) if target.against else self.ours.median
            yield target, reached, None if reached is None else reached <= target.limit

    def as_json(self):
        return {
            "key": self.key,
            "title": self.title,
            "unit": self.unit,
            "note": self.note,
            "series": [{**dataclasses.asdict(one), "median": one.median, "spread": one.spread, "ours_to_it": self.ratio(one)} for one in self.series],
            "targets": [{"limit": t.limit, "against": t.against, "reached": reached, "met": met} for t, reached, met in self.judged()],
        }


@dataclasses.dataclass
class Curve:
    """How something grows: a line for each contender, of (x, y)."""

    key: str
    title: str
    x_name: str
    unit: str
    lines: dict[str, list[tuple[float, float]]]
    kinds: dict[str, str]
    note: str = ""


def fraction(value):
    """A ratio as text: 1.23, or 1/45 where it is small."""
    if value is None:
        return "–"
    if not 0 < value < 0.45:
        return f"{value:.2f}"
    return f"1/{1 / value:.0f}" if value < 0.1 else f"1/{1 / value:.1f}"


def figure(value, digits=1):
    """With that many digits after the point, but none from a thousand on."""
    if value is None:
        return "–"
    digits = digits if abs(value) < 1000 else 0
    return f"{round(value, digits) + 0.0:,.{digits}f}"  # no minus before a zero


def reported(target, unit):
    """A target as text."""
    if not target.against:
        return f"≤ {target.limit:g} {unit}".rstrip()
    limit = f"1/{1 / target.limit:.0f} of" if target.limit < 0.6 else f"{target.limit:g} ×"
    return f"≤ {limit} {target.against}"
