"""The first of each of a sketch, in the words of an intent."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.query.intent import Dimension, Field, Order, TopOfEach
from services.planner.domain.reader.chart.sketch import Sketch


def top_of_each(sketch: Sketch, order: Sequence[Order]) -> TopOfEach | None:
    """What is kept within which groups; None where it is of the whole."""
    if not sketch.within or not order:
        return None
    within = tuple(sketch.shown.index(place) for place in sketch.within)
    return TopOfEach(within=within, by=order[0], most=sketch.limit or 1)


def with_keys(sketch: Sketch, dimensions: Sequence[Dimension], base: str) -> tuple[Dimension, ...]:
    """With the keys of what names each thing: two stations may have one name."""
    found = list(dimensions)
    for at, place in enumerate(sketch.shown):
        key = place.table.primary_key
        if place in sketch.within and place.table.name != base and len(key) == 1:
            field = Field(table=place.table.name, column=key[0])
            found[at] = found[at].model_copy(update={"identity": field})
    return tuple(found)
