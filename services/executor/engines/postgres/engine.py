"""The push-down engine: a statement runs in the PostgreSQL database where its tables are."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from mesh.policy import Policy
from mesh.tool import ErrorCategory, ToolError
from services.executor.databases.address import Address
from services.executor.databases.live import only_database
from services.executor.databases.masking import pseudonyms
from services.executor.databases.session import Interrupted, Sessions
from services.executor.engines.arrow_types import (
    friendly,
    under_names_of,
    whole,
)
from services.executor.engines.database_words import in_words
from services.executor.engines.engine import annotated
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.limits import collected, stopped_by
from services.executor.engines.plan import Plan, Twins, planned
from services.executor.engines.postgres.about import ENGINE
from services.executor.engines.postgres.connect import PostgresSession
from services.executor.engines.postgres.errors import (
    DRIVER_ERRORS,
    as_assay_error,
    said,
    state_of,
)
from services.executor.engines.postgres.guard import checked
from services.executor.engines.postgres.translate import postgres_sql
from services.executor.engines.presenting import presentable
from services.executor.engines.spellings import ELSEWHERE
from services.executor.engines.workspace import SINGLE_THREAD_ROWS
from services.executor.sources.prepared import PreparedSource

log = logging.getLogger("assay.executor")


class PostgresEngine:
    """Translates statements and runs them in read-only transactions. Serves all threads.

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

        Raises NotExpressible, too, where PostgreSQL cannot say what the statement means.
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
        statement = checked(postgres_sql(plan, {}))
        read = plan.columns_read() if policy.blocked_patterns else frozenset()
        parallel = sum(table.stored.rows for table in plan.used) > SINGLE_THREAD_ROWS
        address = database.address
        try:
            with self.sessions.open(address, seconds, cancelled, parallel=parallel) as session:
                assert isinstance(session, PostgresSession)
                if policy.blocked_patterns:
                    known = pseudonyms(session, database, plan.used, read, policy)
                    statement = checked(postgres_sql(plan, known))
                reader = session.stream(statement)
                table = collected(reader, row_limit, self._byte_limit)
        except Interrupted as stopped:
            raise stopped_by(stopped, seconds) from None
        except DRIVER_ERRORS as error:
            raise _failure(error, address) from None
        result, notes = presentable(_with_schema(table, plan.schema), policy)
        if parallel and any(pa.types.is_floating(kind) for kind in result.schema.types):
            notes.append("computed in parallel: the last digits of sums may differ when run again")
        return annotated(result, self.name, notes)

    def close(self) -> None:
        """Nothing is held: connections belong to the library of databases."""


def _with_schema(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The rows under DuckDB's names, in its types."""
    columns = []
    for column in table.columns:
        kind = column.type
        if isinstance(kind, pa.BaseExtensionType):
            # Decimal numbers come as text.
            column = pa.chunked_array([chunk.storage for chunk in column.chunks], kind.storage_type)
            column = whole(column)
        columns.append(column)
    renamed = friendly(pa.Table.from_arrays(columns, names=[f"c{n}" for n in range(len(columns))]))
    return under_names_of(schema, renamed)


# While rows stream in, the driver gives the server's text alone; in English unless it was told
# otherwise.
_VALUE = re.compile(
    r"ERROR:\s+("
    r".*out of range|division by zero|invalid input (syntax|value)|invalid regular expression|"
    r"numeric field overflow|cannot (take|convert)|value too long|value overflows|"
    r"more than one row returned)"
)

# Texts above a gigabyte, which PostgreSQL does not hold.
_TOO_LARGE = re.compile(
    r"requested length too large|invalid memory alloc request size|string buffer exceeds|"
    r"enlarge string buffer|out of memory"
)
_POWER = re.compile(r"ERROR:\s+.* raised to a")


def _failure(error: Exception, address: Address) -> Exception:
    """What a repair, a person, or the engine over copies can act on."""
    state = state_of(error)
    if state == "42501":
        denied = as_assay_error(error, address)
        return ToolError(
            ErrorCategory.POLICY_DENIED,
            denied.message,
            hint=denied.remedy,
            details={"reason": denied.reason.code},
        )
    if state == "22P05":  # the database's encoding has no signs for pseudonyms
        return NotExpressible("texts that policy blocks, in its encoding")
    if ELSEWHERE in str(error):
        return NotExpressible("a text as a value, in the spelling of some row")
    if state == "2201F" or (not state and _POWER.search(str(error))):
        return NotExpressible("a power that is no finite number")
    if state.startswith("54") or not state:
        if _TOO_LARGE.search(str(error)):
            return ToolError(
                ErrorCategory.RESOURCE_EXHAUSTED,
                "the query makes a text that is larger than the database takes.",
                hint="Make shorter texts, or fewer of them at once.",
                details={"limit": "memory"},
            )
        if state:  # too many columns, arguments or levels for PostgreSQL
            return NotExpressible(f"a statement of this size (SQLSTATE {state})")
    if state.startswith(("21", "22")) or (not state and _VALUE.search(str(error))):
        what = in_words(said(error, address)) or "a value does not fit where it stands"
        return ToolError(ErrorCategory.TYPE_MISMATCH, f"{what}.")
    if state == "25006":
        return ToolError(
            ErrorCategory.POLICY_DENIED,
            "the database refuses: the transaction is read-only.",
            details={"reason": "SQL_REFUSED"},
        )
    if state.startswith("42") or state == "0A000":
        # The statement is right, as the twin has shown: it was not translated well enough.
        log.info("PostgreSQL does not take a translated statement: SQLSTATE %s", state)
        return NotExpressible(f"this statement (SQLSTATE {state})")
    return as_assay_error(error, address)
