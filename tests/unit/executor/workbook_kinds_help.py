"""Workbooks as `.ods` and `.xlsb`, as small as can be."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Iterable, Mapping

_ODF = "urn:oasis:names:tc:opendocument:xmlns"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
BinaryCell = tuple[int, int, str | float]
"""Row and column, counted from 0, and what is there; `@3` is the shared text 3."""


def _zipped(members: Mapping[str, str | bytes]) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            kind = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(name, content, kind)
    return sink.getvalue()


def ods_cell(value: str | float | None, times: int = 1, extra: str = "") -> str:
    """One cell, or several that are alike."""
    repeated = f' table:number-columns-repeated="{times}"' if times != 1 else ""
    if value is None:
        return f"<table:table-cell{repeated}/>"
    kind = "string" if isinstance(value, str) else "float"
    shown = "" if isinstance(value, str) else f' office:value="{value}"'
    return (
        f'<table:table-cell{repeated} office:value-type="{kind}"{shown}><text:p>{value}{extra}'
        "</text:p></table:table-cell>"
    )


def ods_row(*cells: str, times: int = 1) -> str:
    """One row, or several that are alike."""
    repeated = f' table:number-rows-repeated="{times}"' if times != 1 else ""
    return f"<table:table-row{repeated}>{''.join(cells)}</table:table-row>"


def ods(sheets: Mapping[str, str]) -> bytes:
    """A workbook of sheets given as rows, by name."""
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    tables = "".join(
        f'<table:table table:name="{name}">{rows}</table:table>' for name, rows in sheets.items()
    )
    return _zipped(
        {
            "mimetype": kind,
            "META-INF/manifest.xml": f'<manifest:manifest xmlns:manifest="{_ODF}:manifest:1.0">'
            f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
            "</manifest:manifest>",
            "content.xml": '<?xml version="1.0" encoding="UTF-8"?><office:document-content '
            f'xmlns:office="{_ODF}:office:1.0" xmlns:table="{_ODF}:table:1.0" '
            f'xmlns:text="{_ODF}:text:1.0"><office:body><office:spreadsheet>{tables}'
            "</office:spreadsheet></office:body></office:document-content>",
        }
    )


def xlsb(sheets: Mapping[str, Iterable[BinaryCell]], shared: Iterable[str] = ()) -> bytes:
    """A workbook of sheets given as cells, by name."""
    bundle, relations, members = b"", "", dict[str, str | bytes]()
    for i, (name, cells) in enumerate(sheets.items(), start=1):
        listed = struct.pack("<II", 0, i) + _wide(f"r{i}") + _wide(name)
        bundle += _record(156, listed)
        target = f"worksheets/sheet{i}.bin"
        relations += f'<Relationship Id="r{i}" Type="{_OFFICE}/worksheet" Target="{target}"/>'
        members[f"xl/{target}"] = _sheet(cells)
    if texts := b"".join(_record(19, b"\0" + _wide(text)) for text in shared):
        counted = struct.pack("<II", 1, 1)
        members["xl/sharedStrings.bin"] = _record(159, counted) + texts + _record(160, b"")
    book = _record(131, b"") + _record(143, b"") + bundle + _record(144, b"") + _record(132, b"")
    return _zipped(
        {
            "[Content_Types].xml": "<Types/>",
            "xl/workbook.bin": book,
            "xl/_rels/workbook.bin.rels": f'<Relationships xmlns="{_PACKAGE}">{relations}'
            "</Relationships>",
            **members,
        }
    )


def _sheet(cells: Iterable[BinaryCell]) -> bytes:
    content = _record(129, b"") + _record(148, struct.pack("<4I", 0, 0, 0, 0)) + _record(145, b"")
    at = None
    for row, column, value in cells:
        if row != at:
            content += _record(0, struct.pack("<I", row) + bytes(13))
            at = row
        place = struct.pack("<II", column, 0)
        if isinstance(value, float):
            content += _record(5, place + struct.pack("<d", value))
        elif value.startswith("@"):
            content += _record(7, place + struct.pack("<I", int(value[1:])))
        else:
            content += _record(6, place + _wide(value))
    return content + _record(146, b"") + _record(130, b"")


def _wide(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def _record(kind: int, content: bytes) -> bytes:
    head = bytes([kind]) if kind < 128 else bytes([kind & 127 | 128, kind >> 7])
    length = len(content)
    while length >= 128:
        head += bytes([length & 127 | 128])
        length >>= 7
    return head + bytes([length]) + content


def xls(sheets: Mapping[str, Iterable[tuple[int, int, float]]]) -> bytes:
    """A workbook of sheets given as cells, by name, in the oldest of the formats."""
    listed = sum(12 + len(name) for name in sheets)
    book, parts = _old(0x809, struct.pack("<HHHHII", 0x600, 5, 0, 0, 0, 6)), b""
    begins = len(book) + listed + 4
    for name, cells in sheets.items():
        told = struct.pack("<IHBB", begins + len(parts), 0, len(name), 0) + name.encode("ascii")
        book += _old(0x85, told)
        parts += _old(0x809, struct.pack("<HHHHII", 0x600, 16, 0, 0, 0, 6))
        for row, column, value in cells:
            parts += _old(0x203, struct.pack("<HHHd", row, column, 0, value))
        parts += _old(0x0A, b"")
    return _compound("Workbook", book + _old(0x0A, b"") + parts)


def _old(kind: int, content: bytes) -> bytes:
    return struct.pack("<HH", kind, len(content)) + content


def _compound(name: str, content: bytes) -> bytes:
    """A compound file of one stream: header, one sector of numbers, one of names, the stream."""
    size = max(len(content), 4_096)
    sectors = -(-size // 512)
    end, free, table = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
    numbers = [table, end, *range(3, sectors + 2), end]
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    header += struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    header += struct.pack("<9I", 0, 1, 1, 0, 4_096, end, 0, end, 0)
    header += struct.pack("<109I", 0, *[free] * 108)

    def entry(name: str, kind: int, child: int, start: int, size: int) -> bytes:
        text = name.encode("utf-16-le")
        head = text.ljust(64, b"\0") + struct.pack("<HBB", len(text) + 2, kind, 1)
        links = struct.pack("<III", free, free, child)
        return head + links + bytes(36) + struct.pack("<IQ", start, size)

    names = entry("Root Entry", 5, 1, end, 0) + entry(name, 2, free, 2, size)
    taken = struct.pack(f"<{len(numbers)}I", *numbers)
    return (
        header
        + taken.ljust(512, b"\xff")
        + names.ljust(512, b"\0")
        + content.ljust(sectors * 512, b"\0")
    )
