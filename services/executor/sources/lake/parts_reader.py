"""A data set: the parts of one table, with the keys of their folders as columns of it.

Rows are stored in the order of the folders, so that the statistics of the stored file say where a
key is: a query that filters by it reads those rows alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import duckdb

from mesh.errors import RESOURCE_EXHAUSTED, SOURCE_EMPTY, SOURCE_NOT_READABLE, AssayError
from services.executor.sources.building import Building
from services.executor.sources.child_tables import add_rows
from services.executor.sources.compressed import unpacked
from services.executor.sources.content import Parts
from services.executor.sources.kinds import Kind
from services.executor.sources.lake.keys import Keys, checked_keys, type_of
from services.executor.sources.manifest import StoredTable
from services.executor.sources.parquet_reader import check_content, check_file, check_footer
from services.executor.sources.sql import describe_error, literal, quoted

ReadFile = Callable[[Path, str], Kind]
"""Enters the tables of one file, which goes by the name given."""

_MOST_READ_ALONE = 2_000


def read_parts(parts: Parts, table: str, building: Building, read_file: ReadFile) -> set[Kind]:
    """Store the parts of a data set as one table.

    Raises AssayError: SOURCE_NOT_READABLE for parts that do not belong together or cannot be
    read, RESOURCE_EXHAUSTED above the limits, SOURCE_EMPTY without rows.
    """
    label = building.label
    keys = checked_keys(label, [name for _, name in parts])
    if all(_begins(path) == b"PAR1" for path, _ in parts):
        kinds = {Kind.PARQUET}
        rows = _read_parquet(parts, table, keys, building)
    else:
        kinds, rows = _read_each(parts, table, keys, building, read_file)
    building.label = label
    building.prefix = ""
    if rows == 0:
        raise AssayError(SOURCE_EMPTY, f"{label} holds no rows.")
    names = " and ".join(key for key, _ in next(iter(keys.values())))
    of = f"; {names} come from the names of its folders" if names else ""
    building.note(f"the rows of {len(parts):,} files are one table{of}")
    return kinds


def _begins(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(4)


def _read_parquet(parts: Parts, table: str, keys: Mapping[str, Keys], building: Building) -> int:
    """All parts in one go, columns by their names: a part may have more or fewer of them."""
    label, packed = building.label, sum(path.stat().st_size for path, _ in parts)
    building.watch.begin(packed)
    for path, name in parts:
        building.label = f"{label}/{name}"
        check_footer(path, building)
    building.label = label
    # Through a name without `=`, whatever the folders above the data set are called.
    root = building.scratch("parts")
    root.symlink_to(parts[0][0].parents[parts[0][1].count("/")], target_is_directory=True)
    files = ", ".join(literal(_as_no_pattern(f"{root}/{name}")) for _, name in parts)
    types = _types(keys)
    hive = ", ".join(f"{quoted(key)}: {kind}" for key, kind in types.items())
    options = f"hive_partitioning=true, hive_types={{{hive}}}" if types else "hive_partitioning=0"
    selected = "*"
    if types:
        listed = ", ".join(map(quoted, types))
        selected = f"* EXCLUDE ({listed}), {listed}"
    try:
        check_content(f"[{files}]", packed, building)
        return add_rows(
            building,
            table,
            f"SELECT {selected} FROM read_parquet([{files}], union_by_name=true, {options})",
        )
    except duckdb.OutOfMemoryException:
        raise
    except duckdb.Error as error:
        if damaged := _damaged(parts, building):
            building.label = f"{label}/{damaged[1]}"
            check_file(damaged[0], building)
        text = describe_error(error, root).replace("the file/", "")
        raise AssayError(
            SOURCE_NOT_READABLE,
            f"{label} cannot be read as one table: {text}.",
            hint="Name one of its files or folders, or write the parts anew with equal columns.",
        ) from None


def _damaged(parts: Parts, building: Building) -> tuple[Path, str] | None:
    """The first part whose footer cannot be read, if one of them is why all cannot."""
    for path, name in parts:
        try:
            building.connection.execute(f"FROM parquet_metadata({literal(str(path))})")
        except duckdb.Error:
            return path, name
    return None


def _as_no_pattern(path: str) -> str:
    """The path with signs of patterns escaped."""
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in path)


def _types(keys: Mapping[str, Keys]) -> dict[str, str]:
    """The keys' columns by name, with their types."""
    columns: dict[str, list[str | None]] = {}
    for found in keys.values():
        for key, value in found:
            columns.setdefault(key, []).append(value)
    return {key: type_of(values) for key, values in columns.items()}


def _read_each(
    parts: Parts, table: str, keys: Mapping[str, Keys], building: Building, read_file: ReadFile
) -> tuple[set[Kind], int]:
    """Every part by its own reader, as a file alone would be; then all as one table.

    Lists stay texts: as tables of their own they would be as many as there are parts.
    """
    label, kinds, raw = building.label, set[Kind](), building.raw
    if len(parts) > _MOST_READ_ALONE:
        raise AssayError(
            RESOURCE_EXHAUSTED,
            f"{label} has {len(parts):,} parts; {_MOST_READ_ALONE:,} is the most that is read "
            "where they are not all Parquet.",
            hint="Write the data set as Parquet, or in larger files.",
        )
    read: list[tuple[StoredTable, Keys]] = []
    building.raw = True
    for path, name in parts:
        building.watch.begin(path.stat().st_size)
        for inner, inner_name in unpacked(path, name, building):
            building.label = f"{label}/{name}"
            before = len(building.tables)
            try:
                kinds.add(read_file(inner, inner_name))
            except AssayError as error:
                if error.reason is not SOURCE_EMPTY:
                    raise
                continue
            entered = building.tables[before:]
            if len(entered) != 1 or not entered[0].file:
                raise AssayError(
                    SOURCE_NOT_READABLE,
                    f"{building.label} holds {len(entered)} tables; a part of a data set is one.",
                    hint="Name that file by itself.",
                )
            read.append((entered[0], keys[name]))
    building.label, building.prefix, building.raw = label, "", raw
    if not read:
        raise AssayError(SOURCE_EMPTY, f"no file of {label} holds a table.")
    return kinds, _united(read, table, _types(keys), building).rows


def _united(
    read: list[tuple[StoredTable, Keys]], table: str, types: Mapping[str, str], building: Building
) -> StoredTable:
    """One table of those that were read, which it replaces."""
    selects = []
    for stored, keys in read:
        taken = {column.name.casefold() for column in stored.columns}
        given = {key: "NULL" if value is None else literal(value) for key, value in keys}
        hidden = ", ".join(quoted(key) for key in given if key.casefold() in taken)
        added = "".join(
            f", CAST({value} AS {types[key]}) AS {quoted(key)}" for key, value in given.items()
        )
        exclude = f" EXCLUDE ({hidden})" if hidden else ""
        selects.append(f"SELECT *{exclude}{added} FROM {quoted(stored.name)}")
    query = building.in_stored_types(table, " UNION ALL BY NAME ".join(selects))
    path = building.folder / f"parts-{read[0][0].file}"
    building.write_parquet(query, path)
    for stored, _ in read:
        building.connection.execute(f"DROP VIEW {quoted(stored.name)}")
        (building.folder / stored.file).unlink()
    gone = {stored.name for stored, _ in read}
    building.tables[:] = [one for one in building.tables if one.name not in gone]
    building.decisions[:] = dict.fromkeys(
        decision.model_copy(update={"table": table}) if decision.table in gone else decision
        for decision in building.decisions
    )
    return building.enter_file(
        table, path.name, rejected=sum(stored.rejected for stored, _ in read)
    )
