"""Relations of a number of each thing with how many of something it has, against SQL by hand."""

from __future__ import annotations

import pytest

from services.planner.domain.query.intent import NotUnderstood
from services.planner.domain.reader.understand import understand
from tests.unit.language.truth_help import TODAY, Shop, alike, opened

pytestmark = pytest.mark.asyncio


@pytest.fixture(scope="module")
def northwind(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return opened("northwind", tmp_path_factory.mktemp("northwind"))


async def test_each_order_is_a_row_of_what_is_correlated(northwind: Shop) -> None:
    truth = northwind.truth(
        """select o.OrderID, Freight, count(*) from Orders o
        join "Order Details" using (OrderID) group by 1"""
    )
    for question in (
        "correlation between freight and number of products in an order",
        "is there a correlation between freight and the number of products per order",
    ):
        found = await northwind.understood(question)
        assert found.intent.statistic is not None
        assert found.intent.statistic.test == "correlation"
        alike(await northwind.rows(question), truth)


async def test_a_number_of_other_things_is_refused(northwind: Shop) -> None:
    question = "relationship between unit price and number of orders per product"
    found = await understand(question, northwind.catalogue, northwind.lookup, today=TODAY)
    assert isinstance(found, NotUnderstood)
    assert "not of each product" in found.message


async def test_a_share_of_orders_goes_by_orders_and_not_by_money(northwind: Shop) -> None:
    rows = await northwind.rows("what percentage of orders come from the top 3 countries", 0, 1, 3)
    truth = northwind.truth(
        """select Country, count(*) * 1.0 / (select count(*) from Orders), count(*)
        from Orders join Customers using (CustomerID) group by 1 order by 3 desc, 1 limit 3"""
    )
    alike(rows, truth)
