"""The push-down engine for Flight SQL: a statement runs in the DuckDB behind the server."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from mesh.policy import Policy
from services.executor.databases.live import only_database
from services.executor.databases.masking import pseudonyms
from services.executor.databases.session import Interrupted, Sessions
from services.executor.engines.arrow_types import friendly, under_names_of
from services.executor.engines.engine import annotated
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.flightsql.about import ENGINE
from services.executor.engines.flightsql.errors import DRIVER_ERRORS, as_failure
from services.executor.engines.flightsql.session import FlightSession
from services.executor.engines.flightsql.translate import flight_sql
from services.executor.engines.limits import collected, stopped_by
from services.executor.engines.plan import Plan, Twins, planned
from services.executor.engines.presenting import presentable
from services.executor.sources.prepared import PreparedSource

# DuckDB computes a table of one group of rows by one thread, and sums of floats are then the same.
_ONE_THREAD_ROWS = 122_880


class FlightEngine:
    """Runs statements behind Flight SQL servers that are DuckDB. Serves all threads.

    `byte_limit` is the most a result may take in memory.
    """

    name = ENGINE.name

    def __init__(
        self, sessions: Sessions, twins: Twins | None = None, *, byte_limit: int = 1 << 30
    ) -> None:
        self.sessions = sessions
        self._twins = twins or Twins()
        self._byte_limit = byte_limit

    def query(
        self,
        sources: Sequence[PreparedSource],
        sql: str,
        parameters: Sequence[Any] = (),
        *,
        row_limit: int,
        seconds: float,
        cancelled: threading.Event,
        policy: Policy,
    ) -> pa.Table:
        """As `Engine.query`; all sources are one database.

        Raises NotExpressible, too, where what answers there is no DuckDB.
        """
        plan = self.planned(sources, sql, parameters, row_limit=row_limit, policy=policy)
        return self.run(
            sources, plan, row_limit=row_limit, seconds=seconds, cancelled=cancelled, policy=policy
        )

    def planned(
        self,
        sources: Sequence[PreparedSource],
        sql: str,
        parameters: Sequence[Any],
        *,
        row_limit: int,
        policy: Policy,
    ) -> Plan:
        """The statement, guarded and bound, cut one row above the limit. Raises ToolError."""
        return planned(
            sources, sql, parameters, policy=policy, row_limit=row_limit, twins=self._twins
        )

    def run(
        self,
        sources: Sequence[PreparedSource],
        plan: Plan,
        *,
        row_limit: int,
        seconds: float,
        cancelled: threading.Event,
        policy: Policy,
    ) -> pa.Table:
        """The rows of a statement that was planned for these sources, as `query`."""
        database = only_database(sources)
        if database is None:
            raise NotExpressible("tables of several places")
        statement = flight_sql(plan, {})
        read = plan.columns_read() if policy.blocked_patterns else frozenset()
        address = database.address
        try:
            with self.sessions.open(address, seconds, cancelled) as session:
                assert isinstance(session, FlightSession)
                if not session.is_duckdb:
                    raise NotExpressible("statements in its own dialect")
                if policy.blocked_patterns:
                    known = pseudonyms(session, database, plan.used, read, policy)
                    statement = flight_sql(plan, known)
                table = collected(session.stream(statement), row_limit, self._byte_limit)
        except Interrupted as stopped:
            raise stopped_by(stopped, seconds) from None
        except DRIVER_ERRORS as error:
            known_tables = [one.known for one in plan.used]
            raise as_failure(error, address, plan.text, known_tables) from None
        names = [f"c{position}" for position in range(table.num_columns)]
        result, notes = presentable(
            under_names_of(plan.schema, friendly(table.rename_columns(names))), policy
        )
        rows = sum(used.stored.rows for used in plan.used)
        if rows > _ONE_THREAD_ROWS and any(map(pa.types.is_floating, result.schema.types)):
            notes.append("computed in parallel: the last digits of sums may differ when run again")
        return annotated(result, self.name, notes)

    def close(self) -> None:
        """Nothing is held: connections belong to the library of databases."""
