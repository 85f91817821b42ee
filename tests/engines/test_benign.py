"""What an analyst asks is not refused."""

from __future__ import annotations

import pytest

from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.expressible import NotExpressible
from tests.engines.benign import BENIGN
from tests.engines.world import Place

MOST_REFUSED = 0.01
LEAST_PUSHED_DOWN = 0.9


def refused(place: Place, sql: str) -> bool:
    try:
        place.ask(sql)
    except ToolError as error:
        return error.category in (ErrorCategory.POLICY_DENIED, ErrorCategory.SQL_SYNTAX)
    return False


@pytest.mark.parametrize("engine", ["duckdb", "chosen"])
def test_at_most_one_honest_query_in_a_hundred_is_refused(
    engine: str, places: dict[str, Place]
) -> None:
    assert len(BENIGN) >= 200
    failed = [sql for sql in BENIGN if refused(places[engine], sql)]
    assert len(failed) <= MOST_REFUSED * len(BENIGN), failed


def test_most_of_them_run_inside_the_database(places: dict[str, Place]) -> None:
    copied = []
    for sql in BENIGN:
        try:
            places["postgres"].ask(sql)
        except NotExpressible as reason:
            copied.append(f"{reason}: {sql}")
    assert len(copied) <= (1 - LEAST_PUSHED_DOWN) * len(BENIGN), copied
