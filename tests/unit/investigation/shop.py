"""A shop's orders and customers as the planner knows them, and requests about them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from services.planner.domain.catalogue import (
    Catalogue,
    Column,
    ColumnRole,
    DataType,
    Relationship,
    Table,
)
from services.planner.domain.data_source import DataSource
from services.planner.domain.investigation.period import DateRange
from services.planner.domain.investigation.request import InvestigationRequest

NOW = datetime(2024, 4, 2, 9, tzinfo=UTC)
JANUARY = DateRange.read("2024-01", "baseline_period")
FEBRUARY = DateRange.read("2024-02", "comparison_period")


def column(name: str, kind: str, distinct: int, **fields: Any) -> Column:
    """A column; `kind` is a data type's name."""
    roles = {"date": ColumnRole.TIMESTAMP, "string": ColumnRole.DIMENSION}
    role = ColumnRole.ID if name.endswith("_id") else roles.get(kind, ColumnRole.MEASURE)
    given = {"role": role, **fields}
    return Column(name=name, data_type=DataType(kind), distinct=distinct, **given)


ORDERED = column("ordered_on", "date", 90, minimum="2024-01-01", maximum="2024-03-31")
ORDERS = (
    column("order_id", "integer", 5_000),
    column("customer_id", "integer", 400),
    ORDERED,
    column("region", "string", 3, samples=("North", "South", "East")),
    column("channel", "string", 2, samples=("web", "shop")),
    column("revenue", "float", 4_000, minimum="1.5", maximum="210.75", samples=("12.25", "99.5")),
)


def shop(*orders: Column) -> Catalogue:
    """Orders with these columns, and the customers that they refer to."""
    customers = (
        column("customer_id", "integer", 400),
        column("segment", "string", 4, samples=("home", "office")),
    )
    return Catalogue(
        tables=(
            Table(
                name="orders",
                source_name="orders.csv",
                rows=5_000,
                columns=orders or ORDERS,
                primary_key=("order_id",),
            ),
            Table(
                name="customers",
                source_name="customers.csv",
                rows=400,
                columns=customers,
                primary_key=("customer_id",),
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


def without(name: str) -> tuple[Column, ...]:
    """The columns of orders but one."""
    return tuple(column for column in ORDERS if column.name != name)


def asked(**fields: Any) -> InvestigationRequest:
    """A request about the shop's January and February."""
    given = {
        "request_id": "1" * 32,
        "timestamp": NOW,
        "data_sources": (DataSource(file_path="/data/orders.csv"),),
        "metric_sql": "sum(revenue)",
        "baseline_period": JANUARY,
        "comparison_period": FEBRUARY,
        **fields,
    }
    return InvestigationRequest.model_validate(given)


def shop_of_lines() -> Catalogue:
    """The shop's orders with their freight, and the lines that they have."""
    base = shop(*ORDERS, column("freight", "float", 3_000, minimum="0.5", maximum="99.5"))
    lines = (
        column("line_id", "integer", 13_000),
        column("order_id", "integer", 5_000),
        column("product", "string", 20, samples=("pen", "ink")),
        column("quantity", "integer", 30, minimum="1", maximum="60"),
    )
    return base.model_copy(
        update={
            "tables": (
                *base.tables,
                Table(
                    name="lines",
                    source_name="lines.csv",
                    rows=13_000,
                    columns=lines,
                    primary_key=("line_id",),
                ),
            ),
            "relationships": (
                *base.relationships,
                Relationship(
                    from_table="lines",
                    from_column="order_id",
                    to_table="orders",
                    to_column="order_id",
                ),
            ),
        }
    )
