"""A question why a metric moved tells its metric and two periods, or is no such question."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.planner.domain.investigation.request import InvestigationRequest
from services.planner.domain.investigation.why import why_moved
from services.planner.domain.investigation.why_times import periods_of
from services.planner.domain.jobs.work_kind import find_work
from services.planner.domain.question import AnalysisRequest

TODAY = date(2026, 11, 23)
LATEST = date(2024, 3, 31)
FEBRUARY, MARCH = "2024-02-01 to 2024-02-29", "2024-03-01 to 2024-03-31"
YEAR_AGO = "2023-03-01 to 2023-03-31"
_MONTHS = (
    "January February March April May June July August September October November December".split()
)


def _periods(question: str, latest: date = LATEST) -> tuple[str, str]:
    found = periods_of(question, TODAY, latest)
    assert found is not None
    return str(found.baseline), str(found.comparison)


@pytest.mark.parametrize(
    ("question", "metric", "baseline", "comparison"),
    [
        ("why did revenue drop in March?", "revenue", FEBRUARY, MARCH),
        ("Why has our revenue dropped so sharply in March 2024?", "revenue", FEBRUARY, MARCH),
        ("how come sales fell by 20% in March", "sales", FEBRUARY, MARCH),
        ("what drove the revenue decline in March?", "revenue", FEBRUARY, MARCH),
        ("what caused revenue to fall in March", "revenue", FEBRUARY, MARCH),
        ("reasons for the drop in revenue in March 2024", "revenue", FEBRUARY, MARCH),
        ("explain the rise in average price in March", "average price", FEBRUARY, MARCH),
        ("explain why revenue dropped in March 2024", "revenue", FEBRUARY, MARCH),
        (
            "why were there fewer orders in March than in February",
            "number of orders",
            FEBRUARY,
            MARCH,
        ),
        ("why is revenue lower in March 2024 than in February 2024", "revenue", FEBRUARY, MARCH),
        ("why is revenue lower this month than last month", "revenue", FEBRUARY, MARCH),
        ("why did revenue drop from February to March", "revenue", FEBRUARY, MARCH),
        ("why did revenue drop between February and March 2024", "revenue", FEBRUARY, MARCH),
        ("why has revenue dropped since March 2024", "revenue", FEBRUARY, MARCH),
        ("In March, why did orders in the North rise?", "orders in the North", FEBRUARY, MARCH),
        (
            "why did orders of more than 5 items fall in March",
            "orders of more than 5 items",
            FEBRUARY,
            MARCH,
        ),
        (
            "why did sales fall in March compared to the same month last year",
            "sales",
            YEAR_AGO,
            MARCH,
        ),
        ("why did revenue fall in March compared with a year earlier", "revenue", YEAR_AGO, MARCH),
        ("why did revenue drop year over year in March", "revenue", YEAR_AGO, MARCH),
        (
            "why did orders fall in 2024 compared to 2023",
            "orders",
            "2023-01-01 to 2023-12-31",
            "2024-01-01 to 2024-03-31",
        ),
        (
            "what explains the rise of profit in Q1 2024 versus Q4 2023",
            "profit",
            "2023-10-01 to 2023-12-31",
            "2024-01-01 to 2024-03-31",
        ),
        (
            "why did revenue drop last week",
            "revenue",
            "2024-03-18 to 2024-03-24",
            "2024-03-25 to 2024-03-31",
        ),
        (
            "why did revenue drop from 1 March 2024 to 15 March 2024",
            "revenue",
            "2024-02-15 to 2024-02-29",
            "2024-03-01 to 2024-03-15",
        ),
        (
            "why did revenue in January and February 2024 fall",
            "revenue",
            "2023-11-01 to 2023-12-31",
            "2024-01-01 to 2024-02-29",
        ),
    ],
)
def test_metric_and_periods_are_what_the_question_says(
    question: str, metric: str, baseline: str, comparison: str
) -> None:
    found = why_moved(question, TODAY)

    assert found is not None and found.metric == metric
    assert _periods(question) == (baseline, comparison)


@pytest.mark.parametrize(
    "question",
    [
        "why did revenue drop",  # when?
        "why did revenue drop recently",
        "why did revenue drop in late March 2024",  # how late?
        "why did revenue drop in week 12 of 2024",
        "why did revenue drop before March 2024",
        "why did it drop in March",  # what?
        "why are customers unhappy in March",
        "why did price increase in March affect revenue",
        'why did "why sales fell in March" rise',
        "total revenue in March",
        "what is the change in revenue in March",
        "how did revenue change in March compared to February",
        "the increase in sales in 2024",
        "",
    ],
)
def test_what_is_no_such_question_stays_what_it_is(question: str) -> None:
    assert why_moved(question, TODAY) is None


def test_a_month_without_a_year_is_the_last_one_that_had_begun() -> None:
    assert _periods("why did sales drop in March", date(2024, 3, 2))[1].startswith("2024-03-01")
    assert _periods("why did sales drop in March", date(2024, 2, 28))[1] == YEAR_AGO
    assert _periods("why did sales drop from December to January") == (
        "2023-12-01 to 2023-12-31",
        "2024-01-01 to 2024-01-31",
    )


def test_what_was_taken_for_granted_is_told() -> None:
    found = periods_of("why did sales drop in March", TODAY, date(2024, 3, 20))

    assert found is not None and str(found.comparison) == "2024-03-01 to 2024-03-20"
    told = " · ".join(found.notes)
    assert "March 2024 is read as 2024-03-01 to 2024-03-20" in told
    assert f"the baseline is {FEBRUARY}" in told and "where the data ends" in told


@given(
    month=st.sampled_from(_MONTHS),
    verb=st.sampled_from(["drop", "fall", "rise", "increase"]),
    latest=st.dates(date(2001, 1, 1), date(2026, 11, 23)),
)
def test_the_baseline_ends_the_day_before_a_comparison_that_the_data_reaches(
    month: str, verb: str, latest: date
) -> None:
    found = periods_of(f"why did sales {verb} in {month}", TODAY, latest)

    assert found is not None
    assert found.baseline.end + timedelta(days=1) == found.comparison.start <= latest
    assert latest - found.comparison.start < timedelta(days=366 + 31)
    assert 28 <= found.baseline.days <= 31


def _asked(**fields: object) -> AnalysisRequest:
    return AnalysisRequest.model_validate(
        {
            "request_id": "0" * 32,
            "intent": "why did revenue drop in March?",
            "timestamp": datetime(2026, 11, 23, tzinfo=UTC),
            **fields,
        }
    )


def test_such_a_question_becomes_an_investigation_in_its_own_words() -> None:
    meant = find_work(_asked())

    assert isinstance(meant, InvestigationRequest)
    assert (meant.metric_sql, meant.question) == ("revenue", "why did revenue drop in March?")
    assert meant.baseline_period is None and meant.has_times
    assert meant.constraints.timeout_seconds == 120, "it runs many analyses"
    hurried = find_work(_asked(constraints={"timeout_seconds": 40}))
    assert hurried.constraints.timeout_seconds == 40


@pytest.mark.parametrize(
    "fields",
    [
        {"statement": "SELECT 1"},
        {"choice": "1"},
        {"corrections": ("by region",)},
        {"intent": "sales"},
    ],
)
def test_statements_choices_and_corrections_are_of_analyses(fields: dict[str, object]) -> None:
    request = _asked(**fields)

    assert find_work(request) is request
