"""Growth and moving averages of a span look at what lies before it, which is then not shown."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from sqlglot import exp

from services.planner.domain.query.calendar import STEPS, floor_of
from services.planner.domain.query.intent import (
    Calculation,
    Condition,
    Dimension,
    Filter,
    Grain,
    Group,
    Intent,
    Operator,
)

_BACKWARDS = (Calculation.GROWTH, Calculation.CHANGE, Calculation.MOVING_AVERAGE)
_UNITS = (Grain.YEAR, Grain.QUARTER, Grain.MONTH, Grain.WEEK, Grain.DAY)


def filters_with_earlier(intent: Intent) -> tuple[tuple[Filter, ...], exp.Expr | None]:
    """The filters from so much earlier as is looked back to, and what of that is to be shown.

    January 1997 grew against December 1996 although only 1997 was asked for. A span that begins
    within a unit of time stays as it is: its first unit is not whole.
    """
    axis = next((d for d in intent.dimensions if d.grain in _UNITS), None)
    back = max((_back(d.calculation, d.back, d.window) for d in intent.derived), default=0)
    start = _start(intent.filters, axis) if axis is not None and back else None
    if axis is None or axis.grain is None or start is None:
        return intent.filters, None
    if _floor(start, axis.grain) != start:
        return intent.filters, None
    earlier = start
    for _ in range(back):
        earlier -= STEPS[axis.grain.value]
    moved = tuple(_moved(wanted, axis, start, earlier) for wanted in intent.filters)
    label = exp.column(axis.label, quoted=True)
    shown: exp.Expr = exp.Literal.number(start.year)
    if axis.grain is not Grain.YEAR:
        shown = exp.cast(exp.Literal.string(start.isoformat()), "DATE")
    return moved, exp.GTE(this=label, expression=shown)


def _back(calculation: Calculation, back: int, window: int) -> int:
    if calculation not in _BACKWARDS:
        return 0
    return window - 1 if calculation is Calculation.MOVING_AVERAGE else back


def _start(filters: Sequence[Filter], axis: Dimension) -> date | None:
    """Where the only span of the axis begins; None where there is none, or several."""
    found = [
        member.values[0]
        for wanted in filters
        for member in _members(wanted)
        if member.field == axis.expression and member.operator is Operator.AT_LEAST
    ]
    return found[0] if len(found) == 1 and isinstance(found[0], date) else None


def _members(wanted: Filter) -> list[Condition]:
    if isinstance(wanted, Condition):
        return [wanted]
    members = wanted.members if isinstance(wanted, Group) and wanted.connective == "and" else ()
    return [member for member in members if isinstance(member, Condition)]


def _moved(wanted: Filter, axis: Dimension, start: date, earlier: date) -> Filter:
    if isinstance(wanted, Group):
        members = tuple(_moved(member, axis, start, earlier) for member in wanted.members)
        return wanted.model_copy(update={"members": members})
    begins = isinstance(wanted, Condition) and wanted.operator is Operator.AT_LEAST
    if not begins or not isinstance(wanted, Condition) or wanted.field != axis.expression:
        return wanted
    return wanted.model_copy(update={"values": (earlier,)})


def _floor(day: date, grain: Grain) -> date | None:
    if grain is Grain.WEEK:
        return day if day.weekday() == 0 else None
    return floor_of(day, grain.value)
