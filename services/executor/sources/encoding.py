"""The encoding of a text file, found by reading all of it once."""

from __future__ import annotations

import codecs
import shutil
from dataclasses import dataclass
from pathlib import Path

from mesh.errors import INVALID_ARGUMENT, SOURCE_NOT_READABLE, AssayError

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file known to be UTF-8, and what was done to make it so (empty if nothing)."""

    path: Path
    note: str = ""


def as_utf8(path: Path, label: str, wanted: str | None, folder: Path) -> TextFile:
    """The file itself where it is UTF-8, else a transcoded copy in `folder`.

    Without a wanted encoding: byte order marks decide, then valid UTF-8, then Windows-1252.
    Raises AssayError: SOURCE_NOT_READABLE naming line and byte of what cannot be decoded.
    """
    if wanted is not None:
        return _transcoded(path, label, _known_codec(wanted), folder)
    with path.open("rb") as file:
        head = file.read(4096)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _transcoded(path, label, "utf-16", folder)
    if head[1::2].count(0) > 0.7 * len(head) / 2:
        return _transcoded(path, label, "utf-16-le", folder)
    if head[0::2].count(0) > 0.7 * len(head) / 2:
        return _transcoded(path, label, "utf-16-be", folder)
    damage = _first_damage(path)
    if damage is None:
        return _without_mark(path, head, folder)
    if damage.other_characters:
        raise AssayError(
            SOURCE_NOT_READABLE,
            f"{label}: byte 0x{damage.byte:02x} at offset {damage.offset:,} (line {damage.line:,})"
            " is not UTF-8, though the text before it is.",
            hint="Repair that line, or name the encoding.",
        )
    copy = _transcoded(path, label, "cp1252", folder)
    where = f"line {damage.line:,}"
    return TextFile(copy.path, f"not UTF-8 (first at {where}); read as Windows-1252")


@dataclass(frozen=True, slots=True)
class _Damage:
    offset: int
    line: int
    byte: int
    other_characters: bool


def _first_damage(path: Path) -> _Damage | None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    offset, line, other = 0, 1, False
    with path.open("rb") as file:
        while True:
            chunk = file.read(_CHUNK)
            pending = decoder.getstate()[0]
            try:
                text = decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                good = error.object[: error.start]
                return _Damage(
                    offset=offset - len(pending) + error.start,
                    line=line + good.count(b"\n"),
                    byte=error.object[error.start],
                    other_characters=other or not good.removeprefix(codecs.BOM_UTF8).isascii(),
                )
            if not chunk:
                return None
            other = other or not text.removeprefix("\ufeff").isascii()
            offset += len(chunk)
            line += chunk.count(b"\n")


def _transcoded(path: Path, label: str, codec: str, folder: Path) -> TextFile:
    copy = folder / "transcoded.txt"
    decoder = codecs.getincrementaldecoder(codec)()
    done, line = 0, 1
    with path.open("rb") as source, copy.open("w", encoding="utf-8", newline="") as target:
        while True:
            chunk = source.read(_CHUNK)
            try:
                text = decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                place = done + error.start
                raise AssayError(
                    SOURCE_NOT_READABLE,
                    f"{label}: byte 0x{error.object[error.start]:02x} near offset {place:,} "
                    f"(after line {line:,}) cannot be read as {codec}.",
                    hint="Save the file as UTF-8, or name its encoding.",
                ) from None
            target.write(text)
            if not chunk:
                return TextFile(copy, f"read as {codec}")
            done += len(chunk)
            line += text.count("\n")


def _without_mark(path: Path, head: bytes, folder: Path) -> TextFile:
    """JSON readers stumble over a byte order mark, so it is not passed on."""
    if not head.startswith(codecs.BOM_UTF8):
        return TextFile(path)
    copy = folder / "transcoded.txt"
    with path.open("rb") as source, copy.open("wb") as target:
        source.seek(len(codecs.BOM_UTF8))
        shutil.copyfileobj(source, target, _CHUNK)
    return TextFile(copy)


def _known_codec(name: str) -> str:
    try:
        return codecs.lookup(name).name
    except LookupError:
        raise AssayError(
            INVALID_ARGUMENT,
            f"there is no text encoding called {name!r}.",
            fields={"options.encoding": "unknown encoding"},
        ) from None
