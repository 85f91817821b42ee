"""How much a workbook unpacks to, found by unpacking it and keeping nothing."""

from __future__ import annotations

import itertools
import zipfile
from collections.abc import Iterable
from pathlib import Path

from mesh.errors import RESOURCE_EXHAUSTED, SOURCE_NOT_READABLE, AssayError
from services.executor.sources.building import Building
from services.executor.sources.workbooks import ods, xls, xlsb, xlsx
from services.executor.sources.workbooks.markup import CHUNK
from services.executor.sources.workbooks.room import Room

SAVE_AGAIN = "Open it in a spreadsheet program and save it again, or fetch it again."

_SMALL_ENOUGH = 64 << 20
_MEMORY_PER_BYTE = 8  # cells take several times the room of their XML


def check_size(path: Path, building: Building) -> None:
    """Refuse a workbook that takes too much room, or that breaks off.

    A workbook is an archive whose sizes can lie, and whose cells can repeat one long text or be as
    far apart as there are rows and columns. Raises AssayError: RESOURCE_EXHAUSTED,
    SOURCE_NOT_READABLE.
    """
    packed = path.stat().st_size
    if not zipfile.is_zipfile(path):
        _refuse_if_cut(path, building)
        _check_old(path, packed, building)
        return
    most = min(
        building.limits.unpacked_bytes // _MEMORY_PER_BYTE,
        max(_SMALL_ENOUGH, packed * building.limits.unpacked_times),
    )
    try:
        with zipfile.ZipFile(path) as archive:
            fits = _unpacked(archive, most) <= most and _has_room(archive, most, packed, building)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError) as error:
        raise unsound(building, error) from None
    if not fits:
        raise AssayError(
            RESOURCE_EXHAUSTED,
            f"{building.label} has {packed:,} bytes and unpacks to more than {most:,}.",
            hint="Save the sheet as CSV, and supply that.",
        )


def _has_room(archive: zipfile.ZipFile, most: int, packed: int, building: Building) -> bool:
    """Whether texts that are repeated take no more than `most`, as all sheets hold them together.

    What kind of workbook it is its parts say: a reader may go by them too, whatever its name is.
    Raises AssayError(RESOURCE_EXHAUSTED) where cells are so far apart that all between them take
    too much, and ValueError for a sheet that cannot be looked through.
    """
    rooms = itertools.chain(xlsx.rooms(archive, most), xlsb.rooms(archive), ods.rooms(archive))
    return _repeated(rooms, packed, building) <= most


def _check_old(path: Path, packed: int, building: Building) -> None:
    try:
        _repeated(xls.rooms(path), packed, building)
    except ValueError as error:
        raise unsound(building, error) from None


def _repeated(rooms: Iterable[Room], packed: int, building: Building) -> int:
    """The bytes of texts that are repeated.

    Raises AssayError(RESOURCE_EXHAUSTED) for cells that are too far apart.
    """
    places = repeated = 0
    for room in rooms:
        places, repeated = places + room.places, repeated + room.repeated
        where = f": in {room.part} cells are {room.high:,} rows and {room.wide:,} columns apart"
        building.limits.check_values(building.label, packed, places, where)
    return repeated


def unsound(building: Building, error: Exception) -> AssayError:
    """The refusal of a workbook that cannot be read."""
    return AssayError(
        SOURCE_NOT_READABLE,
        f"{building.label} is no sound workbook: {str(error).rstrip('.')}.",
        hint=SAVE_AGAIN,
    )


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
            while chunk := member.read(CHUNK):
                done += len(chunk)
                if done > most:
                    return done
    return done
