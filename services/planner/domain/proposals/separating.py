"""What separates two results that differ, in words with numbers: a row, a value, another grain.

Told of theirs beside ours, as what follows "they get": "13,771 instead of 46,166".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from mesh.text.spelling import shown
from services.planner.domain.proposals.comparing import Agreement, Cell, Column, Rows

_NAMED, _LONGEST, _TWO = 3, 40, 2
_NO_ROWS = "no rows"
REORDERED = "the same rows in another order"


def describe_difference(ours: Rows, theirs: Rows, found: Agreement) -> str:
    """What their result has otherwise; empty where the two agree."""
    if found.agrees:
        return "the same times 100, or by 100" if found.kind == "scaled" else ""
    if found.reordered:
        return REORDERED
    if not ours.count or not theirs.count:
        return f"{_many(theirs)} instead of {_many(ours)}"
    if not (ours.complete and theirs.complete):
        return _of_counts(ours, theirs)
    if ours.count == theirs.count == 1:
        return _of_one(ours, theirs) or "other columns"
    keys = _keys(ours, theirs)
    if keys is None:
        return _of_grain(ours, theirs)
    return _of_keys(ours, theirs, *keys) or _of_values(ours, theirs, *keys) or "other columns"


def _of_counts(ours: Rows, theirs: Rows) -> str:
    if ours.count == theirs.count:
        return f"other values in {_many(theirs)}"
    return f"{_many(theirs)} instead of {ours.count:,}"


def _of_one(ours: Rows, theirs: Rows) -> str:
    """Of one row each: who it is, and its number."""
    texts: list[str] = []
    for numbers in (False, True):
        for mine, other in _side_by_side(ours, theirs, numbers=numbers):
            if mine.cells != other.cells:
                a, b = mine.cells[0], other.cells[0]
                texts.append(f"{_spelt(b, numbers)} instead of {_spelt(a, numbers)}")
                break
    return ", ".join(texts)


def _of_grain(ours: Rows, theirs: Rows) -> str:
    """Of rows that have no name in common: what they are told by."""
    mine, other = _named_by(ours), _named_by(theirs)
    if mine == other:
        return _of_counts(ours, theirs)
    return f"{_many(theirs)}{other} instead of {_many(ours)}{mine}"


def _of_keys(ours: Rows, theirs: Rows, mine: Sequence[Column], other: Sequence[Column]) -> str:
    """Rows of one that the other has not."""
    here, there = set(_of_rows(mine)), set(_of_rows(other))
    more, less = sorted(there - here, key=repr), sorted(here - there, key=repr)
    if not more and not less:
        if ours.count != theirs.count:
            return _of_grain(ours, theirs)
        return ""
    texts = [f"{_listed(more)} too"] if more else []
    texts += [f"{_listed(less)} left out"] if less else []
    counted = _of_counts(ours, theirs) if ours.count != theirs.count else "other rows"
    return f"{counted}: {', '.join(texts)}"


def _of_values(ours: Rows, theirs: Rows, mine: Sequence[Column], other: Sequence[Column]) -> str:
    """Of the same rows, the number that differs most, and what the numbers come to."""
    numbers = _side_by_side(ours, theirs, numbers=True)
    if not numbers:
        return ""
    first, second = numbers[0]
    left = dict(zip(_of_rows(mine), first.cells, strict=True))
    right = dict(zip(_of_rows(other), second.cells, strict=True))
    apart = [
        _Apart(key, left[key], right[key])
        for key in left
        if key in right and not _near(left[key], right[key])
    ]
    if not apart:
        return ""
    most = max(apart, key=lambda one: one.by)
    name = _called(most.key)
    text = f"{name} is {_spelt(most.right, True)} instead of {_spelt(most.left, True)}"
    rows = f"other numbers in {len(apart):,} of {_many(ours)}"
    return f"{rows}, most where {text}"


@dataclass(frozen=True)
class _Apart:
    """A row whose numbers differ."""

    key: tuple[Cell, ...]
    left: Cell
    right: Cell

    @property
    def by(self) -> float:
        a = self.left if isinstance(self.left, float) else 0.0
        b = self.right if isinstance(self.right, float) else 0.0
        return abs(a - b)


def _keys(ours: Rows, theirs: Rows) -> tuple[list[Column], list[Column]] | None:
    """The columns by which rows of both are told apart; None where they have no name in common."""
    mine, other = _list_identifying(ours), _list_identifying(theirs)
    pairs: list[tuple[Column, Column]] = []
    for column in mine:
        free = [one for one in other if one not in [pair[1] for pair in pairs]]
        best = max(free, key=lambda one: _shared(column, one), default=None)
        if best is not None and _shared(column, best) > 0:
            pairs.append((column, best))
    if not pairs or (len(pairs) < max(len(mine), len(other)) and ours.count != theirs.count):
        return None
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def _list_identifying(rows: Rows) -> list[Column]:
    """Names and times; of rows of several numbers alone the first, where it differs in each."""
    named = [column for column in rows.columns if not column.numbers and any(column.cells)]
    if named or len(rows.columns) < _TWO or rows.count < _TWO:
        return named
    first = rows.columns[0]
    whole = all(isinstance(cell, float) and cell.is_integer() for cell in first.cells)
    return [first] if whole and len(set(first.cells)) == rows.count else []


def _shared(left: Column, right: Column) -> float:
    a, b = set(left.cells), set(right.cells)
    return len(a & b) / len(a | b)


def _side_by_side(ours: Rows, theirs: Rows, *, numbers: bool) -> list[tuple[Column, Column]]:
    """Numbers of both, or what else they hold: by name, else by place. What rows are told by is
    no number of theirs."""
    keys = {id(column) for rows in (ours, theirs) for column in _list_identifying(rows)}
    mine = [c for c in ours.columns if c.numbers == numbers and not (numbers and id(c) in keys)]
    other = [c for c in theirs.columns if c.numbers == numbers and not (numbers and id(c) in keys)]
    by_name = {column.name.casefold(): column for column in other}
    named = [(c, by_name[c.name.casefold()]) for c in mine if c.name.casefold() in by_name]
    return named or list(zip(mine, other, strict=False))


def _named_by(rows: Rows) -> str:
    names = [column.name for column in _list_identifying(rows)]
    return f" by {' and '.join(names)}" if names else ""


def _of_rows(columns: Sequence[Column]) -> list[tuple[Cell, ...]]:
    return list(zip(*(column.cells for column in columns), strict=True))


def _near(left: Cell, right: Cell) -> bool:
    if isinstance(left, float) and isinstance(right, float):
        return abs(left - right) <= 1e-6 * max(abs(left), abs(right))
    return left == right


def _listed(keys: Sequence[tuple[Cell, ...]]) -> str:
    text = ", ".join(map(_called, keys[:_NAMED]))
    left = len(keys) - _NAMED
    return f"{text} and {left:,} more" if left > 0 else text


def _called(key: tuple[Cell, ...]) -> str:
    return " ".join(_spelt(cell, False) for cell in key)


def _spelt(cell: Cell, number: bool) -> str:
    """A number as people read it; what names a row without thousands."""
    if cell is None:
        return "nothing"
    if isinstance(cell, float):
        whole = int(cell) if cell.is_integer() else cell
        return shown(whole) if number else str(whole)
    text = cell if isinstance(cell, str) else cell.isoformat()
    text = text.replace("T", " ") if isinstance(cell, datetime) else text
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _many(rows: Rows) -> str:
    if not rows.count:
        return _NO_ROWS
    return f"{rows.count:,} {'row' if rows.count == 1 else 'rows'}"
