"""The same plan gives the same frame on every engine; what may differ is named here."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import pytest

from services.executor.engines.expressible import NotExpressible
from tests.engines.plans import ASKED, PLANS
from tests.engines.world import Place

# Sums of floating point depend on the order of rows: equal to this share.
CLOSE = 1e-9


def same(left: Any, right: Any) -> bool:
    if isinstance(left, float) and isinstance(right, float):
        if math.isnan(left) or math.isnan(right):
            return math.isnan(left) and math.isnan(right)
        return left == right or math.isclose(left, right, rel_tol=CLOSE, abs_tol=1e-12)
    return bool(left == right)


def plain(table: pa.Table) -> pa.Table:
    """With times as numbers: those before the year 1 are none of Python's."""
    columns = [
        column.cast(pa.int32() if pa.types.is_date32(column.type) else pa.int64())
        if pa.types.is_temporal(column.type)
        else column
        for column in table.columns
    ]
    return pa.table(columns, names=table.column_names)


def assert_same(expected: pa.Table, found: pa.Table) -> None:
    assert found.schema.remove_metadata() == expected.schema.remove_metadata()
    assert found.num_rows == expected.num_rows
    rows = zip(plain(expected).to_pylist(), plain(found).to_pylist(), strict=True)
    for number, (one, other) in enumerate(rows):
        assert all(map(same, one.values(), other.values())), (number, one, other)


@pytest.mark.parametrize("sql", PLANS)
@pytest.mark.parametrize("engine", ["postgres", "copies"])
def test_the_same_plan_gives_the_same_frame(
    sql: str, engine: str, places: dict[str, Place]
) -> None:
    expected = places["duckdb"].ask(sql)
    try:
        found = places[engine].ask(sql)
    except NotExpressible as reason:
        pytest.skip(f"computed over a copy: {reason}")
    assert_same(expected, found)


@pytest.mark.parametrize(("sql", "parameters"), ASKED)
@pytest.mark.parametrize("engine", ["postgres", "copies"])
def test_parameters_mean_the_same(
    sql: str, parameters: list[Any], engine: str, places: dict[str, Place]
) -> None:
    assert_same(places["duckdb"].ask(sql, parameters), places[engine].ask(sql, parameters))
