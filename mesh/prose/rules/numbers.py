"""A bound number is its cell's, to the digits that are shown."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from mesh.prose.clauses import BoundValue, Clause
from mesh.prose.failures import Failure, FailureCode
from mesh.prose.numbers import Shown, parse_shown
from mesh.prose.references import Value
from mesh.prose.words import hedge_before, states_of
from mesh.text.spelling import shown as as_shown
from mesh.text.spelling import spellings

_OVER = 0.15  # "more than 70,000" of 79,000 is said; of 90,000 nobody would
_ABOUT = 0.05


def find_wrong_numbers(clause: Clause) -> Iterator[Failure]:
    """Bindings that show another number, or another name, than their reference gives."""
    for one in clause.values:
        value = one.value
        if value.pair or value.doubt or isinstance(value.value, bool) or value.value is None:
            continue
        if states_of(one.bound.shown) is not None and parse_shown(one.bound.shown) is None:
            continue
        found = value.value
        if isinstance(found, int | float | Decimal):
            yield from _number(clause, one, float(found))
        elif one.bound.shown.casefold() not in _names(found):
            yield _failure(one, f"the cell says {as_shown(found)}", f"{{{as_shown(found)}|…}}")


def _number(clause: Clause, one: BoundValue, found: float) -> Iterator[Failure]:
    shown = parse_shown(one.bound.shown)
    if shown is None:
        if one.bound.shown.casefold() not in _names(one.value.value):
            yield _failure(one, "no number is shown there", f"{{{as_shown(one.value.value)}|…}}")
        return
    actual = found * 100 if shown.percent and is_fraction(one.value) else found
    signs = (1, -1) if one.value.change and not shown.signed else (1,)
    hedge = hedge_before(clause.before(one.bound.start))
    if shown.is_rounding_of(actual) and _is_compared(clause, one):
        return
    if any(_fits(shown, actual * sign, hedge) for sign in signs):
        return
    text = as_shown(actual) + (" %" if shown.percent else "")
    yield _failure(one, f"it is {text}", f"{{{text}|{one.bound.reference}}}")


def _is_compared(clause: Clause, one: BoundValue) -> bool:
    """Whether "more than" stands between two cells of a column: it compares, and hedges nothing."""
    return one.value.cell is not None and any(
        other is not one and other.value.cell and other.value.cell.column == one.value.cell.column
        for other in clause.values
    )


def is_exact(one: BoundValue) -> bool:
    """Whether a binding shows its number as it is, not one that it is more or less than."""
    shown, value = parse_shown(one.bound.shown), one.value.value
    if shown is None or not isinstance(value, int | float):
        return True
    return shown.is_rounding_of(value * 100 if shown.percent and is_fraction(one.value) else value)


def is_fraction(value: Value) -> bool:
    """Whether a number is told in per cent by multiplying it: a ratio, or of a column within ±1."""
    if value.ratio:
        return True
    cells = value.cells[:1]
    return bool(cells) and all(
        not isinstance(each, int | float | Decimal) or abs(float(each)) <= 1.0001
        for cell in cells
        for each in cell.frame.values[cell.column]
    )


def _fits(shown: Shown, actual: float, hedge: str) -> bool:
    value = float(shown.value)
    room = abs(value) * _OVER
    if hedge == "more":
        return value < actual <= value + room
    if hedge == "less":
        return value > actual >= value - room
    if shown.is_rounding_of(actual):
        return True
    if hedge == "over":
        return value <= actual <= value + room
    if hedge == "under":
        return value >= actual >= value - room
    return hedge == "about" and abs(value - actual) <= abs(actual) * _ABOUT


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
