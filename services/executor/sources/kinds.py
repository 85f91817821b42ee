"""Recognises what a file is by its content; its name only settles what content cannot."""

from __future__ import annotations

import codecs
import re
from enum import StrEnum
from pathlib import Path

from mesh.errors import (
    SOURCE_EMPTY,
    SOURCE_NOT_READABLE,
    SOURCE_NOT_SUPPORTED,
    AssayError,
)
from services.executor.domain.source import SourceType
from services.executor.sources.sql import WRITE_AGAIN

_HEAD_BYTES = 65536

_FOREIGN_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
    (b"\x1f\x8b", "gzip-compressed"),
    (b"BZh", "bzip2-compressed"),
    (b"\xfd7zXZ", "xz-compressed"),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"Obj\x01", "an Avro file"),
    (b"ORC", "an ORC file"),
    (b"FEA1", "an old Feather file"),
    (b"\x89HDF", "an HDF5 file"),
    (b"<!DOCTYPE", "an HTML page"),
    (b"<!doctype", "an HTML page"),
    (b"<html", "an HTML page"),
    (b"<?xml", "an XML document"),
    (b"{\\rtf", "an RTF document"),
)


# The first members of a workbook; ODS says its type in an uncompressed first member.
_SPREADSHEET = re.compile(rb"xl/|opendocument\.spreadsheet|\[Content_Types\]\.xml|docProps/|_rels/")


class Kind(StrEnum):
    """The kinds of file that can be read, and of folder that is a table by records of its own."""

    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"
    ARROW = "arrow"
    EXCEL = "excel"
    SQLITE = "sqlite"
    DUCKDB = "duckdb"
    DELTA = "delta"
    ICEBERG = "iceberg"


_TYPES: dict[SourceType, set[Kind]] = {
    SourceType.SQL: {Kind.SQLITE, Kind.DUCKDB},
    SourceType.CSV: {Kind.CSV},
    SourceType.JSON: {Kind.JSON},
    SourceType.PARQUET: {Kind.PARQUET},
    SourceType.ARROW: {Kind.ARROW},
    SourceType.EXCEL: {Kind.EXCEL},
    SourceType.AUTO: set(Kind),
}
_SUFFIXES: dict[str, set[Kind]] = {
    ".parquet": {Kind.PARQUET},
    ".pq": {Kind.PARQUET},
    ".arrow": {Kind.ARROW},
    ".arrows": {Kind.ARROW},
    ".ipc": {Kind.ARROW},
    ".feather": {Kind.ARROW},
    ".xlsx": {Kind.EXCEL},
    ".xlsm": {Kind.EXCEL},
    ".xls": {Kind.EXCEL},
    ".xlsb": {Kind.EXCEL},
    ".ods": {Kind.EXCEL},
    ".sqlite": {Kind.SQLITE},
    ".sqlite3": {Kind.SQLITE},
    ".duckdb": {Kind.DUCKDB},
    ".db": {Kind.SQLITE, Kind.DUCKDB},
    ".json": {Kind.JSON},
    ".jsonl": {Kind.JSON},
    ".ndjson": {Kind.JSON},
    ".csv": {Kind.CSV},
    ".tsv": {Kind.CSV},
    ".tab": {Kind.CSV},
    ".psv": {Kind.CSV},
}
COMPRESSED_SUFFIXES = frozenset({".gz", ".bz2", ".xz", ".zst", ".zip"})
DATA_SUFFIXES = frozenset(_SUFFIXES) | COMPRESSED_SUFFIXES | {".txt"}


def _begins_a_stream(head: bytes) -> bool:
    """Whether an Arrow stream begins: a continuation, then the length of a message (IPC format)."""
    length = int.from_bytes(head[4:8], "little", signed=True)
    return head.startswith(b"\xff\xff\xff\xff") and length > 0


_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def _without_mark(head: bytes) -> bytes:
    return next((head[len(mark) :] for mark in _MARKS if head.startswith(mark)), head)


def recognise(path: Path, label: str, declared: SourceType, suffix: str) -> Kind:
    """The kind of a file, agreed between its content, its name and the request.

    Raises AssayError: SOURCE_EMPTY without bytes, SOURCE_NOT_SUPPORTED for a known foreign
    format, SOURCE_NOT_READABLE for binary noise or a content its name or type contradicts.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if not _without_mark(head).strip():
        raise AssayError(SOURCE_EMPTY, f"{label} is empty.")
    if suffix in COMPRESSED_SUFFIXES:
        _refuse_unpacked(head, label, suffix)
    kind = _by_content(head, label, suffix)
    if kind not in _TYPES[declared]:
        raise AssayError(
            SOURCE_NOT_READABLE,
            f"{label} is given as {declared.value}, but its content is {_NAMES[kind]}.",
            hint="Leave the type out, or name the right file.",
        )
    if kind not in _SUFFIXES.get(suffix, set(Kind)):
        raise AssayError(
            SOURCE_NOT_READABLE,
            f"{label} is named {suffix}, but its content is {_NAMES[kind]}.",
            hint="Rename the file after what it holds.",
        )
    return kind


_NAMES = {
    Kind.CSV: "plain text",
    Kind.JSON: "JSON",
    Kind.PARQUET: "Parquet",
    Kind.ARROW: "Arrow IPC",
    Kind.EXCEL: "a spreadsheet",
    Kind.SQLITE: "a SQLite database",
    Kind.DUCKDB: "a DuckDB database",
    Kind.DELTA: "a Delta table",
    Kind.ICEBERG: "an Iceberg table",
}


def _by_content(head: bytes, label: str, suffix: str) -> Kind:
    if head.startswith(b"SQLite format 3\0"):
        return Kind.SQLITE
    if head[8:12] == b"DUCK":
        return Kind.DUCKDB
    if head.startswith(b"PAR1"):
        return Kind.PARQUET
    if head.startswith(b"ARROW1") or _begins_a_stream(head):
        return Kind.ARROW
    if head.startswith(b"PK\x03\x04") and _SPREADSHEET.search(head):
        return Kind.EXCEL
    if head.startswith(b"PK"):
        raise AssayError(SOURCE_NOT_SUPPORTED, f"{label} is a ZIP archive or Office document.")
    if head.startswith(b"\xd0\xcf\x11\xe0") and suffix == ".xls":
        return Kind.EXCEL
    for signature, what in _FOREIGN_SIGNATURES:
        if head.startswith(signature):
            raise AssayError(SOURCE_NOT_SUPPORTED, f"{label} is {what}.")
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        head = head[: len(head) // 2 * 2].decode("utf-16", errors="replace").encode()
    if b"\0" in head and not _is_utf16_without_mark(head):
        if wanted := _SUFFIXES.get(suffix, set()) - {Kind.CSV, Kind.JSON}:
            raise AssayError(
                SOURCE_NOT_READABLE,
                f"{label} is not {' or '.join(sorted(_NAMES[kind] for kind in wanted))}: it does "
                "not begin as one, so its beginning is damaged or missing.",
                hint=WRITE_AGAIN,
            )
        offset = head.index(b"\0")
        line = head.count(b"\n", 0, offset) + 1
        raise AssayError(
            SOURCE_NOT_READABLE,
            f"{label} is not text: there is a zero byte in line {line:,} (offset {offset:,}).",
            hint="Name the encoding if it is text, or write the file again.",
        )
    text = head.removeprefix(codecs.BOM_UTF8).lstrip()
    looks_like_json = text[:1] == b"{" or (text[:1] == b"[" and suffix not in {".csv", ".tsv"})
    return Kind.JSON if looks_like_json else Kind.CSV


def _refuse_unpacked(head: bytes, label: str, suffix: str) -> None:
    """Refuse what is named like a compressed file and begins like none."""
    text = b"\0" not in head or _is_utf16_without_mark(head)
    raise AssayError(
        SOURCE_NOT_READABLE,
        f"{label} is named {suffix}, but "
        + ("its content is plain text." if text else "does not begin as such a file does."),
        hint="Rename the file after what it holds." if text else WRITE_AGAIN,
    )


def _is_utf16_without_mark(head: bytes) -> bool:
    """Western text in UTF-16 has a zero in (almost) every second byte, on one side only."""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    half = len(head) / 2
    return max(even, odd) > 0.7 * half and min(even, odd) < 0.02 * half
