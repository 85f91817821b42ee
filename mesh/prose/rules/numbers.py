"""A bound number is its cell's, to the digits that are shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from mesh.prose.clauses import BoundValue, Clause
from mesh.prose.failures import Failure, FailureCode
from mesh.prose.frames import Frame
from mesh.prose.labels import labels_named
from mesh.prose.numbers import Shown, parse_shown, with_behind
from mesh.prose.references import Value
from mesh.prose.vocabulary import States
from mesh.prose.words import hedge_before, states_of
from mesh.text.spelling import shown as as_shown
from mesh.text.spelling import spellings

_OVER = 0.15  # "more than 70,000" of 79,000 is said; of 90,000 nobody would
_OF_PARTS = 0.4  # "more than half" of 63 % is said, "less than half" of 38 %
_ABOUT = 0.05
_HUNDRED = re.compile(r"\b100\s*\*|\*\s*100\b")
_CHANGED = re.compile(r"change|growth|diff|delta|effect|estimate|lift", re.IGNORECASE)
_ROUGHLY = re.compile(
    r"\s*,?\s*(?:\w+\s+)?(?:or so|or thereabouts|give or take|odd)\b", re.IGNORECASE
)


def find_wrong_numbers(clause: Clause) -> Iterator[Failure]:
    """Bindings that show another number, or another name, than their reference gives."""
    for one in clause.values:
        value = one.value
        if value.pair or value.doubt or isinstance(value.value, bool) or value.value is None:
            continue
        states = states_of(one.bound.shown)
        if states in (States.SIGNIFICANT, States.CAUSE) or (
            states is not None and parse_shown(one.bound.shown) is None
        ):
            continue
        found = value.value
        if isinstance(found, int | float | Decimal):
            yield from _number(clause, one, float(found))
        elif one.bound.shown.casefold() not in _names(found) and not _is_named(one):
            yield _failure(one, f"the cell says {as_shown(found)}", f"{{{as_shown(found)}|…}}")


def _number(clause: Clause, one: BoundValue, found: float) -> Iterator[Failure]:
    shown = parse_shown(one.bound.shown)
    if shown is None:
        if one.bound.shown.casefold() not in _names(one.value.value) and not _is_last(one):
            yield _failure(one, "no number is shown there", f"{{{as_shown(one.value.value)}|…}}")
        return
    shown = with_behind(shown, clause.behind(one.bound.end))
    actual = found * 100 if shown.percent and _is_told_as_share(one) else found
    signs = (1, -1) if not shown.signed and _has_no_sign(clause, one) else (1,)
    hedge = (
        shown.hedge or hedge_before(clause.before(one.bound.start)) or _hedge_behind(clause, one)
    )
    if shown.is_rounding_of(actual) and _is_compared(clause, one):
        return
    if any(_fits(shown, actual * sign, hedge) for sign in signs):
        return
    text = as_shown(actual) + (" %" if shown.percent else "")
    yield _failure(one, f"it is {text}", f"{{{text}|{one.bound.reference}}}")


def _is_named(one: BoundValue) -> bool:
    """Whether a label is shown by a word that only it has: "Jena" of "Klinikum Jena"."""
    cell = one.value.cell
    if cell is None or cell.column not in cell.frame.labels:
        return False
    named = labels_named(one.bound.shown, cell.frame, cell.column)
    return {cell.frame.values[cell.column][row] for row in named} == {cell.value}


def _is_last(one: BoundValue) -> bool:
    """Whether "last" is shown of a rank that nothing is behind."""
    if one.bound.shown.casefold() not in ("last", "the last", "bottom"):
        return False
    cells = one.value.picked
    return (
        bool(cells)
        and one.bound.reference.startswith("rank(")
        and all(
            not isinstance(each, int | float) or each >= cells[0].value
            for each in cells[0].frame.values[cells[0].column]
        )
    )


def _is_told_as_share(one: BoundValue) -> bool:
    """Whether a part of one is told in per cent, and is not made so already: "100 * f1.share"."""
    return is_fraction(one.value) and _HUNDRED.search(one.bound.reference) is None


def _has_no_sign(clause: Clause, one: BoundValue) -> bool:
    """Whether a difference may be told by its size: "fell by 3", "3 points down"."""
    if one.value.change:
        return True
    changed = any(_CHANGED.search(cell.column) for cell in one.value.picked)
    return changed and any(word.states in (States.DOWN, States.LESS) for word in clause.words)


def _hedge_behind(clause: Clause, one: BoundValue) -> str:
    return "about" if _ROUGHLY.match(clause.behind(one.bound.end)) else ""


def _is_compared(clause: Clause, one: BoundValue) -> bool:
    """Whether "more than" stands between two cells of a column: it compares, and hedges nothing."""
    cell = one.value.cell
    if cell is None or not is_exact(one):
        return False
    others = [other.value.cell for other in clause.values if other.value.cell]
    return re.search(r"\bthan\s*$", clause.before(one.bound.start)) is not None and any(
        other.column == cell.column and other.row != cell.row for other in others
    )


def is_exact(one: BoundValue) -> bool:
    """Whether a binding shows its number as it is, not one that it is more or less than."""
    shown, value = parse_shown(one.bound.shown), one.value.value
    if shown is not None and 0 < shown.value < 1 and not any(map(str.isdigit, one.bound.shown)):
        return False  # "half", "one in ten"
    if shown is None or not isinstance(value, int | float):
        return True
    return shown.is_rounding_of(value * 100 if shown.percent and is_fraction(one.value) else value)


def is_fraction(value: Value) -> bool:
    """Whether a number is told in per cent by multiplying it: a ratio, or of a column within ±1."""
    if value.ratio:
        return True
    cells = value.cells[:1]
    return bool(cells) and is_fraction_column(cells[0].frame, cells[0].column)


def is_fraction_column(frame: Frame, column: str) -> bool:
    """Whether all numbers of a column lie within one of zero."""
    return all(
        not isinstance(each, int | float | Decimal) or abs(float(each)) <= 1.0001
        for each in frame.values[column]
    )


def _fits(shown: Shown, actual: float, hedge: str) -> bool:
    value = float(shown.value)
    more, less = _rooms(shown)
    if hedge in ("<", ">"):
        return actual <= value if hedge == "<" else actual >= value
    if hedge == "more":
        return value < actual <= value + more
    if hedge == "less":
        return value > actual >= value - less
    if shown.is_rounding_of(actual):
        return True
    if hedge == "over":
        return value <= actual <= value + more
    if hedge == "under":
        return value >= actual >= value - less
    return hedge == "about" and abs(value - actual) <= abs(actual) * _ABOUT


def _rooms(shown: Shown) -> tuple[float, float]:
    """How far above and below a hedged number the true one may be: further from round ones."""
    value = abs(float(shown.value))
    if 0 < value < 1 and shown.step > 0 and not shown.percent:
        return value * _OF_PARTS, value * _OF_PARTS
    room = value * _OVER
    digits = shown.value.normalize()
    if value and len(digits.as_tuple().digits) == 1:
        return max(room, 10.0 ** digits.adjusted()), room
    return room, room


def _names(value: Any) -> frozenset[str]:
    return frozenset(text.casefold() for text in spellings(value) | {str(value)})


def _failure(one: BoundValue, found: str, mend: str) -> Failure:
    return Failure(
        FailureCode.NUMBER_WRONG,
        one.bound.shown,
        found,
        f"write {mend}",
        one.bound.start,
        one.bound.end,
    )
