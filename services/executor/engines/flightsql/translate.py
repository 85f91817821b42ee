"""A guarded statement over tables inside the policy, for a DuckDB that is elsewhere.

It is sent in its own words: each table it reads is a CTE of that name, in stored types, which holds
the policy and hides whatever else is called so there.
"""

from __future__ import annotations

from collections.abc import Mapping

import duckdb

from mesh.tool import ErrorCategory, ToolError
from services.executor.databases.live import live
from services.executor.databases.pseudonyms import Pseudonyms
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.flightsql.relation import relation_sql
from services.executor.engines.plan import Plan
from services.executor.engines.workspace import FlatTable
from services.executor.sources.sql import quoted


def flight_sql(plan: Plan, pseudonyms: Mapping[str, Pseudonyms]) -> str:
    """The statement. `pseudonyms` gives by table what stands for which texts.

    Raises ToolError(POLICY_DENIED) where DuckDB's own parser does not call it one SELECT.
    """
    tables = ", ".join(
        f"{quoted(table.name)} AS NOT MATERIALIZED "
        f"({_selected(table, pseudonyms.get(table.name, {}))})"
        for table in plan.used
    )
    asked = f"SELECT * FROM ({plan.text}) AS q"
    return checked(f"WITH {tables} {asked}" if tables else asked)


def checked(statement: str) -> str:
    """The statement as it is: the last look before it is sent, by the parser that will read it."""
    try:
        parsed = duckdb.extract_statements(statement)
    except duckdb.Error:
        raise NotExpressible("a statement of this form") from None
    if len(parsed) != 1 or parsed[0].type != duckdb.StatementType.SELECT:
        raise ToolError(
            ErrorCategory.POLICY_DENIED,
            "the statement is not sent to the database: it is not one query.",
            details={"reason": "SQL_REFUSED"},
        )
    return statement


def _selected(table: FlatTable, pseudonyms: Pseudonyms) -> str:
    source = live(table.source)
    if source is None:
        raise NotExpressible("a table that is not in the database")
    return relation_sql(
        source.relations[table.stored.name],
        [column.name for column in table.columns],
        pseudonyms=pseudonyms,
        digits={column.name for column in table.columns if column.digits},
    )
