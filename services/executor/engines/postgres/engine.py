"""The push-down engine: a statement runs in the PostgreSQL database where its tables are."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping

import pyarrow as pa

from mesh.tool import ErrorCategory, ToolError
from services.executor.databases.address import Address
from services.executor.databases.pseudonyms import Pseudonyms
from services.executor.engines.arrow_types import whole
from services.executor.engines.database_words import in_words
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.plan import Plan
from services.executor.engines.postgres.about import ENGINE
from services.executor.engines.postgres.connect import PostgresSession
from services.executor.engines.postgres.errors import (
    DRIVER_ERRORS,
    as_assay_error,
    parse_message,
    state_of,
)
from services.executor.engines.postgres.guard import checked
from services.executor.engines.postgres.translate import postgres_sql
from services.executor.engines.spellings import ELSEWHERE
from services.executor.engines.workspace import SINGLE_THREAD_ROWS
from services.executor.pushdown.base import DatabaseEngine

log = logging.getLogger("assay.executor")


class PostgresEngine(DatabaseEngine):
    """Speaks to PostgreSQL."""

    name = ENGINE.name
    errors = DRIVER_ERRORS
    single_thread_rows = SINGLE_THREAD_ROWS

    def translated(self, plan: Plan, known: Mapping[str, Pseudonyms]) -> str:
        """As `DatabaseEngine.translated`, guarded."""
        return checked(postgres_sql(plan, known))

    def rows(self, session: PostgresSession, statement: str, plan: Plan) -> pa.RecordBatchReader:
        """As `DatabaseEngine.rows`."""
        return session.stream(statement)

    def failure(self, error: Exception, address: Address, plan: Plan) -> Exception:
        """As `DatabaseEngine.failure`."""
        return _failure(error, address)

    def under_names(self, table: pa.Table, plan: Plan) -> pa.Table:
        """As `DatabaseEngine.under_names`; decimal numbers come as text."""
        columns = []
        for column in table.columns:
            kind = column.type
            if isinstance(kind, pa.BaseExtensionType):
                chunks = [chunk.storage for chunk in column.chunks]
                column = whole(pa.chunked_array(chunks, kind.storage_type))
            columns.append(column)
        names = [f"c{number}" for number in range(len(columns))]
        return super().under_names(pa.Table.from_arrays(columns, names=names), plan)


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
        what = in_words(parse_message(error, address)) or "a value does not fit where it stands"
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
