"""A bundle's members, read once and never copied.

Read, not mapped: the file is anybody's, and whoever cuts it off under a map ends the process.
"""

from __future__ import annotations

import hashlib
import struct
import zipfile
from collections.abc import Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, cast

import pyarrow as pa

from clients.python.verification import layout
from clients.python.verification.ahead import Ahead
from clients.python.verification.comparison import Comparison

_ARCHIVE = ""  # no member's name
_LOCAL_HEADER = struct.Struct("<26xHH")  # ends with the lengths of name and extra field
_PIECE_BYTES = 32 << 20  # hashed in one call, so that threads rarely wait for one another
_SMALL_BYTES = 2 << 20  # below, a second thread takes longer to start than it saves


class BundleError(ValueError):
    """What is there cannot be read as a bundle; the message says why."""


class Bundle:
    """The members of a bundle by name. Those of an archive lie in the bytes of the archive."""

    def __init__(self, members: Mapping[str, pa.Buffer], archive: pa.Buffer | None = None) -> None:
        self._members = dict(sorted(members.items()))
        self._archive = archive
        self._digests: dict[str, str] = {}
        self._ahead: Ahead[str | None] | None = None

    @property
    def names(self) -> list[str]:
        """Every member, sorted."""
        return list(self._members)

    def has(self, name: str) -> bool:
        """Whether there is such a member."""
        return name in self._members

    def content(self, name: str) -> pa.Buffer:
        """A member's bytes, not copied. Raises BundleError when there is none."""
        try:
            return self._members[name]
        except KeyError as error:
            raise BundleError(f"{name} is not in the bundle") from error

    def read(self, name: str) -> bytes:
        """A small member's bytes; raises as `content`."""
        return bytes(memoryview(self.content(name)))

    def text(self, name: str) -> str:
        """A small member as text. Raises BundleError, also when it is not UTF-8."""
        try:
            return self.read(name).decode()
        except UnicodeDecodeError as error:
            raise BundleError(f"{name} is not UTF-8 text: {error}") from error

    def sha256(self, name: str) -> str:
        """SHA-256 of a member, computed once; raises as `content`."""
        if name not in self._digests:
            self.content(name)
            digest = self._ahead.take(name) if self._ahead else self._hashed(name)
            self._digests[name] = str(digest)
        return self._digests[name]

    def archive_fault(self) -> str | None:
        """Where the archive is not what its members alone would give, or None."""
        return self._ahead.take(_ARCHIVE) if self._ahead else self._compared()

    @contextmanager
    def hashed_ahead(self) -> Iterator[None]:
        """Inside, members are hashed on other processors, in the order that checks want them."""
        if sum(content.size for content in self._members.values()) < _SMALL_BYTES:
            yield
            return
        try:
            with Ahead[str | None]() as self._ahead:
                first = sorted(self._members, key=lambda name: (_turn(name), name))
                self._ahead.begin((name, partial(self._hashed, name)) for name in first)
                self._ahead.begin([(_ARCHIVE, self._compared)])
                yield
        finally:
            self._ahead = None

    def _hashed(self, name: str) -> str:
        running = hashlib.sha256()
        for piece in self._until_stopped(_pieces(self._members[name])):
            running.update(piece)
        return running.hexdigest()

    def _until_stopped(self, pieces: Iterator[memoryview]) -> Iterator[memoryview]:
        for piece in pieces:
            if self._ahead is not None and self._ahead.stopped:
                raise CancelledError
            yield piece

    def _compared(self) -> str | None:
        if self._archive is None:
            return None
        sink = Comparison(self._archive)
        members = (
            (name, content.size, self._until_stopped(_pieces(content)))
            for name, content in self._members.items()
        )
        layout.write_archive(cast("IO[bytes]", sink), members)
        if sink.differs_at is not None:
            return f"the archive differs from its members at or after byte {sink.differs_at:,}"
        return f"{sink.behind:,} bytes stand behind the archive's end" if sink.behind else None


def open_bundle(path: Path) -> Bundle:
    """The bundle in an archive or a folder. Raises BundleError."""
    try:
        if path.is_dir():
            return Bundle(dict(_files(path)))
        return _archive(path)
    except (OSError, pa.ArrowException) as error:
        raise BundleError(f"{path} cannot be read: {error}") from error


def _files(folder: Path) -> Iterator[tuple[str, pa.Buffer]]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or not (path.is_dir() or path.is_file()):
            raise BundleError(f"{name} is neither a file nor a folder, which is all bundles hold")
        if path.is_file():
            yield name, _whole(path)


def _archive(path: Path) -> Bundle:
    content = _whole(path)
    try:
        with zipfile.ZipFile(path) as archive:
            listed = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError, ValueError) as error:
        raise BundleError(f"{path.name} cannot be read as a zip archive: {error}") from error
    members: dict[str, pa.Buffer] = {}
    for member in listed:
        if member.filename in members:
            raise BundleError(f"{member.filename} is in {path.name} twice")
        members[member.filename] = _stored(content, member)
    if sum(buffer.size for buffer in members.values()) > content.size:
        raise BundleError(f"the members of {path.name} lie over one another")
    return Bundle(members, content)


def _stored(content: pa.Buffer, member: zipfile.ZipInfo) -> pa.Buffer:
    """A member's bytes where they lie; `zipfile` itself would copy them, and stop at its CRC."""
    if member.compress_type != zipfile.ZIP_STORED:
        raise BundleError(f"{member.filename} is compressed, which Assay's bundles never are")
    start = member.header_offset + _LOCAL_HEADER.size
    if not 0 <= member.header_offset <= start <= content.size:
        raise BundleError(f"{member.filename} is cut off")
    header = content.slice(member.header_offset, _LOCAL_HEADER.size).to_pybytes()
    start += sum(_LOCAL_HEADER.unpack(header))
    if start + member.file_size > content.size:
        raise BundleError(f"{member.filename} is cut off")
    return content.slice(start, member.file_size)


def _whole(path: Path) -> pa.Buffer:
    with pa.OSFile(str(path)) as file:
        return file.read_buffer()


def _pieces(content: pa.Buffer) -> Iterator[memoryview]:
    whole = memoryview(content)
    for start in range(0, content.size, _PIECE_BYTES):
        yield whole[start : start + _PIECE_BYTES]


def _turn(name: str) -> int:
    if name.startswith(layout.ARTIFACTS):
        return 0
    return 1 if name.startswith(layout.FRAMES) else 2
