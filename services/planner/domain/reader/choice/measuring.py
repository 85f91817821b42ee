"""Whether a reading computes what the words ask for, of columns whose kinds allow it."""

from __future__ import annotations

import re
from functools import lru_cache

from services.planner.domain.query.kinds import Aggregate
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import Number, Sketch
from services.planner.domain.reader.choice.candidate import Weighed
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import Kind

_AGGREGATE_PATTERNS = {
    Aggregate.AVERAGE: re.compile(r"\b(average|avg|mean)\b"),
    Aggregate.SUM: re.compile(r"\b(total|sum)\b"),
    Aggregate.MEDIAN: re.compile(r"\b(medians?|middle|mid ?point)\b"),
    Aggregate.DEVIATION: re.compile(r"\b(standard deviations?|std|stdev|sds?)\b"),
    Aggregate.MINIMUM: re.compile(r"\b(min|minimum|minimal|lowest|smallest)\b"),
    Aggregate.MAXIMUM: re.compile(r"\b(max|maximum|maximal|highest|largest)\b"),
}
_WHOLE = 0.9


def aggregates(weighed: Weighed, sketch: Sketch) -> dict[str, float]:
    """Whether the aggregates are those that are said, and what is counted is what is said."""
    scene, used = weighed.scene, _aggregates_of(sketch)
    flags = _find_aggregates(scene.lower)
    met = [_counts(scene, sketch, word) for word in scene.counted_words]
    return {
        "aggregates unsaid": sum(
            a in _AGGREGATE_PATTERNS and not flags[a] for a in used if a is not None
        ),
        "aggregates unused": sum(s and a not in used for a, s in flags.items()),
        "average unused": flags[Aggregate.AVERAGE] and Aggregate.AVERAGE not in used,
        "aggregates far": sum(_far(scene, number) for number in sketch.numbers),
        "counted missed": sum(not held for held in met),
        "counted met": sum(met),
    }


@lru_cache(maxsize=16)
def _find_aggregates(text: str) -> dict[Aggregate, bool]:
    """Which aggregates the words say."""
    return {
        aggregate: bool(pattern.search(text)) for aggregate, pattern in _AGGREGATE_PATTERNS.items()
    }


def _aggregates_of(sketch: Sketch) -> list[Aggregate | None]:
    """Those it shows, sorts by and asks conditions of."""
    used = [n.aggregate for n in sketch.numbers]
    if sketch.sorting is not None and isinstance(sketch.sorting.by, Number):
        used.append(sketch.sorting.by.aggregate)
    used += [c.aggregate for c in sketch.conditions if c.aggregate is not None]
    return used + [Aggregate.AVERAGE for c in sketch.conditions if c.than_average]


def _far(scene: Scene, number: Number) -> bool:
    """Whether its aggregate is not said beside any mention of its column."""
    if number.place is None or number.aggregate not in _AGGREGATE_PATTERNS:
        return False
    pattern = _AGGREGATE_PATTERNS[number.aggregate]
    near = (
        scene.between(m.first - 4, m.first + 3) for m in scene.by_place.get(number.place.index, ())
    )
    return not any(pattern.search(text) for text in near)


def _counts(scene: Scene, sketch: Sketch, word: str) -> bool:
    """Whether a word that things to be counted are called by names what the sketch is over."""
    tables, places = set(sketch.tables()), sketch.shown_places
    return any(
        scene.tokens[t.first].lower == word and t.table.name in tables for t in scene.tables
    ) or any(
        scene.tokens[m.first].lower == word and m.coverage > 0.8 and m.place in places
        for m in scene.mentions
    )


def kinds(scene: Scene, sketch: Sketch) -> dict[str, float]:
    """Whether the kinds of its columns allow what it does with them."""
    sums = [n.place.kind for n in sketch.numbers if n.place and n.aggregate is Aggregate.SUM]
    means = [n.place.kind for n in sketch.numbers if n.place and n.aggregate is Aggregate.AVERAGE]
    return {
        "sum of intensive": sum(k is Kind.INTENSIVE for k in sums),
        "sum of ids": sum(k in (Kind.ID, Kind.DATE_PART) for k in (*sums, *means)),
        "grouped by amount": sketch.grouped
        and any(p.kind in (Kind.AMOUNT, Kind.INTENSIVE) for p in sketch.shown),
        "ids shown": sum(p.kind is Kind.ID for p in sketch.shown),
        "ids unsaid": sum(
            p.kind is Kind.ID and not _is_named_in_full(scene, p) for p in sketch.shown
        ),
        "names shown": sum(p.kind is Kind.NAME for p in sketch.shown),
    }


def _is_named_in_full(scene: Scene, place: Place) -> bool:
    """Whether all of a column's name is said: "category id", not only "category"."""
    return any(m.coverage >= _WHOLE for m in scene.by_place.get(place.index, ()))
