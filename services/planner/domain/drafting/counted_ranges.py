"""A histogram of more rows than a query may give: the engine counts them all in ranges.

The width follows Freedman and Diaconis (1981), twice the quartile range over the cube root of the
number of rows, but never makes more than fifty ranges; it is rounded up to 1, 2 or 5 of a power of
ten, so that ranges begin at round numbers.
"""

from __future__ import annotations

from typing import Any

import sqlglot
from sqlglot import exp

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.drafting.spread import (
    LOWER,
    MEDIAN,
    UPPER,
    shows_spread,
)
from services.planner.domain.plan import Subtask
from services.planner.domain.query.intent import Intent
from services.planner.domain.query.planning.sql import Query

FROM, TO, ROWS = "from", "to", "number of rows"
_MOST = 50
_SECONDS = 0.2


def is_counted(intent: Intent, catalogue: Catalogue, row_limit: int) -> bool:
    """Whether a histogram is of more rows than a query may give."""
    table = catalogue.table(intent.base)
    return shows_spread(intent) and table is not None and table.rows > row_limit


def counted_ranges(query: Query, label: str) -> Query:
    """The rows counted in ranges: where each begins and ends, and how many lie in it."""
    text = f"""
    WITH spread AS ({query.text}),
    numbers AS (SELECT CAST({_named(label)} AS DOUBLE) AS v FROM spread
        WHERE {_named(label)} IS NOT NULL),
    ends AS MATERIALIZED (SELECT MIN(v) AS low, MAX(v) AS high, COUNT(*) AS n,
        QUANTILE_CONT(v, 0.75) - QUANTILE_CONT(v, 0.25) AS middle FROM numbers),
    wished AS (SELECT CASE WHEN high = low THEN 1.0 ELSE GREATEST(
        2 * middle / POWER(n, 1.0 / 3), (high - low) / {_MOST}) END AS w FROM ends),
    powers AS (SELECT w, POWER(10.0, FLOOR(LOG10(w))) AS p FROM wished),
    widths AS MATERIALIZED (SELECT CASE WHEN w <= p THEN p WHEN w <= 2 * p THEN 2 * p
        WHEN w <= 5 * p THEN 5 * p ELSE 10 * p END AS w FROM powers)
    SELECT FLOOR(v / w) * w AS {_named(FROM)}, (FLOOR(v / w) + 1) * w AS {_named(TO)},
        COUNT(*) AS {_named(ROWS)}
    FROM numbers CROSS JOIN widths GROUP BY FLOOR(v / w), w ORDER BY FLOOR(v / w)
    """
    statement = sqlglot.parse_one(text, dialect="duckdb").sql(dialect="duckdb")
    return Query(statement, query.params, (FROM, TO, ROWS))


def counted_spread(query: Query, label: str, seconds: int) -> Subtask:
    """One row over all rows: how many there are, the median and the quartiles.

    Of floating-point numbers: between two decimals DuckDB and PostgreSQL do not agree.
    """
    column = f"CAST({_named(label)} AS DOUBLE)"
    text = f"""
    SELECT COUNT({column}) AS {_named("rows")}, MEDIAN({column}) AS {_named(MEDIAN + label)},
        QUANTILE_CONT({column}, 0.25) AS {_named(LOWER + label)},
        QUANTILE_CONT({column}, 0.75) AS {_named(UPPER + label)}
    FROM ({query.text}) AS spread
    """
    statement = sqlglot.parse_one(text, dialect="duckdb").sql(dialect="duckdb")
    arguments: dict[str, Any] = {
        "query": statement,
        "params": list(query.params),
        "timeout": seconds,
        "row_limit": 1,
    }
    return Subtask(
        task_id="facts",
        description="median and quartiles",
        tool_name="sql.run",
        arguments=arguments,
        invariants=("exactly one row",),
        estimated_cost_seconds=_SECONDS,
    )


def _named(label: str) -> str:
    return exp.to_identifier(label, quoted=True).sql(dialect="duckdb")
