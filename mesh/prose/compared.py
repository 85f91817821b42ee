"""Which two numbers a comparison is between: "X had 12, more than Y with 11", "470 more than Y"."""

from __future__ import annotations

import re

from mesh.prose.clauses import BoundValue, Clause
from mesh.prose.frames import Cell
from mesh.prose.labels import labels_named
from mesh.prose.references import Value

_EFFECT = re.compile(r"effect|estimate|change|diff|lift|gain", re.IGNORECASE)


def numbers_of(clause: Clause) -> list[BoundValue]:
    """What of a clause shows a number."""
    return [
        one
        for one in clause.values
        if isinstance(one.value.value, int | float) and not isinstance(one.value.value, bool)
    ]


def compared_ends(clause: Clause, span: tuple[int, int]) -> tuple[float, float] | None:
    """The number that is compared and the one it is compared with; None where none are bound.

    `span` are the first and last character of the word in the text.
    """
    return _difference(clause, span) or compared_pair(clause, span)


def _difference(clause: Clause, span: tuple[int, int]) -> tuple[float, float] | None:
    """The ends of a difference right before the word."""
    before = [one for one in numbers_of(clause) if one.bound.end <= span[0]]
    if not before:
        return None
    value = before[-1].value
    if len(value.picked) == 1 and _EFFECT.search(value.picked[0].column):
        return float(value.picked[0].value), 0.0
    if not value.change or len({(one.column, one.row) for one in value.picked}) != 2:
        return None
    one, other = value.picked[0], value.picked[-1]
    if one.frame is not other.frame:
        return None
    behind = clause.behind(span[1])
    if _names(behind, one) and not _names(behind, other):
        one, other = other, one
    elif not _names(behind, other):
        return (float(value.value), 0.0) if value.value > 0 else None
    return float(one.value), float(other.value)


def compared_pair(clause: Clause, span: tuple[int, int]) -> tuple[float, float] | None:
    """Two numbers of a clause: the one of whom it is said, and the one behind "than"."""
    numbers = [one for one in numbers_of(clause) if _is_plain(one.value)]
    if len(numbers) < 2:
        return None
    than = re.search(r"\bthan\b|\bof\b", clause.behind(span[0]))
    if than:
        after = clause.behind(span[0])[than.end() :]
        objects = [one for one in numbers if one.value.cell and _names(after, one.value.cell)]
        subjects = [one for one in numbers if one not in objects]
        if objects and subjects:
            near = min(subjects, key=lambda one: abs(one.bound.start - span[0]))
            return float(near.value.value), float(objects[0].value.value)
    before = [one for one in numbers if one.bound.end <= span[0]]
    behind = [one for one in numbers if one.bound.start >= span[1]]
    if before and behind:
        return float(before[-1].value.value), float(behind[0].value.value)
    if len(behind) >= 2:
        return float(behind[0].value.value), float(behind[1].value.value)
    return None


def _is_plain(value: Value) -> bool:
    return value.cell is not None or not value.change


def _names(text: str, cell: Cell) -> bool:
    """Whether a text names the row of a cell."""
    frame = cell.frame
    return any(
        frame.values[column][row] == frame.values[column][cell.row]
        for column in frame.labels
        for row in labels_named(text, frame, column)
    )
