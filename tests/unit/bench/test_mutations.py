"""The mistakes that are planted into right statements are what their names say."""

from __future__ import annotations

import pytest

from bench.proposals.mutations import MUTATIONS, mutated
from services.planner.domain.checks.examples import SHOP
from tests.unit.checks.small_data import SmallData

_SHOP = SmallData(SHOP)


@pytest.mark.parametrize(
    ("kind", "sql", "part"),
    [
        (
            "join without condition",
            "SELECT sum(l.quantity) FROM orders o JOIN lines l ON l.order_id = o.order_id",
            "CROSS JOIN",
        ),
        ("join at the wrong grain", "SELECT sum(freight) FROM orders", 'JOIN "lines"'),
        ("wrong literal", "SELECT count(*) FROM customers WHERE city = 'Oslo'", "'OSLO'"),
        ("filter dropped", "SELECT count(*) FROM lines WHERE quantity > 3", "FROM lines"),
        (
            "period shifted",
            "SELECT count(*) FROM orders WHERE ordered > '2024-01-05'",
            "2025-01-05",
        ),
        ("wrong date column", "SELECT max(ordered) FROM orders", '"sent"'),
        ("sum for mean", "SELECT avg(freight) FROM orders", "SUM(freight)"),
        ("rows for things", "SELECT count(DISTINCT product) FROM lines", "COUNT(product)"),
        (
            "group dropped",
            "SELECT region, sum(freight) FROM orders GROUP BY region",
            "SELECT SUM(freight) FROM orders",
        ),
        ("wrong order", "SELECT name FROM customers ORDER BY name DESC LIMIT 1", "ORDER BY name"),
        ("text for number", "SELECT freight FROM orders ORDER BY freight", "CAST(freight AS TEXT)"),
        (
            "inner for left",
            "SELECT c.name FROM customers c LEFT JOIN orders o USING (customer_id)",
            "c JOIN orders",
        ),
    ],
)
def test_a_mistake_is_planted(kind: str, sql: str, part: str) -> None:
    planted = dict(mutated(sql, _SHOP.catalogue))

    assert part in planted[kind]
    assert planted[kind] != sql


def test_nothing_is_planted_where_there_is_nothing_to_get_wrong() -> None:
    assert dict(mutated("SELECT 1", _SHOP.catalogue)) == {}


def test_kinds_are_told_apart() -> None:
    assert len({mutation.name for mutation in MUTATIONS}) == len(MUTATIONS)
