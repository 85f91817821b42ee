"""Columns whose values are spelt in several ways, "High" and "high ", told as one value each."""

from __future__ import annotations

from functools import lru_cache

from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.query.defining.terms import Definition
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.reader.links.worked_out import computed, reference
from services.planner.domain.semantics.kinds import Kind

_FEW = 60


def is_spelt_differently(place: Place) -> bool:
    """Whether the values that are known of a column with few differ by case or spaces alone.

    Not all are known: that some begin with a capital and others do not tells it too, where they
    are words and not codes.
    """
    if place.kind is not Kind.CATEGORY or not place.text or place.definition is not None:
        return False
    return place.column.distinct <= _FEW and _untidy(
        (*place.column.samples, place.column.minimum or "", place.column.maximum or "")
    )


@lru_cache(maxsize=1_000)
def _untidy(values: tuple[str, ...]) -> bool:
    known = {value for value in values if value.strip()}
    if any(value != value.strip() for value in known):
        return True
    if len({value.casefold() for value in known}) < len(known):
        return True
    words = [value for value in known if value.isalpha() or " " in value]
    lower = [value for value in words if value.islower()]
    return bool(lower) and any(value[0].isupper() and not value.isupper() for value in words)


def one_spelling(place: Place) -> Definition:
    """The column with one spelling of each value, in place of it."""
    name = readable(place.column.name)
    return Definition(
        table=place.table.name,
        column=place.column.name,
        text=f"{name}, spellings that differ by case and spaces alone taken for one",
        term=computed("one spelling", reference(place)),
    )
