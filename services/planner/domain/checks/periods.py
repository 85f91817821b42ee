"""Faults of periods: first and last ones that are not whole, gaps between them, days of no zone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from services.planner.domain.catalogue import DataType
from services.planner.domain.checks.examples import SHOP
from services.planner.domain.checks.finding import Severity
from services.planner.domain.checks.literals import quoted, table_asked
from services.planner.domain.checks.rule import (
    Answers,
    Example,
    Rule,
    Suspicion,
    Weighed,
    certain,
    counted,
    first,
    numbers,
)
from services.planner.domain.checks.statement import Block, Judged
from services.planner.domain.lexicon.names import words_of

_UNITS = ("year", "quarter", "month", "week", "day")
_FORMATS = {"%Y": "year", "%Y-%m": "month", "%Y%m": "month", "%Y-%m-%d": "day"}
_TIMES = (DataType.DATE, DataType.DATETIME)
_PATIENCE = 3.0
"""How many usual distances between days may lie between the data's end and the period's."""
_FEWEST_DAYS = 4
_LONGER = 1.6
_WEEKLY = 7
_OFFSET = r"(Z|[+-][0-9]{2}:?[0-9]{2})$"
_WITH_OFFSET = re.compile(rf"\d{{2}}:\d{{2}}.*{_OFFSET}")
_ZONE = frozenset("timezone tz zone utcoffset".split())


@dataclass(frozen=True)
class Period:
    """A part of a statement that gives periods of a column of times."""

    unit: str
    node: exp.Expr
    column: exp.Column


def _period(node: exp.Expr) -> Period | None:
    """The periods that a part of a statement gives; None where it gives none, or parts of many
    years."""
    inner = node.unnest()
    unit = ""
    if isinstance(inner, exp.TimestampTrunc | exp.DateTrunc):
        unit = inner.args["unit"].name.lower()
    elif isinstance(inner, exp.TimeToStr) and isinstance(inner.args["format"], exp.Literal):
        unit = _FORMATS.get(inner.args["format"].name, "")
    elif _takes(inner, "year", exp.Year):
        unit = "year"
    elif isinstance(inner, exp.Cast) and inner.is_type(exp.DataType.Type.DATE):
        within = _period(inner.this)
        return within or _of(inner, "day")
    return _of(inner, unit)


def _takes(node: exp.Expr, part: str, kind: type[exp.Expr]) -> bool:
    """Whether a part of a date is taken, by its function or by EXTRACT."""
    by_extract = isinstance(node, exp.Extract) and node.this.name.lower() == part
    return by_extract or isinstance(node, kind)


def _of(node: exp.Expr, unit: str) -> Period | None:
    columns = list(node.find_all(exp.Column))
    return Period(unit, node, columns[0]) if unit in _UNITS and len(columns) == 1 else None


def _grouped(block: Block) -> Period | None:
    """The periods of times of the data that rows are grouped by, the year with its part as one."""
    periods = [found for group in block.groups if (found := _period(group)) is not None]
    if not periods:
        return None
    finest = max(periods, key=lambda one: _UNITS.index(one.unit))
    parts = {"month": exp.Month, "quarter": exp.Quarter, "week": exp.Week}
    unit = finest.unit
    for name, kind in parts.items():
        if unit == "year" and any(_takes(group, name, kind) for group in block.groups):
            unit = name
    origin = block.origin(finest.column)
    timed = origin is not None and not origin.through and origin.column.data_type in _TIMES
    return Period(unit, finest.node, finest.column) if timed else None


def _part_periods(judged: Judged) -> Iterator[Suspicion]:
    for block in judged.blocks:
        period = _grouped(block) if block.aggregates else None
        if period is not None and period.unit != "day":
            yield _part(judged, block, period)


def _part(judged: Judged, block: Block, period: Period) -> Suspicion:
    inner = block.asking(exp.alias_(period.column.copy(), "assay_time"))
    unit = period.unit
    start, end = (f"date_trunc('{unit}', {which}(assay_time))" for which in ("min", "max"))
    ask = (
        f"SELECT date_diff('day', {start}, min(assay_time)), date_diff('day', max(assay_time), "
        f"{end} + INTERVAL 1 {unit}) - 1, date_diff('day', min(assay_time), max(assay_time)), "
        "count(DISTINCT CAST(assay_time AS DATE)), strftime(min(assay_time), '%Y-%m-%d'), "
        f"strftime(max(assay_time), '%Y-%m-%d') FROM ({inner}) AS each_time"
    )
    shown = _shown(judged, block, period)
    compares = judged.tree.find(exp.Lag, exp.Lead) is not None

    def weigh(answers: Answers) -> Weighed | None:
        row = first(answers)
        if row is None or not all(isinstance(cell, int | float) for cell in row[:4]):
            return None
        before, after, span, days = (float(str(cell)) for cell in row[:4])
        allowed = _PATIENCE * span / max(days - 1, 1)
        ends = [
            f"the {which} {unit} is not whole: its days {verb} {day}"
            for which, verb, day, gap in (
                ("first", "begin with", row[4], before),
                ("last", "end with", row[5], after),
            )
            if gap > allowed
        ]
        if days < _FEWEST_DAYS or not ends:
            return None
        seen = first(answers, 1) if shown else None
        answer = seen is not None and (
            (before > allowed and seen[0] == row[4]) or (after > allowed and seen[1] == row[5])
        )
        return Weighed(
            "; ".join(ends),
            f"leave it out, or compare the same days of each {unit}",
            {"days_before": before, "days_after": after},
            severity=Severity.DOUBT if answer or compares else Severity.NOTE,
        )

    probes = tuple(filter(None, (ask, shown))) if inner else ()
    return Suspicion(judged.spelled(period.node), weigh, probes)


def _shown(judged: Judged, block: Block, period: Period) -> str:
    """A question for the first and last day of the one period that a statement shows; empty where
    it shows more."""
    limit = block.select.args.get("limit")
    if limit is None or limit.expression is None or limit.expression.name != "1":
        return ""
    with_days = block.select.copy()
    days = [
        exp.alias_(kind(this=period.column.copy()), name)
        for kind, name in ((exp.Min, "assay_first"), (exp.Max, "assay_last"))
    ]
    with_days.set("expressions", [*with_days.expressions, *days])
    inner = judged.spelled(judged.with_queries(with_days, block.select))
    return (
        "SELECT strftime(min(assay_first), '%Y-%m-%d'), strftime(max(assay_last), '%Y-%m-%d') "
        f"FROM ({inner}) AS shown"
    )


def _gaps(judged: Judged) -> Iterator[Suspicion]:
    for block in judged.blocks:
        for window in block.own(exp.Window):
            order = window.args.get("order")
            if order is None or not isinstance(window.this, exp.Lag | exp.Lead):
                continue
            key = order.expressions[0].this
            if window.this.this == key:
                continue  # how far apart they are is what is asked
            unit, written = _step(block, key)
            parts = [p.copy() for p in window.args.get("partition_by") or ()]
            grouped = {group.sql() for group in block.groups}
            if grouped and not {one.sql() for one in (key, *parts)} <= grouped:
                continue
            if unit:
                yield _gap(judged, block, window, key, parts, unit, written)


def _step(block: Block, key: exp.Expr) -> tuple[str, str]:
    """The unit of what a window is ordered by, empty for none, "time" for days that the data have;
    and what it is but a date: "number" of a year, or the format of a text."""
    period = _period(key)
    if period is None and isinstance(key, exp.Column):
        source = block.sources.get(key.table)
        given = source.projection(key.name) if isinstance(source, Block) else None
        period = _period(given.unalias()) if given is not None else None
        origin = block.origin(key)
        if period is None and origin is not None and not origin.through:
            if origin.column.data_type in _TIMES:
                return "time", ""
            yearly = words_of(origin.column.name)[-1:] == ("year",)
            if yearly and origin.column.data_type is DataType.INTEGER:
                return "year", "number"
    if period is None:
        return "", ""
    inner = period.node.unnest()
    if isinstance(inner, exp.TimeToStr):
        return period.unit, inner.args["format"].name
    return period.unit, "number" if isinstance(inner, exp.Year | exp.Extract) else ""


def _gap(
    judged: Judged,
    block: Block,
    window: exp.Expr,
    key: exp.Expr,
    parts: list[exp.Expr],
    unit: str,
    written: str,
) -> Suspicion:
    named = [exp.alias_(part, f"assay_part_{i}") for i, part in enumerate(parts)]
    moment = key.copy()
    if written not in ("", "number"):
        moment = exp.StrToTime(this=moment, format=exp.Literal.string(written))
    inner = block.asking(exp.alias_(moment, "assay_at"), *named, distinct=True)
    listed = ", ".join(one.alias for one in named)
    by = f"PARTITION BY {listed} " if listed else ""
    before = f"lag(assay_at) OVER ({by}ORDER BY assay_at)"
    counted_in = "day" if unit == "time" else unit
    far = (
        f"assay_at - {before}"
        if written == "number"
        else f"date_diff('{counted_in}', {before}, assay_at)"
    )
    steps = f"SELECT {far} AS gap FROM ({inner}) AS each_period WHERE assay_at IS NOT NULL"
    ask = (
        f"SELECT count(*) FILTER (WHERE gap > {_LONGER} * usual), max(gap), max(usual) FROM "
        f"(SELECT gap, {'median(gap) OVER ()' if unit == 'time' else '1'} AS usual FROM ({steps}) "
        "AS steps WHERE gap IS NOT NULL) AS gaps"
    )

    def weigh(answers: Answers) -> Weighed | None:
        values = numbers(answers)
        if values is None or not values[0]:
            return None
        gaps, longest, usual = values
        daily = unit == "day" or (unit == "time" and usual < _WEEKLY)
        return Weighed(
            f"{counted(gaps, 'time')} a {counted_in} before is missing, so that the row before is "
            f"up to {counted(longest, counted_in)} away",
            "join the row of the period before by its date, or fill what is missing",
            {"gaps": gaps, "longest": longest},
            severity=Severity.NOTE if daily else Severity.DOUBT,
        )

    return Suspicion(judged.spelled(window), weigh, (ask,) if inner else ())


def _zones(judged: Judged) -> Iterator[Suspicion]:
    for block in judged.blocks:
        for group in block.groups:
            if isinstance(group, exp.Column):
                continue
            for column in group.find_all(exp.Column):
                origin = block.origin(column)
                if origin is None or origin.through or not origin.column.samples:
                    continue
                written = origin.column.data_type is DataType.STRING
                if written and _WITH_OFFSET.search(origin.column.samples[0]):
                    name = quoted(origin.column.name)
                    offset = f"regexp_extract({name}, '{_OFFSET}', 1)"
                    ask = table_asked(
                        origin, f"count(DISTINCT {offset}), min({offset}), max({offset})"
                    )
                    yield _offsets(judged.spelled(group), origin.column.name, ask)
                elif origin.column.data_type is DataType.DATETIME:
                    yield from _zone_beside(judged, group, block, column)


def _offsets(at: str, name: str, ask: str) -> Suspicion:
    def weigh(answers: Answers) -> Weighed | None:
        row = first(answers)
        if row is None or not isinstance(row[0], int | float) or row[0] < 2:
            return None
        return Weighed(
            f"{name} is written in {row[0]:,.0f} offsets from UTC, {row[1]} and {row[2]} among "
            "them, and a day of one is not the day of another",
            "bring them to one zone before the day is taken",
            {"offsets": float(row[0])},
        )

    return Suspicion(at, weigh, (ask,))


def _zone_beside(
    judged: Judged, group: exp.Expr, block: Block, column: exp.Column
) -> Iterator[Suspicion]:
    """Moments with their zone in a column beside, which nothing of the statement uses."""
    origin = block.origin(column)
    used = {c.name for c in judged.tree.find_all(exp.Column)}
    for other in origin.table.columns if origin is not None else ():
        zone = _ZONE & set(words_of(other.name)) and other.data_type is DataType.STRING
        if zone and other.distinct > 1 and other.name.casefold() not in used:
            text = f"{column.name} is of {other.distinct} values of {other.name}"
            yield certain(
                judged.spelled(group),
                f"{text}: whether it is local time or UTC decides which day it falls on",
                "say which it is",
                severity=Severity.NOTE,
            )


_DAILY = "".join(f"2024-0{m}-{d:02},{m + d}\n" for m in (1, 2) for d in range(1, 29))
_SALES = {
    "sales": f"day,amount\n{_DAILY}2024-03-01,4\n2024-03-02,5\n",
    "whole": f"day,amount\n{_DAILY}",
}
_MONTH = "date_trunc('month', day)"
_YEARS = {
    "crops": "year,yield\n2018,4\n2019,5\n2021,6\n2022,7\n",
    "full": "year,yield\n2018,4\n2019,5\n2020,6\n",
}
_CALLS = {
    "calls": "call_id,at:text\n1,2024-01-01T23:30:00+00:00\n2,2024-01-02T00:30:00+02:00\n",
    "local": "call_id,at:text\n1,2024-01-01T23:30:00+02:00\n2,2024-01-02T00:30:00+02:00\n",
}
PART_PERIODS = Rule(
    "T01",
    "part periods",
    Severity.NOTE,
    "A month that has just begun is small beside whole ones. A note, and a doubt where a part of a "
    "period is the answer or is compared with the one before.",
    _part_periods,
    (
        Example(
            _SALES,
            (
                f"SELECT {_MONTH}, sum(amount) FROM sales GROUP BY 1",
                f"SELECT {_MONTH}, sum(amount) FROM sales GROUP BY 1 ORDER BY 2 LIMIT 1",
                f"SELECT {_MONTH}, sum(amount) - lag(sum(amount)) OVER (ORDER BY {_MONTH}) FROM "
                "sales GROUP BY 1",
                "SELECT year(day), month(day), count(*) FROM sales GROUP BY 1, 2",
            ),
            (
                f"SELECT {_MONTH}, sum(amount) FROM whole GROUP BY 1",
                f"SELECT {_MONTH}, sum(amount) FROM sales WHERE day < '2024-03-01' GROUP BY 1",
                "SELECT day, sum(amount) FROM sales GROUP BY 1",
            ),
        ),
        Example(SHOP, (), ("SELECT month(ordered), count(*) FROM orders GROUP BY 1",)),
    ),
)
ZONES = Rule(
    "T02",
    "zones",
    Severity.DOUBT,
    "A moment half an hour before midnight in UTC is tomorrow in Oslo: days of moments in several "
    "offsets are no days of anyone (RFC 3339, sec. 4).",
    _zones,
    (
        Example(
            _CALLS,
            (
                "SELECT substr(at, 1, 10), count(*) FROM calls GROUP BY 1",
                "SELECT left(at, 10), count(*) FROM calls GROUP BY 1",
            ),
            (
                "SELECT substr(at, 1, 10), count(*) FROM local GROUP BY 1",
                "SELECT at, count(*) FROM calls GROUP BY 1",
            ),
        ),
        Example(
            {"rides": "at,zone\n2024-01-01 23:30:00,CET\n2024-01-02 00:30:00,EET\n"},
            ("SELECT date_trunc('day', at), count(*) FROM rides GROUP BY 1",),
            ("SELECT date_trunc('day', at), zone, count(*) FROM rides GROUP BY 1, 2",),
        ),
    ),
)
GAPS = Rule(
    "T04",
    "gaps",
    Severity.DOUBT,
    "LAG takes the row before, not the period before: where a month is missing, growth over two "
    "months is told as growth over one. A note of days, which often have no row.",
    _gaps,
    (
        Example(
            _YEARS,
            ("SELECT year, yield - lag(yield) OVER (ORDER BY year) FROM crops",),
            ("SELECT year, yield - lag(yield) OVER (ORDER BY year) FROM full",),
        ),
        Example(
            {
                "bills": "day,amount\n2024-01-05,4\n2024-02-05,5\n2024-04-05,6\n2024-05-05,7\n",
                "every": "day,amount\n2024-01-05,4\n2024-02-05,5\n2024-03-05,6\n2024-04-05,7\n",
            },
            (
                "SELECT m, a - lag(a) OVER (ORDER BY m) FROM (SELECT date_trunc('month', day) AS "
                "m, sum(amount) AS a FROM bills GROUP BY 1) t",
                "SELECT day, amount - lag(amount) OVER (ORDER BY day) FROM bills",
                "SELECT strftime(day, '%Y-%m') AS m, sum(amount) - lag(sum(amount)) OVER (ORDER BY "
                "strftime(day, '%Y-%m')) FROM bills GROUP BY 1",
            ),
            (
                "SELECT m, a - lag(a) OVER (ORDER BY m) FROM (SELECT date_trunc('month', day) AS "
                "m, sum(amount) AS a FROM every GROUP BY 1) t",
                "SELECT day, amount - lag(amount) OVER (ORDER BY day) FROM every",
            ),
        ),
    ),
)
RULES = (PART_PERIODS, ZONES, GAPS)
