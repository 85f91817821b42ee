"""What a column's values are: from its name, its type, its values and its grain."""

from __future__ import annotations

import pytest

from services.planner.domain.catalogue import Column, ColumnRole, DataType, Table
from services.planner.domain.semantics.kinds import Kind, kind_of
from services.planner.domain.semantics.units import converted, unit_called, unit_of_name


def _column(
    name: str, data_type: str, *samples: str, distinct: int = 50, role: str = "measure"
) -> Column:
    return Column(
        name=name,
        data_type=DataType(data_type),
        role=ColumnRole(role),
        distinct=distinct,
        samples=samples,
        minimum=min(samples, default=None),
        maximum=max(samples, default=None),
    )


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (_column("order_id", "integer", "1", "2", role="id"), Kind.ID),
        (_column("churned", "integer", "0", "1", distinct=2), Kind.FLAG),
        (_column("quantity", "integer", "1", distinct=1), Kind.AMOUNT),
        (_column("year", "integer", "1999", "2007"), Kind.DATE_PART),
        (_column("lifeExp", "float", "43.8"), Kind.INTENSIVE),
        (_column("gdpPercap", "float", "779.4"), Kind.INTENSIVE),
        (_column("pop", "integer", "8425333"), Kind.LEVEL),
        (_column("body_mass_g", "integer", "3750"), Kind.INTENSIVE),
        (_column("wait_min", "integer", "45"), Kind.INTENSIVE),
        (_column("response_time_ms", "integer", "450"), Kind.INTENSIVE),
        (_column("total_wait_min", "integer", "450"), Kind.AMOUNT),
        (_column("responses", "integer", "450"), Kind.AMOUNT),
        (_column("amount", "float", "12.5"), Kind.AMOUNT),
        (_column("unit_price", "float", "9.9"), Kind.INTENSIVE),
        (_column("revenue_share", "float", "0.2"), Kind.INTENSIVE),
        (_column("goals_average", "float", "1.7"), Kind.INTENSIVE),
        (_column("total_price", "float", "99.0"), Kind.AMOUNT),
        (_column("discount_amount", "float", "5.0"), Kind.AMOUNT),
        (_column("hire_date", "string", "1981-11-15", "1975-2-12", role="dimension"), Kind.TIME),
        (_column("customer_name", "string", "Ann", role="dimension"), Kind.NAME),
        (_column("region", "string", "North", distinct=4, role="dimension"), Kind.CATEGORY),
    ],
    ids=lambda value: value.name if isinstance(value, Column) else "",
)
def test_kinds(column: Column, kind: Kind) -> None:
    assert kind_of(column, Table(name="t", source_name="t", rows=100, columns=(column,))) is kind


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("body_mass_g", "g"),
        ("Weight (kg)", "kg"),
        ("distance_mi", "mi"),
        ("signed_in", None),
        ("DelayMinutes", "min"),
        ("Milliseconds", "ms"),
        ("name", None),
    ],
)
def test_units_of_names(name: str, unit: str | None) -> None:
    found = unit_of_name(name)
    assert (found.name if found else None) == unit


def test_units_are_turned_into_each_other() -> None:
    kilo, gram, hour = unit_called("kg"), unit_called("grams"), unit_called("hours")
    assert kilo and gram and hour
    assert converted(5, kilo, gram) == 5000
    assert converted(5, kilo, hour) is None
