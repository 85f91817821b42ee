"""Where the former reader is known to err about ages."""

from __future__ import annotations

from collections.abc import Iterator

from services.planner.domain.language.intent import Field, Intent, Understood
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


def _sorted_by(intent: Intent) -> Iterator[Field]:
    """The columns that tell which comes first."""
    for order in intent.order:
        told = intent.measures if order.target == "measure" else intent.dimensions
        one = told[order.index].expression if order.index < len(told) else None
        if isinstance(one, Field):
            yield one
