"""What an engine is: whatever can answer one guarded SELECT over the sources of a request.

A statement reaches every engine in one dialect, DuckDB's, because that is what plans are written
in, audited in and recomputed from. An engine that runs elsewhere translates it. The same statement
over the same rows MUST give the same frame on every engine; `docs/engines.md` names what differs.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import pyarrow as pa

from mesh.policy import Policy
from services.executor.sources.prepared import PreparedSource

if TYPE_CHECKING:
    from services.executor.engines.plan import Plan

NOTES_KEY = b"assay.notes"
ENGINE_KEY = b"assay.engine"


@runtime_checkable
class Engine(Protocol):
    """Runs read-only statements over opened sources. One object serves all threads.

    An implementation

    - MUST pass the statement through `plan.planned` (or `guard.guard`) and execute only what was
      rendered from the checked tree, never the text that came in;
    - MUST read nothing but the columns that `flat_tables` leaves, in the types
      it gives them, and replace cells that a blocked pattern matches by the pseudonym of
      `workspace` before any function sees them;
    - MUST be read-only by a second wall of its own (a read-only transaction, a locked
      configuration), which holds if the guard is wrong;
    - MUST return the columns under DuckDB's names, in the result types of `arrow_types.friendly`,
      and the rows in the order of `ordering.ordered`;
    - MUST raise ToolError(RESOURCE_EXHAUSTED) rather than cut: above `row_limit` rows, above its
      limit of bytes or memory, and after `seconds`; details carry `limit`, `unit` and, where it
      is known, `seen`;
    - MUST stop the work inside the database, not only stop waiting for it, within one second after
      `seconds` or after `cancelled` is set (then ToolError(CANCELLED));
    - MUST raise ToolError for what a changed statement can mend, with the details that repair
      needs (`duckdb_errors`): SQL_SYNTAX, MISSING_COLUMN with candidates, TYPE_MISMATCH,
      POLICY_DENIED; and AssayError for what it cannot (the database is away);
    - MUST NOT put credentials or addresses with credentials into errors, notes, logs or spans;
    - MUST say under `NOTES_KEY` in the schema's metadata (a JSON list) what changes how the result
      should be read, and its own name under `ENGINE_KEY`;
    - MAY keep connections and copies between calls, keyed by the digests of sources and policy.
    """

    @property
    def name(self) -> str:
        """What people call it in settings and summaries, as its folder declares it."""
        ...

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
        """The rows of one SELECT in DuckDB's dialect; `?` stands for the next parameter."""
        ...

    def close(self) -> None:
        """Let go of processes and connections; running queries are stopped."""
        ...


class DatabaseEngine(Engine, Protocol):
    """An engine that runs statements in the database where all their tables are."""

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
        ...

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
        """The rows of a statement that was planned for these sources, as `query`.

        Raises NotExpressible, too, where the database cannot say what the statement means.
        """
        ...


def annotated(table: pa.Table, engine: str, notes: Sequence[str]) -> pa.Table:
    """The table with what its reader should know in the schema's metadata, and nothing else."""
    metadata = {ENGINE_KEY: engine.encode()}
    if notes:
        metadata[NOTES_KEY] = json.dumps(list(notes)).encode()
    return table.replace_schema_metadata(metadata)
