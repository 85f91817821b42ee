"""Two years set against each other: "2025 compared with 2024" is no sum over both of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.charts.choosing import charted
from services.planner.domain.query.dimensions.coverage import days_of
from services.planner.domain.query.intent import (
    Calculation,
    Condition,
    Derived,
    Dimension,
    Field,
    Filter,
    Group,
    Intent,
    Operator,
    Period,
    Understood,
)
from services.planner.domain.query.one_span import describe_coverage, in_one_span
from services.planner.domain.query.planning.summary import summarise

_COMPARES = re.compile(r"\b(?:compar(?:e|es|ed|ing|ison)|versus|vs\b\.?|against)", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
Both = tuple[Period, Period]


def with_years_compared(found: Understood, question: str, catalogue: Catalogue) -> Understood:
    """The reading with two years side by side where it takes them as one span though they are to be
    compared; over the same part of both, which is told, where the data covers one in part."""
    years = sorted({int(year) for year in _YEAR.findall(question)})
    intent = found.intent
    if len(years) != 2 or not _COMPARES.search(question) or not _may_be_split(intent):
        return found
    spans = [one for one in intent.filters if _is_of_years(one, years)]
    if len(spans) != 1:
        return found
    dated = _field_of(spans[0])
    whole = (_period(years[0], dated), _period(years[1], dated))
    periods = in_one_span(whole, days_of(dated, catalogue))
    kept = tuple(one for one in intent.filters if one not in spans)
    made = _set_against(intent.model_copy(update={"filters": kept}), periods)
    made = charted(made, catalogue)
    summary = summarise(made, catalogue)
    notes = tuple(note.replace(found.summary, summary) for note in found.assumptions)
    if periods != whole:
        notes = (*notes, f"both are told for the same part: {describe_coverage(whole, periods)}")
    return found.model_copy(update={"intent": made, "summary": summary, "assumptions": notes})


def _may_be_split(intent: Intent) -> bool:
    """Whether it tells one number, of everything or of groups that are no times."""
    more = intent.derived or intent.cohort or intent.statistic or intent.having
    picked = intent.limit is not None or intent.top_of_each is not None
    number = len(intent.measures) == 1 and intent.measures[0].aggregate is not None
    timed = any(one.grain is not None or one.periods for one in intent.dimensions)
    return number and not (more or picked or timed) and len(intent.dimensions) < 2


def _is_of_years(wanted: Filter, years: Sequence[int]) -> bool:
    """Whether a condition leaves the days of two years, of the first to the last or of each."""
    if isinstance(wanted, Group):
        spans = [_span(one) for one in wanted.members]
        each = [(date(year, 1, 1), date(year, 12, 31)) for year in years]
        return wanted.connective == "or" and sorted(spans, key=str) == each
    return _span(wanted) == (date(years[0], 1, 1), date(years[1], 12, 31))


def _span(wanted: Filter) -> tuple[date, date] | None:
    if not isinstance(wanted, Condition) or wanted.operator is not Operator.BETWEEN:
        return None
    first, last = (_day(value) for value in wanted.values)
    return (first, last) if first is not None and last is not None else None


def _day(value: object) -> date | None:
    try:
        return value if isinstance(value, date) else date.fromisoformat(str(value))
    except ValueError:
        return None


def _field_of(wanted: Filter) -> Field:
    while isinstance(wanted, Group):
        wanted = wanted.members[0]
    assert isinstance(wanted, Condition)
    return wanted.field


def _period(year: int, dated: Field) -> Period:
    return Period(label=str(year), dated=dated, start=date(year, 1, 1), end=date(year + 1, 1, 1))


def _set_against(intent: Intent, periods: Both) -> Intent:
    """Groups with a value for either period, else two numbers and what lies between them."""
    if intent.dimensions:
        split = Dimension(expression=periods[0].dated, label="year", periods=periods)
        return intent.model_copy(
            update={"dimensions": (*intent.dimensions, split), "series": 1, "chart": None}
        )
    number = intent.measures[0]
    both = tuple(
        number.model_copy(update={"during": one, "label": f"{number.label} in {one.label}"})
        for one in periods
    )
    derived = (
        Derived(calculation=Calculation.DIFFERENCE, label="difference", of=1, against=0),
        Derived(calculation=Calculation.GROWTH, label="growth", of=1, against=0),
    )
    return intent.model_copy(
        update={"measures": both, "derived": derived, "order": (), "series": None, "chart": None}
    )
