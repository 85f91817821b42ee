"""The room of the sheets of `.xlsx`, as SpreadsheetML (ISO/IEC 29500-1, 18.3) writes them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from zipfile import ZipFile, ZipInfo

from services.executor.sources.workbooks.markup import CHUNK, walk
from services.executor.sources.workbooks.room import Room

_TEXTS = "xl/sharedstrings.xml"
_CELLS = b"sheetData"  # a sheet is what has them: its name and place may be any
_PLACE = re.compile(r"([A-Za-z]+)(\d+)")


def rooms(archive: ZipFile, most: int) -> Iterator[Room]:
    """The room of every sheet; what its texts take is exact only where it may be above `most`.

    Raises ValueError for a sheet that cannot be looked through.
    """
    lengths = _lengths(archive)
    for info in archive.infolist():
        if not _holds_cells(archive, info):
            continue
        room = Room(info.filename)
        shared = _look(archive, info, room)
        if shared * max(lengths, default=0) > most:  # were it the longest in every cell
            room.repeated = _referred(archive, info, lengths)
        yield room


def _holds_cells(archive: ZipFile, info: ZipInfo) -> bool:
    before = b""
    with archive.open(info) as part:
        while chunk := part.read(CHUNK):
            if _CELLS in before + chunk:
                return True
            before = chunk[-len(_CELLS) :]
    return False


def _look(archive: ZipFile, info: ZipInfo, room: Room) -> int:
    """Count the cells into the room; how many of them refer to a shared text.

    Rows and cells need not say where they are: then they are the next.
    """
    row, column, shared = 0, 0, 0

    def started(name: str, attributes: dict[str, str], _: int) -> None:
        nonlocal row, column, shared
        if name == "c":
            if match := _PLACE.fullmatch(attributes.get("r", "")):
                column, row = _number(match[1]), int(match[2])
            else:
                column += 1
            room.hold(row, column)
            shared += attributes.get("t") == "s"
        elif name == "row":
            row, column = int(attributes.get("r", row + 1)), 0

    with archive.open(info) as part:
        walk(part, started)
    return shared


@lru_cache(maxsize=20_000)
def _number(letters: str) -> int:
    """The number of a column: A is 1, Z 26, AA 27."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number


def _lengths(archive: ZipFile) -> list[int]:
    """The bytes of every shared text, with its markup."""
    begins: list[int] = []

    def started(name: str, _: dict[str, str], at: int) -> None:
        if name == "si":
            begins.append(at)

    lengths: list[int] = []
    for info in archive.infolist():
        if info.filename.casefold() == _TEXTS:
            begins.clear()
            with archive.open(info) as part:
                begins.append(walk(part, started))
            lengths += [end - begin for begin, end in pairwise(begins)]
    return lengths


def _referred(archive: ZipFile, info: ZipInfo, lengths: list[int]) -> int:
    """The bytes of the shared texts, each as often as cells refer to it."""
    references: Counter[str] = Counter()
    state = {"shared": False, "value": False}

    def started(name: str, attributes: dict[str, str], _: int) -> None:
        if name == "c":
            state["shared"] = attributes.get("t") == "s"
        state["value"] = name == "v" and state["shared"]

    def text(content: str) -> None:
        if state["value"] and (number := content.strip()):
            references[number] += 1

    with archive.open(info) as part:
        walk(part, started, text)
    numbers = {number: int(number) for number in references if number.isdecimal()}
    return sum(
        references[number] * lengths[which]
        for number, which in numbers.items()
        if which < len(lengths)
    )
