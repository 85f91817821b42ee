"""Periods of time as syntax-tree nodes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from sqlglot import exp

from services.planner.domain.catalogue import DataType
from services.planner.domain.query.intent import Grain, Intent, Period
from services.planner.domain.query.planning.predicates import column_node

_PARTS = {
    Grain.WEEKDAY: "DAYNAME",
    Grain.MONTH_OF_YEAR: "MONTH",
    Grain.HOUR: "HOUR",
    Grain.YEAR: "YEAR",
}


def unit_of(value: exp.Expr, grain: Grain) -> exp.Expr:
    """The unit of time that a moment lies in: its first day, or its number or name."""
    if grain in _PARTS:
        return exp.func(_PARTS[grain], value)
    if grain is Grain.DAY:
        return exp.cast(value, "DATE")
    name = exp.Literal.string(grain.value)
    return exp.cast(exp.Anonymous(this="DATE_TRUNC", expressions=[name, value]), "DATE")


def inside(period: Period, data_type: DataType | None) -> exp.Expr:
    """The condition that a row's date, or year, lies in the period."""
    column: exp.Expr = column_node(period.dated)
    if data_type is DataType.STRING:
        column = exp.TryCast(this=column, to=exp.DataType.build("INT"))
    found: list[exp.Expr] = []
    if period.start is not None:
        found.append(exp.GTE(this=column.copy(), expression=_end(period.start, data_type)))
    if period.end is not None:
        found.append(exp.LT(this=column.copy(), expression=_end(period.end, data_type)))
    return exp.and_(*found)


def _end(day: date, data_type: DataType | None) -> exp.Expr:
    if data_type in (DataType.DATE, DataType.DATETIME):
        kind = "TIMESTAMP" if data_type is DataType.DATETIME else "DATE"
        return exp.cast(exp.Literal.string(day.isoformat()), kind)
    return exp.Literal.number(day.year)


def label_of_period(periods: Sequence[Period], data_type: DataType | None) -> exp.Expr:
    """The label of the period that a row lies in; nothing outside all of them."""
    case = exp.Case()
    for period in periods:
        case = case.when(inside(period, data_type), exp.Literal.string(period.label))
    return case


def periods_of(intent: Intent) -> tuple[Period, ...]:
    """Every period that rows have to lie in, one or the other."""
    split = [period for d in intent.dimensions for period in d.periods]
    during = [measure.during for measure in intent.measures if measure.during is not None]
    return tuple(dict.fromkeys([*split, *during]))
