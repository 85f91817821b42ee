"""Mistakes planted into statements whose meaning is declared, and what is told of them."""

from __future__ import annotations

import pytest

from bench.agents.declaring import UndeclaredError, declared
from bench.agents.injected import KINDS_APART, Planted, planted_in, report, shares_of
from bench.proposals.checks import Truth
from services.planner.domain.meaning import Meaning
from tests.unit.planner.twin.world import DATA, asked

_RIGHT = (
    "SELECT sum(freight) FROM orders WHERE region = 'North'",
    "SELECT region, avg(freight) AS f FROM orders GROUP BY region",
    "SELECT count(DISTINCT product) FROM lines WHERE quantity > 1",
    "SELECT sum(freight) FROM orders WHERE ordered >= '2024-01-01' AND ordered < '2024-02-01'",
    "SELECT city, sum(freight) AS f FROM orders JOIN customers USING (customer_id) GROUP BY city",
)


@pytest.mark.parametrize(
    ("sql", "means"),
    [
        (
            _RIGHT[0],
            {"metric": 'SUM("orders"."freight")', "filter": ('"orders"."region" = \'North\'',)},
        ),
        (
            "SELECT o.region, round(avg(o.freight), 1) FROM orders o GROUP BY 1",
            {"metric": 'AVG("orders"."freight")', "by": ('"orders"."region"',)},
        ),
        (
            _RIGHT[3],
            {
                "metric": 'SUM("orders"."freight")',
                "time": '"orders"."ordered"',
                "period": "2024-01-01..2024-01-31",
            },
        ),
        (
            "SELECT date_trunc('month', ordered) AS m, count(*) FROM orders GROUP BY m",
            {"metric": 'count("orders")', "time": '"orders"."ordered"', "grain": "month"},
        ),
        (
            "SELECT count(*) FROM lines l JOIN orders o ON l.order_id = o.order_id",
            {"metric": 'count("lines")'},
        ),
    ],
)
def test_what_a_right_statement_means(sql: str, means: dict[str, object]) -> None:
    assert declared(sql, DATA.catalogue) == Meaning.model_validate(means)


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT region FROM orders", "gives no number"),
        ("SELECT sum(freight), count(*) FROM orders", "several numbers"),
        ("SELECT sum(f) FROM (SELECT freight AS f FROM orders)", "query"),
        ("SELECT count(*) FROM orders GROUP BY region", "does not show"),
        ("SELECT region, sum(freight) FROM orders GROUP BY 1 HAVING count(*) > 1", "plain"),
    ],
)
def test_what_declares_nothing_says_why(sql: str, why: str) -> None:
    with pytest.raises(UndeclaredError, match=why):
        declared(sql, DATA.catalogue)


async def test_mistakes_are_told_and_right_statements_are_not() -> None:
    every: list[Planted] = []
    for sql in _RIGHT:
        truth = Truth("", sql, "shop", False, DATA.catalogue, asked, DATA._data, (), None)  # type: ignore[arg-type]
        every += await planted_in(truth)
    right = shares_of([one for one in every if not one.kind])
    wrong = shares_of([one for one in every if one.kind])

    assert (right.number, right.twin, right.differs) == (5, 5, 0)
    assert wrong.number >= 15 and wrong.twin == wrong.number
    assert wrong.either >= 0.9 * wrong.number and wrong.repaired >= 0.9 * wrong.offered
    assert len({one.kind for one in every}) >= 8 and KINDS_APART & {one.kind for one in every}
    assert any("all mistakes" in line for line in report(every))
