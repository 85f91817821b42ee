"""Compressed files and archives, unpacked under a cap before anything looks at their content."""

from __future__ import annotations

import bz2
import errno
import gzip
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, BinaryIO, cast

from mesh.errors import (
    RESOURCE_EXHAUSTED,
    SOURCE_EMPTY,
    SOURCE_NOT_READABLE,
    SOURCE_NOT_SUPPORTED,
    AssayError,
)
from services.executor.sources.kinds import COMPRESSED_SUFFIXES, DATA_SUFFIXES
from services.executor.sources.limits import ReadingLimits

if TYPE_CHECKING:
    from services.executor.sources.building import Building

NO_ROOM = (errno.EFBIG, errno.ENOSPC, errno.EDQUOT)
"""Errors that say that a file cannot be written for want of room, not that one is damaged."""

_PIECE = 1 << 18
_MOST_MEMBERS = 1_000
# Small files may shrink more than tables of real data do.
_SMALL_ENOUGH = 64 << 20


def _gzip(packed: BinaryIO) -> IO[bytes]:
    return cast("IO[bytes]", gzip.GzipFile(fileobj=packed))


def _zstd(packed: BinaryIO) -> IO[bytes]:
    import pyarrow as pa

    return cast("IO[bytes]", pa.input_stream(pa.PythonFile(packed), compression="zstd"))


_OPENERS: tuple[tuple[bytes, str, Callable[[BinaryIO], IO[bytes]]], ...] = (
    (b"\x1f\x8b", "application/gzip", _gzip),
    (b"BZh", "application/x-bzip2", bz2.BZ2File),
    (b"\xfd7zXZ", "application/x-xz", lzma.LZMAFile),
    (b"\x28\xb5\x2f\xfd", "application/zstd", _zstd),
)


def compression(path: Path, name: str) -> str:
    """The MIME type of a compressed file or archive; empty for any other. Raises OSError."""
    with path.open("rb") as file:
        head = file.read(8)
    for signature, mime_type, _ in _OPENERS:
        if head.startswith(signature):
            return mime_type
    zipped = head.startswith(b"PK") and PurePosixPath(name).suffix.lower() == ".zip"
    return "application/zip" if zipped else ""


def unpacked(path: Path, name: str, building: Building) -> Iterator[tuple[Path, str]]:
    """The file itself, or the files inside it, with the names they go by.

    Raises AssayError: SOURCE_NOT_READABLE where the compression is damaged, RESOURCE_EXHAUSTED
    where it, or all of an archive together, unpacks to more than the limits allow,
    SOURCE_NOT_SUPPORTED for archives in archives and encrypted ones, SOURCE_EMPTY without data
    files.
    """
    with path.open("rb") as file:
        head = file.read(8)
    suffix = PurePosixPath(name).suffix.lower()
    for signature, _, opener in _OPENERS:
        if head.startswith(signature):
            inner = name[: -len(suffix)] if suffix in COMPRESSED_SUFFIXES else name
            with path.open("rb") as packed:
                allowed = _Allowed(name, path.stat().st_size, packed.tell, building.limits)
                target = _unpack(partial(opener, packed), allowed, building)
            yield target, inner
            return
    if head.startswith(b"PK") and suffix == ".zip":
        yield from _members(path, name, building)
    else:
        yield path, name


def _members(path: Path, name: str, building: Building) -> Iterator[tuple[Path, str]]:
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise AssayError(
            SOURCE_NOT_READABLE,
            f"{name} is damaged or breaks off: as a ZIP archive, {str(error).rstrip('.')}.",
            hint="Pack the file again, or fetch it again.",
        ) from None
    with archive:
        infos = [info for info in archive.infolist() if _is_data(info)]
        if len(infos) > _MOST_MEMBERS:
            raise AssayError(
                RESOURCE_EXHAUSTED, f"{name} holds {len(infos):,} files; 1,000 is the most."
            )
        if not infos:
            raise AssayError(SOURCE_EMPTY, f"the archive {name} holds no data files.")
        size, before = path.stat().st_size, 0
        for info in infos:
            # Only the last part of a member's name is used, and only as a label.
            inner = _name(info)
            if PurePosixPath(inner).suffix.lower() in COMPRESSED_SUFFIXES:
                raise AssayError(SOURCE_NOT_SUPPORTED, f"{name} holds an archive, {inner}.")
            if info.flag_bits & 1:
                raise AssayError(SOURCE_NOT_SUPPORTED, f"{inner} in {name} is encrypted.")
            taken = partial(int, info.compress_size)
            allowed = _Allowed(f"{inner} in {name}", size, taken, building.limits, before)
            allowed.check(info.file_size)  # as it says itself; counted again below
            target = _unpack(partial(archive.open, info), allowed, building)
            before += target.stat().st_size
            yield target, inner


def _name(info: zipfile.ZipInfo) -> str:
    return PurePosixPath(info.filename.replace("\\", "/")).name


def _is_data(info: zipfile.ZipInfo) -> bool:
    name = _name(info)
    data = PurePosixPath(name).suffix.lower() in DATA_SUFFIXES
    return data and not name.startswith((".", "_")) and "__MACOSX" not in info.filename


@dataclass(frozen=True, slots=True)
class _Allowed:
    """What a compressed file may unpack to: `packed` are its bytes, `taken` those read so far.

    Judged by what was taken, so that a bomb ends long before all of it is unpacked. In an archive,
    whose size is `packed`, others unpacked to so many bytes `before`.
    """

    name: str
    packed: int
    taken: Callable[[], int]
    limits: ReadingLimits
    before: int = 0

    def check(self, done: int) -> None:
        """Raise AssayError(RESOURCE_EXHAUSTED) when so many unpacked bytes are too many."""
        times, together = self.limits.unpacked_times, self.before + done
        most_of_this = max(_SMALL_ENOUGH, self.taken() * times)
        if together > self.limits.unpacked_bytes:
            most, setting = f"{self.limits.unpacked_bytes:,} bytes", "ASSAY_EXECUTOR_UNPACKED_BYTES"
        elif done > most_of_this or together > max(_SMALL_ENOUGH, self.packed * times):
            most, setting = f"{times:,} times as many", "ASSAY_EXECUTOR_UNPACKED_TIMES"
        else:
            return
        raise AssayError(
            RESOURCE_EXHAUSTED,
            f"{self.name} has {self.packed:,} bytes and unpacks to more than {most}.",
            hint=f"Unpack it yourself, and supply what is in it; the limit is {setting}.",
            metadata={"limit": setting},
        )


def _unpack(opened: Callable[[], IO[bytes]], allowed: _Allowed, building: Building) -> Path:
    """Unpack into a scratch file with a generated name."""
    building.unpacked_files += 1
    target = building.scratch(f"unpacked-{building.unpacked_files}")
    done = 0
    try:
        with opened() as source, target.open("wb") as file:
            while chunk := source.read(_PIECE):
                done += len(chunk)
                allowed.check(done)
                file.write(chunk)
    except OSError as error:
        if error.errno in NO_ROOM:
            raise
        raise _damaged(allowed.name, done, error) from None
    except (
        EOFError,
        zlib.error,
        lzma.LZMAError,
        zipfile.BadZipFile,
        ValueError,
        NotImplementedError,
    ) as error:
        raise _damaged(allowed.name, done, error) from None
    return target


def _damaged(name: str, done: int, error: Exception) -> AssayError:
    return AssayError(
        SOURCE_NOT_READABLE,
        f"{name} is damaged or breaks off; it unpacks to {done:,} bytes and no further: "
        f"{str(error).rstrip('.')}.",
        hint="Pack the file again, or fetch it again.",
    )
