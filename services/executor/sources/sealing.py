"""The seal of what was read of a source: equal for equal tables, whoever read them and when.

It goes into the audit chain of whatever rests on the source, since marks that lie beside what they
mark can be changed with it. Parquet files count by their bytes, which are the same whenever one
engine writes the same rows; a DuckDB file has other bytes each time, so its tables count by theirs.
Statistics and notes are not covered: no figure is computed from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from mesh.canonical import canonical_json
from mesh.digest import sha256_hex
from services.executor.sources.manifest import Manifest, StoredTable
from services.executor.sources.sql import literal, quoted

if TYPE_CHECKING:
    import duckdb

_BATCH_ROWS = 1 << 16
_ATTACHED = "_assay_sealed"
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "threads": 1,
}


def seal_of(
    tables: Iterable[StoredTable],
    marks: Mapping[str, str],
    connection: duckdb.DuckDBPyConnection,
    schema: str = "",
) -> str:
    """SHA-256 over tables: their names, columns, keys and rows, as far as they were read.

    `marks` are those of their files (`intact`), `schema` where tables without one are in the
    database, with a dot. Reads every row of those. Raises duckdb.Error.
    """
    described = [
        {
            **table.model_dump(mode="json", include={"name", "primary_key", "foreign_keys"}),
            "columns": [[c.name, c.type, c.comment] for c in table.columns if c.read],
            "content": marks.get(table.file, "")
            if table.file
            else _rows_digest(connection, schema + quoted(table.name)),
        }
        for table in tables
    ]
    return sha256_hex(canonical_json(described))


def seal_of_folder(folder: Path, manifest: Manifest) -> str:
    """The seal of a source that was read into a folder. Raises duckdb.Error."""
    import duckdb

    with duckdb.connect(":memory:", config=_CONFIG) as connection:
        if all(table.file for table in manifest.tables):
            return seal_of(manifest.tables, manifest.files, connection)
        place = literal(str(folder / "tables.duckdb"))
        connection.execute(f"ATTACH {place} AS {_ATTACHED} (READ_ONLY)")
        return seal_of(manifest.tables, manifest.files, connection, f"{_ATTACHED}.main.")


def _rows_digest(connection: duckdb.DuckDBPyConnection, table: str) -> str:
    from mesh.frames.canonical import RunningDigest

    reader = connection.sql(f"SELECT * FROM {table}").to_arrow_reader(_BATCH_ROWS)
    running = RunningDigest(reader.schema)
    for batch in reader:
        running.add(batch)
    return running.hexdigest()
