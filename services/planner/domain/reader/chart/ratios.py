"""One number over another, as the words set them: "ratio of total freight to number of orders"."""

from __future__ import annotations

from collections.abc import Iterator

from services.planner.domain.query.kinds import Aggregate, Calculation
from services.planner.domain.reader.chart.requirements import Parts, Requirements
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import COUNT, Number, Sketch, natural
from services.planner.domain.reader.grammar import aggregation, calculating, statistics
from services.planner.domain.reader.links.mentions import Tie
from services.planner.domain.semantics.kinds import Kind

_NAMED = 0.6
_REACH, _IN_FULL = 7, 3


def ratios_of_numbers(
    requirements: Requirements, parts: Parts, base: Sketch
) -> Iterator[tuple[Sketch, float]]:
    """The number before "to" over the one after it, over all or in each group."""
    number = _ratio(requirements.scene)
    if number is None:
        return
    own = {place for place in (number.place, number.against and number.against.place) if place}
    shown = tuple(place for place in parts.shown if place not in own)
    yield base.but(shown=shown, grouped=bool(shown), numbers=(number,)), 0.0


def misses_ratio(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether a ratio is asked for in so many words and told by other than it."""
    number = _ratio(requirements.scene)
    return number is not None and number not in sketch.made


def _ratio(scene: Scene) -> Number | None:
    """The two numbers that a ratio is asked of; None where one of them is not known."""
    for cue in scene.words.find(calculating.RATIOS):
        at = cue.slot("to") or 0
        top = _number(scene, range(cue.first + 1, at))
        bottom = _number(scene, range(at + 1, min(len(scene.tokens), at + _REACH)))
        if top is not None and bottom is not None and top != bottom:
            return top._replace(against=bottom, how=Calculation.RATIO)
    return None


def _number(scene: Scene, span: range) -> Number | None:
    """The first number that words in a span ask for: of a column, or of a table's rows."""
    made = [c for c in scene.words.find(aggregation.RULES) if c.first in span]
    counted = [
        t.first
        for t in scene.tables
        if t.first in span
        and t.coverage >= _NAMED
        and any(c.means is Aggregate.COUNT and c.first < t.first for c in made)
    ]
    columns = [
        m
        for m in scene.mentions
        if m.first in span
        and m.tie is Tie.NAME
        and m.coverage >= _NAMED
        and m.place.number
        and m.place.kind not in (Kind.ID, Kind.DATE_PART)
    ]
    first = min(columns, key=lambda m: (m.first, -m.coverage), default=None)
    if counted and (first is None or counted[0] < first.first):
        return COUNT
    if first is None:
        return None
    aggregates = [c.means for c in made if c.first < first.first and c.means is not Aggregate.COUNT]
    return Number(aggregates[-1], first.place) if aggregates else natural(first.place)


def misses_difference(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether the "difference between the highest and the lowest" is told by these two alone."""
    outright = any(
        cue.last - cue.first >= _IN_FULL
        and any(made.how is Calculation.DIFFERENCE for made in cue.means)
        for cue in requirements.scene.words.find(statistics.RULES)
    )
    apart = sketch.change is not None or sketch.worked is not None or bool(sketch.share)
    return outright and not apart and all(n.against is None for n in sketch.made)


RULES = (misses_ratio, misses_difference)
