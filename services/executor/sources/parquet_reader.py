"""Parquet, with its size checked before it is unpacked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
from duckdb.sqltypes import DuckDBPyType

from mesh.errors import RESOURCE_EXHAUSTED, SOURCE_EMPTY, SOURCE_NOT_READABLE, AssayError
from services.executor.domain.source import ReaderOptions
from services.executor.sources.building import Building
from services.executor.sources.child_tables import add_rows
from services.executor.sources.limits import BYTES_PER_VALUE
from services.executor.sources.sql import WRITE_AGAIN, count, describe_error, literal, quoted
from services.executor.sources.stored_types import leaves

_FIRST_ROWS = 10_000


def read_parquet(path: Path, table: str, options: ReaderOptions, building: Building) -> None:
    """Store a Parquet file as one table.

    Raises AssayError: SOURCE_NOT_READABLE where it is damaged, RESOURCE_EXHAUSTED where the content
    would unpack to more than the limit, SOURCE_EMPTY without rows.
    """
    with _translate_errors(path, building):
        rows = check_file(path, building)
        add_rows(building, table, f"SELECT * FROM read_parquet({literal(str(path))})")
    if rows == 0:
        raise AssayError(SOURCE_EMPTY, f"{building.label} holds no rows.")


def check_file(path: Path, building: Building) -> int:
    """The rows of a Parquet file that may be read. Raises AssayError: SOURCE_NOT_READABLE where it
    is damaged, RESOURCE_EXHAUSTED where it would unpack to more than the limit."""
    check_footer(path, building)
    with _translate_errors(path, building):
        return check_content(literal(str(path)), path.stat().st_size, building)


@contextmanager
def _translate_errors(path: Path, building: Building) -> Iterator[None]:
    """What the engine says of a file, as an error for people."""
    try:
        yield
    except duckdb.OutOfMemoryException:
        raise
    except duckdb.Error as error:
        raise AssayError(
            SOURCE_NOT_READABLE,
            f"{building.label} is not a readable Parquet file: {describe_error(error, path)}.",
            hint=WRITE_AGAIN,
        ) from None


def check_footer(path: Path, building: Building) -> None:
    """Raise AssayError(SOURCE_NOT_READABLE) for a Parquet file without its end."""
    size = path.stat().st_size
    with path.open("rb") as content:
        content.seek(max(0, size - 4))
        if size < 12 or content.read() != b"PAR1":
            raise AssayError(
                SOURCE_NOT_READABLE,
                f"{building.label} breaks off: a Parquet file ends with its footer, this does not.",
                hint=WRITE_AGAIN,
            )


def check_content(files: str, size: int, building: Building) -> int:
    """The rows of Parquet files of `size` bytes together, which may be read.

    `files` is a file or a list of them, as SQL. Raises duckdb.Error for damaged footers,
    AssayError(RESOURCE_EXHAUSTED) where the content would unpack to more than the limit.
    """
    of_files = f"FROM parquet_file_metadata({files})"
    rows = count(building.connection, f"SELECT sum(num_rows) {of_files}")
    longest = count(building.connection, f"SELECT max(num_rows) {of_files}")
    stored, values = (
        count(building.connection, f"SELECT sum({what}) FROM parquet_metadata({files})")
        for what in ("total_uncompressed_size", "num_values")
    )
    # Repeated values take no room in the file, so the count of values says more than its size.
    unpacked = max(stored, values * BYTES_PER_VALUE)
    building.limits.check_values(building.label, size, unpacked, f", {rows:,} rows")
    reading = f"{files}, union_by_name=true, hive_partitioning=false"
    columns = building.connection.sql(f"SELECT * FROM read_parquet({reading})").types
    building.check_columns(sum(map(leaves, columns)))
    _check_texts(reading, longest, unpacked, building.limits.most_unpacked(size), building)
    return rows


def _check_texts(files: str, rows: int, fixed: int, most: int, building: Building) -> None:
    """Refuse texts that are short in the file's dictionaries and repeated past the limit.

    No footer says how long they are; adding their lengths up takes no room for their copies.
    `rows` are those of the longest file.
    """
    relation = building.connection.sql(f"SELECT * FROM read_parquet({files})")
    measured = {
        name: length
        for name, kind in zip(relation.columns, relation.types, strict=True)
        if (length := _text_length(quoted(name), kind))
    }
    texts = list(measured)
    lengths = ", ".join(f"sum({length})::HUGEINT" for length in measured.values())
    looked_at = 0
    while texts and looked_at < rows:
        looked_at = min(rows, max(_FIRST_ROWS, 10 * looked_at))  # most bombs show at once
        found = building.connection.execute(
            # A LIMIT would keep copies of the rows.
            f"SELECT {lengths} FROM read_parquet({files}, file_row_number=true) "
            f"WHERE file_row_number < {looked_at}"
        ).fetchone()
        sizes = {name: int(size or 0) for name, size in zip(texts, found or (), strict=True)}
        unpacked = fixed + sum(sizes.values())
        if unpacked > most:
            column = max(sizes, key=lambda name: sizes[name])
            raise AssayError(
                RESOURCE_EXHAUSTED,
                f"{building.label} would unpack to {unpacked:,} bytes or more, {sizes[column]:,} "
                f"of them in column {column}; the limit is {most:,}.",
                hint="Split the file, or leave that column out.",
            )


def _text_length(sql: str, kind: DuckDBPyType, depth: int = 0) -> str:
    """SQL: the bytes of the texts in a value, however deep they are; empty where there are none.

    Bytes are left out unless they are in a list, which is kept as text.
    """
    if kind.id == "varchar":
        return f"strlen({sql})"
    if kind.id == "blob" and depth:
        return f"octet_length({sql})"
    if kind.id == "struct":
        lengths = [
            _text_length(f"struct_extract({sql}, {literal(name)})", inner, depth)
            for name, inner in kind.children
            if isinstance(inner, DuckDBPyType)
        ]
        return " + ".join(f"coalesce({length}, 0)" for length in lengths if length)
    if kind.id == "list" and isinstance(inner := kind.children[0][1], DuckDBPyType):
        item = f"item_{depth}"
        length = _text_length(item, inner, depth + 1)
        return f"list_sum(list_transform({sql}, lambda {item}: {length}))" if length else ""
    if kind.id == "map":
        parts = (f"{part}({sql})" for part in ("map_keys", "map_values"))
        inners = (inner for _, inner in kind.children if isinstance(inner, DuckDBPyType))
        item = f"item_{depth}"
        lengths = [
            f"coalesce(list_sum(list_transform({part}, lambda {item}: {length})), 0)"
            for part, inner in zip(parts, inners, strict=True)
            if (length := _text_length(item, inner, depth + 1))
        ]
        return " + ".join(lengths)
    return ""
