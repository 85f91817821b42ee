"""Dates and times of DuckDB statements in Spark's words; see `spark_rules`."""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot import exp

from services.executor.engines.expressible import NotExpressible
from services.executor.engines.spark.words import (
    call,
    cast,
    is_date,
    is_time,
    is_whole,
    number,
    words,
)

_UNITS = words("year quarter month week day hour minute second")
_PARTS = {
    "YEAR": "year",
    "QUARTER": "quarter",
    "MONTH": "month",
    "DAY": "day",
    "HOUR": "hour",
    "MINUTE": "minute",
    "SECOND": "second",
    "WEEK": "weekofyear",
    "WEEKOFYEAR": "weekofyear",
    "DOY": "dayofyear",
    "DAYOFYEAR": "dayofyear",
}
_FORMATS = {
    "%Y": "yyyy",
    "%y": "yy",
    "%m": "MM",
    "%d": "dd",
    "%H": "HH",
    "%M": "mm",
    "%S": "ss",
    "%I": "hh",
    "%p": "a",
    "%j": "DDD",
    "%b": "MMM",
    "%B": "MMMM",
    "%a": "EEE",
    "%A": "EEEE",
    "%-d": "d",
    "%-m": "M",
    "%-H": "H",
    "%-I": "h",
    "%%": "%",
}
_SECONDS = {"hour": 3_600, "minute": 60, "second": 1}


def _part(node: exp.Expr) -> exp.Expr:
    name = node.this.name.upper()
    value = node.expression
    if not (is_date(value) or is_time(value)):
        raise NotExpressible("a part of what is neither date nor time")
    if name in ("DOW", "DAYOFWEEK", "WEEKDAY"):
        return _minus_one(call("dayofweek", value.copy()))
    if name == "ISODOW":
        return exp.paren(
            exp.Add(this=call("weekday", value.copy()), expression=number(1)), copy=False
        )
    if name == "EPOCH":
        micros = call("unix_micros", cast(value, "TIMESTAMP"))
        return exp.paren(
            exp.Div(this=cast(micros, "DOUBLE"), expression=number(1_000_000)), copy=False
        )
    if name not in _PARTS:
        raise NotExpressible(f"the part {name.lower()} of a time")
    return call(_PARTS[name], value.copy())


def _minus_one(value: exp.Expr) -> exp.Expr:
    return exp.paren(exp.Sub(this=value, expression=number(1)), copy=False)


def _named(name: str) -> Callable[[exp.Expr], exp.Expr]:
    """A function of one date, after sqlglot's wraps were taken off."""

    def rule(node: exp.Expr) -> exp.Expr:
        value = node.this
        while isinstance(value, (exp.TsOrDsToDate, exp.TsOrDsToTimestamp)):
            value = value.this
        return _part(exp.Extract(this=exp.Var(this=name), expression=value))

    return rule


def _name_of(pattern: str) -> Callable[[exp.Expr], exp.Expr]:
    def rule(node: exp.Expr) -> exp.Expr:
        return call("date_format", cast(node.this, "TIMESTAMP"), exp.Literal.string(pattern))

    return rule


def _trunc(node: exp.Expr) -> exp.Expr:
    unit = _unit(node)
    if not (is_date(node.this) or is_time(node.this)):
        raise NotExpressible("a part of what is neither date nor time")
    return call("date_trunc", exp.Literal.string(unit), cast(node.this, "TIMESTAMP"))


def _unit(node: exp.Expr) -> str:
    unit = node.args.get("unit")
    name = unit.name.lower() if unit is not None else "day"
    if name.removesuffix("s") not in _UNITS and name not in _UNITS:
        raise NotExpressible(f"the unit {name}")
    return name if name in _UNITS else name.removesuffix("s")


def _difference(node: exp.Expr) -> exp.Expr:
    """How many borders of the unit lie between `expression` (the start) and `this`."""
    unit = _unit(node)
    end, start = (_bare(part) for part in (node.this, node.expression))
    if unit == "day":
        return cast(call("datediff", end, start), "BIGINT")
    if unit == "week":
        raise NotExpressible("weeks between dates, which DuckDB counts from the epoch")
    if unit in _SECONDS:
        seconds = [
            call("unix_seconds", call("date_trunc", exp.Literal.string(unit), cast(t, "TIMESTAMP")))
            for t in (end, start)
        ]
        return _whole_part(_minus(*seconds), _SECONDS[unit])
    per_year = {"year": 1, "quarter": 4, "month": 12}[unit]
    return cast(_minus(*(_count(t, unit, per_year) for t in (end, start))), "BIGINT")


def _count(time: exp.Expr, unit: str, per_year: int) -> exp.Expr:
    years = exp.Mul(this=call("year", time.copy()), expression=number(per_year))
    if unit == "year":
        return years
    return exp.paren(exp.Add(this=years, expression=call(unit, time.copy())), copy=False)


def _minus(end: exp.Expr, start: exp.Expr) -> exp.Expr:
    return exp.paren(exp.Sub(this=end, expression=start), copy=False)


def _whole_part(value: exp.Expr, divisor: int) -> exp.Expr:
    return exp.paren(exp.IntDiv(this=value, expression=number(divisor)), copy=False)


def _bare(value: exp.Expr) -> exp.Expr:
    while isinstance(value, (exp.TsOrDsToDate, exp.TsOrDsToTimestamp)):
        value = value.this
    if isinstance(value, exp.Literal) and value.is_string:
        return cast(value, "TIMESTAMP")
    return value.copy()


def _arithmetic(node: exp.Expr) -> exp.Expr:
    """Sums and differences, of which those with dates are another matter in Spark."""
    left, right = node.this, node.expression
    dates = [is_date(side) or is_time(side) for side in (left, right)]
    if not any(dates):
        return node
    if all(dates):
        if isinstance(node, exp.Sub) and is_date(left) and is_date(right):
            return cast(call("datediff", left.copy(), right.copy()), "BIGINT")
        raise NotExpressible("the difference of two times")
    if is_date(left) and is_whole(right):
        name = "date_add" if isinstance(node, exp.Add) else "date_sub"
        return call(name, left.copy(), cast(right, "INT"))
    if dates[0] and isinstance(right, exp.Interval) and isinstance(right.this, exp.Literal):
        return exp.paren(type(node)(this=cast(left, "TIMESTAMP"), expression=right.copy()))
    raise NotExpressible("this arithmetic with dates")


def _formatted(node: exp.Expr) -> exp.Expr:
    return call("date_format", cast(_bare(node.this), "TIMESTAMP"), _format(node.args["format"]))


def _format(node: exp.Expr) -> exp.Expr:
    if not (isinstance(node, exp.Literal) and node.is_string):
        raise NotExpressible("a date format that is computed")
    parts = []
    for token in re.findall(r"%-?.|[^%]+", node.name):
        if token.startswith("%"):
            if token not in _FORMATS:
                raise NotExpressible(f"the date format {token}")
            parts.append(_FORMATS[token])
        else:
            literal = token.replace("'", "''")
            parts.append(f"'{literal}'")
    return exp.Literal.string("".join(parts))


def _made(node: exp.Expr) -> exp.Expr:
    return call("make_date", *[node.args[part].copy() for part in ("year", "month", "day")])


DATE_RULES: dict[str, Callable[[exp.Expr], exp.Expr]] = {
    "Add": _arithmetic,
    "Sub": _arithmetic,
    "Extract": _part,
    "DateTrunc": _trunc,
    "TimestampTrunc": _trunc,
    "DateDiff": _difference,
    "TimestampDiff": _difference,
    "Year": _named("YEAR"),
    "Month": _named("MONTH"),
    "Day": _named("DAY"),
    "Quarter": _named("QUARTER"),
    "Hour": _named("HOUR"),
    "Minute": _named("MINUTE"),
    "Second": _named("SECOND"),
    "Week": _named("WEEK"),
    "WeekOfYear": _named("WEEK"),
    "DayOfWeek": _named("DOW"),
    "DayOfWeekIso": _named("ISODOW"),
    "DayOfYear": _named("DOY"),
    "DayOfMonth": _named("DAY"),
    "Monthname": _name_of("MMMM"),
    "Dayname": _name_of("EEEE"),
    "TimeToStr": _formatted,
    "DateFromParts": _made,
}
