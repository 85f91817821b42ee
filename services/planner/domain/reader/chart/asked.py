"""The statistics that a question asks for, and which of its words a sketch heeds by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from services.planner.domain.query.kinds import Aggregate
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import COUNT, Sketch
from services.planner.domain.reader.grammar import statistics
from services.planner.domain.reader.grammar.rules import Cue
from services.planner.domain.reader.grammar.statistics import Made
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import Kind

_SOFT = frozenset(("typical", "spread", "range"))
_PAIRED, _MOST_PAIRS = 0.4, 6


@dataclass(frozen=True, slots=True)
class Asked:
    """What tokens `first` to `last` ask to be made of a column, in one of several `ways`.

    What is not `sure` may be said without any statistic being meant.
    """

    ways: tuple[tuple[Made, ...], ...]
    first: int
    last: int
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Together:
    """Two columns of numbers that are asked about together, and the measure of it."""

    aggregate: Aggregate
    one: Place
    other: Place


def asked_of(scene: Scene) -> tuple[Asked, ...]:
    """The statistics that are said, in the order of the words; of two on one word the longer."""
    words = scene.words
    found = [
        Asked((_parts(scene, cue),), cue.first, cue.last) for cue in words.find(statistics.PARTS)
    ]
    found = [one for one in found if one.ways != ((),)]
    found += [Asked((c.means,), c.first, c.last) for c in words.find(statistics.QUARTILES)]
    found += [
        Asked(tuple((way,) for way in c.means), c.first, c.last, c.rule.name not in _SOFT)
        for c in words.find(statistics.RULES)
    ]
    kept: list[Asked] = []
    for one in sorted(found, key=lambda a: (a.first - a.last, a.first)):
        if not any(other.first <= one.last and other.last >= one.first for other in kept):
            kept.append(one)
    return tuple(sorted(kept, key=lambda a: a.first))


def _parts(scene: Scene, cue: Cue[str]) -> tuple[Made, ...]:
    """The percentiles that are told by number; none where the numbers are no parts of a whole."""
    if cue.means == "short":
        at = cue.slot("word")
        values = [float(scene.tokens[at].lower[1:])] if at is not None else []
    else:
        slots = [cue.slot(name) for name in ("number", "number2")]
        values = [scene.tokens[at].number or 0.0 for at in slots if at is not None]
    whole = 10.0 if cue.means == "tenths" else 100.0
    decimal = any(0 < value < 1 for value in values)
    parts = [value if decimal else value / whole for value in values]
    if not all(0 <= part <= 1 for part in parts):
        return ()
    return tuple(statistics.percentile(round(part, 6)) for part in parts)


def together_of(scene: Scene) -> tuple[Together, ...]:
    """The pairs of columns that words of going together may be about, the best named first."""
    cues = scene.words.find(statistics.TOGETHER)
    if not cues or scene.charted:
        return ()
    numbers = [
        m
        for m in scene.mentions
        if m.place.number and m.place.kind is not Kind.ID and m.coverage >= _PAIRED
    ]
    found: list[tuple[float, int, Together]] = []
    for one, other in combinations(numbers, 2):
        apart = one.last < other.first or other.last < one.first
        if apart and one.place is not other.place:
            fit = one.coverage + other.coverage
            pair = Together(cues[0].means, one.place, other.place)
            found.append((-fit, len(found), pair))
    ordered = (pair for _, _, pair in sorted(found, key=lambda f: f[:2]))
    return tuple(dict.fromkeys(ordered))[:_MOST_PAIRS]


def statistics_read(scene: Scene, sketch: Sketch, asked: Sequence[Asked]) -> list[tuple[int, int]]:
    """The spans of words of the statistics `asked` for that the sketch heeds."""
    made = sketch.made
    found: list[Cue[Any]] = []
    if any(number.other is not None for number in made):
        found += scene.words.find(statistics.TOGETHER)
    if sketch.sorting is not None and sketch.sorting.by == COUNT:
        found += scene.words.find(statistics.MODE)
    spans = [(cue.first, cue.last) for cue in found]
    of = {(number.aggregate, number.quantile) for number in made}
    for one in asked:
        if any(all((m.aggregate, m.quantile) in of for m in way) for way in one.ways):
            spans.append((one.first, one.last))
    return spans
