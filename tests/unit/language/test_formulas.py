"""Money taken: a price times a quantity, wherever the two stand, or an honest refusal."""

from __future__ import annotations

from services.planner.domain.business.formulas import revenue_formulas
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.query.intent import Aggregate, Field, NotUnderstood, Product
from services.planner.domain.query.planning.sql import render
from services.planner.domain.reader.understand import understand
from tests.unit.language.shops import (
    PENGUINS,
    TODAY,
    Values,
    key,
    meaning,
    number,
    refers,
    table,
    text,
)

CORNER_SHOP = Catalogue(
    tables=(
        table("orders", 500, key("order_id", 500), key("product_id", 20), number("quantity", 1, 9)),
        table("products", 20, key("product_id", 20), text("category"), number("price", 2, 50)),
    ),
    relationships=(refers("orders", "product_id", "products"),),
)


def test_the_price_may_be_that_of_the_thing_sold() -> None:
    assert list(revenue_formulas(CORNER_SHOP)) == [
        Product(
            factors=(
                Field(table="orders", column="quantity"),
                Field(table="products", column="price"),
            )
        )
    ]


async def test_the_rows_that_hold_the_quantity_are_summed_and_the_price_is_joined() -> None:
    intent = (await meaning("revenue by category", CORNER_SHOP)).intent
    query = render(intent, CORNER_SHOP).text
    assert 'SUM("orders"."quantity" * "products"."price")' in query
    assert intent.base == "orders"


async def test_revenue_of_penguins_is_refused_rather_than_counted() -> None:
    found = await understand(
        "revenue by species", PENGUINS, Values(PENGUINS), today=TODAY, assume=True
    )
    assert isinstance(found, NotUnderstood)
    assert '"revenue"' in found.message


async def test_sold_beside_a_quantity_is_no_revenue() -> None:
    for question in ("quantity sold by category", "total quantity sold by category"):
        intent = (await meaning(question, CORNER_SHOP)).intent
        (measure,) = intent.measures
        assert (measure.aggregate, measure.expression) == (
            Aggregate.SUM,
            Field(table="orders", column="quantity"),
        )
