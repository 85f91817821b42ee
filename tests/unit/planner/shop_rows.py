"""Rows of the small shop, asked as the executor asks them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import duckdb

from mesh.policy import Policy
from services.executor.contract_probing import outcome_to
from services.executor.probing.looking import seen
from services.planner.contract import outcome_from
from services.planner.domain.evidence import (
    USUAL_LIMITS,
    Outcome,
    ProbedQuery,
    ProbeLimits,
    ProbeState,
)

_ROWS = (
    "CREATE TABLE orders AS SELECT i AS order_id, ['North','South','West'][1 + i % 3] AS region, "
    "i * 1.25 AS amount, i % 9 AS customer_id, DATE '2024-01-01' + CAST(i AS INT) AS sold_on "
    "FROM range(60) AS t(i)",
    "CREATE TABLE customers AS SELECT i AS id, 'a@b.org' AS email, 'Bern' AS city "
    "FROM range(9) AS t(i)",
)


@cache
def _shop() -> duckdb.DuckDBPyConnection:
    made = duckdb.connect()
    for statement in _ROWS:
        made.execute(statement)
    return made


async def shop_rows(
    queries: Sequence[ProbedQuery], limits: ProbeLimits = USUAL_LIMITS
) -> Sequence[Outcome]:
    """What the shop's tables say, as the port promises."""
    return [_outcome(query, limits) for query in queries]


def _outcome(query: ProbedQuery, limits: ProbeLimits) -> Outcome:
    try:
        table = _shop().execute(query.sql, list(query.params)).to_arrow_table()
    except duckdb.Error:
        return Outcome(state=ProbeState.FAILED, reason="MISSING_COLUMN")
    return outcome_from(outcome_to(seen(table, limits.rows, Policy(), limits.glimpse)))
