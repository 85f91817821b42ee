"""A part of a statement in people's words; what has none is told as it is written."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

Spelled = Callable[[exp.Expr], str]

_NUMBERS: dict[type[exp.Expr], str] = {
    exp.Sum: "total",
    exp.Avg: "average",
    exp.Max: "highest",
    exp.Min: "lowest",
    exp.Median: "median",
    exp.Stddev: "standard deviation of",
    exp.Mode: "most frequent",
}
_COMPARED: dict[type[exp.Expr], str] = {
    exp.EQ: "is",
    exp.NEQ: "is not",
    exp.GT: "above",
    exp.GTE: "from",
    exp.LT: "below",
    exp.LTE: "up to",
    exp.Like: "like",
    exp.ILike: "like",
}
_OF_DATES = (exp.DateTrunc, exp.TimestampTrunc)
_UNITS: dict[type[exp.Expr], str] = {
    exp.Year: "year",
    exp.Month: "month",
    exp.Quarter: "quarter",
    exp.Day: "day",
    exp.DayOfWeek: "weekday",
    exp.Week: "week",
}


def worded(node: exp.Expr, spelled: Spelled) -> str:
    """The part for people: "total Freight", "Country is Germany", "month of OrderDate"."""
    inner = node.unnest()
    number = _number(inner, spelled)
    if number:
        return number
    if isinstance(inner, exp.Ordered):
        way = "the highest first" if inner.args.get("desc") else "the lowest first"
        return f"{worded(inner.this, spelled)}, {way}"
    if isinstance(inner, exp.Not) and isinstance(inner.this.unnest(), exp.Is):
        return f"{_plain(inner.this.unnest().this, spelled)} is not empty"
    if isinstance(inner, exp.Is):
        return f"{_plain(inner.this, spelled)} is empty"
    if isinstance(inner, exp.Not):
        return f"not {worded(inner.this, spelled)}"
    if isinstance(inner, exp.Or):
        return " or ".join(worded(part, spelled) for part in inner.flatten())
    if isinstance(inner, exp.In) and inner.expressions:
        values = " or ".join(_plain(one, spelled) for one in inner.expressions)
        return f"{_plain(inner.this, spelled)} is {values}"
    if isinstance(inner, exp.Between):
        low, high = (_plain(inner.args[key], spelled) for key in ("low", "high"))
        return f"{_plain(inner.this, spelled)} from {low} to {high}"
    compared = _COMPARED.get(type(inner))
    if compared is not None:
        return f"{_plain(inner.this, spelled)} {compared} {_plain(inner.expression, spelled)}"
    return _plain(inner, spelled)


def _number(node: exp.Expr, spelled: Spelled) -> str:
    if isinstance(node, exp.Filter):
        only = worded(node.expression.this, spelled)
        return f"{worded(node.this, spelled)} where {only}"
    if isinstance(node, exp.Count):
        counted = node.this
        if isinstance(counted, exp.Distinct):
            different = ", ".join(_plain(one, spelled) for one in counted.expressions)
            return f"number of different {different}"
        return (
            "number of rows"
            if isinstance(counted, exp.Star) or counted is None
            else (f"number of {_plain(counted, spelled)}")
        )
    called = _NUMBERS.get(type(node))
    return f"{called} {_plain(node.this, spelled)}" if called else ""


def _plain(node: exp.Expr, spelled: Spelled) -> str:
    """A column by its name, a value as it is, a part of a calendar by what it is called."""
    inner = node.unnest()
    while isinstance(inner, exp.Cast | exp.TryCast | exp.TsOrDsToDate):
        inner = inner.this.unnest()
    if isinstance(inner, exp.Column):
        return spelled(exp.column(inner.name)).strip('"')
    if isinstance(inner, exp.Literal | exp.Null | exp.Boolean):
        return inner.name if isinstance(inner, exp.Literal) else inner.sql().lower()
    if isinstance(inner, _OF_DATES):
        return f"{inner.args['unit'].name.lower()} of {_plain(inner.this, spelled)}"
    unit = _UNITS.get(type(inner))
    if unit is not None:
        return f"{unit} of {_plain(inner.this, spelled)}"
    if isinstance(inner, exp.Extract):
        return f"{inner.this.name.lower()} of {_plain(inner.expression, spelled)}"
    number = _number(inner, spelled)
    return number or _bare(inner, spelled)


def _bare(node: exp.Expr, spelled: Spelled) -> str:
    """As it is written, with columns by their names alone."""
    copied = exp.Paren(this=node.copy())
    for column in copied.find_all(exp.Column):
        column.set("table", None)
    return spelled(copied.this).replace('"', "")
