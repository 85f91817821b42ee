"""What rose, fell, doubled or stayed did so between the cells that are bound."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from datetime import date
from itertools import pairwise

from mesh.prose.clauses import BoundValue, Clause, bound_word
from mesh.prose.failures import Failure, FailureCode
from mesh.prose.frames import Cell
from mesh.prose.references import Value
from mesh.prose.words import TIMES_OF, States, Word, states_of
from mesh.text.spelling import shown as as_shown

_DIRECTIONS = (States.UP, States.DOWN, States.UNCHANGED, States.TIMES)
_CHANGES = re.compile(
    r"change|growth|diff|delta|increase|decrease|yoy|mom|effect|estimate|lift|gain", re.IGNORECASE
)
_SAME = 0.01
_TIMES = 0.05


def find_wrong_directions(clause: Clause) -> Iterator[Failure]:
    """Words of direction that the bound cells do not bear out, or that nothing bears."""
    for one in clause.values:
        if states_of(one.bound.shown) in _DIRECTIONS and one.value.pair is not None:
            word = bound_word(clause, one.bound)
            yield from _judged(word, _ends(*one.value.pair), one.bound.start, one.bound.end)
    for word in clause.words:
        if word.states in _DIRECTIONS and not _is_named(word, clause):
            start, end = clause.start + word.start, clause.start + word.end
            yield from _judged(word, _found_ends(clause), start, end)


def _is_named(word: Word, clause: Clause) -> bool:
    """Whether the word is a column's name here: "growth was 3 %"."""
    columns = {cell.column.casefold() for one in clause.values for cell in one.value.cells[:4]}
    return any(word.text.casefold() in re.split(r"[\W_]+", column) for column in columns) and (
        word.text.casefold() in ("growth", "change", "gain", "drop", "top")
    )


def _judged(
    word: Word, ends: tuple[float, float] | None, start: int, end: int
) -> Iterator[Failure]:
    if ends is None:
        yield Failure(
            FailureCode.WORD_UNBOUND,
            word.text,
            "no two cells beside it say so",
            f"write {{{word.text}|FRAME.COLUMN[EARLIER] -> FRAME.COLUMN[LATER]}}",
            start,
            end,
        )
    elif _holds(word, *ends) == word.negated:
        text = f"it went from {as_shown(ends[0])} to {as_shown(ends[1])}"
        yield Failure(FailureCode.WORD_WRONG, word.text, text, f"say: {_true(*ends)}", start, end)


def _holds(word: Word, first: float, last: float) -> bool:
    same = math.isclose(first, last, rel_tol=_SAME)
    if word.states is States.UNCHANGED:
        return same
    if word.states is States.TIMES:
        times = next(value for stem, value in TIMES_OF.items() if stem in word.text.casefold())
        return first != 0 and abs(last / first - times) <= _TIMES * times
    return last > first if word.states is States.UP else last < first


def _true(first: float, last: float) -> str:
    return "rose" if last > first else "fell" if last < first else "stayed the same"


def _found_ends(clause: Clause) -> tuple[float, float] | None:
    """The two cells of one column that the clause binds, in the order of time, else of the text."""
    for one in clause.values:
        if one.value.pair is not None:
            return _ends(*one.value.pair)
    plain = [one for one in clause.values if one.value.cell is not None and _is_number(one.value)]
    if len(plain) == 2 and (ends := _between(plain, clause)) is not None:
        return ends
    for one in clause.values:
        if one.value.change:
            return _from_to(clause) or _of_change(one.value)
        cell = one.value.picked[0] if len(one.value.picked) == 1 else None
        if cell is not None and _CHANGES.search(cell.column) and _is_number(one.value):
            return 0.0, float(cell.value)
    if len(plain) == 1:
        return _since_earlier(plain[0], clause)
    return _from_to(clause)


def _from_to(clause: Clause) -> tuple[float, float] | None:
    """Two numbers that the text has as "from … to …"."""
    numbers = [one for one in clause.values if _is_number(one.value)]
    for one, other in pairwise(numbers):
        if re.search(r"\bfrom\s*$", clause.before(one.bound.start)) and re.search(
            r"\bto\s*$", clause.before(other.bound.start)
        ):
            return float(one.value.value), float(other.value.value)
    return None


def _since_earlier(one: BoundValue, clause: Clause) -> tuple[float, float] | None:
    """From the number of the same column before it in the sentence: "…, then dipped to …"."""
    for earlier in reversed(clause.earlier):
        cell, own = earlier.value.cell, one.value.cell
        if cell is not None and own is not None and cell.column == own.column:
            return _between([earlier, one], clause)
    return None


def _between(bound_values: list[BoundValue], clause: Clause) -> tuple[float, float] | None:
    one, other = (item.value.cell for item in bound_values)
    if one is None or other is None or one.column != other.column:
        return None
    if (order := _in_time(one, other)) is not None:
        first, last = order
        return float(first.value), float(last.value)
    to_first = re.search(r"\bto\s*$", clause.before(bound_values[0].bound.start))
    from_second = re.search(r"\bfrom\s*$", clause.before(bound_values[1].bound.start))
    if (to_first and from_second) or from_second:
        one, other = other, one
    return float(one.value), float(other.value)


def _ends(first: Value, last: Value) -> tuple[float, float] | None:
    if not (_is_number(first) and _is_number(last)):
        return None
    return float(first.value), float(last.value)


def _of_change(value: Value) -> tuple[float, float] | None:
    """The two cells of a difference in time, else nothing and the difference itself."""
    cells = list(dict.fromkeys((cell.frame.name, cell.column, cell.row) for cell in value.cells))
    kept = {(cell.frame.name, cell.column, cell.row): cell for cell in value.cells}
    if len(cells) == 2 and (order := _in_time(kept[cells[0]], kept[cells[1]])) is not None:
        return float(order[0].value), float(order[1].value)
    return 0.0, float(value.value)


def _in_time(one: Cell, other: Cell) -> tuple[Cell, Cell] | None:
    """Two cells of a frame in the order of a column of times in which their rows differ."""
    if one.frame is not other.frame:
        return None
    for name, column in one.frame.values.items():
        left, right = column[one.row], column[other.row]
        if left != right and _is_time(name, left) and _is_time(name, right):
            return (one, other) if left < right else (other, one)
    return None


def _is_time(name: str, value: object) -> bool:
    if isinstance(value, date):
        return True
    if isinstance(value, str):
        return re.fullmatch(r"\d{4}(?:-(?:\d\d|Q\d|W\d\d))?(?:-\d\d)?", value) is not None
    named = re.search(r"year|month|quarter|week|day|date|period", name, re.IGNORECASE)
    return isinstance(value, int) and not isinstance(value, bool) and named is not None


def _is_number(value: Value) -> bool:
    return isinstance(value.value, int | float) and not isinstance(value.value, bool)
