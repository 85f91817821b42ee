"""Things that several rows are of: orders of a table of order lines, customers of one of orders."""

from __future__ import annotations

import datetime

import pytest

from services.planner.domain.query.intent import NotUnderstood, Understood
from tests.unit.reader.files import Tables

_FIRST = datetime.date(2024, 1, 1)
_REGIONS = ("West", "North", "East")


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """Two lines for most orders; one row for each ticket, which has times."""
    found = Tables(tmp_path_factory.mktemp("tables"))
    lines = [order for order in range(1, 301) for _ in range(1 + order % 3)]
    found.write(
        "orders",
        "line_id,order_id,order_date,customer_id,region,channel,quantity",
        [
            (
                at,
                1000 + order,
                _FIRST + datetime.timedelta(2 * order),
                10 + order % 40,
                _REGIONS[order % 40 % 3],
                ("web", "shop")[order % 2],
                1 + at % 4,
            )
            for at, order in enumerate(lines, 1)
        ],
    )
    found.write(
        "tickets",
        "ticket_id,opened_at,team,minutes",
        [
            (
                at,
                datetime.datetime(2024, 1, 1) + datetime.timedelta(hours=37 * at),
                ("Red", "Blue")[at % 2],
                at * 7 % 90,
            )
            for at in range(1, 241)
        ],
    )
    return found


async def _sure(tables: Tables, question: str, table: str) -> str:
    found = await tables.understood(question, table)
    assert not isinstance(found, NotUnderstood), found
    assert not [one for one in found.assumptions if "not used" in one], found.assumptions
    return await tables.sql(question, table)


@pytest.mark.parametrize(
    "question",
    [
        "orders per weekday in Q4 2024",
        "orders per weekday in Q4 2024, as a chart",
        "orders by day of week in 2024",
        "orders per month of the year",
        "how many orders",
        "orders by region",
        "how many orders did each region place",
        "orders per quarter in 2025",
        "what share of orders is web",
        "orders with a quantity above 3",
    ],
)
async def test_each_order_counts_once(tables: Tables, question: str) -> None:
    sql = await tables.sql(question, "orders")
    assert "COUNT(DISTINCT orders.order_id)" in sql
    assert "COUNT(*)" not in sql


@pytest.mark.parametrize("question", ["how many rows are there", "order lines per region"])
async def test_rows_are_counted_where_they_are_meant(tables: Tables, question: str) -> None:
    sql = await tables.sql(question, "orders")
    assert "COUNT(" in sql and "order_id)" not in sql


@pytest.mark.parametrize(
    "question",
    [
        "customers per region",
        "how many customers per region",
        "number of customers by region",
        "customers in each region",
    ],
)
async def test_things_without_a_table_are_counted_by_their_id(
    tables: Tables, question: str
) -> None:
    sql = await _sure(tables, question, "orders")
    assert "COUNT(DISTINCT orders.customer_id)" in sql and "GROUP BY orders.region" in sql


async def test_an_id_that_is_no_more_than_slips_twice_leaves_its_rows(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    found = Tables(tmp_path_factory.mktemp("slips"))
    found.write(
        "visits",
        "visit_id,clinic",
        [(at if at != 50 else 49, ("Elm", "Oak")[at % 2]) for at in range(1, 101)],
    )
    assert "COUNT(*)" in await found.sql("visits by clinic", "visits")


@pytest.mark.parametrize(
    ("question", "unit"),
    [
        ("tickets per weekday in Q1 2024", "DAYNAME("),
        ("tickets per hour of day", "HOUR("),
        ("tickets by hour of the day", "HOUR("),
        ("tickets per month of the year", "MONTH("),
        ("average minutes per calendar month", "MONTH("),
        ("tickets by month and year", "DATE_TRUNC('month'"),
        ("tickets per month of each year", "DATE_TRUNC('month'"),
        ("tickets by year", "YEAR("),
    ],
)
async def test_parts_of_time_are_told_apart_as_said(
    tables: Tables, question: str, unit: str
) -> None:
    found = await tables.understood(question, "tickets")
    assert isinstance(found, Understood)
    sql = (await tables.sql(question, "tickets")).replace("'MONTH'", "'month'")
    assert f"GROUP BY {unit}" in sql or f"GROUP BY CAST({unit}" in sql, sql
