"""Medians, extremes and percentiles of what each thing sums up to, against SQL written by hand."""

from __future__ import annotations

import statistics

import pytest

from services.planner.domain.query.intent import NotUnderstood
from services.planner.domain.reader.understand import understand
from tests.unit.language.truth_help import TODAY, Shop, alike, opened

pytestmark = pytest.mark.asyncio

WORTH = """(select o.OrderID, o.CustomerID, o.ShipCountry,
    sum(d.UnitPrice * d.Quantity * (1 - d.Discount)) as worth
    from Orders o join "Order Details" d using (OrderID) group by o.OrderID)"""


@pytest.fixture(scope="module")
def northwind(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return opened("northwind", tmp_path_factory.mktemp("northwind"))


async def test_one_number_over_all_orders(northwind: Shop) -> None:
    worth = [row[0] for row in northwind.truth(f"select worth from {WORTH}")]
    truths = {
        "median order value": statistics.median(worth),
        "maximum order value": max(worth),
        "90th percentile of order value": statistics.quantiles(worth, n=10, method="inclusive")[8],
        "standard deviation of order value": statistics.stdev(worth),
        "average order value": statistics.fmean(worth),
    }
    for question, truth in truths.items():
        assert await northwind.rows(question) == [(pytest.approx(truth),)], question


async def test_for_each_group_and_several_at_once(northwind: Shop) -> None:
    got = await northwind.rows("average and maximum order value by ship country")
    alike(
        got, northwind.truth(f"select ShipCountry, avg(worth), max(worth) from {WORTH} group by 1")
    )
    counts = northwind.truth("select count(*) from Orders group by CustomerID")
    middle = statistics.median(row[0] for row in counts)
    assert await northwind.rows("median number of orders per customer") == [(middle,)]


async def test_what_cannot_be_had_together_is_said(northwind: Shop) -> None:
    question = "median order value of customers with more than 5 orders by country"
    found = await understand(question, northwind.catalogue, northwind.lookup, today=TODAY)
    assert isinstance(found, NotUnderstood)
    assert "ask apart" in found.message
