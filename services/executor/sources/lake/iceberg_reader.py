"""Iceberg tables, read by PyIceberg: the newest snapshot, without the rows deleted from it.

https://iceberg.apache.org/spec/
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from mesh.errors import SOURCE_EMPTY, SOURCE_NOT_READABLE, SOURCE_NOT_SUPPORTED, AssayError
from services.executor.sources.building import Building
from services.executor.sources.content import Parts
from services.executor.sources.lake.extra import missing
from services.executor.sources.lake.folders import ICEBERG_METADATA
from services.executor.sources.sql import WRITE_AGAIN

if TYPE_CHECKING:
    import pyarrow as pa
    from pyiceberg.table import StaticTable

_NUMBERED = re.compile(r"v?(\d+)(?:-.*)?\.(?:gz\.)?metadata\.json")
_HINT = "version-hint.text"


def read_iceberg(parts: Parts, table: str, building: Building) -> None:
    """Store an Iceberg table. Its snapshot is noted.

    Raises AssayError: SOURCE_NOT_SUPPORTED for equality deletes, files outside the folder or
    without the extra `lake`, SOURCE_NOT_READABLE for damaged metadata or missing files,
    RESOURCE_EXHAUSTED above the limits, SOURCE_EMPTY without rows.
    """
    try:
        from pyiceberg.exceptions import ValidationError
    except ImportError:
        raise missing(building.label, "an Iceberg table") from None
    import pyarrow as pa

    from services.executor.sources.arrow_reader import store_batches
    from services.executor.sources.lake.iceberg_files import opened

    by_name = {name: path for path, name in parts}
    current, *others = newest(by_name)
    rows = 0
    try:
        iceberg = opened(by_name, current)
        if iceberg.current_snapshot() is not None:
            tasks = sorted(iceberg.scan().plan_files(), key=lambda task: str(task.file.file_path))
            packed = sum(task.file.file_size_in_bytes for task in tasks)
            rows = store_batches(_batches(iceberg, tasks), table, packed, building)
            building.note(_snapshot(iceberg))
            if others:
                building.note(
                    f"{len(others) + 1} metadata files are the newest; {current} was written last, "
                    "and only the table's catalogue knows which one holds"
                )
    except AssayError:
        raise
    except NotImplementedError as error:
        raise _unsupported(error, building) from None
    except (
        *(ValidationError, pa.ArrowException, duckdb.Error, OSError),
        *(ValueError, KeyError, TypeError, AttributeError, EOFError, IndexError),
    ) as error:
        if "equality delete" in str(error).lower() or "not supported" in str(error).lower():
            raise _unsupported(error, building) from None
        text = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")[:400]
        raise AssayError(
            SOURCE_NOT_READABLE,
            f"{building.label} is no sound Iceberg table: {text}.",
            hint=WRITE_AGAIN,
        ) from None
    if rows == 0:
        raise AssayError(SOURCE_EMPTY, f"{building.label} holds no rows.")


def newest(files: Mapping[str, Path]) -> list[str]:
    """The metadata that may say what the table is now: one, unless only a catalogue knows which.

    The one that `version-hint.text` names, as writers without a catalogue leave it, else those of
    the highest number, the last written first: a write that another one overtook leaves its own.
    """
    found = [name for name in files if name.startswith(f"{ICEBERG_METADATA}/")]
    found = [name for name in found if name.endswith(".metadata.json")]
    with suppress(OSError, KeyError, ValueError):
        number = int(files[f"{ICEBERG_METADATA}/{_HINT}"].read_text(encoding="ascii"))
        if hinted := [name for name in found if _number(name) == number]:
            found = hinted
    highest = max(map(_number, found))
    return sorted((name for name in found if _number(name) == highest), key=_written(files))


def _number(name: str) -> int:
    match = _NUMBERED.fullmatch(name.rpartition("/")[2])
    return int(match[1]) if match else -1


def _written(files: Mapping[str, Path]) -> Callable[[str], tuple[int, str]]:
    """Sorts metadata by when they were written, the last first."""

    def when(name: str) -> tuple[int, str]:
        try:
            return -int(json.loads(files[name].read_bytes())["last-updated-ms"]), name
        except (OSError, ValueError, KeyError, TypeError):
            return 0, name

    return when


def _batches(iceberg: StaticTable, tasks: list[Any]) -> pa.RecordBatchReader:
    """The rows of file after file: the library's own way holds all files at once."""
    import pyarrow as pa
    from pyiceberg.expressions import AlwaysTrue
    from pyiceberg.io.pyarrow import ArrowScan, schema_to_pyarrow

    projected = iceberg.scan().projection()
    schema = schema_to_pyarrow(projected, include_field_ids=False)
    scan = ArrowScan(iceberg.metadata, iceberg.io, projected, AlwaysTrue())

    def batches() -> Iterator[pa.RecordBatch]:
        for task in tasks:
            for batch in scan.to_record_batches([task]):
                yield from pa.Table.from_batches([batch]).cast(schema).to_batches()

    return pa.RecordBatchReader.from_batches(schema, batches())


def _snapshot(iceberg: StaticTable) -> str:
    snapshot = iceberg.current_snapshot()
    assert snapshot is not None
    at = datetime.fromtimestamp(snapshot.timestamp_ms / 1000, UTC)
    return (
        f"snapshot {snapshot.snapshot_id} of an Iceberg table, written {at:%Y-%m-%d %H:%M:%S} UTC"
    )


def _unsupported(error: Exception, building: Building) -> AssayError:
    text = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")[:400]
    return AssayError(
        SOURCE_NOT_SUPPORTED,
        f"{building.label} is an Iceberg table with something that cannot be read here: {text}.",
        hint="Rewrite its data files (which applies deletes), or export it as Parquet.",
    )
