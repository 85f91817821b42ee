"""The same frame at the edges: NaN and infinity, nothing at all, halves, zones, signs, overflow."""

from __future__ import annotations

import pytest

from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.expressible import NotExpressible
from tests.engines.edges import EDGES, ELSEWHERE, WRONG
from tests.engines.test_same_frames import assert_same
from tests.engines.world import Place


def compare(sql: str, reference: Place, engine: str, place: Place) -> None:
    """The frames, unless this engine is not asked for a reason that has a name."""
    expected = reference.ask(sql)
    try:
        found = place.ask(sql)
    except NotExpressible as reason:
        assert any(part in sql for part in ELSEWHERE[engine]), reason
    else:
        assert_same(expected, found)


def refused(place: Place, sql: str) -> ErrorCategory | None:
    """How a value is refused; None where the engine is not asked."""
    with pytest.raises((ToolError, NotExpressible)) as refusal:
        place.ask(sql)
    return refusal.value.category if isinstance(refusal.value, ToolError) else None


@pytest.mark.parametrize("sql", EDGES)
def test_postgres_and_copies_of_it_agree(sql: str, places: dict[str, Place]) -> None:
    compare(sql, places["duckdb"], "postgres", places["postgres"])
    assert_same(places["duckdb"].ask(sql), places["copies"].ask(sql))


@pytest.mark.parametrize("sql", EDGES)
def test_spark_agrees(sql: str, spark_places: dict[str, Place]) -> None:
    compare(sql, spark_places["duckdb"], "spark", spark_places["spark"])


@pytest.mark.parametrize("sql", WRONG)
def test_a_value_that_does_not_fit_is_told_the_same_way(sql: str, places: dict[str, Place]) -> None:
    assert refused(places["duckdb"], sql) is ErrorCategory.TYPE_MISMATCH
    assert refused(places["postgres"], sql) in (ErrorCategory.TYPE_MISMATCH, None)
    assert refused(places["chosen"], sql) is ErrorCategory.TYPE_MISMATCH


def test_spark_tells_them_the_same_way(spark_places: dict[str, Place]) -> None:
    for sql in WRONG:
        assert refused(spark_places["spark"], sql) in (ErrorCategory.TYPE_MISMATCH, None), sql
