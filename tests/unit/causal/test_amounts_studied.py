"""A causal study is of amounts, yes and no, or names; numbers that only name things are refused."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mesh.errors import AssayError
from services.planner.causal.starting import brief_of
from services.planner.domain.catalogue import (
    Catalogue,
    Column,
    ColumnRole,
    DataType,
    Relationship,
    Table,
)
from services.planner.domain.causal.request import CausalRequest
from services.planner.domain.data_source import DataSource

ID, MEASURE = ColumnRole.ID, ColumnRole.MEASURE


def column(name: str, role: ColumnRole = MEASURE, distinct: int = 40) -> Column:
    return Column(name=name, data_type=DataType.INTEGER, role=role, distinct=distinct)


CATALOGUE = Catalogue(
    tables=(
        Table(
            name="orders",
            source_name="shop",
            rows=800,
            primary_key=("order_id",),
            columns=(
                column("order_id", ID, 800),
                column("ship_via", distinct=3),
                column("clerk_id", ID, 9),
                column("express", distinct=2),
                column("freight"),
            ),
        ),
        Table(name="shippers", source_name="shop", rows=3, columns=(column("shipper", ID, 3),)),
    ),
    relationships=(
        Relationship(
            from_table="orders", from_column="ship_via", to_table="shippers", to_column="shipper"
        ),
    ),
)


def request(treatment: str, outcome: str = "freight") -> CausalRequest:
    return CausalRequest(
        request_id="0" * 32,
        data_sources=(DataSource(file_path="/data/shop.sqlite"),),
        timestamp=datetime(2025, 1, 1, tzinfo=UTC),
        treatment=treatment,
        outcome=outcome,
    )


@pytest.mark.parametrize(
    ("treatment", "outcome", "why"),
    [
        ("ship_via", "freight", "numbers rows of shippers"),
        ("clerk_id", "freight", "clerk_id numbers things"),
        ("express", "ship_via", "ship_via numbers rows of shippers"),
    ],
)
def test_a_number_of_a_thing_is_no_amount(treatment: str, outcome: str, why: str) -> None:
    with pytest.raises(AssayError, match=why):
        brief_of(request(treatment, outcome), CATALOGUE)


def test_amounts_and_yes_and_no_are_studied() -> None:
    assert "freight" in brief_of(request("express"), CATALOGUE).relation
