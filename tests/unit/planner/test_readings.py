"""A model is asked for a reading: what it is told, and what of its answer is believed."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from mesh.testing.model_server import Answered
from services.planner.adapters.llm.ask import NoAnswerError
from services.planner.adapters.llm.describing import tokens_in
from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType, Table
from services.planner.domain.language.planning.sql import render
from tests.unit.planner.llm_world import SHOP, World, asked, given, known_policy, world

BY_REGION: dict[str, Any] = {
    "kind": "reading",
    "base": "orders",
    "measures": [{"aggregate": "sum", "column": "orders.amount"}],
    "dimensions": [{"column": "orders.region"}],
}
TOLD = 2_500
"""Tokens of a whole request about ten tables, at most."""


@pytest_asyncio.fixture
async def shop(tmp_path: Path) -> AsyncIterator[World]:
    async with world(tmp_path, llm_seconds=20.0) as made:
        yield made


async def sql_of(shop: World, question: str = "amount by region", **form: Any) -> tuple[str, Any]:
    """The query of a reading that the model proposes, with its parameters."""
    shop.server.will_read(Answered({**BY_REGION, **form}))
    read = await shop.model.read(given(asked(question)))
    assert read.proposed is not None
    query = render(read.proposed.intent, SHOP)
    return query.text, query.params


async def refusal_of(shop: World, question: str = "amount by region", **form: Any) -> str:
    """What goes back to a model that proposes this, and nothing better the next times."""
    shop.server.will_read(Answered({**BY_REGION, **form}))
    with pytest.raises(NoAnswerError):
        await shop.model.read(given(asked(question)))
    return json.dumps(shop.server.asked_to_read[1]["messages"])


async def test_a_reading_becomes_a_query_with_joins_found_here(shop: World) -> None:
    text, params = await sql_of(
        shop,
        "amount by city in the north",
        dimensions=[{"column": "Customers.CITY"}],
        filters=[{"column": "region", "values": ["north"]}],
    )

    assert 'JOIN "customers" ON "orders"."customer_id" = "customers"."id"' in text
    assert params == ("North",), "as the data spells it"


async def test_conditions_may_be_nested(shop: World) -> None:
    north = {"column": "orders.region", "values": ["North"]}
    large = {"column": "orders.amount", "operator": ">", "values": [50]}
    in_2024 = {"column": "orders.sold_on", "operator": ">=", "values": ["2024-03-01"]}

    text, params = await sql_of(
        shop,
        "orders in the north, or over 50 since March 2024",
        filters=[{"any": [north, {"all": [large, in_2024]}]}],
    )

    assert " OR " in text
    assert " AND " in text
    assert params == ("North", 50, "2024-03-01")


@pytest.mark.parametrize(
    ("form", "why"),
    [
        ({"base": "invoices"}, "there is no table 'invoices'"),
        ({"dimensions": [{"column": "orders.regoin"}]}, "is 'orders.region' meant?"),
        ({"measures": [{"aggregate": "sum", "column": "orders.region"}]}, "holds no numbers"),
        ({"measures": [{"aggregate": "avg", "column": "orders.customer_id"}]}, "means nothing"),
        ({"dimensions": [{"column": "orders.region", "grain": "month"}]}, "is no date"),
        (
            {"filters": [{"column": "orders.amount", "operator": ">", "values": [4711]}]},
            "the number 4711 is not in the question",
        ),
        (
            {"filters": [{"column": "orders.region", "values": ["Atlantis"]}]},
            "neither in the question nor a known value of region",
        ),
        (
            {"filters": [{"column": "orders.sold_on", "operator": ">", "values": ["1066-01-01"]}]},
            "the year of 1066-01-01 is not in the question",
        ),
        ({"filters": [{}]}, "a filter has either a column, any, all or without"),
        ({"limit": 3}, "a limit needs an order"),
        ({"order": [{"by": "measure", "index": 7}]}, "there is no measure 7"),
        (
            {"measures": [{"aggregate": "count"}], "base": "customers"},
            "has several of orders and would be counted",
        ),
        ({"measures": [], "dimensions": []}, "shows at least one"),
        ({"sql": "DROP TABLE orders"}, "sql"),
        ({"filters": [{"column": 'x" OR 1=1 --', "values": [1]}]}, "there is no column"),
    ],
)
async def test_what_does_not_fit_goes_back_with_the_reason(
    shop: World, form: dict[str, Any], why: str
) -> None:
    assert why in await refusal_of(shop, **form)


async def test_what_policy_hides_can_neither_be_seen_nor_read(shop: World) -> None:
    by_email = {**BY_REGION, "dimensions": [{"column": "customers.email"}]}
    shop.server.will_read(Answered(by_email), Answered(BY_REGION))

    read = await shop.model.read(given(asked(policy=known_policy())))

    assert read.proposed is not None
    assert "a@b.org" not in json.dumps(shop.server.asked_to_read)
    assert "email" not in json.dumps(shop.server.asked_to_read[0])


async def test_a_prompt_about_ten_tables_is_short(shop: World) -> None:
    shop.server.will_read(Answered({"kind": "plan"}))
    question = "average amount of orders by region and month for products of each supplier"

    await shop.model.read(given(asked(question), ten_tables()))

    [request] = shop.server.asked_to_read
    told = json.dumps([request["messages"], request["tools"]], ensure_ascii=False)
    assert tokens_in(told) < TOLD
    assert all(
        f"table {json.dumps(t.name)}" in told.replace('\\"', '"') for t in ten_tables().tables
    )


def ten_tables() -> Catalogue:
    """A shop of ten tables with eight columns each, all of which a question may mean."""
    names = "orders products suppliers regions customers shipments returns payments stores staff"
    kinds = (
        ("id", DataType.INTEGER, ColumnRole.ID, ()),
        ("name", DataType.STRING, ColumnRole.DIMENSION, ("Northern Light", "Plain", "Old Mill")),
        ("region", DataType.STRING, ColumnRole.DIMENSION, ("North", "South", "West")),
        ("amount", DataType.FLOAT, ColumnRole.MEASURE, ("12.5", "13.0")),
        ("quantity", DataType.INTEGER, ColumnRole.MEASURE, ("1", "2")),
        ("order_month", DataType.DATE, ColumnRole.TIMESTAMP, ("2024-01-01",)),
        ("supplier_id", DataType.INTEGER, ColumnRole.ID, ()),
        ("status", DataType.STRING, ColumnRole.DIMENSION, ("open", "closed", "returned")),
    )
    columns = tuple(
        Column(name=name, data_type=kind, role=role, samples=samples, distinct=9)
        for name, kind, role, samples in kinds
    )
    tables = tuple(
        Table(name=name, source_name="shop.sqlite", rows=900, columns=columns)
        for name in names.split()
    )
    return Catalogue(tables=tables, fingerprint="cd" * 32)
