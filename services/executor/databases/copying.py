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
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mesh.canonical import canonical_json
from mesh.digest import sha256_hex
from mesh.files import building_folder
from mesh.tool import ErrorCategory, ToolError
from services.executor.databases.failures import DRIVER_ERRORS, as_assay_error
from services.executor.databases.live import LiveSource, Relation, live
from services.executor.databases.relation import relation_sql
from services.executor.databases.session import Interrupted, Session, Sessions
from services.executor.engines.plan import Plan
from services.executor.sources.manifest import StoredTable
from services.executor.sources.prepared import PreparedSource, schema_fingerprint

_KEPT = 32
_STAMP = """
SELECT pg_catalog.concat_ws(':', c.relfilenode, pg_catalog.pg_stat_get_tuples_inserted(c.oid),
    pg_catalog.pg_stat_get_tuples_updated(c.oid), pg_catalog.pg_stat_get_tuples_deleted(c.oid))
FROM pg_catalog.pg_class c WHERE c.oid = {oid}
"""


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
        except DRIVER_ERRORS as error:
            raise as_assay_error(error, source.address) from None

    def _copied(
        self, source: LiveSource, used: Sequence[StoredTable], session: Session
    ) -> PreparedSource:
        stamps = {
            table.name: session.rows(_STAMP.format(oid=source.relations[table.name].oid))[0][0]
            for table in used
        }
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
        with building_folder(source.database) as folder:
            rows = size = 0
            for number, table in enumerate(used):
                sql = f"SELECT * FROM {_columns(source.relations[table.name])} AS t"
                reader = session.stream(sql)
                schema = _plain_schema(reader.schema)
                with pq.ParquetWriter(folder / f"{number}.parquet", schema) as writer:
                    for batch in reader:
                        rows, size = rows + batch.num_rows, size + batch.nbytes
                        if rows > self._row_limit or size > self._byte_limit:
                            raise self._too_large(f"more than {rows:,} rows")
                        writer.write_table(_plain(batch, schema))
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


def _columns(relation: Relation) -> str:
    return relation_sql(relation, list(relation.columns))


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


def _plain_schema(schema: pa.Schema) -> pa.Schema:
    """Without what the driver says of types; decimal numbers, which come as text, as such."""
    fields = []
    for field in schema:
        kind = field.type
        if isinstance(kind, pa.BaseExtensionType):
            kind = kind.storage_type
        if field.metadata and field.metadata.get(b"POSTGRESQL:type") == b"numeric":
            kind = pa.decimal128(*_size(field.metadata))
        fields.append(pa.field(field.name, kind))
    return pa.schema(fields)


def _size(metadata: dict[bytes, bytes]) -> tuple[int, int]:
    modifier = int(metadata.get(b"POSTGRESQL:typmod", b"-1")) - 4
    return (modifier >> 16, modifier & 0x7FF) if modifier >= 0 else (38, 10)


def _plain(batch: pa.RecordBatch, schema: pa.Schema) -> pa.Table:
    columns = []
    for column, field in zip(batch.columns, schema, strict=True):
        if isinstance(column.type, pa.BaseExtensionType):
            column = column.storage
        column = column if column.type == field.type else column.cast(field.type)
        columns.append(_with_infinity(column))
    return pa.Table.from_arrays(columns, schema=schema)


def _with_infinity(column: pa.Array) -> pa.Array:
    """Infinite dates as DuckDB keeps them; the driver moves them like all others, past the end."""
    whole = {32: pa.int32(), 64: pa.int64()}
    if not (pa.types.is_date32(column.type) or pa.types.is_timestamp(column.type)):
        return column
    bits = column.type.bit_width
    numbers, last = column.view(whole[bits]), 2 ** (bits - 1) - 1
    moved = 10_957 if bits == 32 else 946_684_800_000_000  # to 2000, in days and microseconds
    for number, meant in ((last, last), (-last - 1, -last)):
        wrapped = (number + moved + last + 1) % 2**bits - last - 1
        found = pc.equal(numbers, pa.scalar(wrapped, whole[bits]))
        numbers = pc.if_else(found, pa.scalar(meant, whole[bits]), numbers)
    return numbers.view(column.type)
