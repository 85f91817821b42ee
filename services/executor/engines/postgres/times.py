"""Dates and times of DuckDB in PostgreSQL's words."""

from __future__ import annotations

import re

from sqlglot import exp

from services.executor.engines.expressible import NotExpressible
from services.executor.engines.postgres.words import (
    Rule,
    call,
    cast,
    collated,
    literal_text,
    text,
)

_FORMATS = {
    "%Y": "YYYY",
    "%y": "YY",
    "%m": "MM",
    "%d": "DD",
    "%H": "HH24",
    "%M": "MI",
    "%S": "SS",
    "%I": "HH12",
    "%p": "AM",
    "%j": "DDD",
    "%b": "Mon",
    "%B": "FMMonth",
    "%a": "Dy",
    "%A": "FMDay",
    "%f": "US",
    "%G": "IYYY",
    "%V": "IW",
    "%u": "ID",
    "%-d": "FMDD",
    "%-m": "FMMM",
    "%-H": "FMHH24",
    "%-j": "FMDDD",
    "%-I": "FMHH12",
}
_PARTS = {
    "YEAR": "year",
    "MONTH": "month",
    "DAY": "day",
    "QUARTER": "quarter",
    "HOUR": "hour",
    "MINUTE": "minute",
    "WEEK": "week",
    "DOW": "dow",
    "DAYOFWEEK": "dow",
    "WEEKDAY": "dow",
    "ISODOW": "isodow",
    "DOY": "doy",
    "DAYOFYEAR": "doy",
    "ISOYEAR": "isoyear",
    "DECADE": "decade",
    "CENTURY": "century",
    "YEARMONTH": "",
    "WEEKOFYEAR": "week",
}
# Not centuries: they begin a year earlier in DuckDB.
UNITS = frozenset("year quarter month week day hour minute second decade".split())


def part_of(name: str) -> Rule:
    """A part of a date or time, as a whole number."""

    def rule(node: exp.Expr) -> exp.Expr:
        return extracted(name, node.this)

    return rule


def extracted(name: str, value: exp.Expr) -> exp.Expr:
    """EXTRACT as a whole number."""
    moment = cast(value, "timestamp")
    return cast(exp.Extract(this=exp.Var(this=name), expression=moment), "int8")


def extract(node: exp.Expr) -> exp.Expr:
    """EXTRACT and date_part."""
    name = node.this.name.upper()
    if name == "EPOCH":
        moment = cast(node.expression, "timestamp")
        return cast(exp.Extract(this=exp.Var(this="epoch"), expression=moment), "float8")
    if name == "SECOND":
        return seconds(node.expression)
    if not _PARTS.get(name):
        raise NotExpressible(f"the part {name.lower()} of a date")
    return extracted(_PARTS[name], node.expression)


def dated_part(given: list[exp.Expr]) -> exp.Expr:
    """date_part, with the part as a text."""
    name = literal_text(given[0], "a part of a date")
    return extract(exp.Extract(this=exp.Var(this=name), expression=given[1]))


def seconds(value: exp.Expr) -> exp.Expr:
    """Whole seconds of a time, cut."""
    part = exp.Extract(this=exp.Var(this="second"), expression=cast(value, "timestamp"))
    return cast(call("trunc", part), "int8")


def truncated(node: exp.Expr) -> exp.Expr:
    """date_trunc of a timestamp without a zone."""
    unit = node.args["unit"].name.lower()
    if unit.startswith("week"):
        unit = "week"
    if unit not in UNITS:
        raise NotExpressible(f"date_trunc to {unit}")
    return call("date_trunc", text(unit), cast(node.this, "timestamp"))


def distance(node: exp.Expr) -> exp.Expr:
    """date_diff: how many borders of the unit lie between two moments."""
    unit = node.args["unit"].name.lower() if node.args.get("unit") else "day"
    later, earlier = node.this, node.expression
    if unit == "day":
        days = exp.Sub(this=cast(later, "date"), expression=cast(earlier, "date"))
        return cast(exp.paren(days), "int8")
    if unit == "week":
        # Whole spans of seven days, whichever weekday they begin on.
        days = exp.Sub(this=cast(later, "date"), expression=cast(earlier, "date"))
        weeks = call("div", cast(exp.paren(days), "numeric"), exp.Literal.number(7))
        return cast(weeks, "int8")
    if unit in ("year", "quarter", "month"):
        per_year = {"year": 1, "quarter": 4, "month": 12}[unit]
        ends = []
        for moment in (later, earlier):
            years = exp.Mul(this=extracted("year", moment), expression=exp.Literal.number(per_year))
            ends.append(
                exp.Add(this=years, expression=extracted(unit, moment.copy()))
                if unit != "year"
                else years
            )
        return exp.paren(exp.Sub(this=exp.paren(ends[0]), expression=exp.paren(ends[1])))
    length = {"hour": 3_600, "minute": 60, "second": 1}.get(unit)
    if length is None:
        raise NotExpressible(f"date_diff in {unit}")
    moments = [
        exp.Extract(
            this=exp.Var(this="epoch"),
            expression=call("date_trunc", text(unit), cast(moment, "timestamp")),
        )
        for moment in (later, earlier)
    ]
    span = exp.paren(exp.Sub(this=moments[0], expression=moments[1]))
    return cast(exp.Div(this=span, expression=exp.Literal.number(length), typed=True), "int8")


def formatted(node: exp.Expr) -> exp.Expr:
    """strftime with the directives that to_char has."""
    pattern = literal_text(node.args["format"], "a format")
    parts = []
    for piece in re.findall(r"%-?.|[^%]+", pattern):
        if piece == "%%":
            parts.append('"%"')
        elif piece.startswith("%"):
            if piece not in _FORMATS:
                raise NotExpressible(f"the directive {piece} of strftime")
            parts.append(_FORMATS[piece])
        else:
            escaped = piece.replace("\\", "\\\\").replace('"', '\\"')
            parts.append(f'"{escaped}"')
    return collated(call("to_char", cast(node.this, "timestamp"), text("".join(parts))))


def named_part(pattern: str) -> Rule:
    """The English name of a weekday or month."""

    def rule(node: exp.Expr) -> exp.Expr:
        return collated(call("to_char", cast(node.this, "timestamp"), text(pattern)))

    return rule
