"""Things that have many or few of something, counted or told of, against SQL written by hand."""

from __future__ import annotations

import pytest

from services.planner.domain.query.intent import NotUnderstood
from services.planner.domain.reader.understand import understand
from tests.unit.language.truth_help import TODAY, Shop, opened

pytestmark = pytest.mark.asyncio

PER_CUSTOMER = """select o.CustomerID, count(distinct o.OrderID) as orders,
    sum(d.UnitPrice * d.Quantity * (1 - d.Discount)) as revenue
    from Orders o join "Order Details" d using (OrderID) group by 1"""
OF_CUSTOMERS = """select c.CustomerID, Country, count(o.OrderID) as orders
    from Customers c left join Orders o using (CustomerID) group by 1"""
PER_ORDER = """select OrderID, count(*) as lines from "Order Details" group by 1"""
PER_COUNTRY = "select Country, count(*) as customers from Customers group by 1"
IN_1997 = """select CustomerID, count(*) as orders from Orders
    where OrderDate >= '1997-01-01' and OrderDate < '1998-01-01' group by 1"""

COUNTED = {
    "how many customers have more than 10 orders": f"from ({PER_CUSTOMER}) where orders > 10",
    "how many customers spent more than 10000": f"from ({PER_CUSTOMER}) where revenue > 10000",
    "how many customers have more than 10 orders and revenue above 20000":
        f"from ({PER_CUSTOMER}) where orders > 10 and revenue > 20000",
    "how many customers placed at least 5 orders in 1997": f"from ({IN_1997}) where orders >= 5",
    "how many orders contain more than 5 products": f"from ({PER_ORDER}) where lines > 5",
    "how many countries have more than 5 customers": f"from ({PER_COUNTRY}) where customers > 5",
    "how many customers have fewer than 5 orders": f"from ({OF_CUSTOMERS}) where orders < 5",
    "how many customers have no more than 3 orders": f"from ({OF_CUSTOMERS}) where orders <= 3",
    "how many customers in France have fewer than 5 orders":
        f"from ({OF_CUSTOMERS}) where orders < 5 and Country = 'France'",
    "how many customers have exactly 3 orders": f"from ({PER_CUSTOMER}) where orders = 3",
    "how many customers have between 2 and 5 orders":
        f"from ({PER_CUSTOMER}) where orders between 2 and 5",
    "how many customers have only one order": f"from ({PER_CUSTOMER}) where orders = 1",
    "how many customers placed one order": f"from ({PER_CUSTOMER}) where orders = 1",
    "how many customers have 7 orders": f"from ({PER_CUSTOMER}) where orders = 7",
    "how many customers have more than 1000 orders": f"from ({PER_CUSTOMER}) where orders > 1000",
    "how many products cost more than 20": "from Products where UnitPrice > 20",
}  # fmt: skip


@pytest.fixture(scope="module")
def northwind(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return opened("northwind", tmp_path_factory.mktemp("northwind"))


@pytest.mark.parametrize("question", COUNTED)
async def test_things_with_many_or_few_are_counted_each_by_its_own(
    northwind: Shop, question: str
) -> None:
    truth = northwind.truth(f"select count(*) {COUNTED[question]}")
    assert await northwind.rows(question) == truth


async def test_orders_are_counted_once_however_many_lines_each_has(northwind: Shop) -> None:
    for question in (
        "revenue of customers with more than 10 orders",
        "revenue by customer for customers with more than 10 orders",
    ):
        rows = await northwind.rows(question)
        truth = northwind.truth(f"select revenue from ({PER_CUSTOMER}) where orders > 10")
        assert sorted(round(row[-1], 6) for row in rows) == sorted(
            round(value, 6) for (value,) in truth
        ), question


async def test_the_counted_are_split_by_what_they_are(northwind: Shop) -> None:
    rows = await northwind.rows("how many customers by country have more than 10 orders")
    truth = northwind.truth(
        f"""select Country, count(*) from ({PER_CUSTOMER}) join Customers using (CustomerID)
        where orders > 10 group by 1"""
    )
    assert sorted(rows) == sorted(truth)


async def test_things_are_listed_by_how_many_they_have_exactly(northwind: Shop) -> None:
    for question, orders in (
        ("customers with fewer than 5 orders", "< 5"),
        ("customers with a single order", "= 1"),
        ("customers with exactly one order", "= 1"),
        ("customers with two orders", "= 2"),
    ):
        truth = northwind.truth(
            f"""select CompanyName, orders from ({OF_CUSTOMERS}) join Customers using (CustomerID)
            where orders {orders}"""
        )
        assert sorted(await northwind.rows(question)) == sorted(truth), question


async def test_so_many_of_nothing_said_is_refused(northwind: Shop) -> None:
    question = "how many orders were placed in 12 countries"
    found = await understand(question, northwind.catalogue, northwind.lookup, today=TODAY)
    assert isinstance(found, NotUnderstood)


async def test_so_many_things_are_any(northwind: Shop) -> None:
    names = {name for (name,) in northwind.truth("select ProductName from Products")}
    rows = await northwind.rows("show 5 products")
    assert len(rows) == 5
    assert {name for (name,) in rows} <= names


async def test_those_without_any_are_said_to_be_left_out(northwind: Shop) -> None:
    found = await northwind.understood("how many customers placed fewer than 2 orders in 1997")
    assert "those without any orders are left out" in found.assumptions


async def test_a_condition_that_is_on_nothing_is_refused(northwind: Shop) -> None:
    question = "how many wizards are there"
    found = await understand(question, northwind.catalogue, northwind.lookup, today=TODAY)
    assert isinstance(found, NotUnderstood)
