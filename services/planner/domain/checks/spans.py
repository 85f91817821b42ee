"""Faults of spans of time: a last day lost, periods without data, weeks of two kinds of year."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

from sqlglot import exp

from services.planner.domain.catalogue import Column, DataType
from services.planner.domain.checks.examples import CATALOGUE_OF_FILMS, SHOP
from services.planner.domain.checks.finding import Severity
from services.planner.domain.checks.literals import Compared, compared, quoted, table_asked, text
from services.planner.domain.checks.rule import (
    Answers,
    Example,
    Rule,
    Suspicion,
    Weighed,
    certain,
    counted,
    numbers,
)
from services.planner.domain.checks.statement import Block, Judged, Origin

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIMES = (DataType.DATE, DataType.DATETIME)
_MEND = "take a span that the data have, or say that there is none"
_NUMBERS = (DataType.INTEGER, DataType.FLOAT)


def _last_day_lost(judged: Judged) -> Iterator[Suspicion]:
    for one in compared(judged, exp.LTE, exp.Between):
        if one.origin.column.data_type is not DataType.DATETIME or not _DAY.fullmatch(
            one.literal.name
        ):
            continue
        if _day_alone(one.column) or not _is_end(one):
            continue
        yield _last_day(judged, one)


def _day_alone(column: exp.Column) -> bool:
    """Whether a moment is compared as its day."""
    cast = column.find_ancestor(exp.Cast, exp.TsOrDsToDate, exp.Date, exp.DateTrunc)
    return cast is not None and cast.find(exp.Column) is column


def _is_end(one: Compared) -> bool:
    if isinstance(one.node, exp.Between):
        return one.literal in list(one.node.args["high"].find_all(exp.Literal))
    return True


def _last_day(judged: Judged, one: Compared) -> Suspicion:
    name, day = quoted(one.origin.column.name), date.fromisoformat(one.literal.name)
    after = day + timedelta(days=1)
    lost = f"{name} > TIMESTAMP '{day} 00:00:00' AND {name} < TIMESTAMP '{after} 00:00:00'"
    below = exp.LT(
        this=one.column.copy(), expression=exp.cast(exp.Literal.string(str(after)), "date")
    )
    changed: exp.Expr = below
    if isinstance(one.node, exp.Between):
        above = exp.GTE(this=one.column.copy(), expression=one.node.args["low"].copy())
        changed = exp.paren(exp.and_(above, below))
    fix = judged.changed(one.node, changed)

    def weigh(answers: Answers) -> Weighed | None:
        values = numbers(answers)
        if values is None or not values[0]:
            return None
        return Weighed(
            f"{counted(values[0], 'row')} of {day} come after midnight, where the condition ends: "
            "they are left out",
            f"end before {after}",
            {"lost": values[0]},
            fix=fix,
        )

    return Suspicion(judged.spelled(one.node), weigh, (table_asked(one.origin, "count(*)", lost),))


def _outside(judged: Judged) -> Iterator[Suspicion]:
    for one in compared(judged, exp.EQ, exp.In, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between):
        if sentence := _beyond(one):
            yield certain(judged.spelled(one.node), sentence, _MEND)
    for block in judged.blocks:
        for node in block.own(exp.EQ, exp.In, exp.GT, exp.GTE):
            if sentence := _year_beyond(block, node):
                yield certain(judged.spelled(node), sentence, _MEND)


def _beyond(one: Compared) -> str:
    """What is said of a bound that no row can fulfil; empty where some may."""
    column = one.origin.column
    low, high, value = (
        _comparable(column, t) for t in (column.minimum, column.maximum, one.literal.name)
    )
    if low is None or high is None or value is None:
        return ""
    flipped = one.node.this.find(exp.Literal) is one.literal
    upward = isinstance(one.node, exp.GT | exp.GTE) is not flipped
    if isinstance(one.node, exp.EQ | exp.In):
        out = not low <= value <= high
    elif isinstance(one.node, exp.Between):
        out = value > high if not _is_end(one) else value < low
    elif isinstance(one.node, exp.GT | exp.GTE | exp.LT | exp.LTE):
        out = value > high if upward else value < low
    else:
        out = False
    if not out or one.negated:
        return ""
    return (
        f"{column.name} of {one.origin.table.name} is from {column.minimum} to {column.maximum}: "
        f"no row is at {one.literal.name}"
    )


def _comparable(column: Column, written: str | None) -> float | None:
    """A bound as it compares with others of its column; None for what does not."""
    if not written:
        return None
    try:
        if column.data_type in _NUMBERS:
            return float(written)
        if column.data_type in _TIMES:
            return datetime.fromisoformat(written).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None
    return None


def _year_beyond(block: Block, node: exp.Expr) -> str:
    """As `_beyond`, of the year of a column of days."""
    year = node.this.unnest()
    if isinstance(year, exp.Cast):
        year = year.this
    is_year = isinstance(year, exp.Year) or (
        isinstance(year, exp.Extract) and year.this.name.upper() == "YEAR"
    )
    if not is_year:
        return ""
    column = year.find(exp.Column)
    origin = block.origin(column) if column is not None else None
    others = node.expressions if isinstance(node, exp.In) else [node.expression]
    years = [int(o.name) for o in others if isinstance(o, exp.Literal) and o.name.isdigit()]
    if origin is None or not years or not origin.column.minimum or not origin.column.maximum:
        return ""
    low, high = origin.column.minimum[:4], origin.column.maximum[:4]
    if not (low.isdigit() and high.isdigit()):
        return ""
    if isinstance(node, exp.GT | exp.GTE):
        out = [y for y in years if y > int(high)]
    else:
        out = [y for y in years if not int(low) <= y <= int(high)]
    if not out:
        return ""
    return (
        f"{origin.column.name} of {origin.table.name} is from {low} to {high}: no row is in "
        f"{', '.join(map(str, out))}"
    )


def _weeks(judged: Judged) -> Iterator[Suspicion]:
    for block in judged.blocks:
        weeks = [g for g in block.groups if _part(g) == "WEEK"]
        years = [g for g in block.groups if _part(g) == "YEAR"]
        if weeks and years:
            yield certain(
                judged.spelled(weeks[0]),
                "weeks are numbered by ISO 8601, and the first and last days of a year often "
                "belong to a week of another year",
                "take isoyear with week, or group by date_trunc('week', …)",
            )


def _part(node: exp.Expr) -> str:
    if isinstance(node, exp.Extract):
        return str(node.this.name).upper()
    return node.key.upper() if isinstance(node, exp.Year | exp.Week | exp.WeekOfYear) else ""


def _months_as_text(judged: Judged) -> Iterator[Suspicion]:
    for block in judged.blocks:
        order = block.select.args.get("order")
        for item in order.expressions if order is not None else ():
            origin = block.origin(item.this) or _given(block, item.this)
            if origin is None or origin.through or not _names_months(origin.column):
                continue
            yield certain(
                judged.spelled(item),
                f"{origin.column.name} holds months as texts, which sort by letter: "
                f"{', '.join(map(text, sorted(origin.column.samples)[:3]))}",
                "order by the month's number or by a date",
            )


def _given(block: Block, node: exp.Expr) -> Origin | None:
    return block.gives(node.name) if isinstance(node, exp.Column) and not node.table else None


_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()


def _names_months(column: Column) -> bool:
    """Whether texts are months by name, with or without a year behind it."""
    if column.data_type is not DataType.STRING or not column.samples:
        return False
    return all(sample[:3].casefold() in _MONTHS for sample in column.samples)


LAST_DAY_LOST = Rule(
    "F04",
    "last day lost",
    Severity.ERROR,
    "A day as the end of a span over moments is its midnight: all that happened on that day is "
    "left out.",
    _last_day_lost,
    (
        Example(
            SHOP,
            (
                "SELECT count(*) FROM orders WHERE sent <= '2024-01-31'",
                "SELECT count(*) FROM orders WHERE sent BETWEEN '2024-01-01' AND '2024-03-31'",
            ),
            (
                "SELECT count(*) FROM orders WHERE sent < '2024-02-01'",
                "SELECT count(*) FROM orders WHERE CAST(sent AS DATE) <= '2024-01-31'",
                "SELECT count(*) FROM orders WHERE ordered <= '2024-01-20'",
                "SELECT count(*) FROM orders WHERE sent <= '2024-02-12'",
            ),
        ),
    ),
)
OUTSIDE = Rule(
    "F06",
    "outside the data",
    Severity.DOUBT,
    "A period or a bound that no row can reach: what is empty, nought or unfiltered then says "
    "nothing of what was asked.",
    _outside,
    (
        Example(
            SHOP,
            (
                "SELECT count(*) FROM orders WHERE ordered >= DATE '2026-01-01'",
                "SELECT count(*) FROM orders WHERE year(ordered) = 2023",
                "SELECT count(*) FROM orders WHERE freight > 500",
            ),
            (
                "SELECT count(*) FROM orders WHERE ordered >= DATE '2024-02-01'",
                "SELECT count(*) FROM orders WHERE year(ordered) = 2024",
                "SELECT count(*) FROM orders WHERE freight < 500",
            ),
        ),
    ),
)
WEEKS = Rule(
    "T03",
    "weeks",
    Severity.DOUBT,
    "The week of ISO 8601 with the year of the calendar puts 30 December into the first week of a "
    "year that is about to end.",
    _weeks,
    (
        Example(
            SHOP,
            ("SELECT year(ordered), week(ordered), count(*) FROM orders GROUP BY 1, 2",),
            (
                "SELECT date_trunc('week', ordered), count(*) FROM orders GROUP BY 1",
                "SELECT week(ordered), count(*) FROM orders GROUP BY 1",
            ),
        ),
    ),
)
MONTHS_AS_TEXT = Rule(
    "T05",
    "order of months",
    Severity.DOUBT,
    "Months as texts sort by letter: April, August, December.",
    _months_as_text,
    (
        Example(
            {"sales": "month,amount\nJan,3\nFeb,4\nMar,5\nApr,2\n"},
            ("SELECT month, sum(amount) FROM sales GROUP BY month ORDER BY month",),
            ("SELECT month, sum(amount) AS a FROM sales GROUP BY month ORDER BY a",),
        ),
        Example(CATALOGUE_OF_FILMS, (), ("SELECT title FROM films ORDER BY genre",)),
    ),
)
RULES = (LAST_DAY_LOST, OUTSIDE, WEEKS, MONTHS_AS_TEXT)
