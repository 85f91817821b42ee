"""Two columns of one row set against each other, against SQL written by hand."""

from __future__ import annotations

import pytest

from services.planner.domain.analysis.particulars import columns_in
from services.planner.domain.query.intent import Against, Operator
from services.planner.domain.query.planning.summary import summarise
from services.planner.domain.reporting.scope import condition_words, scope_of
from tests.unit.language.truth_help import Shop, alike, opened

pytestmark = pytest.mark.asyncio

NAMED = {
    "products with stock below reorder level": "UnitsInStock < ReorderLevel",
    "products whose units on order exceed units in stock": "UnitsOnOrder > UnitsInStock",
    "products with stock at least twice the reorder level": "UnitsInStock >= 2 * ReorderLevel",
    "products whose units in stock are the same as the reorder level":
        "UnitsInStock = ReorderLevel",
    "products with stock below reorder level or unit price above 100":
        "UnitsInStock < ReorderLevel or UnitPrice > 100",
}  # fmt: skip
COUNTED = {
    "how many products have stock below the reorder level":
        "Products where UnitsInStock < ReorderLevel",
    "how many products have units in stock that do not exceed the reorder level":
        "Products where UnitsInStock <= ReorderLevel",
    "how many orders have a shipped date later than the required date":
        "Orders where ShippedDate > RequiredDate",
    "how many orders were shipped after the required date":
        "Orders where ShippedDate > RequiredDate",
    "how many orders were shipped on or before their required date":
        "Orders where ShippedDate <= RequiredDate",
    "how many orders have a ship city that differs from the customer's city":
        "Orders join Customers using (CustomerID) where ShipCity <> City",
}  # fmt: skip


@pytest.fixture(scope="module")
def northwind(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return opened("northwind", tmp_path_factory.mktemp("northwind"))


@pytest.mark.parametrize("question", NAMED)
async def test_things_are_listed_whose_columns_stand_so(northwind: Shop, question: str) -> None:
    truth = northwind.truth(f"select ProductName from Products where {NAMED[question]}")
    alike(await northwind.rows(question, 0), truth)


@pytest.mark.parametrize("question", COUNTED)
async def test_rows_are_counted_whose_columns_stand_so(northwind: Shop, question: str) -> None:
    assert await northwind.rows(question) == northwind.truth(
        f"select count(*) from {COUNTED[question]}"
    )


async def test_a_verb_names_the_date_that_is_compared(northwind: Shop) -> None:
    question = "number of orders shipped after the required date by ship country"
    alike(
        await northwind.rows(question),
        northwind.truth(
            """select ShipCountry, count(*) from Orders
            where ShippedDate > RequiredDate group by 1"""
        ),
    )


async def test_what_is_compared_is_said_in_words(northwind: Shop) -> None:
    found = await northwind.understood("how many products have stock below the reorder level")
    assert "units in stock < reorder level" in summarise(found.intent, northwind.catalogue)
    for said in (scope_of(found.intent), condition_words(found.intent)):
        assert "units in stock < reorder level" in str(said)
    (wanted,) = found.intent.filters
    assert isinstance(wanted, Against)
    assert wanted.operator is Operator.LESS
    named = [column["column"] for _, column in columns_in(found.intent.model_dump(mode="json"), ())]
    assert {"UnitsInStock", "ReorderLevel"} <= set(named)
