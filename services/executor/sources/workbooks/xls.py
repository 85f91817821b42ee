"""The room of the sheets of `.xls`, which are records of a stream ([MS-XLS] 2.1.4)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from services.executor.sources.workbooks.compound import stream_of
from services.executor.sources.workbooks.room import Room

_BOUND, _END, _MANY = 0x85, 0x0A, 0xBD
# Formula, NUMBER, LABEL, BOOLERR, RK, LABELSST; and MULRK, which ends with its last column.
_CELLS = frozenset({0x06, 0x203, 0x204, 0x205, 0x27E, 0xFD, _MANY})


def rooms(path: Path) -> Iterator[Room]:
    """The room of every sheet. Raises ValueError for a file that cannot be looked through.

    Texts that many cells share are not counted: each has at most 65,535 characters.
    """
    stream = stream_of(path.read_bytes(), ("workbook", "book"))
    for kind, content in _records(stream, 0):
        if kind == _BOUND and len(content) >= 4:
            begins = int.from_bytes(content[:4], "little")
            yield _look(stream, begins, Room(f"the sheet at {begins:,}"))


def _look(stream: bytes, begins: int, room: Room) -> Room:
    for kind, content in _records(stream, begins):
        if kind in _CELLS and len(content) >= 6:
            row = int.from_bytes(content[:2], "little")
            room.hold(row, int.from_bytes(content[2:4], "little"))
            if kind == _MANY:
                room.hold(row, int.from_bytes(content[-2:], "little"))
    return room


def _records(stream: bytes, at: int) -> Iterator[tuple[int, bytes]]:
    """The records from a place on, to the end of what begins there."""
    while at + 4 <= len(stream):
        kind = int.from_bytes(stream[at : at + 2], "little")
        length = int.from_bytes(stream[at + 2 : at + 4], "little")
        if kind == _END:
            return
        yield kind, stream[at + 4 : at + 4 + length]
        at += 4 + length
