"""Parquet, with its size checked before it is unpacked."""

from __future__ import annotations

from pathlib import Path

import duckdb

from mesh.errors import SOURCE_EMPTY, SOURCE_NOT_READABLE, AssayError
from services.executor.domain.source import ReaderOptions
from services.executor.sources.building import Building
from services.executor.sources.sql import count, literal

_BYTES_PER_VALUE = 8


def read_parquet(path: Path, table: str, options: ReaderOptions, building: Building) -> None:
    """Store a Parquet file as one table.

    Raises AssayError: SOURCE_NOT_READABLE where the footer is missing or damaged or promises
    more than the limit on unpacked bytes, SOURCE_EMPTY without rows.
    """
    size = path.stat().st_size
    with path.open("rb") as content:
        content.seek(max(0, size - 4))
        if size < 12 or content.read() != b"PAR1":
            raise AssayError(
                SOURCE_NOT_READABLE,
                f"{building.label} breaks off: a Parquet file ends with its footer, this does not.",
            )
    file = literal(str(path))
    try:
        rows = count(
            building.connection, f"SELECT sum(num_rows) FROM parquet_file_metadata({file})"
        )
        stored, values = (
            count(building.connection, f"SELECT sum({what}) FROM parquet_metadata({file})")
            for what in ("total_uncompressed_size", "num_values")
        )
        # Repeated values take no room in the file, so the count of values says more than its size.
        unpacked = max(stored, values * _BYTES_PER_VALUE)
        if unpacked > building.unpacked_limit:
            raise AssayError(
                SOURCE_NOT_READABLE,
                f"{building.label} has {size:,} bytes and would unpack to {rows:,} rows, "
                f"{unpacked:,} bytes; the limit is {building.unpacked_limit:,}.",
                hint="Split the file, or raise the limit.",
            )
        building.add_file(table, f"SELECT * FROM read_parquet({file})")
    except duckdb.Error as error:
        message = str(error).splitlines()[0].replace(str(path), "the file")
        raise AssayError(
            SOURCE_NOT_READABLE, f"{building.label} is not a readable Parquet file: {message}"
        ) from None
    if rows == 0:
        raise AssayError(SOURCE_EMPTY, f"{building.label} holds no rows.")
