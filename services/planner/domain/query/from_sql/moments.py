"""Conditions on times in one form: from a day on, and before a day."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import Any

from services.planner.domain.query.calendar import STEPS, floor_of
from services.planner.domain.query.from_sql.nodes import (
    Node,
    NotExpressibleError,
    conjunction,
    members,
)
from services.planner.domain.query.kinds import Grain

_CALENDAR = (Grain.YEAR, Grain.QUARTER, Grain.MONTH, Grain.WEEK, Grain.DAY)
_MIDNIGHT = "00:00:00"


def moment(text: str, *, whole_day: bool = False) -> Node:
    """A moment from its text, which a day is the beginning of; or the day that it is of. Raises
    NotExpressibleError for any other text."""
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        raise NotExpressibleError(f"{text!r} is no moment") from None
    if found.tzinfo is not None:
        raise NotExpressibleError("a moment of a time zone")
    midnight = whole_day or found.time().isoformat() == _MIDNIGHT
    return Node("moment", (str(found.date()) if midnight else found.isoformat(sep=" "),))


def day_of(node: Node) -> date | None:
    """The day that a moment is the beginning of; None for any other."""
    text = node.parts[0] if node.op == "moment" else ""
    return date.fromisoformat(text) if len(text) == len("2024-01-01") else None


def compared(op: str, left: Node, right: Node, *, is_day: bool) -> Node:
    """A time, or the unit of one, compared with a value; `is_day` of a column of whole days.

    What is said of a unit is said of its first day: a year until 1997 is a time before 1998.
    """
    if left.op == "grain":
        grain, of = Grain(left.parts[0]), left.parts[1]
        start = _start(grain, right)
        if start is None:
            raise NotExpressibleError("a part of the calendar that comes again")
        return _of_unit(op, of, start, _after(grain, start))
    day = day_of(right)
    if is_day and day is not None and op in ("gt", "le"):
        after = Node("moment", (str(day + timedelta(days=1)),))
        return Node("ge" if op == "gt" else "lt", (left, after))
    return Node(op, (left, right))


def among(left: Node, values: Iterable[Node]) -> Node:
    """One of several units of time: spans of it, those that follow each other as one."""
    grain, of = Grain(left.parts[0]), left.parts[1]
    starts = sorted({_begun(grain, value) for value in values})
    spans: list[tuple[date, date]] = []
    for start in starts:
        end = _after(grain, start)
        if spans and spans[-1][1] == start:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    found = [_span(of, start, end) for start, end in spans]
    return found[0] if len(found) == 1 else Node("or", tuple(sorted(found, key=repr)))


def with_months(conditions: Iterable[Node]) -> list[Node]:
    """Conditions of which a month without its year, and the year, are that month."""
    found = list(conditions)
    for month in [c for c in found if c.op == "month is"]:
        of, number = month.parts
        for year in [c for c in found if c.op == "and" and _is_year(c, of)]:
            start = day_of(_bound(year, "ge"))
            if start is None:
                continue
            first = date(start.year, number, 1)
            found.remove(year)
            found.remove(month)
            found.append(_span(of, first, _after(Grain.MONTH, first)))
            break
    return found


def span_of(conditions: Iterable[Node], of: Node) -> tuple[date, date] | None:
    """The days that two conditions on a time leave, from the first to the one after the last."""
    first: date | None = None
    end: date | None = None
    for one in conditions:
        if one.op not in ("ge", "lt") or one.parts[0] != of:
            return None
        day = day_of(one.parts[1])
        first, end = (day, end) if one.op == "ge" else (first, day)
    return (first, end) if first is not None and end is not None else None


def _is_year(node: Node, of: Node) -> bool:
    span = span_of(node.parts, of)
    return span is not None and span == (date(span[0].year, 1, 1), date(span[0].year + 1, 1, 1))


def _bound(node: Node, op: str) -> Node:
    found: Node = next(one.parts[1] for one in members(node) if one.op == op)
    return found


def _begun(grain: Grain, value: Node) -> date:
    start = _start(grain, value)
    if start is None:
        raise NotExpressibleError("no beginning of a unit of time")
    return start


def _start(grain: Grain, value: Node) -> date | None:
    """The first day of the unit that a value names; None where it names none."""
    if grain is Grain.YEAR:
        number: Any = value.parts[0] if value.op == "number" else None
        return date(number, 1, 1) if isinstance(number, int) and 1 <= number < 9999 else None
    day = day_of(value) if grain in _CALENDAR else None
    return day if day is not None and _begins(grain, day) else None


def _begins(grain: Grain, day: date) -> bool:
    """Whether a unit of time begins on a day: no month does on its 15th."""
    if grain is Grain.WEEK:
        return day.weekday() == 0
    return grain is Grain.DAY or floor_of(day, grain.value) == day


def _after(grain: Grain, start: date) -> date:
    return start + STEPS[grain.value]


def _of_unit(op: str, of: Node, start: date, end: date) -> Node:
    if op == "ge":
        return Node("ge", (of, Node("moment", (str(start),))))
    if op == "lt":
        return Node("lt", (of, Node("moment", (str(start),))))
    return Node("ge" if op == "gt" else "lt", (of, Node("moment", (str(end),))))


def _span(of: Node, start: date, end: date) -> Node:
    return conjunction(
        Node(op, (of, Node("moment", (str(day),)))) for op, day in (("ge", start), ("lt", end))
    )
