"""What Spark is asked of the allowed functions and operators it answers as DuckDB does."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mesh.policy import Policy
from mesh.tool import ToolError
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.plan import Twins, planned
from services.executor.engines.spark.translate import spark_sql
from tests.engines.kinds import lines, of_groups, of_rows
from tests.engines.test_same_frames import assert_same
from tests.engines.world import Place
from tests.thorough import some

# Statements cost Spark much and columns little.
AT_ONCE, PARTS = 12, 4
MOST = 200  # of a kind


def expressible(place: Place, sql: str, twins: Twins) -> bool:
    """Whether Spark is asked at all."""
    try:
        plan = planned(place.sources, sql, (), policy=Policy(), row_limit=1_000, twins=twins)
        spark_sql(plan, {table.name.casefold(): "v" for table in plan.used})
    except NotExpressible:
        return False
    return True


def together(expressions: list[str]) -> str:
    """Several expressions as one, with the name that the last of them is given."""
    *first, last = expressions
    return "".join(f"{one} AS value_{n}, " for n, one in enumerate(first)) + last


def differing(
    asked: Callable[[str], str], several: list[str], places: dict[str, Place]
) -> list[str]:
    """Those that Spark answers otherwise: all are asked at once, and by halves where that fails."""
    sql = asked(together(several))
    try:
        assert_same(places["duckdb"].ask(sql), places["spark"].ask(sql))
    except (AssertionError, NotExpressible, ToolError) as error:
        if len(several) == 1:
            return [] if isinstance(error, NotExpressible) else several
        half = len(several) // 2
        return [
            one
            for part in (several[:half], several[half:])
            for one in differing(asked, part, places)
        ]
    return []


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize(("kind", "asked"), [("values", of_rows), ("aggregates", of_groups)])
def test_spark_answers_alike_or_is_not_asked(
    kind: str, asked: Callable[[str], str], part: int, spark_places: dict[str, Place]
) -> None:
    twins, given = Twins(), some(lines(kind), MOST)[part::PARTS]
    known = [one for one in given if expressible(spark_places["spark"], asked(one), twins)]
    assert len(known) > len(given) // 5
    assert not [
        one
        for first in range(0, len(known), AT_ONCE)
        for one in differing(asked, known[first : first + AT_ONCE], spark_places)
    ]
