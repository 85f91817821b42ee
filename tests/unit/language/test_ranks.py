"""Ranks and superlatives against SQL written by hand, and those that nothing can be ranked by."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from services.planner.domain.query.intent import NotUnderstood
from services.planner.domain.query.planning.summary import title_of
from services.planner.domain.reader.understand import understand
from tests.unit.language.truth_help import TODAY, Shop, alike, opened

pytestmark = pytest.mark.asyncio

SOLD = "sum(d.UnitPrice * d.Quantity * (1 - d.Discount))"
PER_ORDER = f"""select OrderID, {SOLD} as revenue from "Order Details" d group by 1"""
PLACES = {
    "second most expensive product":
        "select ProductName from Products order by UnitPrice desc limit 1 offset 1",
    "the 3rd cheapest product":
        "select ProductName from Products order by UnitPrice limit 1 offset 2",
    "2nd highest freight": "select Freight from Orders order by Freight desc limit 1 offset 1",
    "which customer has the second most orders":
        """select CompanyName from Orders join Customers using (CustomerID)
        group by CustomerID order by count(*) desc limit 1 offset 1""",
    "who is the second oldest employee":
        """select FirstName || ' ' || LastName from Employees
        order by BirthDate limit 1 offset 1""",
}  # fmt: skip
DATED = {
    "list the 10 most recent orders": "order by OrderDate desc limit 10",
    "latest 5 orders": "order by OrderDate desc limit 5",
    "the last 5 orders": "order by OrderDate desc limit 5",
    "the most recent order": "order by OrderDate desc limit 1",
    "last order": "order by OrderDate desc limit 1",
    "oldest orders": "order by OrderDate",
    "earliest order": "order by OrderDate limit 1",
    "first order": "order by OrderDate limit 1",
    "the 5 most recent orders from Germany":
        "where ShipCountry = 'Germany' order by OrderDate desc limit 5",
    "latest order date": "order by OrderDate desc limit 1",
}  # fmt: skip
REFUSED = {
    "which shipper delivers fastest": '"delivers"',
    "newest 3 customers": '"newest customers" by which date?',
    "how many orders took more than 10 parsecs": '"parsecs"',
    "what percentage of orders were glorious": '"glorious"',
    "closest city to London": '"closest"',
    "customers with more orders than Ernst Handel": "cannot be compared with one of them",
    "products above the median price": "cannot be compared with a median",
    "the top 10 % of products by price": "only a number of rows can be picked",
    "bottom quarter of customers by revenue": "only a number of rows can be picked",
    "products that cost twice as much as Chai": "cannot be compared with one of them",
    "customers with as many orders as Ernst Handel": "cannot be compared with one of them",
    "customers who only bought beverages": "nothing but some of others",
    "which product sold more than any other": '"other"',
    "how many orders were shipped to a city other than the customer's city": '"other"',
    "revenue by country of the latest order": "not understood",
    "longest serving employee": '"serving"',
    "second best selling product": '"selling"',
    "average of the top 5 orders": "over a few picked rows",
    "orders with no discount": '"discount"',
    "revenue without discount": '"discount"',
}
OPEN = (
    "least popular product",
    "who sold the most",
    "products neither discontinued nor out of stock",
    "customers who spent more than the average",
)


@pytest.fixture(scope="module")
def northwind(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return opened("northwind", tmp_path_factory.mktemp("northwind"))


@pytest.mark.parametrize("question", PLACES)
async def test_a_later_place_is_not_the_first(northwind: Shop, question: str) -> None:
    (row,), ((wanted,),) = await northwind.rows(question), northwind.truth(PLACES[question])
    assert wanted in (*row, " ".join(map(str, row[:2])))


async def test_a_later_place_is_said_to_be_one(northwind: Shop) -> None:
    found = await northwind.understood("second most expensive product")
    assert "place 2 from the top by unit price" in found.summary
    found = await northwind.understood("which customer has the second most orders")
    assert title_of(found.intent).startswith("Place 2 from the top")


async def test_an_ordinal_is_no_part_of_a_name(tmp_path_factory: pytest.TempPathFactory) -> None:
    """There are tracks called "Seconds" and "Third Stone From The Sun"."""
    chinook = opened("chinook", tmp_path_factory.mktemp("chinook"))
    truth = "select Name from Track order by Milliseconds desc limit 1 offset 1"
    assert await chinook.rows("second longest track", 0) == chinook.truth(truth)


@pytest.mark.parametrize("question", DATED)
async def test_the_latest_and_the_earliest_go_by_the_date(northwind: Shop, question: str) -> None:
    truth = northwind.truth(f"select date(OrderDate) from Orders {DATED[question]}")
    alike(await northwind.rows(question, -1), truth)


async def test_numbers_of_the_latest_are_not_the_highest(northwind: Shop) -> None:
    (row,) = await northwind.rows("revenue of the latest order")
    (wanted,) = northwind.truth(
        f"""select OrderID, revenue from ({PER_ORDER}) join Orders using (OrderID)
        order by OrderDate desc, OrderID limit 1"""
    )
    assert row[0] == wanted[0]
    assert row[1] == pytest.approx(wanted[1])


async def test_a_negation_holds_for_all_that_is_listed_after_it(northwind: Shop) -> None:
    for question, left_out in (
        ("how many customers are not from USA or Germany", "'USA', 'Germany'"),
        ("how many customers except those from USA and Germany", "'USA', 'Germany'"),
        ("how many customers are not from USA, Germany or France", "'USA', 'Germany', 'France'"),
    ):
        truth = f"select count(*) from Customers where Country not in ({left_out})"
        assert await northwind.rows(question) == northwind.truth(truth), question


async def test_a_time_that_the_data_has_no_date_for_is_refused(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "lands.sqlite") as database:
        database.execute("create table lands (land text, inhabitants integer)")
        database.executemany("insert into lands values (?, ?)", [("A", 5), ("B", 7), ("C", 6)])
    lands = Shop(tmp_path / "lands.sqlite", tmp_path)
    question = "top 2 lands by inhabitants in the last year"
    found = await understand(question, lands.catalogue, lands.lookup, today=TODAY)
    assert isinstance(found, NotUnderstood)
    assert "has no date" in found.message


@pytest.mark.parametrize("question", REFUSED)
async def test_what_cannot_be_ranked_or_compared_is_refused(northwind: Shop, question: str) -> None:
    found = await understand(
        question, northwind.catalogue, northwind.lookup, today=TODAY, evidence=northwind.evidence
    )
    assert isinstance(found, NotUnderstood), found
    assert REFUSED[question] in found.message


@pytest.mark.parametrize("question", OPEN)
async def test_what_may_be_meant_in_several_ways_is_asked_back(
    northwind: Shop, question: str
) -> None:
    assert len((await northwind.asked(question)).options) > 1
