"""What the planner asks of periods and of things that come back is the same on every engine."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pytest

from services.planner.domain.catalogue import (
    Catalogue,
    Column,
    ColumnRole,
    DataType,
    Relationship,
    Table,
    ValueHit,
)
from services.planner.domain.query.intent import Understood
from services.planner.domain.query.planning.sql import render
from services.planner.domain.reader.understand import understand
from tests.engines.test_same_frames import assert_same
from tests.engines.world import Place

KEY, DATE, AMOUNT = ColumnRole.ID, ColumnRole.TIMESTAMP, ColumnRole.MEASURE
SHOP = Catalogue(
    tables=(
        Table(
            name="customers",
            source_name="shop",
            rows=6,
            primary_key=("customer_id",),
            columns=(
                Column(name="customer_id", data_type=DataType.INTEGER, role=KEY, distinct=6),
                Column(name="vip", data_type=DataType.BOOLEAN, role=ColumnRole.DIMENSION),
            ),
        ),
        Table(
            name="orders",
            source_name="shop",
            rows=120,
            primary_key=("order_id",),
            columns=(
                Column(name="order_id", data_type=DataType.INTEGER, role=KEY, distinct=120),
                Column(name="customer_id", data_type=DataType.INTEGER, role=KEY, distinct=5),
                Column(
                    name="ordered_at",
                    data_type=DataType.DATETIME,
                    role=DATE,
                    distinct=120,
                    minimum="2021-01-02 17:07:03",
                    maximum="2021-06-06 00:06:00",
                ),
                Column(name="amount", data_type=DataType.FLOAT, role=AMOUNT, distinct=90),
            ),
        ),
    ),
    relationships=(
        Relationship(
            from_table="orders",
            from_column="customer_id",
            to_table="customers",
            to_column="customer_id",
        ),
    ),
)
QUESTIONS = (
    "retention of customers by month",
    "retention curve of customers by week",
    "revenue by cohort of customers",
    "new versus returning customers by week",
    "new customers by month",
    "how many customers ordered again within 6 days",
    "how many customers ordered again within 2 months",
    "how many customers who first ordered in January 2021 ordered again in March 2021",
    "repeat purchase rate by vip",
    "how many more orders in February 2021 than in January 2021",
    "total amount by vip and quarter in 2021",
    "monthly growth of total amount since February 2021",
)


async def nothing(phrases: Sequence[str]) -> list[ValueHit]:
    return []


async def statement(question: str) -> tuple[str, Sequence[object]]:
    found = await understand(question, SHOP, nothing, today=date(2025, 1, 1))
    assert isinstance(found, Understood), found
    query = render(found.intent, SHOP)
    return query.text, query.params


@pytest.mark.parametrize("question", QUESTIONS)
async def test_postgres_gives_the_frame_that_duckdb_gives(
    question: str, places: dict[str, Place]
) -> None:
    sql, values = await statement(question)
    expected = places["duckdb"].ask(sql, values)
    assert expected.num_rows
    assert_same(expected, places["postgres"].ask(sql, values))


@pytest.mark.parametrize("question", QUESTIONS)
async def test_spark_gives_the_frame_that_duckdb_gives(
    question: str, spark_places: dict[str, Place]
) -> None:
    sql, values = await statement(question)
    assert_same(spark_places["duckdb"].ask(sql, values), spark_places["spark"].ask(sql, values))
