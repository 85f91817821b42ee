"""Numbers that a session reports: the same name with another meaning is told."""

from __future__ import annotations

import pytest

from services.planner.domain.twin.reported import find_other_meaning, reported_by
from tests.unit.planner.twin.world import DATA

BY_ORDER = "select date_trunc('month', ordered) m, sum(freight) as revenue from orders group by 1"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "select sum(freight) as Revenue from orders where sent >= '2024-01-01'",
            "revenue of f1 goes by orders.ordered, and here by orders.sent",
        ),
        (
            "select sum(quantity * unit_price) as revenue from lines",
            "revenue of f1 is sum(orders.freight), and here sum(lines.quantity * lines.unit_price)",
        ),
        (
            "select sum(freight) as revenue from orders where region <> 'South'",
            "revenue of f1 counts all rows, and here only orders.region <> 'South'",
        ),
    ],
)
def test_one_name_with_two_meanings(text: str, said: str) -> None:
    before = [("f1", one) for one in reported_by(BY_ORDER, DATA.catalogue)]
    [one] = reported_by(text, DATA.catalogue)

    assert find_other_meaning(one, before) == said


@pytest.mark.parametrize(
    "text",
    [
        "select product, sum(freight) as revenue from orders, lines where ordered > '2024-02-01' "
        "and orders.order_id = lines.order_id group by 1",
        "select sum(o.freight) as revenue from orders o where region = 'North'",
        "select city, sum(freight) as revenue from orders join customers using (customer_id) "
        "group by 1",
        "select sum(freight) as turnover from orders where region <> 'South'",
    ],
)
def test_other_rows_of_the_same_meaning(text: str) -> None:
    before = [("f1", one) for one in reported_by(BY_ORDER, DATA.catalogue)]

    assert [find_other_meaning(one, before) for one in reported_by(text, DATA.catalogue)] == [""]


def test_names_that_say_nothing_are_no_names_of_metrics() -> None:
    assert not reported_by("select count(*) as n, sum(freight) as sum from orders", DATA.catalogue)
