"""Dates and times."""

from __future__ import annotations

import datetime as dt
import re

from sqlglot import exp

from services.executor.engines.expressible import NotExpressible
from services.executor.engines.spellings import written_plainly
from services.executor.pushdown.target import UNITS, Rule, Target
from services.executor.pushdown.words import is_day, is_moment, literal_text, own

_TYPES = exp.DataType.Type
_NAMES = {"dayofweek": "dow", "weekday": "dow", "dayofyear": "doy", "weekofyear": "week"}
_PARTS = frozenset("year quarter month week day hour minute second dow isodow doy".split())
_MOST = {"year": 100, "quarter": 400, "month": 1_200, "week": 5_000, "day": 36_500}


def _time(value: exp.Expr) -> exp.Expr:
    if not (is_day(value) or is_moment(value)):
        raise NotExpressible("a date made of another type")
    return value


def day_of(target: Target, text: str) -> exp.Expr:
    """A date that is written out."""
    return target.day(_read(text).date().isoformat())


def moment_of(target: Target, text: str) -> exp.Expr:
    """A moment that is written out."""
    written_plainly(exp.Literal.string(text), _TYPES.TIMESTAMP)
    return target.moment(_read(text).strftime("%Y-%m-%d %H:%M:%S.%f").rjust(26, "0"))


def _read(text: str) -> dt.datetime:
    numbers = [int(part) for part in re.findall(r"\d+", text.partition(".")[0])]
    micros = text.partition(".")[2].rstrip(" Zz").ljust(6, "0")[:6]
    try:
        return dt.datetime(*numbers[:6], microsecond=int(micros) if micros else 0)  # type: ignore[arg-type,misc]
    except ValueError:
        raise NotExpressible(f"the text {text!r} as a time") from None


def part(target: Target, name: str, value: exp.Expr) -> exp.Expr:
    """A part of a date or time, as a whole number. Raises NotExpressible."""
    unit = _NAMES.get(name.lower(), name.lower())
    if unit not in _PARTS:
        raise NotExpressible(f"the part {name} of a date")
    if unit in ("hour", "minute", "second") and is_day(value):
        value = target.cast(value, "moment")
    made = target.part(unit, _time(value))
    made.type = exp.DataType(this=_TYPES.BIGINT)
    return made


def part_of(name: str) -> Rule:
    """A part of a date or time, as a whole number."""
    return lambda target, node: part(target, name, node.this)


def extract(target: Target, node: exp.Expr) -> exp.Expr:
    """EXTRACT."""
    return part(target, node.this.name, node.expression)


def dated_part(target: Target, given: list[exp.Expr]) -> exp.Expr:
    """date_part, with the part as a text."""
    return part(target, literal_text(given[0], "a part of a date"), given[1])


def truncated(target: Target, node: exp.Expr) -> exp.Expr:
    """date_trunc."""
    unit = node.args["unit"].name.lower()
    return cut(target, "week" if unit.startswith("week") else unit, node.this)


def cut(target: Target, unit: str, value: exp.Expr) -> exp.Expr:
    """When a unit began. Raises NotExpressible."""
    if unit not in UNITS:
        raise NotExpressible(f"date_trunc to {unit}")
    if is_day(_time(value)) and unit in ("hour", "minute", "second"):
        value = target.cast(value, "moment")
    made = target.truncated(unit, value)
    made.type = value.type
    return made


def shifted(target: Target, value: exp.Expr, interval: exp.Interval, sign: int) -> exp.Expr:
    """A date or moment and an interval that is written out: a moment."""
    unit = interval.args.get("unit")
    name = unit.name.lower().removesuffix("s") if unit is not None else ""
    counted = interval.this
    if name not in UNITS or not (
        isinstance(counted, exp.Literal) and re.fullmatch(r"-?\d{1,9}", counted.name)
    ):
        raise NotExpressible("an interval that is not written out")
    count = sign * int(counted.name)
    # Beyond what a calendar there may hold, where one of them would not say so.
    if abs(count) > _MOST.get(name, 10**9):
        raise NotExpressible("an interval of more than a hundred years")
    moment = value if is_moment(value) else target.cast(value, "moment")
    made = target.later(moment, count, name)
    made.type = exp.DataType(this=_TYPES.TIMESTAMP)
    return made


def distance(target: Target, node: exp.Expr) -> exp.Expr:
    """date_diff: how many borders of the unit lie between two moments."""
    unit = node.args["unit"].name.lower() if node.args.get("unit") else "day"
    later, earlier = _time(node.this), _time(node.expression)
    if unit == "day":
        ends = [end if is_day(end) else target.cast(end, "day") for end in (earlier, later)]
        return target.days_between(*ends)
    per_year = {"year": 1, "quarter": 4, "month": 12}.get(unit)
    if per_year is None:
        raise NotExpressible(f"date_diff in {unit}")
    ends = []
    for moment in (later, earlier):
        years = own(f"({{0}} * {per_year})", target.part("year", moment))
        within = target.part(unit, moment.copy()) if unit != "year" else own("0")
        ends.append(own("({0} + {1})", years, within))
    return own("({0} - {1})", *ends, kind=_TYPES.BIGINT)


def formatted(target: Target, node: exp.Expr) -> exp.Expr:
    """strftime with the directives that the target has."""
    pattern = literal_text(node.args["format"], "a format")
    parts = []
    for piece in re.findall(r"%-?.|[^%]+", pattern, re.DOTALL):
        if piece.startswith("%"):
            if piece not in target.formats:
                raise NotExpressible(f"the directive {piece} of strftime")
            parts.append(target.formats[piece])
        elif re.fullmatch(r"[-/. :_]+", piece):
            parts.append(piece)
        else:
            raise NotExpressible("a format with words of its own")
    value = _time(node.this)
    moment = value if is_moment(value) else target.cast(value, "moment")
    made = target.formatted(moment, "".join(parts))
    made.type = exp.DataType(this=_TYPES.VARCHAR)
    return made
