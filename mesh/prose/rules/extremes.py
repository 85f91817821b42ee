"""What is called highest, lowest or second is so among all rows of its frame."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from mesh.prose.clauses import BoundValue, Clause, bound_word
from mesh.prose.failures import Failure, FailureCode
from mesh.prose.frames import Cell
from mesh.prose.labels import labels_named, words_of
from mesh.prose.ranked import Column, as_extreme, compared_rows, ends_of, parts_of, place_of
from mesh.prose.vocabulary import States
from mesh.prose.words import Word
from mesh.text.spelling import shown as as_shown

_NAMED_WITHIN = 40
_TOGETHER = re.compile(
    r"\b(?:with|jointly|joint|tied|level|shar(?:e|es|ed|ing)|together|both|equal(?:ly)?|each"
    r"|alike)\b",
    re.IGNORECASE,
)
_EXTREMES = (States.HIGHEST, States.LOWEST, States.EXTREME)
_NO_CLAIM = re.compile(
    r"\b(?:than (?:in |at |on )?the"
    r"|(?:near|towards?|close to|among|amongst|one of|some of)(?: the)?)\s+$",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\s+(?:\w+\s+)?(?:jump|rise|increase|leap|surge|swing|change|drop|fall|decline|dip|decrease)s?\b",
    re.IGNORECASE,
)
_CHANGE = re.compile(r"change|growth|diff|delta|gain|lift", re.IGNORECASE)
_ITSELF = ("max(", "min(", "rank(")


def find_wrong_extremes(clause: Clause) -> Iterator[Failure]:
    """Superlatives that the column does not bear out, or that nothing bears."""
    for one in clause.values:
        word = bound_word(clause, one.bound, _EXTREMES) if one.value.cell is not None else None
        if word is not None:
            yield from _judged(word, compared_rows(one), clause, one.bound.start, one.bound.end)
    for word in clause.words:
        word = as_extreme(clause, word)
        if word.states in _EXTREMES and not _is_no_claim(word, clause):
            start, end = clause.start + word.start, clause.start + word.end
            near = _nearest(clause, word, start)
            if near is None and any(
                one.bound.reference.startswith(_ITSELF) for one in clause.values
            ):
                continue
            column = None if near is None else compared_rows(near)
            if word.soft and (column is None or len(column.rows) < 2):
                continue
            yield from _judged(word, column, clause, start, end)


def _is_no_claim(word: Word, clause: Clause) -> bool:
    """Whether it says which row is meant ("than the smallest"), or that one is near the end."""
    before = clause.prose[: word.start]
    if _CHANGED.match(clause.prose[word.end :]) and not any(
        one.value.change for one in clause.values
    ):
        cells = [cell for one in clause.values for cell in one.value.picked]
        if not any(_CHANGE.search(cell.column) for cell in cells):
            return True  # "the biggest jump": no column holds jumps
    return _is_in_a_name(word, clause) or _NO_CLAIM.search(before) is not None


def _is_in_a_name(word: Word, clause: Clause) -> bool:
    text = word.text.casefold()
    return any(
        text in cell.column.casefold() for one in clause.values for cell in one.value.cells[:1]
    )


def _nearest(clause: Clause, word: Word, place: int) -> BoundValue | None:
    """The number of which a superlative is said: of the column that it names, or the nearest."""
    near = [
        one
        for one in clause.values
        if one.value.picked
        and isinstance(one.value.value, int | float)
        and not isinstance(one.value.value, bool)
        and not one.bound.reference.startswith(_ITSELF)
    ]
    if not near:
        return None
    behind = words_of(clause.prose[word.end : word.end + _NAMED_WITHIN].split("(")[0])
    named = [one for one in near if one.value.cell and words_of(one.value.cell.column) & behind]
    named = _of_the_piece(clause, word, named or near) or named
    nearest = min(named or near, key=lambda one: _distance(one, place))
    return nearest if named else _in_named_column(nearest, behind)


def _of_the_piece(clause: Clause, word: Word, near: list[BoundValue]) -> list[BoundValue]:
    """The number whose row alone is named between the commas about the word, if one is."""
    start = max(clause.prose.rfind(mark, 0, word.start) for mark in ",:;(") + 1
    ends = [at for mark in ",:;(" if (at := clause.prose.find(mark, word.end)) > 0]
    piece = clause.prose[start : min(ends, default=len(clause.prose))]
    named = [
        one
        for one in near
        if (cell := one.value.cell) is not None
        and any(
            cell.frame.values[name][row] == cell.frame.values[name][cell.row]
            for name in cell.frame.labels
            for row in labels_named(piece, cell.frame, name)
        )
    ]
    return named if len(named) == 1 else []


def _in_named_column(one: BoundValue, behind: set[str]) -> BoundValue:
    """The same row's cell in another column, where the prose has all of that column's name."""
    cell = one.value.cell
    if cell is None:
        return one
    for column in cell.frame.columns:
        value = cell.frame.values[column][cell.row]
        whole = words_of(column)
        said = column not in cell.frame.labels and len(whole) > 1 and whole <= behind
        if said and isinstance(value, int | float):
            other = Cell(cell.frame, column, cell.row)
            return replace(one, value=replace(one.value, value=value, cell=other))
    return one


def _distance(one: BoundValue, place: int) -> int:
    return one.bound.start - place if one.bound.start >= place else place - one.bound.end


def _judged(
    word: Word, column: Column | None, clause: Clause, start: int, end: int
) -> Iterator[Failure]:
    if column is None or len(column.rows) < 2:
        found = (
            "no cell beside it says so" if column is None else "there is nothing to compare with"
        )
        mend = f"write {{{word.text}|FRAME.COLUMN[ROW]}}, in a frame with all rows"
        yield _failure(FailureCode.WORD_UNBOUND, word, found, mend, (start, end))
        return
    ends = ends_of(word, column)
    wholes = [column, *parts_of(column, clause, (start, end))]
    holds = any(
        place.at == word.rank and (place.equals == 1 or _TOGETHER.search(clause.prose))
        for whole in wholes
        for place in (place_of(whole, states) for states in ends)
    )
    if holds != word.negated:
        return
    place = place_of(column, ends[0])
    if place.at == word.rank and place.equals > 1 and not word.negated:
        found = f"{place.equals} rows share {as_shown(column.value)}"
    else:
        found = f"it is number {place.at} of {len(column.rows)}; {place.first} has "
        found += as_shown(place.most)
    yield _failure(FailureCode.WORD_WRONG, word, found, f"name {place.first}", (start, end))


def _failure(
    code: FailureCode, word: Word, found: str, mend: str, span: tuple[int, int]
) -> Failure:
    text = word.text if word.rank == 1 else f"number {word.rank} {word.text}"
    return Failure(code, text, found, mend, *span)
