"""Delta tables, read by delta-rs: the newest version, without what its log says was deleted.

https://github.com/delta-io/delta/blob/master/PROTOCOL.md
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from mesh.errors import SOURCE_EMPTY, SOURCE_NOT_READABLE, SOURCE_NOT_SUPPORTED, AssayError
from services.executor.sources.building import Building
from services.executor.sources.content import Parts
from services.executor.sources.lake.delta_places import check_places
from services.executor.sources.lake.extra import missing
from services.executor.sources.lake.folders import DELTA_LOG
from services.executor.sources.sql import WRITE_AGAIN

if TYPE_CHECKING:
    import pyarrow as pa


def read_delta(parts: Parts, table: str, building: Building) -> None:
    """Store a Delta table. Its version is noted.

    Raises AssayError: SOURCE_NOT_SUPPORTED for features that nothing here reads or without the
    extra `lake`, SOURCE_NOT_READABLE for a damaged log, missing files or such outside the folder,
    RESOURCE_EXHAUSTED above the limits, SOURCE_EMPTY without rows.
    """
    try:
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaError
    except ImportError:
        raise missing(building.label, "a Delta table") from None
    import pyarrow as pa

    from services.executor.sources.arrow_reader import store_batches

    root = next(path.parents[name.count("/")] for path, name in parts if name.startswith(DELTA_LOG))
    sizes = {name: path.stat().st_size for path, name in parts}
    check_places(root, building)
    try:
        delta = DeltaTable(root.resolve().as_uri(), without_files=False)
        packed = sum(sizes.get(name, 0) for name in _files(delta))
        reader, order = _batches(delta)
        rows = store_batches(reader, table, packed, building, order)
        building.note(_version(delta))
    except (pa.ArrowNotImplementedError, NotImplementedError) as error:
        raise _unsupported(error, building) from None
    except (DeltaError, pa.ArrowException, duckdb.Error, OSError, ValueError) as error:
        raise _unreadable(error, root, building) from None
    except Exception as error:
        # delta-rs raises plain exceptions for what happens while batches are made.
        if isinstance(error, AssayError):
            raise
        raise _unreadable(error, root, building) from None
    if rows == 0:
        raise AssayError(SOURCE_EMPTY, f"{building.label} holds no rows.")


def _files(delta: Any) -> list[str]:
    """The names of the files that the newest version consists of."""
    import pyarrow as pa

    return list(map(str, pa.table(delta.get_add_actions()).column("path").to_pylist()))


def _batches(delta: Any) -> tuple[pa.RecordBatchReader, list[str]]:
    """The rows, and the columns to sort them by where they come in any order.

    What every reader knows is read file by file in the order of their names; renamed columns and
    deletion vectors by the library's own engine, which promises no order.
    """
    import pyarrow as pa
    import pyarrow.dataset as pads
    from deltalake.exceptions import DeltaProtocolError

    try:
        plain = delta.to_pyarrow_dataset()
    except DeltaProtocolError:
        reader = pa.RecordBatchReader.from_stream(delta.scan())
        first = list(delta.metadata().partition_columns)
        return reader, first + [name for name in reader.schema.names if name not in first]
    files = sorted(plain.get_fragments(), key=lambda file: str(file.path))
    ordered = pads.FileSystemDataset(files, plain.schema, plain.format, plain.filesystem)
    return ordered.scanner().to_reader(), []


def _version(delta: Any) -> str:
    at = ""
    try:
        if moments := [commit.get("timestamp") for commit in delta.history(1)]:
            at = f", written {datetime.fromtimestamp(moments[0] / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except Exception:  # a log that was cleaned up tells no times
        at = ""
    return f"version {delta.version()} of a Delta table{at}"


def _unsupported(error: Exception, building: Building) -> AssayError:
    return AssayError(
        SOURCE_NOT_SUPPORTED,
        f"{building.label} is a Delta table with something that cannot be read here: "
        f"{_describe_error(error)}.",
        hint="Write a copy without that feature, or export it as Parquet.",
    )


def _unreadable(error: Exception, root: Path, building: Building) -> AssayError:
    text = _describe_error(error)
    for place in (root.resolve().as_uri(), str(root.resolve()), str(root).strip("/")):
        text = text.replace(f"{place}/", "")
    if "not yet supported" in text or "nsupported" in text:
        return _unsupported(error, building)
    return AssayError(
        SOURCE_NOT_READABLE,
        f"{building.label} is no sound Delta table: {text}.",
        hint=WRITE_AGAIN,
    )


def _describe_error(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")[:400]
