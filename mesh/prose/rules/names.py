"""A number stands beside the name of its own row and of its own column."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mesh.prose.clauses import Clause, Said
from mesh.prose.failures import Failure, FailureCode
from mesh.prose.frames import Cell
from mesh.prose.labels import labels_named, names_of
from mesh.spelling import label_text

_JOINING = (
    r"(?:'s|’s|had|has|with|was|were|is|of|at|sold|made|for|in|on|stood at|came to|reached|:|,|\s)"
)
_MOST_LABELS = 2_000


def find_wrong_names(clause: Clause) -> Iterator[Failure]:
    """Numbers whose clause names another row, or another column, than the one they are from."""
    for one in clause.said:
        if isinstance(one.value.value, int | float) and not isinstance(one.value.value, bool):
            yield from _rows(clause, one)
            yield from _column(clause, one)


def _rows(clause: Clause, one: Said) -> Iterator[Failure]:
    picked = one.value.picked
    frames = {id(cell.frame): cell.frame for cell in picked}
    for frame in frames.values():
        if frame.rows > _MOST_LABELS or frame.rows < 2:
            continue
        for column, spelt in frame.labels.items():
            if any(cell.column == column for cell in picked):
                continue
            own = {cell.row for cell in picked if cell.frame is frame}
            row = _wrong_row(clause, one, column, own, picked[0])
            if row is not None:
                wrong = label_text(frame.values[column][row])
                right = ", ".join(dict.fromkeys(label_text(frame.values[column][r]) for r in own))
                mend = f"name {right}, or take the number of {wrong}"
                yield _failure(one, wrong, f"the number is that of {right}", mend)
                return
            del spelt


def _wrong_row(clause: Clause, one: Said, column: str, own: set[int], cell: Cell) -> int | None:
    """A row that stands with a number and is not its own; None where none does."""
    frame = cell.frame
    named = labels_named(_whole(clause), frame, column)
    if not named:
        return None
    alike = {row for row in named if frame.values[column][row] in
             [frame.values[column][each] for each in own]}  # fmt: skip
    taken = _taken(clause, one, column, cell)
    beside, close = _beside(clause, one, cell, column)
    if (
        beside is not None
        and not _same(frame.values[column][beside], cell, column, own)
        and (close or frame.values[column][beside] not in taken)
    ):
        return beside
    if alike and len(own) == 1:
        return None
    known = [*taken, *(frame.values[column][row] for row in own)]
    return next((row for row in sorted(named) if frame.values[column][row] not in known), None)


def _same(value: object, cell: Cell, column: str, own: set[int]) -> bool:
    return value in [cell.frame.values[column][row] for row in own]


def _taken(clause: Clause, one: Said, column: str, cell: Cell) -> list[object]:
    """Labels of the rows that other numbers of the clause are from."""
    return [
        each.frame.values[column][each.row]
        for other in clause.said
        if other is not one
        for each in other.value.picked
        if each.frame is cell.frame
    ]


def _beside(clause: Clause, one: Said, cell: Cell, column: str) -> tuple[int | None, bool]:
    """The row named right behind the number ("12 in North") or right before it ("North: 12").

    The second says that no mark stands between, so that the name is of this number alone.
    """
    names = names_of(cell.frame, column)
    choice = "|".join(re.escape(text) for text in sorted(names, key=len, reverse=True))
    if not choice:
        return None, False
    behind = re.match(
        rf"\s*(?:in|for|of|at|from)\s+(?:the\s+)?({choice})(?!\w)", _behind(clause, one), re.I
    )
    if behind:
        return names[behind[1].casefold()], True
    before = re.search(rf"(?<!\w)({choice}){_JOINING}{{0,3}}\s*$", _before(clause, one), re.I)
    if before is None:
        return None, False
    return names[before[1].casefold()], re.search(r"[:,(]", before[0]) is None


def _whole(clause: Clause) -> str:
    """The clause as it is read."""
    return " ".join([clause.prose, *(said.bound.shown for said in clause.said)])


def _before(clause: Clause, one: Said) -> str:
    """What is read before a number, up to the number before it."""
    at, parts = clause.start, [""]
    for said in clause.said:
        if said.bound.end > one.bound.start:
            break
        parts.append(clause.prose[at - clause.start : said.bound.start - clause.start])
        parts = [""] if _is_number(said) else [*parts, said.bound.shown]
        at = said.bound.end
    return "".join([*parts, clause.prose[at - clause.start : one.bound.start - clause.start]])


def _behind(clause: Clause, one: Said) -> str:
    """What is read behind a number, up to the next one."""
    at, parts = one.bound.end, [""]
    for said in clause.said:
        if said.bound.start < at:
            continue
        parts.append(clause.prose[at - clause.start : said.bound.start - clause.start])
        if _is_number(said):
            return "".join(parts)
        parts.append(said.bound.shown)
        at = said.bound.end
    return "".join([*parts, clause.prose[at - clause.start :]])


def _is_number(said: Said) -> bool:
    return isinstance(said.value.value, int | float) and said.value.pair is None


def _column(clause: Clause, one: Said) -> Iterator[Failure]:
    """Another numeric column's name is said, and no word of this one's."""
    cell = one.value.cell
    if cell is None:
        return
    own, words = _tokens(cell.column), _tokens(clause.prose)
    if own & words:
        return
    words = set(re.findall(r"[^\W\d_]+", clause.prose.casefold()))
    used = {each.column for said in clause.said for each in said.value.cells[:99]}
    for other in cell.frame.columns:
        apart = set(re.findall(r"[^\W\d_]+", other.casefold().replace("_", " "))) - own
        numeric = any(isinstance(value, int | float) for value in cell.frame.values[other])
        if other in used or not numeric or not apart or other in cell.frame.labels:
            continue
        if apart <= words:
            found = f"the number is from the column {cell.column}"
            mend = f"say {cell.column}, or take the number from {other}"
            yield _failure(one, other, found, mend)
            return


def _tokens(name: str) -> set[str]:
    words = re.findall(r"[^\W\d_]+", name.casefold().replace("_", " "))
    return {word[:-1] if word.endswith("s") and len(word) > 3 else word for word in words}


def _failure(one: Said, claimed: str, found: str, mend: str) -> Failure:
    return Failure(FailureCode.NAME_WRONG, claimed, found, mend, one.bound.start, one.bound.end)
