"""Looking at an uploaded file: what it is by its content, and how many rows it has."""

from __future__ import annotations

import threading
from pathlib import Path

from mesh.errors import (
    INVALID_FILE_TYPE,
    NO_HEADERS,
    SOURCE_EMPTY,
    SOURCE_NOT_SUPPORTED,
    AssayError,
)
from services.executor.domain.source import DataSource, SourceType
from services.executor.sources.compressed import compression
from services.executor.sources.kinds import Kind, recognise
from services.executor.sources.library import SourceLibrary

MIME_TYPES = {
    Kind.CSV: "text/csv",
    Kind.JSON: "application/json",
    Kind.PARQUET: "application/vnd.apache.parquet",
    Kind.ARROW: "application/vnd.apache.arrow.file",
    Kind.EXCEL: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def examine(
    library: SourceLibrary,
    path: Path,
    name: str,
    *,
    headers: bool = False,
    cancelled: threading.Event | None = None,
) -> tuple[str, int]:
    """The MIME type and number of data rows of an uploaded file; reads it once, and keeps that.

    Blocks while it is read, until `cancelled` is set.

    Compressed files and archives are what they hold, under the MIME type of the compression.

    Raises AssayError: INVALID_FILE_TYPE for content that is not tabular data or not what the
    name says, NO_HEADERS for a file without a header and rows; with `headers` also for one whose
    first line holds data rather than names.
    """
    try:
        packed = compression(path, name)
        if not packed:
            kind = recognise(path, name, SourceType.AUTO, Path(name).suffix.lower())
            if kind not in MIME_TYPES:
                raise AssayError(INVALID_FILE_TYPE, f"{name} is a {kind.value} file")
        prepared = library.open(DataSource(file_path=str(path), name=name), cancelled)
    except AssayError as error:
        if error.reason is SOURCE_NOT_SUPPORTED:
            raise AssayError(INVALID_FILE_TYPE, error.message, hint=error.hint) from error
        if error.reason is SOURCE_EMPTY:
            raise AssayError(NO_HEADERS, error.message, hint=error.hint) from error
        raise
    if {Kind.SQLITE.value, Kind.DUCKDB.value} & set(prepared.kinds):
        raise AssayError(INVALID_FILE_TYPE, f"{name} holds a database file")
    if headers and any((d.subject, d.value) == ("header", "false") for d in prepared.decisions):
        raise AssayError(NO_HEADERS, f"the first line of {name} holds data, not names of columns")
    return packed or MIME_TYPES[kind], prepared.rows
