"""Dates and times of DuckDB in the words of MySQL and MariaDB."""

from __future__ import annotations

import re

from sqlglot import exp

from services.executor.engines.expressible import NotExpressible
from services.executor.engines.mysql.words import (
    Rule,
    call,
    cast,
    is_day,
    is_moment,
    literal_text,
    number,
    text,
)

_FORMATS = {
    "%Y": "%Y",
    "%y": "%y",
    "%m": "%m",
    "%d": "%d",
    "%H": "%H",
    "%M": "%i",
    "%S": "%S",
    "%I": "%h",
    "%p": "%p",
    "%j": "%j",
    "%b": "%b",
    "%B": "%M",
    "%a": "%a",
    "%A": "%W",
    "%f": "%f",
    "%G": "%x",
    "%V": "%v",
    "%w": "%w",
    "%-d": "%e",
    "%-m": "%c",
    "%-H": "%k",
    "%-I": "%l",
}
_CUT = {
    "year": "%Y-01-01",
    "month": "%Y-%m-01",
    "day": "%Y-%m-%d",
    "hour": "%Y-%m-%d %H:00:00",
    "minute": "%Y-%m-%d %H:%i:00",
    "second": "%Y-%m-%d %H:%i:%s",
}
_EPOCH = "1970-01-01 00:00:00"


def _time(value: exp.Expr) -> exp.Expr:
    if not (is_day(value) or is_moment(value)):
        raise NotExpressible("a date made of another type")
    return value


def _whole(name: str) -> Rule:
    return lambda value: call(name, value)


_PARTS: dict[str, Rule] = {
    "year": _whole("year"),
    "month": _whole("month"),
    "day": _whole("dayofmonth"),
    "quarter": _whole("quarter"),
    "hour": _whole("hour"),
    "minute": _whole("minute"),
    "second": _whole("second"),
    "doy": _whole("dayofyear"),
    "week": lambda value: call("week", value, number(3)),
    "dow": lambda value: exp.paren(exp.Sub(this=call("dayofweek", value), expression=number(1))),
    "isodow": lambda value: exp.paren(exp.Add(this=call("weekday", value), expression=number(1))),
    "isoyear": lambda value: exp.paren(
        exp.IntDiv(this=call("yearweek", value, number(3)), expression=number(100))
    ),
    "decade": lambda value: exp.paren(exp.IntDiv(this=call("year", value), expression=number(10))),
}
_NAMES = {
    "dayofweek": "dow",
    "weekday": "dow",
    "dayofyear": "doy",
    "weekofyear": "week",
}


def extracted(name: str, value: exp.Expr) -> exp.Expr:
    """A part of a date or time, as a whole number. Raises NotExpressible."""
    rule = _PARTS.get(_NAMES.get(name, name))
    if rule is None:
        raise NotExpressible(f"the part {name} of a date")
    if name in ("hour", "minute", "second") and is_day(value):
        value = cast(value, "moment")
    return rule(_time(value))


def part_of(name: str) -> Rule:
    """A part of a date or time, as a whole number."""
    return lambda node: extracted(name, node.this)


def extract(node: exp.Expr) -> exp.Expr:
    """EXTRACT and date_part."""
    name, value = node.this.name.lower(), node.expression
    if name == "epoch":
        since = exp.Anonymous(
            this="TIMESTAMPDIFF",
            expressions=[exp.Var(this="MICROSECOND"), cast(text(_EPOCH), "moment"), _time(value)],
        )
        return exp.paren(
            exp.Div(this=cast(since, "double"), expression=cast(number("1e6"), "double"))
        )
    return extracted(name, value)


def dated_part(given: list[exp.Expr]) -> exp.Expr:
    """date_part, with the part as a text."""
    name = literal_text(given[0], "a part of a date")
    return extract(exp.Extract(this=exp.Var(this=name), expression=given[1]))


def truncated(node: exp.Expr) -> exp.Expr:
    """date_trunc of a timestamp without a zone."""
    unit = node.args["unit"].name.lower()
    return cut(node.this, "week" if unit.startswith("week") else unit)


def cut(value: exp.Expr, unit: str) -> exp.Expr:
    """The moment at which a unit began. Raises NotExpressible."""
    _time(value)
    if unit in _CUT:
        return cast(call("date_format", value, text(_CUT[unit])), "moment")
    if unit == "week":
        days = exp.Interval(this=exp.paren(call("weekday", value.copy())), unit=exp.Var(this="DAY"))
        return cast(exp.paren(exp.Sub(this=cast(value, "date"), expression=days)), "moment")
    if unit == "quarter":
        month = exp.Sub(
            this=exp.Mul(this=call("quarter", value.copy()), expression=number(3)),
            expression=number(2),
        )
        day = call("concat", call("date_format", value, text("%Y-")), month, text("-01"))
        return cast(day, "moment")
    raise NotExpressible(f"date_trunc to {unit}")


def distance(node: exp.Expr) -> exp.Expr:
    """date_diff: how many borders of the unit lie between two moments."""
    unit = node.args["unit"].name.lower() if node.args.get("unit") else "day"
    later, earlier = _time(node.this), _time(node.expression)
    if unit == "day":
        return call("datediff", later, earlier)
    if unit == "week":
        # Whole spans of seven days, whichever weekday they begin on.
        return exp.paren(exp.IntDiv(this=call("datediff", later, earlier), expression=number(7)))
    if unit in ("year", "quarter", "month"):
        per_year = {"year": 1, "quarter": 4, "month": 12}[unit]
        ends = []
        for moment in (later, earlier):
            years = exp.Mul(this=call("year", moment), expression=number(per_year))
            ends.append(
                years
                if unit == "year"
                else exp.Add(this=years, expression=call(unit, moment.copy()))
            )
        return exp.paren(exp.Sub(this=exp.paren(ends[0]), expression=exp.paren(ends[1])))
    if unit not in ("hour", "minute", "second"):
        raise NotExpressible(f"date_diff in {unit}")
    return call("timestampdiff", exp.Var(this=unit.upper()), cut(earlier, unit), cut(later, unit))


def formatted(node: exp.Expr) -> exp.Expr:
    """strftime with the directives that date_format has."""
    pattern = literal_text(node.args["format"], "a format")
    parts = []
    for piece in re.findall(r"%-?.|[^%]+", pattern, re.DOTALL):
        if piece.startswith("%") and piece != "%%":
            if piece not in _FORMATS:
                raise NotExpressible(f"the directive {piece} of strftime")
            parts.append(_FORMATS[piece])
        else:
            parts.append(piece)
    return call("date_format", cast(_time(node.this), "moment"), text("".join(parts)))


def named(name: str) -> Rule:
    """The English name of a weekday or month."""
    return lambda node: call(name, _time(node.this))
