"""A number stands beside the name of its own row and of its own column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from mesh.prose.clauses import BoundValue, Clause
from mesh.prose.failures import Failure, FailureCode
from mesh.prose.frames import Frame
from mesh.prose.labels import labels_named, names_of, words_of
from mesh.prose.numbers import parse_shown
from mesh.prose.rules.numbers import is_fraction_column
from mesh.text.spelling import label_text

_JOINING = (
    r"(?:'s|’s|had|has|with|was|were|is|of|at|sold|made|for|in|on|stood at|came to|reached|:|,|\s)"
)
_ONE_OF = re.compile(r"(?:min|max|median)\([^()]+\)")
_SET_AGAINST = re.compile(
    r"\b(?:than|as|like|unlike|with|besides|as in|than in|than at|as at)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_MOST_LABELS = 2_000


def find_wrong_names(clause: Clause) -> Iterator[Failure]:
    """Numbers whose clause names another row, or another column, than the one they are from."""
    for one in clause.values:
        if isinstance(one.value.value, int | float) and not isinstance(one.value.value, bool):
            yield from _rows(clause, _as_picked(one))
            yield from _column(clause, one)


def _as_picked(one: BoundValue) -> BoundValue:
    """The least, greatest or middle of a column as the cell that it is, where one has its value."""
    if one.value.picked or not _ONE_OF.fullmatch(one.bound.reference):
        return one
    cells = [cell for cell in one.value.cells if cell.value == one.value.value]
    value = replace(one.value, picked=tuple(cells)) if len(cells) == 1 else one.value
    return replace(one, value=value)


def _rows(clause: Clause, one: BoundValue) -> Iterator[Failure]:
    """Frames that a number is from are looked at one by one, and of each its columns of labels."""
    for frame in {id(cell.frame): cell.frame for cell in one.value.picked}.values():
        if frame.tested or not 1 < frame.rows <= _MOST_LABELS:
            continue
        cells = [cell for cell in one.value.picked if cell.frame is frame]
        for column in [
            name for name in frame.labels if name not in {cell.column for cell in cells}
        ]:
            labels = frame.values[column]
            own = list(dict.fromkeys(labels[cell.row] for cell in cells))
            row = _wrong_row(clause, one, frame, column, own)
            if row is None:
                continue
            wrong, right = label_text(labels[row]), ", ".join(map(label_text, own))
            mend = f"name {right}, or take the number of {wrong}"
            yield _failure(one, wrong, f"the number is that of {right}", mend)
            return


def _wrong_row(
    clause: Clause, one: BoundValue, frame: Frame, column: str, own: list[Any]
) -> int | None:
    """A row that stands with a number and is none of its `own` labels; None where none does."""
    named = labels_named(_whole(clause), frame, column)
    if not named:
        return None
    labels = frame.values[column]
    taken = _taken(clause, one, frame, column)
    beside, close = _beside(clause, one, frame, column)
    if beside is not None and labels[beside] not in own and (close or labels[beside] not in taken):
        return beside
    if len(own) == 1 and any(labels[row] in own for row in named):
        return None
    return next((row for row in sorted(named) if labels[row] not in [*taken, *own]), None)


def _taken(clause: Clause, one: BoundValue, frame: Frame, column: str) -> list[Any]:
    """Labels of the rows that other numbers of the clause are from."""
    return [
        frame.values[column][each.row]
        for other in clause.values
        if other.bound is not one.bound
        for each in other.value.picked
        if each.frame is frame
    ]


def _beside(clause: Clause, one: BoundValue, frame: Frame, column: str) -> tuple[int | None, bool]:
    """The row named right behind the number ("12 in North") or right before it ("North: 12").

    The second says that no mark stands between, so that the name is of this number alone.
    """
    names = names_of(frame, column)
    choice = "|".join(re.escape(text) for text in sorted(names, key=len, reverse=True))
    if not choice:
        return None, False
    leading = rf"\s*(?:in|for|of|at|from)\s+(?:the\s+)?({choice})(?!\w)"
    behind = re.match(leading, _behind(clause, one), re.IGNORECASE)
    if behind:
        return names[behind[1].casefold()], True
    trailing = rf"(?<!\w)({choice}){_JOINING}{{0,3}}\s*$"
    said = _before(clause, one)
    before = re.search(trailing, said, re.IGNORECASE)
    if before is None or _SET_AGAINST.search(said[: before.start()]):
        return None, False
    return names[before[1].casefold()], re.search(r"[:,(]", before[0]) is None


def _whole(clause: Clause) -> str:
    """The clause as it is read."""
    return " ".join([clause.prose, *(bound_value.bound.shown for bound_value in clause.values)])


def _before(clause: Clause, one: BoundValue) -> str:
    """What is read before a number, up to the number before it."""
    at, parts = clause.start, [""]
    for bound_value in clause.values:
        if bound_value.bound.end > one.bound.start:
            break
        parts.append(clause.prose[at - clause.start : bound_value.bound.start - clause.start])
        parts = [""] if _is_number(bound_value) else [*parts, bound_value.bound.shown]
        at = bound_value.bound.end
    return "".join([*parts, clause.prose[at - clause.start : one.bound.start - clause.start]])


def _behind(clause: Clause, one: BoundValue) -> str:
    """What is read behind a number, up to the next one."""
    at, parts = one.bound.end, [""]
    for bound_value in clause.values:
        if bound_value.bound.start < at:
            continue
        parts.append(clause.prose[at - clause.start : bound_value.bound.start - clause.start])
        if _is_number(bound_value):
            return "".join(parts)
        parts.append(bound_value.bound.shown)
        at = bound_value.bound.end
    return "".join([*parts, clause.prose[at - clause.start :]])


def _is_number(bound_value: BoundValue) -> bool:
    return isinstance(bound_value.value.value, int | float) and bound_value.value.pair is None


def _column(clause: Clause, one: BoundValue) -> Iterator[Failure]:
    """Another numeric column's name is said, and no word of this one's."""
    cell = one.value.cell
    if cell is None or cell.frame.tested:
        return
    own, words = words_of(cell.column), words_of(clause.prose)
    if own & words:
        return
    words = set(re.findall(r"[^\W\d_]+", clause.prose.casefold()))
    shown = parse_shown(one.bound.shown)
    percent = shown is not None and shown.percent
    used = {each.column for bound_value in clause.values for each in bound_value.value.cells[:99]}
    for other in cell.frame.columns:
        apart = set(re.findall(r"[^\W\d_]+", other.casefold().replace("_", " "))) - own
        numeric = any(isinstance(value, int | float) for value in cell.frame.values[other])
        if percent and not is_fraction_column(cell.frame, other):
            continue  # "24 % of patients" is no number of patients
        if other in used or not numeric or not apart or other in cell.frame.labels:
            continue
        if apart <= words:
            found = f"the number is from the column {cell.column}"
            mend = f"say {cell.column}, or take the number from {other}"
            yield _failure(one, other, found, mend)
            return


def _failure(one: BoundValue, claimed: str, found: str, mend: str) -> Failure:
    return Failure(FailureCode.NAME_WRONG, claimed, found, mend, one.bound.start, one.bound.end)
