"""A person's statement whose joins repeat what it adds up is doubted, with sizes and a way out."""

from __future__ import annotations

import pytest

from services.planner.domain.analysis.statement_repeats import repeats_in
from tests.unit.investigation.shop import shop_of_lines

_JOINED = "FROM orders o JOIN lines l ON l.order_id = o.order_id"


def _told(sql: str) -> str:
    return " ".join(repeats_in(sql, shop_of_lines()))


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT sum(o.freight) {_JOINED}",
        f"SELECT region, sum(freight) / sum(quantity) {_JOINED} GROUP BY region",
        f"SELECT avg(o.freight) {_JOINED} WHERE l.product = 'pen'",
        f"SELECT count(o.region) {_JOINED}",
        f"SELECT sum(CASE WHEN l.quantity > 3 THEN o.freight END) {_JOINED}",
        "SELECT sum(freight) FROM orders JOIN lines USING (order_id)",
        "SELECT sum(o.freight) FROM orders o, lines l WHERE o.order_id = l.order_id",
        "SELECT sum(o.freight) FROM orders o, lines l",
        f"WITH a AS (SELECT region, sum(freight) f {_JOINED} GROUP BY 1) SELECT max(f) FROM a",
        "SELECT sum(o.freight) FROM lines l JOIN orders o ON l.order_id = o.order_id "
        "JOIN customers c ON c.customer_id = o.customer_id",
    ],
)
def test_what_is_added_several_times_is_told(sql: str) -> None:
    assert "a row of orders (5,000 rows) comes once for every row of lines (13,000 rows)" in _told(
        sql
    )


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT sum(l.quantity) {_JOINED}",
        f"SELECT sum(l.quantity * o.freight) {_JOINED}",
        f"SELECT count(*), count(DISTINCT o.order_id), max(o.freight) {_JOINED}",
        "SELECT sum(freight) FROM orders",
        "SELECT sum(freight) FROM orders o JOIN customers c ON c.customer_id = o.customer_id",
        "SELECT sum(o.freight) FROM orders o WHERE EXISTS (SELECT 1 FROM lines l WHERE "
        "l.order_id = o.order_id)",
        f"SELECT sum(o.freight) {_JOINED} AND l.line_id = 7",
        "SELECT o.region, q FROM orders o JOIN (SELECT order_id, sum(quantity) q FROM lines GROUP "
        "BY 1) s ON s.order_id = o.order_id",
        "SELECT count(l.line_id) FROM orders o LEFT JOIN lines l ON l.order_id = o.order_id",
        "SELECT sum(",
    ],
)
def test_what_each_row_adds_once_is_not_doubted(sql: str) -> None:
    assert _told(sql) == ""


def test_a_join_that_nothing_needs_gives_way_to_a_condition() -> None:
    told = _told(f"SELECT region, sum(freight) {_JOINED} GROUP BY region")

    assert told.endswith(
        "Each counts once in: SELECT region, SUM(freight) FROM orders AS o WHERE EXISTS(SELECT 1 "
        "FROM lines AS l WHERE l.order_id = o.order_id) GROUP BY region"
    )
