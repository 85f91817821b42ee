"""Conditions on days and months, said as people say them."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from services.planner.domain.query.intent import Condition, Field, Intent, Operator
from services.planner.domain.query.planning.summary import filter_text
from services.planner.domain.reporting.scope import scope_of

YEAR = (date(2024, 1, 1), date(2024, 12, 31))


def on(column: str, operator: Operator, *values: Any) -> Condition:
    return Condition(field=Field(table="visits", column=column), operator=operator, values=values)


@pytest.mark.parametrize(
    ("wanted", "understood", "told"),
    [
        (on("came_on", Operator.BETWEEN, *YEAR), "came on in 2024", " in 2024"),
        (
            on("paid", Operator.BETWEEN, "2024-03-01", "2024-03-31"),
            "paid in March 2024",
            " in March 2024",
        ),
        (
            on("paid", Operator.BETWEEN, "2024-04-01", "2024-06-30"),
            "paid in Q2 2024",
            " in Q2 2024",
        ),
        (
            on("paid", Operator.BETWEEN, "2024-04-01", "2024-05-31"),
            "paid from April 2024 to May 2024",
            " from April 2024 to May 2024",
        ),
        (
            on("paid", Operator.BETWEEN, date(2013, 7, 4), date(2013, 7, 9)),
            "paid from 4 July 2013 to 9 July 2013",
            " from 4 July 2013 to 9 July 2013",
        ),
        (
            on("paid", Operator.BETWEEN, "2020-01-01", "2022-12-31"),
            "paid from 2020 to 2022",
            " from 2020 to 2022",
        ),
        (on("paid", Operator.EQUAL, date(2013, 7, 4)), "paid on 4 July 2013", " on 4 July 2013"),
        (on("paid month", Operator.EQUAL, 3), "paid month is March", " in March"),
        (on("month", Operator.IN, 6.0, 7.0), "month is June or July", " in June or July"),
        (on("month", Operator.EQUAL, 13), "month is 13", " where month is 13"),
        (
            on("age", Operator.BETWEEN, 20, 30),
            "age between 20 and 30",
            " where age between 20 and 30",
        ),
    ],
)
def test_days_and_months_are_said_by_name(wanted: Condition, understood: str, told: str) -> None:
    assert filter_text(wanted) == understood
    assert scope_of(Intent(base="visits", filters=(wanted,))).plain == told
