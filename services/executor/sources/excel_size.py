"""How much a workbook unpacks to, found by unpacking it and keeping nothing."""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from mesh.errors import RESOURCE_EXHAUSTED, SOURCE_NOT_READABLE, AssayError
from services.executor.sources.building import Building

SAVE_AGAIN = "Open it in a spreadsheet program and save it again, or fetch it again."

_SMALL_ENOUGH = 64 << 20
_MEMORY_PER_BYTE = 8  # cells take several times the room of their XML
_CHUNK = 1 << 20
_TEXTS = "xl/sharedstrings.xml"
_TEXT, _CELL = b"<si", b"<c "
_PLACE = re.compile(rb"""[^>]*?\br=["']([A-Z]{1,3})(\d{1,7})["']""")
_LONGEST_PLACE = 80
_BYTES_OF_A_PLACE = 32  # of a cell in the reader's memory, also of one that is empty
_REFERENCE = re.compile(rb"""\bt=["']s["'][^>]*>\s*<v>\s*(\d{1,9})\s*<""")
_LONGEST_REFERENCE = 200


def check_size(path: Path, building: Building) -> None:
    """Refuse a workbook that takes too much room, or that breaks off.

    A workbook is an archive whose sizes can lie, and whose cells can repeat one long text.
    Raises AssayError: RESOURCE_EXHAUSTED, SOURCE_NOT_READABLE.
    """
    if not zipfile.is_zipfile(path):
        _refuse_if_cut(path, building)
        return
    packed = path.stat().st_size
    most = min(
        building.limits.unpacked_bytes // _MEMORY_PER_BYTE,
        max(_SMALL_ENOUGH, packed * building.limits.unpacked_times),
    )
    try:
        with zipfile.ZipFile(path) as archive:
            fits = _unpacked(archive, most) <= most and _repeated(archive, most) <= most
            if fits:
                _check_span(archive, packed, building)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError) as error:
        raise AssayError(
            SOURCE_NOT_READABLE,
            f"{building.label} is no sound workbook: {str(error).rstrip('.')}.",
            hint=SAVE_AGAIN,
        ) from None
    if not fits:
        raise AssayError(
            RESOURCE_EXHAUSTED,
            f"{building.label} has {packed:,} bytes and unpacks to more than {most:,}.",
            hint="Save the sheet as CSV, and supply that.",
        )


def _check_span(archive: zipfile.ZipFile, packed: int, building: Building) -> None:
    """Refuse a sheet whose cells are so far apart that all between them take too much room.

    Raises AssayError(RESOURCE_EXHAUSTED).
    """
    for name in _sheets(archive):
        columns, rows = [0, 0], [0, 0]
        first = True
        for piece in _split(archive, name, _CELL):
            if match := _PLACE.match(piece[:_LONGEST_PLACE]):
                column, row = _number(match[1]), int(match[2])
                if first:
                    columns, rows, first = [column, column], [row, row], False
                columns = [min(columns[0], column), max(columns[1], column)]
                rows = [min(rows[0], row), max(rows[1], row)]
        wide, high = columns[1] - columns[0] + 1, rows[1] - rows[0] + 1
        where = f": in {name} cells are {high:,} rows and {wide:,} columns apart"
        building.limits.check_values(building.label, packed, wide * high * _BYTES_OF_A_PLACE, where)


def _number(letters: bytes) -> int:
    """The number of a column: A is 1, Z 26, AA 27."""
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def _sheets(archive: zipfile.ZipFile) -> list[str]:
    return [name for name in archive.namelist() if "sheet" in name.casefold()]


def _refuse_if_cut(path: Path, building: Building) -> None:
    with path.open("rb") as file:
        zipped = file.read(2) == b"PK"
    if zipped:
        raise AssayError(
            SOURCE_NOT_READABLE,
            f"{building.label} breaks off: a workbook ends with a directory of its parts, "
            "this does not.",
            hint=SAVE_AGAIN,
        )


def _unpacked(archive: zipfile.ZipFile, most: int) -> int:
    """The bytes of all members, counted until they are too many."""
    done = 0
    for info in archive.infolist():
        with archive.open(info) as member:
            while chunk := member.read(_CHUNK):
                done += len(chunk)
                if done > most:
                    return done
    return done


def _repeated(archive: zipfile.ZipFile, most: int) -> int:
    """The bytes of the shared texts, each as often as cells refer to it.

    Exact only where the longest text in every cell would be too much. XML that is written in ways
    that no program writes is not looked through; there the limit on memory holds.
    """
    texts = [name for name in archive.namelist() if name.casefold() == _TEXTS]
    lengths = [len(text) for name in texts for text in [*_split(archive, name, _TEXT)][1:]]
    sheets = _sheets(archive)
    cells = sum(1 for name in sheets for _ in _split(archive, name, _CELL))
    if cells * max(lengths, default=0) <= most:
        return 0
    references: Counter[int] = Counter()
    for name in sheets:
        for piece in _split(archive, name, _CELL):
            if match := _REFERENCE.search(piece[:_LONGEST_REFERENCE]):
                references[int(match.group(1))] += 1
    return sum(n * lengths[which] for which, n in references.items() if which < len(lengths))


def _split(archive: zipfile.ZipFile, name: str, mark: bytes) -> Iterator[bytes]:
    """The pieces of a member between marks."""
    rest = b""
    with archive.open(name) as member:
        while chunk := member.read(_CHUNK):
            *pieces, rest = (rest + chunk).split(mark)
            yield from pieces
    yield rest
