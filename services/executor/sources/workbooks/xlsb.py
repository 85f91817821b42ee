"""The room of the sheets of `.xlsb`, which are binary records ([MS-XLSB] 2.1.4)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import IO
from zipfile import ZipFile

from services.executor.sources.workbooks.markup import CHUNK, walk
from services.executor.sources.workbooks.room import Room

_RELATIONS = "xl/_rels/workbook.bin.rels"
_TEXTS = "xl/sharedstrings.bin"
_ROW, _TEXT, _BEGIN, _END = 0, 19, 145, 146  # BrtRowHdr, BrtSSTItem, Brt…SheetData
_VALUES = range(2, 12)  # BrtCellRk to BrtFmlaError; 1 is a cell that is only formatted
_SHARED = 7  # BrtCellIsst


def rooms(archive: ZipFile) -> Iterator[Room]:
    """The room of every sheet. Raises ValueError for one that cannot be looked through."""
    targets = {
        name
        for info in archive.infolist()
        if info.filename.casefold() == _RELATIONS
        for name in _targets(archive, info.filename)
    }
    if not targets:
        return
    lengths = [
        len(content)
        for info in archive.infolist()
        if info.filename.casefold() == _TEXTS
        for kind, content in _records(archive.open(info))
        if kind == _TEXT
    ]
    for info in archive.infolist():
        if PurePosixPath(info.filename.casefold()).name in targets:
            with archive.open(info) as part:
                yield _look(part, Room(info.filename), lengths)


def _targets(archive: ZipFile, name: str) -> set[str]:
    """The names of the parts of a workbook, without the folders they are in."""
    found: set[str] = set()

    def started(_: str, attributes: dict[str, str], __: int) -> None:
        if target := attributes.get("Target"):
            found.add(PurePosixPath(target.casefold()).name)

    with archive.open(name) as part:
        walk(part, started)
    return found


def _look(part: IO[bytes], room: Room, lengths: list[int]) -> Room:
    row, within = 0, False
    for kind, content in _records(part):
        if kind == _BEGIN:
            within = True
        elif kind == _END:
            break
        elif not within:
            continue
        elif kind == _ROW:
            row = int.from_bytes(content[:4], "little")
        elif kind in _VALUES:
            room.hold(row, int.from_bytes(content[:4], "little"))
            if kind == _SHARED:
                which = int.from_bytes(content[8:12], "little")
                room.repeated += lengths[which] if which < len(lengths) else 0
    return room


def _records(part: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """The records of a part; what breaks off ends it."""
    held, at = part.read(CHUNK), 0
    while True:
        if len(held) - at < 6:  # two bytes of kind, four of length
            held, at = held[at:] + part.read(CHUNK), 0
            if not held:
                return
        kind, at = _varint(held, at, 2)
        length, at = _varint(held, at, 4)
        if len(held) - at < length:
            held, at = held[at:] + part.read(max(CHUNK, length)), 0
            if len(held) < length:
                return
        yield kind, held[at : at + length]
        at += length


def _varint(held: bytes, at: int, most: int) -> tuple[int, int]:
    """A number of seven bits a byte, the lowest first, and where it ends."""
    number = 0
    for i, byte in enumerate(held[at : at + most]):
        number |= (byte & 0x7F) << 7 * i
        if byte < 0x80:
            return number, at + i + 1
    return number, min(at + most, len(held))
