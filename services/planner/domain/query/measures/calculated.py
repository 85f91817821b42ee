"""Numbers worked out from grouped numbers, and ranges of numbers, as syntax-tree nodes."""

from __future__ import annotations

from sqlglot import exp

from services.planner.domain.query.intent import (
    Bins,
    Calculation,
    Derived,
    Dimension,
    Grain,
    Intent,
)
from services.planner.domain.query.planning.predicates import by_rank

_GROUPS, _WORKED_OUT = "grouped", "worked_out"
_UNITS = {
    Grain.QUARTER: ("MONTH", 3),
    Grain.MONTH: ("MONTH", 1),
    Grain.WEEK: ("DAY", 7),
    Grain.DAY: ("DAY", 1),
}


def over_groups(grouped: exp.Select, intent: Intent, shown: exp.Expr | None = None) -> exp.Select:
    """The grouped query with the derived numbers beside its own, sorted as the intent says.

    Groups that are not to be `shown` are there to be looked back to.
    """
    names = [d.label for d in intent.dimensions]
    outputs: list[exp.Expr] = [_named(name) for name in names]
    worked_out = [exp.alias_(_derived(d, intent), d.label, quoted=True) for d in intent.derived]
    own: list[exp.Expr] = [_named(m.label) for m in intent.measures if m.shown]
    compared = any(measure.during is not None for measure in intent.measures)
    outputs += [*own, *worked_out] if compared else [*worked_out, *own]
    select = exp.select(*outputs).from_(grouped.subquery(_GROUPS))
    kept = [_lies(d, intent) for d in intent.derived if d.only is not None]
    if kept:
        select = select.where(*kept, copy=False)
    if shown is not None:
        whole = exp.select(*(_named(output.alias) for output in outputs))
        select = whole.from_(select.subquery(_WORKED_OUT)).where(shown)
    for order in intent.order:
        if order.target == "measure":
            label = intent.derived[0].label
            if order.index or _by_own_number(intent):
                label = intent.measures[order.index].label
        elif order.target == "dimension":
            label = names[order.index]
        else:
            continue
        target = by_rank(_plain(label), order.ranks)
        select = select.order_by(exp.Ordered(this=target, desc=order.descending, nulls_first=False))
    return select


def _lies(derived: Derived, intent: Intent) -> exp.Expr:
    """The condition that a number worked out lies above or below nought."""
    compared = exp.GT if derived.only == "above" else exp.LT
    worked_out = exp.Paren(this=_derived(derived, intent))
    return compared(this=worked_out, expression=exp.Literal.number(0))


def _by_own_number(intent: Intent) -> bool:
    """Ranks and shares sort as their numbers do; ratios and changes by themselves."""
    return intent.derived[0].calculation in (Calculation.SHARE, Calculation.RANK)


def binned(value: exp.Expr, bins: Bins) -> exp.Expr:
    """The lower end of the range that a number lies in."""
    width, origin = exp.Literal.number(bins.width), exp.Literal.number(bins.origin)
    shifted = exp.Sub(this=value, expression=origin) if bins.origin else value
    ranges = exp.Floor(this=exp.Div(this=exp.Paren(this=shifted), expression=width))
    scaled = exp.Mul(this=ranges, expression=width.copy())
    return exp.Add(this=scaled, expression=origin.copy()) if bins.origin else scaled


def _derived(derived: Derived, intent: Intent) -> exp.Expr:
    own = _number(intent.measures[derived.of].label)
    if derived.calculation in (Calculation.RATIO, Calculation.DIFFERENCE):
        other = _number(intent.measures[derived.against or 0].label)
        if derived.calculation is Calculation.DIFFERENCE:
            return exp.Sub(this=own, expression=other)
        return _over(own, other)
    if derived.calculation is Calculation.SHARE:
        part = _with_those_before(intent, own) if derived.together else own
        return _over(part, exp.Window(this=exp.Sum(this=own.copy())))
    if derived.calculation is Calculation.RANK:
        ranked = exp.Ordered(this=own, desc=True, nulls_first=False)
        return exp.Window(
            this=exp.Anonymous(this="RANK", expressions=[]),
            order=exp.Order(expressions=[ranked]),
        )
    if derived.against is not None:
        earlier = _number(intent.measures[derived.against].label)
        return _over(exp.Paren(this=exp.Sub(this=own, expression=earlier)), earlier.copy())
    return _over_time(derived, intent, own)


def _with_those_before(intent: Intent, own: exp.Expr) -> exp.Expr:
    """The sum of a group's number and of those that rank before it."""
    falling = intent.order[0].descending
    names = [exp.Ordered(this=_plain(d.label), nulls_first=False) for d in intent.dimensions]
    ranked = exp.Ordered(this=own.copy(), desc=falling, nulls_first=False)
    frame = exp.WindowSpec(
        kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end="CURRENT ROW"
    )
    order = exp.Order(expressions=[ranked, *names])
    return exp.Window(this=exp.Sum(this=own.copy()), order=order, spec=frame)


def _over_time(derived: Derived, intent: Intent, own: exp.Expr) -> exp.Expr:
    time = next((i for i, d in enumerate(intent.dimensions) if d.grain is not None), 0)
    axis = intent.dimensions[time]
    apart = [_plain(d.label) for i, d in enumerate(intent.dimensions) if i != time]
    order = exp.Order(expressions=[exp.Ordered(this=_plain(axis.label), nulls_first=False)])
    if derived.calculation is Calculation.RUNNING_TOTAL:
        return exp.Window(this=exp.Sum(this=own), partition_by=apart, order=order)
    if derived.calculation is Calculation.MOVING_AVERAGE:
        start = _distance(axis, derived.window - 1)
        spec = _frame(axis, start, "PRECEDING", "CURRENT ROW", None)
        return exp.Window(this=exp.Avg(this=own), partition_by=apart, order=order, spec=spec)
    back = _distance(axis, derived.back)
    spec = _frame(axis, back, "PRECEDING", back.copy(), "PRECEDING")
    earlier = exp.Window(this=exp.Max(this=own.copy()), partition_by=apart, order=order, spec=spec)
    change = exp.Sub(this=own, expression=earlier)
    if derived.calculation is Calculation.CHANGE:
        return change
    return _over(exp.Paren(this=change), earlier.copy())


def _distance(axis: Dimension, units: int) -> exp.Expr:
    """So many units of time of the axis: an interval for dates, a number for years and numbers."""
    if axis.grain in _UNITS:
        unit, size = _UNITS[axis.grain]
        return exp.Interval(this=exp.Literal.string(str(units * size)), unit=exp.var(unit))
    return exp.Literal.number(units)


def _frame(
    axis: Dimension, start: exp.Expr, start_side: str, end: exp.Expr | str, end_side: str | None
) -> exp.WindowSpec:
    """Rows by their distance in time, so that a missing month is no month; by place elsewhere."""
    timed = axis.grain in _UNITS or axis.grain is Grain.YEAR
    return exp.WindowSpec(
        kind="RANGE" if timed else "ROWS",
        start=start,
        start_side=start_side,
        end=end,
        end_side=end_side,
    )


def _over(top: exp.Expr, bottom: exp.Expr) -> exp.Expr:
    """A quotient that is missing where the divisor is nought."""
    return exp.Div(this=top, expression=exp.Nullif(this=bottom, expression=exp.Literal.number(0)))


def _number(label: str) -> exp.Expr:
    return exp.cast(_plain(label), "DOUBLE")


def _plain(label: str) -> exp.Column:
    return exp.column(label, quoted=True)


def _named(label: str) -> exp.Expr:
    return exp.alias_(_plain(label), label, quoted=True)
