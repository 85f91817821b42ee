"""The push-down engine for Flight SQL: a statement runs in the DuckDB behind the server."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from services.executor.databases.address import Address
from services.executor.databases.pseudonyms import Pseudonyms
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.flightsql.about import ENGINE
from services.executor.engines.flightsql.errors import DRIVER_ERRORS, as_failure
from services.executor.engines.flightsql.session import FlightSession
from services.executor.engines.flightsql.translate import flight_sql
from services.executor.engines.plan import Plan
from services.executor.pushdown.base import DatabaseEngine


class FlightEngine(DatabaseEngine):
    """Speaks to Flight SQL servers that are DuckDB."""

    name = ENGINE.name
    errors = DRIVER_ERRORS
    # DuckDB computes a table of one group of rows by one thread, and sums of floats are then equal.
    single_thread_rows = 122_880

    def check(self, session: FlightSession) -> None:
        """Raise NotExpressible where what answers there is no DuckDB."""
        if not session.is_duckdb:
            raise NotExpressible("statements in its own dialect")

    def translated(self, plan: Plan, known: Mapping[str, Pseudonyms]) -> str:
        """As `DatabaseEngine.translated`."""
        return flight_sql(plan, known)

    def rows(self, session: FlightSession, statement: str, plan: Plan) -> pa.RecordBatchReader:
        """As `DatabaseEngine.rows`."""
        return session.stream(statement)

    def failure(self, error: Exception, address: Address, plan: Plan) -> Exception:
        """As `DatabaseEngine.failure`."""
        return as_failure(error, address, plan.text, [one.known for one in plan.used])

    def under_names(self, table: pa.Table, plan: Plan) -> pa.Table:
        """As `DatabaseEngine.under_names`."""
        names = [f"c{position}" for position in range(table.num_columns)]
        return super().under_names(table.rename_columns(names), plan)
