"""Orders and revenue of each month: rows counted beside an amount, neither left out."""

from __future__ import annotations

import pytest

from tests.unit.language.truth_help import Shop, alike, opened

pytestmark = pytest.mark.asyncio

LINES = 'Orders o join "Order Details" d using (OrderID)'
BOTH = "count(distinct o.OrderID), sum(d.UnitPrice * d.Quantity * (1 - d.Discount))"


@pytest.fixture(scope="module")
def northwind(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return opened("northwind", tmp_path_factory.mktemp("northwind"))


@pytest.mark.parametrize(
    ("question", "by", "columns"),
    [
        ("orders and revenue by ship country", "ShipCountry", (0, 1, 2)),
        ("revenue and orders by ship country", "ShipCountry", (0, 2, 1)),
        ("orders and revenue per month", "strftime('%Y-%m-01', OrderDate)", (0, 1, 2)),
    ],
)
async def test_both_numbers_are_told_of_each_group(
    northwind: Shop, question: str, by: str, columns: tuple[int, ...]
) -> None:
    got = [(str(group)[:10], *rest) for group, *rest in await northwind.rows(question, *columns)]
    wanted = northwind.truth(f"select {by}, {BOTH} from {LINES} group by 1")
    alike(got, [(str(group)[:10], *rest) for group, *rest in wanted])


async def test_a_column_named_like_the_rows_is_no_count_of_them(northwind: Shop) -> None:
    found = await northwind.understood("units on order and units in stock by category")
    assert "number of orders" not in found.summary
