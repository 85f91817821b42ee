"""Reads a source into a folder: what runs in a disposable process.

The folder gets `tables.duckdb`, a Parquet file for each table that came from a file, and last
`manifest.json`; all of it is on the disk when the work is done. Nothing else leaves the process
but a refusal.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import duckdb

from mesh.errors import RESOURCE_EXHAUSTED, SOURCE_EMPTY, SOURCE_NOT_READABLE, AssayError
from mesh.storage.files import sync_folder
from services.executor.domain.source import DataSource, ReaderOptions
from services.executor.repairs.certain import doubted
from services.executor.repairs.mending import mend
from services.executor.sources.building import Building
from services.executor.sources.compressed import NO_ROOM, unpacked
from services.executor.sources.content import Parts
from services.executor.sources.delimited.reader import read_csv
from services.executor.sources.delimited.unread import with_unread
from services.executor.sources.digits import alike
from services.executor.sources.disposable.refusals import refusal
from services.executor.sources.disposable.telling import tell
from services.executor.sources.duckdb_reader import read_duckdb
from services.executor.sources.excel_reader import read_excel
from services.executor.sources.intact import mark_manifest, marks_of
from services.executor.sources.json_reader import read_json
from services.executor.sources.kinds import Kind, recognise
from services.executor.sources.lake.reader import read_lake
from services.executor.sources.limits import ReadingLimits
from services.executor.sources.manifest import Manifest
from services.executor.sources.measuring import measured
from services.executor.sources.parquet_reader import read_parquet
from services.executor.sources.sealing import seal_of
from services.executor.sources.sql import describe_error, table_name
from services.executor.sources.uniting import unite
from services.executor.sources.watch import watched


def _read_arrow(path: Path, table: str, options: ReaderOptions, building: Building) -> None:
    # Arrow takes 40 MB, which every process that is forked from this module's would hold.
    from services.executor.sources.arrow_reader import read_arrow

    read_arrow(path, table, options, building)


def _read_sqlite(path: Path, building: Building) -> None:
    # It stands on Arrow, too, whose import takes a fourth of the time until a file can be read.
    from services.executor.sources.sqlite_reader import read_sqlite

    read_sqlite(path, building)


_TOGETHER = "all_rows"
"""The table of files that are together without a folder, and whose names have no part in common."""
_FILE_READERS = {
    Kind.CSV: read_csv,
    Kind.JSON: read_json,
    Kind.PARQUET: read_parquet,
    Kind.ARROW: _read_arrow,
    Kind.EXCEL: read_excel,
}
_DATABASE_READERS = {Kind.SQLITE: _read_sqlite, Kind.DUCKDB: read_duckdb}


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Carry a job out, as JSON objects; an AssayError comes back under `refused`."""
    try:
        manifest = read(
            Path(job["folder"]),
            [(Path(path), name) for path, name in job["parts"]],
            DataSource.model_validate(job["source"]),
            memory_limit=job["memory_limit"],
            limits=ReadingLimits.model_validate(job["limits"]),
        )
    except AssayError as error:
        return refusal(error)
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        label = DataSource.model_validate(job["source"]).label
        message = f"{label} takes more room than there is: {(error.strerror or '').lower()}."
        hint = "Make room on the disk of the home folder, or split the file."
        return refusal(AssayError(RESOURCE_EXHAUSTED, message, hint=hint))
    except (duckdb.OutOfMemoryException, MemoryError):
        label = DataSource.model_validate(job["source"]).label
        message = f"{label} needs more memory than this server allows, or is damaged."
        hint = "Split the file, or raise ASSAY_EXECUTOR_MEMORY_LIMIT."
        return refusal(AssayError(RESOURCE_EXHAUSTED, message, hint=hint))
    with (Path(job["folder"]) / "manifest.json").open("x", encoding="utf-8") as file:
        file.write(manifest.model_dump_json())
        file.flush()
        os.fsync(file.fileno())
    mark_manifest(Path(job["folder"]) / "manifest.json")
    sync_folder(Path(job["folder"]))
    return {}


def read(
    folder: Path,
    parts: Parts,
    source: DataSource,
    *,
    memory_limit: str,
    limits: ReadingLimits,
) -> Manifest:
    """Read every part into `folder`.

    Raises AssayError: SOURCE_NOT_SUPPORTED, SOURCE_NOT_READABLE, SOURCE_EMPTY, INVALID_ARGUMENT
    for options that do not fit, RESOURCE_EXHAUSTED.
    """
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": memory_limit,
        "autoload_known_extensions": "false",
        "autoinstall_known_extensions": "false",
        "temp_directory": str(folder / "spill"),
        "max_temp_directory_size": f"{limits.unpacked_bytes}B",
    }
    with duckdb.connect(str(folder / "tables.duckdb"), config=config) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute("SET enable_progress_bar = true")  # else it does not count for `watched`
        connection.execute("SET enable_progress_bar_print = false")
        connection.execute(
            "SET parquet_metadata_cache = true"
        )  # every column is a query of its own
        building = Building(connection, source.label, folder, limits=limits, raw=source.options.raw)
        with watched(building.watch, connection.query_progress, tell):
            kinds = _read_files(parts, source, building)
        mend(building, source.options.repairs)
        with ThreadPoolExecutor(1, "sync") as beside:
            # The disk works on the rows while the processor looks at them.
            synced = [beside.submit(_sync, folder / t.file) for t in building.tables if t.file]
            tables = alike([measured(connection, table, folder) for table in building.tables])
        for done in synced:
            done.result()
        seen = {table.file for table in tables}
        tables, doubts = doubted(building, tables, source.options)
        if building.unread is not None:
            tables = tuple(with_unread(table, building.unread) for table in tables)
        for table in tables:
            if table.file not in seen:
                _sync(folder / table.file)
        connection.execute("CHECKPOINT")
        marks = marks_of(folder, {table.file for table in tables if table.file})
        seal = seal_of(tables, marks, connection)
    _sync(folder / "tables.duckdb")
    building.clean()
    return Manifest(
        label=source.label,
        kind="+".join(sorted(kinds)),
        tables=tables,
        notes=tuple(building.notes),
        note_columns=building.note_columns,
        decisions=tuple(building.decisions),
        doubts=doubts,
        files=marks | marks_of(folder, {"tables.duckdb"}),
        seal=seal,
    )


def _read_files(parts: Parts, source: DataSource, building: Building) -> set[Kind]:
    """Read what parts hold: one table of all of them, or the tables of each file."""
    alone = partial(_read_file, source=source, building=building, alone=True)
    kinds = read_lake(parts, table_name(Path(source.label).stem), building, alone)
    files = [] if kinds else [file for part in parts for file in unpacked(*part, building)]
    watch = building.watch
    if files == [*parts] and len(files) == 1:
        building.asked = source.asked
    watch.size, watch.files = sum(path.stat().st_size for path, _ in files), len(files)
    for path, name in files:
        building.label = source.label if len(files) == 1 else f"{source.label}/{name}"
        watch.begin(path.stat().st_size)
        try:
            kinds.add(_read_file(path, name, source, building, alone=len(files) == 1))
        except AssayError as error:
            if error.reason is not SOURCE_EMPTY or len(files) == 1:
                raise
            building.prefix = ""
            building.note(f"the file {name} holds no table and is left out")
    building.prefix = ""
    if not building.tables:
        raise AssayError(SOURCE_EMPTY, f"no file of {source.label} holds a table.")
    unite(building, _TOGETHER if source.parts else Path(source.label).stem, source.options)
    return kinds


def _sync(path: Path) -> None:
    """Have the disk keep a file. Raises OSError."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _read_file(
    path: Path, name: str, source: DataSource, building: Building, *, alone: bool
) -> Kind:
    kind = recognise(path, building.label, source.type, Path(name).suffix.lower())
    try:
        if kind in _FILE_READERS:
            table = building.free_name(table_name(Path(name).stem))
            building.prefix = "" if alone else f"{table}: "
            _FILE_READERS[kind](path, table, source.options, building)
        else:
            building.prefix = ""  # their notes name the tables
            _DATABASE_READERS[kind](path, building)
    except duckdb.OutOfMemoryException:
        raise
    except duckdb.Error as error:
        raise AssayError(
            SOURCE_NOT_READABLE, f"{building.label} cannot be read: {describe_error(error, path)}."
        ) from None
    return kind
