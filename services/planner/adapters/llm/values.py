"""The values in what a model proposes: of the column's type, and not made up.

A number has to be in the question, a text in the question or among what is known of its column, a
day in a year that the question, its words ("last year") or the column speaks of.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from services.planner.adapters.llm.naming import UnfitError
from services.planner.adapters.llm.numbers import Known
from services.planner.domain.catalogue import DataType, ValueHit
from services.planner.domain.language.kinds import Operator
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.reader.words.tokens import tokenise

Given = int | float | str
_PER_CENT = 100
_MOST_TOLD = 3
_RELATIVE = re.compile(
    r"\b(last|past|previous|this|current|today|yesterday|ago|recent\w*|latest|next|now|since)\b"
)
_YES, _NO = ("true", "yes", "1", "t", "y"), ("false", "no", "0", "f", "n")
_TEXTUAL = (Operator.CONTAINS, Operator.STARTS_WITH, Operator.ENDS_WITH)


class Values:
    """Checks values against one question and what was looked up for it."""

    def __init__(self, question: str, known: Known, hits: Sequence[ValueHit]) -> None:
        self._question = " ".join(question.casefold().split())
        self._known = known
        self._hits = hits
        numbers = {t.number for t in tokenise(question) if t.number is not None}
        self._numbers = numbers | {n / _PER_CENT for n in numbers} | {0.0}

    def number(self, value: Given) -> float:
        """A number of the question. Raises UnfitError."""
        try:
            number = float(value)
        except ValueError:
            raise UnfitError(f"{value!r} is no number") from None
        if not math.isfinite(number):
            raise UnfitError(f"{value!r} is no number")
        if number not in self._numbers and not self._known.holds(f"{number:.15g}"):
            raise UnfitError(f"the number {number:g} is not in the question: choose none yourself")
        return number

    def of(self, place: Place, operator: Operator, given: Given) -> str | float | bool:
        """A value as conditions on this column hold it. Raises UnfitError."""
        if place.column.data_type is DataType.BOOLEAN:
            return _flag(place, given)
        if place.number:
            number = self.number(given)
            return int(number) if number.is_integer() else number
        if place.time and operator not in _TEXTUAL:
            return self._day(place, str(given))
        return self._text(place, operator, str(given))

    def _day(self, place: Place, text: str) -> str:
        try:
            day = datetime.fromisoformat(text)
        except ValueError:
            raise UnfitError(f"{text!r} is no date: write it as YYYY-MM-DD") from None
        bounds = (place.column.minimum, place.column.maximum)
        held = any(bound is not None and bound[:4] == f"{day.year:04}" for bound in bounds)
        spoken = f"{day.year:04}" in self._question or _RELATIVE.search(self._question)
        if not held and not spoken:
            raise UnfitError(f"the year of {text} is not in the question")
        return text

    def _text(self, place: Place, operator: Operator, text: str) -> str:
        folded = " ".join(text.casefold().split())
        known = [*self._found(place), *place.column.samples]
        if operator not in _TEXTUAL:
            for value in known:
                if value.casefold() == folded:
                    return value
        if folded and folded in self._question:
            return text
        told = ", ".join(repr(value) for value in dict.fromkeys(known[:_MOST_TOLD]))
        raise UnfitError(
            f"{text!r} is neither in the question nor a known value of {place.column.name}"
            + (f", such as {told}" if told else "")
        )

    def _found(self, place: Place) -> Iterable[str]:
        for hit in self._hits:
            if (hit.table, hit.column) == (place.table.name, place.column.name):
                yield hit.value


def _flag(place: Place, given: Given) -> bool:
    word = str(given).casefold()
    if word not in _YES + _NO:
        raise UnfitError(f"{place.column.name} is true or false, not {given!r}")
    return word in _YES
