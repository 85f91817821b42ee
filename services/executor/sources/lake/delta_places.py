"""Where a Delta table's log says that its files are: within its folder, and nowhere else.

A log may name files by an address. Whoever wrote it would have this machine open what they cannot
reach, so such a table is refused before anything follows a name in it.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

import duckdb

from mesh.errors import SOURCE_NOT_READABLE, SOURCE_NOT_SUPPORTED, AssayError
from services.executor.sources.building import Building
from services.executor.sources.lake.folders import DELTA_LOG
from services.executor.sources.sql import WRITE_AGAIN, literal

_LONGEST_LINE = 256 << 20
_VECTOR = "STRUCT(storageType VARCHAR, pathOrInlineDv VARCHAR)"
_ACTION = f"STRUCT(path VARCHAR, deletionVector {_VECTOR})"
_COLUMNS = f"{{add: '{_ACTION}', sidecar: 'STRUCT(path VARCHAR)'}}"
_BY_ADDRESS = "p"  # of a deletion vector: an absolute place


def check_places(root: Path, building: Building) -> None:
    """Raise AssayError: SOURCE_NOT_SUPPORTED for a log that names files outside the folder,
    SOURCE_NOT_READABLE for one that is damaged."""
    log = root / DELTA_LOG
    try:
        for file in sorted(log.rglob("*")):
            if file.suffix == ".json":
                lines = (
                    f"read_json({literal(str(file))}, columns={_COLUMNS}, "
                    f"format='newline_delimited', maximum_object_size={_LONGEST_LINE})"
                )
                _check(lines, building)
            elif file.suffix == ".parquet":
                _check(f"read_parquet({literal(str(file))})", building)
    except duckdb.OutOfMemoryException:
        raise
    except duckdb.Error:
        raise AssayError(
            SOURCE_NOT_READABLE,
            f"{building.label} is no sound Delta table: {file.name} in its log is damaged.",
            hint=WRITE_AGAIN,
        ) from None


def _check(rows: str, building: Building) -> None:
    relation = building.connection.sql(f"SELECT * FROM {rows}")
    kinds = dict(zip(relation.columns, relation.types, strict=True))
    named: list[str] = []
    if "add" in kinds:
        members = {name for name, _ in kinds["add"].children}
        by_address = (
            f"add.deletionVector.storageType = '{_BY_ADDRESS}'"
            if "deletionVector" in members
            else "false"
        )
        named.append(f"SELECT add.path AS path, {by_address} AS away FROM {rows}")
    if "sidecar" in kinds:
        named.append(f"SELECT sidecar.path, false FROM {rows}")
    for query in named:
        found = building.connection.execute(
            f"SELECT path, away FROM ({query}) AS t(path, away) WHERE path IS NOT NULL "
            "AND (away OR starts_with(path, '/') OR regexp_matches(path, '[:%]|\\.\\.'))"
        ).fetchall()
        for path, away in found:
            if away or not _within(str(path)):
                raise AssayError(
                    SOURCE_NOT_SUPPORTED,
                    f"{building.label} is a Delta table that names a file outside its folder, "
                    "which is not followed.",
                    hint="Copy the table with its files into one folder (a deep clone).",
                )


def _within(path: str) -> bool:
    """Whether a name stays in the folder; of `key=a%3Ab` the value only looks like an address."""
    plain = unquote(path)
    steps = plain.split("/")
    return (
        "://" not in plain
        and ":" not in steps[0].partition("=")[0]
        and ".." not in steps
        and (not plain.startswith("/"))
    )
