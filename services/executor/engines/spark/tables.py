"""How the rows of a table come to a Spark server."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from mesh.errors import ENGINE_UNAVAILABLE, AssayError
from mesh.storage.files import building_folder
from services.executor.engines.spark.translate import ROW
from services.executor.engines.workspace import FlatTable
from services.executor.sources.prepared import PreparedSource
from services.executor.sources.sql import literal, quoted

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

log = logging.getLogger("assay.executor")


class SparkFiles:
    """Tables as files that the server reads, or as rows that are sent to it.

    `copies` is the folder for tables that are not files yet, `upload_bytes` the largest file that
    is sent to a server that cannot see it.
    """

    def __init__(self, copies: Path, upload_bytes: int) -> None:
        self._copies = copies
        self._upload_bytes = upload_bytes

    def read(self, session: SparkSession, table: FlatTable) -> Any:
        """The rows with their place in the source. Raises AssayError(ENGINE_UNAVAILABLE)."""
        from pyspark.errors import AnalysisException

        file = table.source.file(table.stored) or self._exported(table)
        try:
            frame = session.read.parquet(_uri(file)).selectExpr(
                "*", f"_metadata.row_index AS `{ROW}`"
            )
            # Asking for the schema is what looks for the file.
            log.debug("Spark reads a table of %d columns", len(frame.schema.fields))
            return frame
        except AnalysisException as error:
            if "PATH_NOT_FOUND" not in str(error):
                raise
        return self._uploaded(session, file, table)

    def _exported(self, table: FlatTable) -> Path:
        """The Parquet file of a table that lies in a database, written the first time."""
        place = self._copies / table.source.digest
        file = place / f"{table.source.tables.index(table.stored)}.parquet"
        if not file.exists():
            with building_folder(self._copies) as folder:
                _export(table.source, folder)
                try:
                    folder.rename(place)
                except OSError:
                    if not file.exists():
                        raise
        return file

    def _uploaded(self, session: SparkSession, file: Path, table: FlatTable) -> Any:
        """The rows sent to a server that does not see this machine's files."""
        if file.stat().st_size > self._upload_bytes:
            raise AssayError(
                ENGINE_UNAVAILABLE,
                f"Spark does not see the file of {table.name}, and it is larger than "
                f"{self._upload_bytes / 1e6:,.0f} MB, so it is not sent.",
                hint="Mount the executor's folder into the Spark server at the same path.",
            )
        from pyarrow import parquet

        rows = parquet.read_table(file)
        rows = rows.append_column(ROW, pa.array(range(rows.num_rows), pa.int64()))
        zoned = [
            field.with_type(pa.timestamp("us", "UTC"))
            if pa.types.is_timestamp(field.type)
            else field
            for field in rows.schema
        ]
        return session.createDataFrame(rows.cast(pa.schema(zoned)))


def _export(source: PreparedSource, folder: Path) -> None:
    with duckdb.connect(str(source.database), read_only=True) as connection:
        for position, table in enumerate(source.tables):
            if table.file:
                continue
            target = literal(str(folder / f"{position}.parquet"))
            connection.execute(
                f"COPY (SELECT * FROM {quoted(table.name)}) TO {target} (FORMAT parquet)"
            )


def _uri(file: Path) -> str:
    return file.resolve().as_uri()
