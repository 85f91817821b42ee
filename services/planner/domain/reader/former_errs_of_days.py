"""Where the former reader is known to err about days: of births, and of what was done."""

from __future__ import annotations

from collections.abc import Iterator

from services.planner.domain.query.intent import Aggregate, Field, Intent, Understood
from services.planner.domain.reader.chart.ends import asks_for_number
from services.planner.domain.reader.chart.scene import Scene

_AGED = frozenset(("oldest", "youngest", "older", "younger"))
_BORN = frozenset(("birth", "born", "dob", "birthday", "birthdate", "age"))


def tells_age_by_another_day(found: Understood, scene: Scene) -> bool:
    """Whether the oldest members are those who joined first, where their births are told."""
    if _AGED.isdisjoint(token.lower for token in scene.tokens):
        return False
    sorted_by = {(field.table, field.column) for field in _sorted_by(found.intent)}
    mentioned = {m.place for m in scene.mentions if m.place.time and m.coverage >= 1}
    return any(
        place.time and place not in mentioned and (place.table.name, place.column.name) in sorted_by
        and any(_BORN & set(other.words) for other in scene.schema.of_table(place.table.name))
        and not _BORN & set(place.words)
        for place in scene.schema.places
    )  # fmt: skip


def tells_days_for_number(found: Understood, scene: Scene) -> bool:
    """Whether "how many were sold" is told for each day of selling, or by the number of days."""
    if not asks_for_number(scene):
        return False
    times = {place.field for place in scene.schema.places if place.time}
    shown = [d.expression for d in found.intent.dimensions if d.grain is None]
    counted = [
        m.expression for m in found.intent.measures if m.aggregate is Aggregate.COUNT_DISTINCT
    ]
    return any(isinstance(one, Field) and one in times for one in (*shown, *counted))


def _sorted_by(intent: Intent) -> Iterator[Field]:
    """The columns that tell which comes first."""
    for order in intent.order:
        told = intent.measures if order.target == "measure" else intent.dimensions
        one = told[order.index].expression if order.index < len(told) else None
        if isinstance(one, Field):
            yield one
