"""How likely the shape of a sketch is, by the question's wording alone."""

from __future__ import annotations

import math

from services.planner.domain.language.kinds import Aggregate
from services.planner.domain.reader.chart.sketch import Number, Sketch
from services.planner.domain.reader.choice.candidate import Weighed
from services.planner.domain.reader.choice.shape import HEADS, NO, YES

_LEAST_PROBABILITY = 2e-3


def choices_of(sketch: Sketch) -> dict[str, str]:
    """What a sketch chose of each head of the shape."""
    said = {n.aggregate for n in sketch.numbers if n.place is not None}
    counts = any(n.place is None for n in sketch.numbers)
    by = sketch.sorting.by if sketch.sorting is not None else None
    limit = NO if not sketch.limit else "one" if sketch.limit == 1 else "few"
    rows = len(sketch.rows)
    series = sketch.series and len(sketch.shown) > 1
    columns = len(sketch.shown) + len(sketch.numbers) - (1 if series else 0)
    order = NO if sketch.sorting is None else "falling" if sketch.sorting.descending else "rising"

    def yes(held: bool) -> str:
        return YES if held else NO

    return {
        "count": yes(counts), "count kinds": yes(Aggregate.COUNT_DISTINCT in said),
        "average": yes(Aggregate.AVERAGE in said), "sum": yes(Aggregate.SUM in said),
        "minimum": yes(Aggregate.MINIMUM in said), "maximum": yes(Aggregate.MAXIMUM in said),
        "group": yes(sketch.grouped and sketch.sets is None), "having": yes(bool(sketch.groups)),
        "order": order, "order by count": yes(isinstance(by, Number) and by.place is None),
        "limit": limit, "distinct": yes(sketch.distinct),
        "set": str(sketch.sets) if sketch.sets else NO, "conditions": str(min(2, rows)),
        "shown": str(max(1, min(3, columns))), "or": yes(bool(sketch.either)),
    }  # fmt: skip


def shape_scores(weighed: Weighed, sketch: Sketch) -> dict[str, float]:
    """The log-probability of each choice, by head; the order of a chart's marks is not told."""
    chosen = choices_of(sketch)
    skipped = ("order", "order by count") if weighed.scene.charted else ()
    return {
        head: 0.0
        if head in skipped
        else math.log(max(weighed.said.shape.of(head, chosen[head]), _LEAST_PROBABILITY))
        for head in HEADS
    }
