"""Copies of tables of databases, for statements that also read something else.

A copy holds the columns that the request may see, in stored types, before masking: whoever reads
it does so through a workspace. It is used again while the table's stamp stays the same.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Sequence
from pathlib import Path

import duckdb
import pyarrow.parquet as pq

from mesh.canonical import canonical_json
from mesh.digest import sha256_hex
from mesh.storage.files import building_folder
from mesh.tool import ErrorCategory, ToolError
from services.executor.databases.kind import kind_of
from services.executor.databases.live import LiveSource, live
from services.executor.databases.session import Interrupted, Session, Sessions
from services.executor.engines.plan import Plan
from services.executor.sources.manifest import StoredTable
from services.executor.sources.prepared import PreparedSource, schema_fingerprint

_KEPT = 32


class Copies:
    """Copies tables up to a cap of rows and bytes, and keeps the last few."""

    def __init__(
        self, sessions: Sessions, *, row_limit: int = 5_000_000, byte_limit: int = 2 << 30
    ) -> None:
        self._sessions = sessions
        self._row_limit = row_limit
        self._byte_limit = byte_limit
        self._lock = threading.Lock()

    def instead(
        self,
        sources: Sequence[PreparedSource],
        plan: Plan,
        seconds: float,
        cancelled: threading.Event,
    ) -> list[PreparedSource]:
        """The sources with databases replaced by copies of the tables that the plan reads.

        Tables that it does not read are there without rows, so that names stay the same. Raises
        ToolError(RESOURCE_EXHAUSTED) above the caps, AssayError when the database is away.
        """
        result: list[PreparedSource] = []
        for source in {source.digest: source for source in sources}.values():
            database = live(source)
            if database is None:
                result.append(source)
                continue
            used = [t.stored for t in plan.used if t.source.digest == source.digest]
            result.append(self._copy(database, used, seconds, cancelled))
        return result

    def _copy(
        self,
        source: LiveSource,
        used: Sequence[StoredTable],
        seconds: float,
        cancelled: threading.Event,
    ) -> PreparedSource:
        rows = sum(table.rows for table in used)
        if rows > self._row_limit:
            raise self._too_large(f"about {rows:,} rows")
        kind = kind_of(source.address.kind)
        try:
            with (
                self._lock,
                self._sessions.open(source.address, seconds, cancelled) as session,
            ):
                return self._copied(source, used, session)
        except Interrupted as stopped:
            if not stopped.late:
                raise ToolError(ErrorCategory.CANCELLED, "the query was cancelled.") from None
            raise ToolError(
                ErrorCategory.RESOURCE_EXHAUSTED,
                f"copying tables of {source.label} took longer than {seconds:.0f} s.",
                hint="Raise the timeout, or ask of the database alone.",
                details={"limit": seconds, "unit": "seconds"},
            ) from None
        except kind.DRIVER_ERRORS as error:
            raise kind.failed(error, source.address) from None

    def _copied(
        self, source: LiveSource, used: Sequence[StoredTable], session: Session
    ) -> PreparedSource:
        kind = kind_of(source.address.kind)
        stamps = {table.name: kind.stamp(session, source.relations[table.name]) for table in used}
        # A view has no stamp that tells of a write below it: its copy serves once.
        views = [t.name for t in used if source.relations[t.name].is_view]
        about = {
            "source": source.digest,
            "stamps": stamps,
            "views": [f"{name} {threading.get_ident()}" for name in views],
        }
        digest = sha256_hex(canonical_json(about))
        place = source.database / digest
        if views or not (place / "tables.duckdb").exists():
            shutil.rmtree(place, ignore_errors=True)
            self._write(source, used, session, place)
        place.touch()
        self._forget(source.database)
        return _prepared(source, used, place, digest)

    def _write(
        self, source: LiveSource, used: Sequence[StoredTable], session: Session, place: Path
    ) -> None:
        kind = kind_of(source.address.kind)
        with building_folder(source.database) as folder:
            rows = size = 0
            for number, table in enumerate(used):
                reader = kind.whole(session, source.relations[table.name])
                with pq.ParquetWriter(folder / f"{number}.parquet", reader.schema) as writer:
                    for batch in reader:
                        rows, size = rows + batch.num_rows, size + batch.nbytes
                        if rows > self._row_limit or size > self._byte_limit:
                            raise self._too_large(f"more than {rows:,} rows")
                        writer.write_batch(batch)
            with duckdb.connect(str(folder / "tables.duckdb")) as connection:
                for table in source.tables:
                    if table.name not in {one.name for one in used}:
                        cells = ", ".join(
                            f'"{c.name.replace(chr(34), chr(34) * 2)}" {c.type}'
                            for c in table.columns
                        )
                        name = table.name.replace('"', '""')
                        connection.execute(f'CREATE TABLE "{name}" ({cells})')
            folder.rename(place)

    def _too_large(self, seen: str) -> ToolError:
        return ToolError(
            ErrorCategory.RESOURCE_EXHAUSTED,
            f"the tables of a database that would be copied for this have {seen}; at most "
            f"{self._row_limit:,} rows and {self._byte_limit / 1e6:,.0f} MB are copied.",
            hint="Ask of the database alone, use views that aggregate, or raise "
            "ASSAY_EXECUTOR_COPY_ROWS and ASSAY_EXECUTOR_COPY_BYTES.",
            details={"limit": self._row_limit, "unit": "copied rows"},
        )

    def _forget(self, folder: Path) -> None:
        kept = sorted(
            (path for path in folder.iterdir() if len(path.name) == 64),
            key=lambda path: path.stat().st_mtime,
            reverse=True,
        )
        for path in kept[_KEPT:]:
            shutil.rmtree(path, ignore_errors=True)


def _prepared(
    source: LiveSource, used: Sequence[StoredTable], place: Path, digest: str
) -> PreparedSource:
    numbers = {table.name: number for number, table in enumerate(used)}
    tables = tuple(
        table.model_copy(update={"file": f"{numbers[table.name]}.parquet"})
        if table.name in numbers
        else table.model_copy(update={"rows": 0})
        for table in source.tables
    )
    return PreparedSource(
        digest=digest,
        label=source.label,
        database=place / "tables.duckdb",
        tables=tables,
        notes=source.notes,
        decisions=(),
        schema_fingerprint=schema_fingerprint(tables),
        salt=source.salt,
    )
