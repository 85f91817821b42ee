"""Compressed files and archives, unpacked under a cap before anything looks at their content."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, cast

from mesh.errors import (
    RESOURCE_EXHAUSTED,
    SOURCE_EMPTY,
    SOURCE_NOT_READABLE,
    SOURCE_NOT_SUPPORTED,
    AssayError,
)
from services.executor.sources.building import Building
from services.executor.sources.kinds import COMPRESSED_SUFFIXES, DATA_SUFFIXES

_PIECE = 1 << 18
_MOST_MEMBERS = 1_000
# No table of real data shrinks more than some hundred times; small files may.
_MOST_EXPANSION = 200
_SMALL_ENOUGH = 64 << 20


def _zstd(path: Path) -> IO[bytes]:
    import pyarrow as pa

    return cast("IO[bytes]", pa.input_stream(str(path), compression="zstd"))


_OPENERS: tuple[tuple[bytes, str, Callable[[Path], IO[bytes]]], ...] = (
    (b"\x1f\x8b", "application/gzip", lambda path: cast("IO[bytes]", gzip.GzipFile(path))),
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
    where it, or all of an archive together, unpacks to more than the limit or two hundredfold,
    SOURCE_NOT_SUPPORTED for archives in archives and encrypted ones, SOURCE_EMPTY without data
    files.
    """
    with path.open("rb") as file:
        head = file.read(8)
    suffix = PurePosixPath(name).suffix.lower()
    for signature, _, opener in _OPENERS:
        if head.startswith(signature):
            inner = name[: -len(suffix)] if suffix in COMPRESSED_SUFFIXES else name
            packed = path.stat().st_size
            most = _most(packed, building)
            yield _unpack(partial(opener, path), packed, most, name, building), inner
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
        left = _most(path.stat().st_size, building)
        for info in infos:
            # Only the last part of a member's name is used, and only as a label.
            inner = _name(info)
            if PurePosixPath(inner).suffix.lower() in COMPRESSED_SUFFIXES:
                raise AssayError(SOURCE_NOT_SUPPORTED, f"{name} holds an archive, {inner}.")
            if info.flag_bits & 1:
                raise AssayError(SOURCE_NOT_SUPPORTED, f"{inner} in {name} is encrypted.")
            opened = partial(archive.open, info)
            most = min(left, _most(info.compress_size, building))
            target = _unpack(opened, info.compress_size, most, f"{inner} in {name}", building)
            left -= target.stat().st_size
            yield target, inner


def _name(info: zipfile.ZipInfo) -> str:
    return PurePosixPath(info.filename.replace("\\", "/")).name


def _is_data(info: zipfile.ZipInfo) -> bool:
    name = _name(info)
    data = PurePosixPath(name).suffix.lower() in DATA_SUFFIXES
    return data and not name.startswith((".", "_")) and "__MACOSX" not in info.filename


def _most(packed: int, building: Building) -> int:
    """The most bytes that so many packed ones may become."""
    return min(building.unpacked_limit, max(_SMALL_ENOUGH, packed * _MOST_EXPANSION))


def _unpack(
    opened: Callable[[], IO[bytes]],
    packed: int,
    most: int,
    name: str,
    building: Building,
) -> Path:
    """Unpack into a scratch file with a generated name."""
    building.unpacked_files += 1
    target = building.scratch(f"unpacked-{building.unpacked_files}")
    done = 0
    try:
        with opened() as source, target.open("wb") as file:
            while chunk := source.read(_PIECE):
                done += len(chunk)
                if done > most:
                    raise AssayError(
                        RESOURCE_EXHAUSTED,
                        f"{name} has {packed:,} bytes and unpacks to more than {most:,}.",
                        hint="Unpack it yourself, and supply what is in it.",
                    )
                file.write(chunk)
    except (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, ValueError,
            NotImplementedError, io.UnsupportedOperation) as error:  # fmt: skip
        raise AssayError(
            SOURCE_NOT_READABLE,
            f"{name} is damaged or breaks off; it unpacks to {done:,} bytes and no further: "
            f"{str(error).rstrip('.')}.",
            hint="Pack the file again, or fetch it again.",
        ) from None
    return target
