"""The unit in which a time between two dates is asked for: "median hours to close"."""

from __future__ import annotations

import re
from dataclasses import replace

from services.planner.domain.language.timing.pieces import Piece
from services.planner.domain.query.defining.terms import Computed, Constant

_OF_A_DAY = {"minute": 1440, "hour": 24}
_IN_WEEKS = 7
_UNIT = r"(?P<unit>minute|hour|hr|min|week)s?\b"
_THEN_IN_UNIT = re.compile(rf",? (?:in|as) {_UNIT}", re.IGNORECASE)
_IN_DAYS = re.compile(r",? (?:in|as) days\b(?! (?:of|when|where|with))", re.IGNORECASE)
_OF_UNIT = re.compile(rf"(?<!\w){_UNIT}", re.IGNORECASE)
_CALLED = {"hr": "hour", "min": "minute"}


def in_asked_unit(piece: Piece, question: str) -> Piece:
    """The piece with its days told in the minutes, hours or weeks that are asked for.

    Dates without a time of day tell no hours: days stay days then.
    """
    made = piece.definition
    if "days" in made.column and (in_days := _IN_DAYS.match(question, piece.end)) is not None:
        return replace(piece, end=in_days.end())
    if not isinstance(made.term, Computed) or re.search(r"\d", piece.stands):
        return piece  # a bound was told in days already
    after = _THEN_IN_UNIT.match(question, piece.end)
    said = after or _OF_UNIT.search(question[piece.start : piece.end])
    if said is None:
        return piece
    unit = said.group("unit").lower()
    unit = _CALLED.get(unit, unit)
    if unit == "week":
        term = Computed(function="/", operands=(made.term, Constant(value=_IN_WEEKS)))
    elif made.term.function == "elapsed":
        term = Computed(function="*", operands=(made.term, Constant(value=_OF_A_DAY[unit])))
    else:
        return piece
    column = made.column.replace("days", f"{unit}s", 1)
    text = made.text.replace("days", f"{unit}s", 1)
    stands = piece.stands.replace(made.column, column)
    return replace(
        piece,
        end=after.end() if after is not None else piece.end,
        stands=stands,
        definition=made.model_copy(update={"column": column, "text": text, "term": term}),
    )
