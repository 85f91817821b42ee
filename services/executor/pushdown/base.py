"""What engines have in common that run a statement in the database where its tables are."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import pyarrow as pa

from mesh.policy import Policy
from services.executor.databases.address import Address
from services.executor.databases.live import only_database
from services.executor.databases.masking import pseudonyms
from services.executor.databases.pseudonyms import Pseudonyms
from services.executor.databases.session import Interrupted, Sessions
from services.executor.engines.arrow_types import friendly, under_names_of
from services.executor.engines.engine import annotated
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.limits import collected, stopped_by
from services.executor.engines.plan import Plan, Twins, planned
from services.executor.engines.presenting import presentable
from services.executor.sources.prepared import PreparedSource

_IN_PARALLEL = "computed in parallel: the last digits of sums may differ when run again"


class DatabaseEngine(ABC):
    """Translates statements and runs them in read-only transactions. Serves all threads.

    `errors` is what speaking to a server raises; `byte_limit` is the most a result may take in
    memory. Above `single_thread_rows` read the server may compute with several threads; None where
    it never does.
    """

    name: str
    errors: tuple[type[Exception], ...]
    single_thread_rows: ClassVar[int | None] = None

    def __init__(
        self, sessions: Sessions, twins: Twins | None = None, *, byte_limit: int = 1 << 30
    ) -> None:
        self.sessions = sessions
        self._twins = twins or Twins()
        self._byte_limit = byte_limit

    @abstractmethod
    def translated(self, plan: Plan, known: Mapping[str, Pseudonyms]) -> Any:
        """The statement as `rows` takes it, with pseudonyms as `known` has them.

        Raises NotExpressible where the server cannot say what it means.
        """

    @abstractmethod
    def rows(self, session: Any, statement: Any, plan: Plan) -> pa.RecordBatchReader:
        """What the statement gives, as it arrives. Raises `errors`."""

    @abstractmethod
    def failure(self, error: Exception, address: Address, plan: Plan) -> Exception:
        """What one of `errors` is told as: ToolError, AssayError, or NotExpressible."""

    def check(self, session: Any) -> None:  # noqa: B027, most have nothing to check
        """Raise NotExpressible where a server, once reached, turns out to be of another kind."""

    def under_names(self, table: pa.Table, plan: Plan) -> pa.Table:
        """The rows under DuckDB's names, in its types."""
        return under_names_of(plan.schema, friendly(table))

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

        Raises NotExpressible, too, where the server cannot say what the statement means.
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
        statement = self.translated(plan, {})  # what cannot be said is known before it is asked
        read = plan.columns_read() if policy.blocked_patterns else frozenset()
        most, scanned = self.single_thread_rows, sum(table.stored.rows for table in plan.used)
        parallel = most is not None and scanned > most
        try:
            with self.sessions.open(
                database.address, seconds, cancelled, parallel=parallel
            ) as session:
                self.check(session)
                if policy.blocked_patterns:
                    known = pseudonyms(session, database, plan.used, read, policy)
                    statement = self.translated(plan, known)
                reader = self.rows(session, statement, plan)
                table = collected(reader, row_limit, self._byte_limit)
        except Interrupted as stopped:
            raise stopped_by(stopped, seconds) from None
        except self.errors as error:
            raise self.failure(error, database.address, plan) from None
        result, notes = presentable(self.under_names(table, plan), policy)
        if parallel and any(map(pa.types.is_floating, result.schema.types)):
            notes.append(_IN_PARALLEL)
        return annotated(result, self.name, notes)

    def close(self) -> None:  # noqa: B027
        """Nothing is held: connections belong to the library of databases."""
