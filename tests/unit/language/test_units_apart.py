"""What is in several currencies is told within each, and never added up over them."""

from __future__ import annotations

import pytest

from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType, Table
from services.planner.domain.charts.choosing import charted
from services.planner.domain.query.intent import (
    Aggregate,
    Condition,
    Dimension,
    Field,
    Intent,
    Measure,
    Operator,
)


def paid(unit: str, kinds: int) -> Catalogue:
    """Payments whose amounts are in so many currencies."""
    columns = (
        Column(name="amount", data_type=DataType.FLOAT, role=ColumnRole.MEASURE, distinct=40),
        Column(name=unit, data_type=DataType.STRING, role=ColumnRole.DIMENSION, distinct=kinds),
    )
    return Catalogue(tables=(Table(name="paid", source_name="paid.csv", rows=50, columns=columns),))


@pytest.mark.parametrize(
    ("unit", "kinds", "of", "additive"),
    [
        ("currency", 2, None, False),
        ("amount_unit", 3, None, False),
        ("currency", 1, None, True),
        ("currency", 2, "EUR", True),
        ("shop", 2, None, True),
    ],
)
def test_amounts_in_several_units_are_not_added_up(
    unit: str, kinds: int, of: str | None, additive: bool
) -> None:
    amount, field = Field(table="paid", column="amount"), Field(table="paid", column=unit)
    total = Measure(aggregate=Aggregate.SUM, table="paid", expression=amount, label="total amount")
    only = Condition(field=field, operator=Operator.EQUAL, values=(of,)) if of else None
    intent = Intent(
        base="paid",
        measures=(total,),
        dimensions=(Dimension(expression=field, label=unit),),
        filters=(only,) if only is not None else (),
    )
    assert charted(intent, paid(unit, kinds)).measures[0].additive is additive
