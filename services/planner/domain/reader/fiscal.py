"""Fiscal years: years that begin in another month than January, which somebody has to say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.confidence.thresholds import LIKELY
from services.planner.domain.query.dimensions.coverage import coverage_notes, days_of
from services.planner.domain.query.intent import (
    ChartType,
    Dimension,
    Field,
    Grain,
    Intent,
    NotUnderstood,
    Period,
    Understood,
)
from services.planner.domain.query.planning.summary import summarise
from services.planner.domain.reader.lost_amounts import refused

_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_MONTH = "|".join(f"{name}|{name[:3]}" for name in _MONTHS)
_YEAR = r"(?:fiscal|financial)\s+years?|fiscals?(?=\s+(?:19|20)\d\d)|\bFYs?"
_ANY = re.compile(r"\b(?:fiscal|financial\s+(?:years?|quarters?))\b|\bFY(?:\s?\d|s?\b)")
_STARTS = re.compile(
    r"[,(]?\s*\b(?:that\s+|which\s+|and\s+)?(?:starts?|starting|begins?|beginning|from)\s+"
    rf"(?:in|on|with|of)?\s*(?:the\s+)?(?:1(?:st)?\s+(?:of\s+)?)?(?P<month>{_MONTH})\b(?:\s+1(?:st)?)?\)?",
    re.IGNORECASE,
)
_ONE = re.compile(
    rf"\b(?:in|for|during|of|over)?\s*(?:the\s+)?(?:{_YEAR})\s*"
    r"(?P<year>(?:19|20)\d\d|\d\d(?=\b))(?:\s*[/-]\s*(?P<to>(?:20)?\d\d))?",
    re.IGNORECASE,
)
_EACH = re.compile(rf"\b(?:by|per|for\s+each|each|for\s+every)\s+(?:the\s+)?(?:{_YEAR})\b", re.I)
_MOST_YEARS = 120


@dataclass(frozen=True, slots=True)
class Fiscal:
    """A question with fiscal years put as days or as calendar years, and what is told of that.

    With `each` its years are to be those that begin in the month of number `starts`.
    """

    question: str
    starts: int = 1
    each: bool = False
    note: str = ""


def fiscal_of(question: str, catalogue: Catalogue) -> Fiscal | NotUnderstood | None:
    """What the question says of fiscal years; None where it does not, and why it cannot be answered
    where it does not say, and no semantic model does, when they begin."""
    named = {
        word for t in catalogue.tables for c in t.columns for word in c.name.lower().split("_")
    }
    if not _ANY.search(question) or {"fiscal", "fy"} & named:
        return None
    match = _STARTS.search(question)
    starts = _number(match["month"]) if match is not None else catalogue.fiscal_year_starts
    if not starts:
        return refused(
            "A fiscal year begins in another month from one house to the next: say in which, for "
            'instance "by fiscal year starting in April", or set fiscal_year_starts in the '
            "semantic model.",
            catalogue,
        )
    if match is not None:
        question = question[: match.start()] + question[match.end() :]
    if _EACH.search(question):
        question = _EACH.sub("by year", question)
        if not _ANY.search(question):
            return Fiscal(question.strip(), starts, each=True)
    if (one := _ONE.search(question)) is not None:
        ends = _year(one["to"]) if one["to"] else _year(one["year"])
        first, last = _days(ends, starts)
        span = f"from {_describe_day(first)} to {_describe_day(last)}"
        question = f"{question[: one.start()]} {span}{question[one.end() :]}"
        note = f"fiscal year {label(first)} is {span}"
        if not one["to"] and starts > 1:
            note += f", the one that ends in {last.year}"
        if not _ANY.search(question):
            return Fiscal(" ".join(question.split()), starts, note=note)
    return refused(
        'Of fiscal years one can be asked for, or each: say "in fiscal year 2024 starting in '
        'April" or "by fiscal year starting in April".',
        catalogue,
    )


def by_fiscal_year(
    found: Understood, fiscal: Fiscal, catalogue: Catalogue
) -> Understood | NotUnderstood:
    """The reading by calendar years as one by fiscal years, or with what is told of the one that
    was asked for."""
    sure = min(found.confidence, LIKELY)
    if not fiscal.each:
        notes = (fiscal.note, *found.assumptions)
        return found.model_copy(update={"assumptions": notes, "confidence": sure, "measured": True})
    intent = _split(found.intent, fiscal.starts, catalogue)
    if intent is None:
        return refused(
            "This cannot be told by fiscal year: sums, counts and means of rows with a date can.",
            catalogue,
        )
    calendar = set(coverage_notes(found.intent, catalogue))
    kept = [note for note in found.assumptions if note not in calendar]
    month = _MONTHS[fiscal.starts - 1]
    notes = (f"fiscal years begin on 1 {month}", *coverage_notes(intent, catalogue), *kept)
    return found.model_copy(
        update={
            "intent": intent,
            "summary": summarise(intent, catalogue),
            "assumptions": notes,
            "confidence": sure if len(notes) > 1 + len(kept) else found.confidence,
        }
    )


def label(first: date) -> str:
    """What a fiscal year that begins on a day is called: "FY2023/24"."""
    if first.month == 1:
        return f"FY{first.year}"
    return f"FY{first.year}/{(first.year + 1) % 100:02}"


def _split(intent: Intent, starts: int, catalogue: Catalogue) -> Intent | None:
    """The intent with its calendar years as fiscal ones; None where it has none, or needs them in
    their own order."""
    yearly = [d for d in intent.dimensions if d.grain is Grain.YEAR]
    if len(yearly) != 1 or intent.derived or intent.cohort or intent.statistic:
        return None
    dated = yearly[0].expression
    days = days_of(dated, catalogue) if isinstance(dated, Field) else None
    if days is None or not isinstance(dated, Field):
        return None
    periods = tuple(_periods(dated, days.first, days.last, starts))
    if not 0 < len(periods) <= _MOST_YEARS:
        return None
    split = Dimension(expression=dated, label="fiscal year", periods=periods)
    dimensions = tuple(split if d is yearly[0] else d for d in intent.dimensions)
    chart = ChartType.BAR if intent.chart is ChartType.LINE else intent.chart
    return intent.model_copy(update={"dimensions": dimensions, "chart": chart})


def _periods(dated: Field, first: date, last: date, starts: int) -> Iterator[Period]:
    opens = date(first.year - (first.month < starts), starts, 1)
    while opens <= last:
        closes = date(opens.year + 1, starts, 1)
        yield Period(label=label(opens), dated=dated, start=opens, end=closes)
        opens = closes


def _days(ends: int, starts: int) -> tuple[date, date]:
    """The first and the last day of the fiscal year that ends in a year."""
    opens = date(ends if starts == 1 else ends - 1, starts, 1)
    return opens, date(opens.year + 1, starts, 1) - timedelta(days=1)


def _number(month: str) -> int:
    return next(n for n, name in enumerate(_MONTHS, 1) if name[:3].lower() == month[:3].lower())


def _year(digits: str) -> int:
    return int(digits) if len(digits) == 4 else 2000 + int(digits)


def _describe_day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"
