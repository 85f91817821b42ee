"""The unit that an answer is asked for in: "average song length in minutes"."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from services.planner.domain.lexicon.tokens import Token
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.units import Unit, unit_called

_LEAST = 2  # letters: "in s" is no unit that is asked for
_MOST_AFTER = 1


def units_asked(tokens: Sequence[Token]) -> list[Unit]:
    """The units after "in" that no number stands before."""
    found = [
        unit_called(after.lower)
        for before, after in pairwise(tokens)
        if before.lower in ("in", "as") and len(after.lower) >= _LEAST
    ]
    return [unit for unit in found if unit is not None]


def in_other_unit(unit: Unit, place: Place) -> bool:
    """Whether a column is told in another unit of the same quantity."""
    own = place.measure
    return own is not None and own is not unit and own.quantity == unit.quantity
