"""What is called highest, lowest or second is so among all rows of its frame."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mesh.prose.clauses import BoundValue, Clause, bound_word
from mesh.prose.failures import Failure, FailureCode
from mesh.prose.frames import Cell
from mesh.prose.references import UnreadableReference, evaluate
from mesh.prose.rules.comparisons import is_against_all
from mesh.prose.words import States, Word, states_of
from mesh.text.spelling import label_text
from mesh.text.spelling import shown as as_shown

_EXTREMES = (States.HIGHEST, States.LOWEST, States.EXTREME)
_TURNED = {States.MORE: States.HIGHEST, States.LESS: States.LOWEST}
_ITSELF = ("max(", "min(", "rank(")


def find_wrong_extremes(clause: Clause) -> Iterator[Failure]:
    """Superlatives that the column does not bear out, or that nothing bears."""
    for one in clause.values:
        if states_of(one.bound.shown) in _EXTREMES and one.value.cell is not None:
            word = bound_word(clause, one.bound)
            yield from _judged(word, _column_of(one), one.bound.start, one.bound.end)
    for word in clause.words:
        word = _as_extreme(clause, word)
        if word.states in _EXTREMES and not _is_in_a_name(word, clause):
            start, end = clause.start + word.start, clause.start + word.end
            near = _nearest(clause, start)
            if near is None and any(
                one.bound.reference.startswith(_ITSELF) for one in clause.values
            ):
                continue
            yield from _judged(word, _column_of(near), start, end)


def _as_extreme(clause: Clause, word: Word) -> Word:
    """A comparison with every other as the superlative that it is: "less than any other"."""
    if word.states not in _TURNED or not is_against_all(clause, word):
        return word
    before = clause.prose[: word.start]
    negated = re.search(r"\bno\s+\w+\s+(?:\w+\s+){0,2}$", before, re.IGNORECASE) is None
    return Word(word.start, word.end, word.text, _TURNED[word.states], negated and word.negated)


def _is_in_a_name(word: Word, clause: Clause) -> bool:
    text = word.text.casefold()
    return any(
        text in cell.column.casefold() for one in clause.values for cell in one.value.cells[:1]
    )


def _nearest(clause: Clause, place: int) -> BoundValue | None:
    near = [
        one
        for one in clause.values
        if one.value.picked
        and isinstance(one.value.value, int | float)
        and not isinstance(one.value.value, bool)
        and not one.bound.reference.startswith(_ITSELF)
    ]
    return min(near, key=lambda one: _distance(one, place), default=None)


def _distance(one: BoundValue, place: int) -> int:
    return one.bound.start - place if one.bound.start >= place else place - one.bound.end


Column = tuple[float, dict[str, float]]
"""A value, and those of all rows by their names, its own among them."""


def _column_of(one: BoundValue | None) -> Column | None:
    """What a number may be compared with: its column, or the same reckoning for other rows."""
    if one is None or not isinstance(one.value.value, int | float):
        return None
    cell = one.value.cell
    if cell is not None:
        values = cell.frame.values[cell.column]
        rows = {
            f"{_called(Cell(cell.frame, cell.column, row))}\0{row}": float(value)
            for row, value in enumerate(values)
            if isinstance(value, int | float) and value == value
        }
        return float(cell.value), rows
    return _with_shared_label(one)


def _with_shared_label(one: BoundValue) -> Column | None:
    """The same reckoning with the one label that its cells share put in for each other."""
    frames = {cell.frame.name: cell.frame for cell in one.value.picked}
    if len(frames) != 1:
        return None
    frame = next(iter(frames.values()))
    for column in frame.labels:
        own = {str(frame.values[column][cell.row]) for cell in one.value.picked}
        if len(own) != 1:
            continue
        label = next(iter(own))
        inside = re.compile(rf"(?<=[\[,=\s]){re.escape(label)}(?=[\],\s])")
        if not inside.search(one.bound.reference):
            continue
        found: dict[str, float] = {}
        for value in dict.fromkeys(map(str, frame.values[column])):
            try:
                other = evaluate(inside.sub(value, one.bound.reference), frames)
            except UnreadableReference:
                return None
            found[f"{value}\0"] = float(other.value)
        return float(one.value.value), found
    return None


def _judged(word: Word, column: Column | None, start: int, end: int) -> Iterator[Failure]:
    if column is None or len(column[1]) < 2:
        found = (
            "no cell beside it says so" if column is None else "there is nothing to compare with"
        )
        mend = f"write {{{word.text}|FRAME.COLUMN[ROW]}}, in a frame with all rows"
        yield _failure(FailureCode.WORD_UNBOUND, word, found, mend, (start, end))
        return
    value, rows = column
    ends = [States.HIGHEST, States.LOWEST] if word.states is States.EXTREME else [word.states]
    places = {states: _place(value, rows, states) for states in ends}
    holds = any(place == word.rank and equals == 1 for place, equals, _ in places.values())
    if holds != word.negated:
        return
    place, equals, best = places[ends[0]]
    if place == word.rank and equals > 1 and not word.negated:
        found = f"{equals} rows share {as_shown(value)}"
    else:
        found = f"it is number {place} of {len(rows)}; {best} has {as_shown(_value_of(rows, best))}"
    yield _failure(FailureCode.WORD_WRONG, word, found, f"name {best}", (start, end))


def _value_of(rows: dict[str, float], name: str) -> float:
    """The value of the first row of a name."""
    return next(value for key, value in rows.items() if key.partition("\0")[0] == name)


def _place(value: float, rows: dict[str, float], states: States) -> tuple[int, int, str]:
    """Its place from 1, how many rows share its value, and the name of the row that is first."""
    sign = -1 if states is States.LOWEST else 1
    before = sum(1 for each in rows.values() if sign * each > sign * value)
    best = max(rows, key=lambda name: sign * rows[name]).partition("\0")[0]
    equals = sum(1 for each in rows.values() if each == value)
    return before + 1, equals, best


def _called(cell: Cell) -> str:
    """The row of a cell by its labels."""
    names = [name for name in cell.frame.labels if name != cell.column]
    texts = [label_text(cell.frame.values[name][cell.row]) for name in names[:2]]
    return ", ".join(texts) or f"row {cell.row + 1}"


def _failure(
    code: FailureCode, word: Word, found: str, mend: str, span: tuple[int, int]
) -> Failure:
    text = word.text if word.rank == 1 else f"number {word.rank} {word.text}"
    return Failure(code, text, found, mend, *span)
