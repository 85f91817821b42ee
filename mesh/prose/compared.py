"""Which two numbers a comparison is between: "X had 12, more than Y with 11", "470 more than Y"."""

from __future__ import annotations

import re

from mesh.prose.clauses import BoundValue, Clause
from mesh.prose.frames import Cell
from mesh.prose.labels import labels_named
from mesh.prose.references import Value
from mesh.prose.times import in_time

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
    """The ends of a difference right before the word, or right behind it: "beat it by 3"."""
    numbers = numbers_of(clause)
    before = [one for one in numbers if one.bound.end <= span[0]]
    behind = [one for one in numbers if one.bound.start >= span[1]]
    if behind and re.search(r"\bby\s*$", clause.before(behind[0].bound.start)):
        return _ends_of(clause, span, behind[0].value)
    return _ends_of(clause, span, before[-1].value) if before else None


def difference_ends(clause: Clause, one: BoundValue) -> tuple[float, float] | None:
    """What a difference without "than" is between: the row named before it, or the later one,
    first. None where neither is told."""
    value = one.value
    if len(value.picked) == 1 and _EFFECT.search(value.picked[0].column):
        return float(value.picked[0].value), 0.0
    cells = list({(cell.column, cell.row): cell for cell in value.picked}.values())
    if not value.change or len(cells) != 2 or cells[0].frame is not cells[1].frame:
        return None
    first, second = cells
    told = _tells_apart(clause.before(one.bound.start), first, second)
    if told == 0 and (order := in_time(first, second)) is not None:
        told = 1 if order[1] is first else -1
    if told == 0 or first.column != second.column:
        return None
    subject, thing = (first, second) if told > 0 else (second, first)
    return float(subject.value), float(thing.value)


def _ends_of(clause: Clause, span: tuple[int, int], value: Value) -> tuple[float, float] | None:
    """What a difference is between, the one of whom it is said first."""
    if len(value.picked) == 1 and _EFFECT.search(value.picked[0].column):
        return float(value.picked[0].value), 0.0
    if not value.change or len({(one.column, one.row) for one in value.picked}) != 2:
        return None
    one, other = value.picked[0], value.picked[-1]
    if one.frame is not other.frame:
        return None
    told = _tells_apart(clause.before(span[0]), one, other)
    behind = clause.behind(span[1])
    if told < 0 or (told == 0 and _names(behind, one) and not _names(behind, other)):
        one, other = other, one
    elif told == 0 and not _names(behind, other):
        return (float(value.value), 0.0) if value.value > 0 else None
    return float(one.value), float(other.value)


def compared_pair(clause: Clause, span: tuple[int, int]) -> tuple[float, float] | None:
    """Two numbers of a clause: the one of whom it is said, and the one behind "than"."""
    numbers = _once([one for one in numbers_of(clause) if _is_plain(one.value)])
    if len(numbers) == 1:
        return _with_named(clause, span, numbers[0])
    if len(numbers) < 2:
        return None
    than = re.search(r"\bthan\b|\bof\b", clause.behind(span[0]))
    if (named := _by_names(clause, span, numbers)) is not None:
        return named
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


def _once(numbers: list[BoundValue]) -> list[BoundValue]:
    """Each cell once, as it is shown last: "fewer than one in ten (8.9 %)"."""
    kept: dict[object, BoundValue] = {}
    for one in numbers:
        cell = one.value.cell
        kept[id(one) if cell is None else (cell.frame.name, cell.column, cell.row)] = one
    return list(kept.values())


def _with_named(
    clause: Clause, span: tuple[int, int], one: BoundValue
) -> tuple[float, float] | None:
    """A cell and that of the row named behind "than", which differs from its own by that name."""
    cell, than = one.value.cell, re.search(r"\bthan\b", clause.behind(span[1]))
    if cell is None or than is None:
        return None
    frame, after = cell.frame, clause.behind(span[1] + than.end())
    for column in frame.labels:
        named = labels_named(after, frame, column)
        if len(named) != 1 or frame.values[column][cell.row] == frame.values[column][min(named)]:
            continue
        label = frame.values[column][min(named)]
        rows = [
            row
            for row in range(frame.rows)
            if all(
                frame.values[each][row]
                == (label if each == column else frame.values[each][cell.row])
                for each in frame.labels
                if each != cell.column
            )
        ]
        value = frame.values[cell.column][rows[0]] if len(rows) == 1 else None
        if isinstance(value, int | float):
            return float(cell.value), float(value)
    return None


def _by_names(
    clause: Clause, span: tuple[int, int], numbers: list[BoundValue]
) -> tuple[float, float] | None:
    """Of two cells, the one whose row is named before the word (or before "than") first."""
    cells = [one.value.cell for one in numbers if one.value.cell is not None]
    if len(numbers) != 2 or len(cells) != 2:
        return None
    one, other = cells
    if one.frame is not other.frame:
        return None
    than = re.search(r"\bthan\b|\bas\b", clause.behind(span[1]))
    edge = span[1] + than.end() if than else span[0]
    before, behind = clause.before(edge), clause.behind(edge)
    first = _tells_apart(before, one, other) - _tells_apart(behind, one, other)
    if first == 0:
        return None
    subject, thing = (one, other) if first > 0 else (other, one)
    return float(subject.value), float(thing.value)


def are_turned(clause: Clause, one: BoundValue) -> bool:
    """Whether a bound comparison of two cells has the row of the second one named before it, and
    that of the first one behind it."""
    left, right = one.value.picked
    if left.frame is not right.frame or left.column != right.column:
        return False
    before, behind = clause.before(one.bound.start), clause.behind(one.bound.end)
    return _tells_apart(before, left, right) < 0 < _tells_apart(behind, left, right)


def _tells_apart(text: str, one: Cell, other: Cell) -> int:
    """1 where a text names the row of the one and not that of the other, -1 the other way round."""
    frame = one.frame
    found = [0, 0]
    for column in frame.labels:
        left, right = frame.values[column][one.row], frame.values[column][other.row]
        if left == right:
            continue
        named = {frame.values[column][row] for row in labels_named(text, frame, column)}
        found[0] += left in named
        found[1] += right in named
    return (found[0] > found[1]) - (found[0] < found[1])


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
