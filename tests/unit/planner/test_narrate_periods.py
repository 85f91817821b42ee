"""Sentences about two periods and about things that come back."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from services.planner.domain.analysis.narrate import narrate
from services.planner.domain.query.intent import (
    Aggregate,
    Calculation,
    Cohort,
    CohortView,
    Derived,
    Dimension,
    Grain,
    Intent,
    Measure,
    Period,
)
from services.planner.domain.reporting.evidence import ClaimBook
from services.planner.domain.reporting.grid import grid_of
from services.planner.domain.reporting.markdown import render_markdown
from tests.unit.planner.stories import COUNTRY, REVENUE, column, report, story

BEFORE = Period(
    label="May 1997", dated=column("OrderDate"), start=date(1997, 5, 1), end=date(1997, 6, 1)
)
AFTER = Period(
    label="June 1997", dated=column("OrderDate"), start=date(1997, 6, 1), end=date(1997, 7, 1)
)
CUSTOMERS = Measure(aggregate=Aggregate.COUNT, table="Orders", label="customers")
SHARE = Calculation.SHARE


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (
            [53781.29, 36362.8, -17418.49, -17418.49 / 53781.29],
            "Revenue fell from 53,781 in May 1997 to 36,363 in June 1997 (-17,418, -32 %).",
        ),
        (
            [0.0, 12.0, 12.0, None],
            "Revenue rose from 0 in May 1997 to 12 in June 1997 (+12).",
        ),
    ],
)
def test_a_change_between_two_periods_is_one_sentence(values: list[Any], text: str) -> None:
    both = tuple(
        REVENUE.model_copy(update={"during": p, "label": f"revenue in {p.label}"})
        for p in (BEFORE, AFTER)
    )
    derived = (
        Derived(calculation=Calculation.DIFFERENCE, label="difference", of=1, against=0),
        Derived(calculation=Calculation.GROWTH, label="growth", of=1, against=0),
    )
    intent = Intent(base="Orders", measures=both, derived=derived)
    names = [measure.label for measure in both] + [d.label for d in derived]
    question = "difference in revenue between May and June 1997"
    given = story(question, intent, {n: [v] for n, v in zip(names, values, strict=True)})
    assert narrate(given, ClaimBook()).text == text
    assert render_markdown(report(given))  # which holds every number against its claim


def test_groups_are_told_by_what_changed_most() -> None:
    split = Dimension(expression=column("OrderDate"), label="period", periods=(BEFORE, AFTER))
    intent = Intent(base="Orders", measures=(REVENUE,), dimensions=(COUNTRY, split), series=1)
    given = story(
        "revenue in May and June 1997 by ship country",
        intent,
        {
            "ship country": ["USA", "USA", "Peru", "Peru"],
            "period": ["May 1997", "June 1997"] * 2,
            "revenue": [4.0, 2.0, 1.0, 6.0],
        },
        leaders={"period": ["June 1997", "May 1997"], "revenue": [8.0, 5.0], "share": [0.6, 0.4]},
        shape={
            "ship country": ["Peru", "USA"],
            "May 1997": [1.0, 4.0],
            "June 1997": [6.0, 2.0],
            "change": [5.0, -2.0],
            "growth": [5.0, -0.5],
        },
    )
    told = narrate(given, ClaimBook())
    assert told.title == "Revenue rose from 5 in May 1997 to 8 in June 1997"
    assert told.text.endswith("Peru rose most (+5, +500 %) and USA fell most (-2, -50 %).")
    shape = given.tables["shape"]
    assert grid_of(shape, intent, 1).rows == (("Peru", "1", "6", "5", "500.0 %"),)


def cohort(view: CohortView, **more: Any) -> Cohort:
    return Cohort(
        view=view, entity=column("CustomerID"), dated=column("OrderDate"), grain=Grain.MONTH, **more
    )


def test_retention_is_told_for_all_cohorts_at_once() -> None:
    begun = Dimension(expression=column("OrderDate"), label="cohort", grain=Grain.MONTH)
    since = Dimension(expression=column("OrderDate"), label="months since start")
    active = CUSTOMERS.model_copy(update={"label": "active"})
    intent = Intent(
        base="Orders",
        cohort=cohort(CohortView.RETENTION),
        dimensions=(begun, since),
        series=0,
        measures=(CUSTOMERS, active),
        derived=(Derived(calculation=SHARE, label="share active"),),
    )
    may, june = date(1997, 5, 1), date(1997, 6, 1)
    given = story(
        "retention of customers",
        intent,
        {
            "cohort": [may, may, june],
            "months since start": [0, 1, 0],
            "share active": [1.0, 0.25, 1.0],
            "customers": [4, 4, 6],
            "active": [4, 1, 6],
        },
        curve={
            "months since start": [0, 1],
            "customers": [10, 4],
            "active": [10, 1],
            "share active": [1.0, 0.25],
        },
        shape={"cohort": [may, june], "0": [1.0, 1.0], "1": [0.25, None]},
    )
    told = narrate(given, ClaimBook())
    assert told.text == "Of 4 customers, 25 % were active 1 month after their first order."
    assert grid_of(given.tables["shape"], intent, 2).rows[0] == ("1997-05", "100.0 %", "25.0 %")


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({}, "3 of 4 customers came back (75 %)."),
        ({"within": 1}, "3 of 4 customers came back within a month (75 %)."),
        (
            {"earlier": BEFORE, "later": AFTER, "first": True, "absent": True},
            "3 of 4 customers that began in May 1997 did not come back in June 1997 (75 %).",
        ),
    ],
)
def test_how_many_came_back_is_one_sentence(more: dict[str, Any], text: str) -> None:
    back = CUSTOMERS.model_copy(update={"label": "returned"})
    intent = Intent(
        base="Orders",
        cohort=cohort(CohortView.RETURNED, **more),
        measures=(CUSTOMERS, back),
        derived=(Derived(calculation=SHARE, label="share returned"),),
    )
    given = story(
        "how many customers of May 1997 did not come back in June 1997",
        intent,
        {"share returned": [0.75], "customers": [4], "returned": [3]},
    )
    assert narrate(given, ClaimBook()).text == text
