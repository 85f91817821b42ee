"""The encoding of a text file, found by reading all of it once."""

from __future__ import annotations

import codecs
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mesh.errors import INVALID_ARGUMENT, SOURCE_NOT_READABLE, AssayError

_CHUNK = 1 << 20
_PAIR = re.compile(rb"[\xc2-\xf4][\x80-\xbf]")
_WESTERN = re.compile(
    rb"(?:[\x00-\x7f\xc0-\xd6\xd8-\xf6\xf8-\xfe]|[\x80\x91-\x97\xa3\xa7\xb0\xb2\xb3])*"
)


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file known to be UTF-8, and what was done to make it so (empty if nothing)."""

    path: Path
    note: str = ""
    encoding: str = "utf-8"


def as_utf8(
    path: Path,
    label: str,
    wanted: str | None,
    copy: Path,
    rejected: Callable[[int, str], None] | None = None,
) -> TextFile:
    """The file itself where it is UTF-8, else a transcoded `copy`.

    Without a wanted encoding: byte order marks decide, then valid UTF-8, then Windows-1252. Where
    nearly all of a text is valid, `aside` gets number and content of the lines that are not, and
    the copy has blank lines in their place; where many are not beside others that are, and look
    like Windows-1252, each is read as that.
    Raises AssayError: SOURCE_NOT_READABLE naming line and byte of what cannot be decoded.
    """
    if wanted is not None:
        return _transcoded(path, label, _known_codec(wanted), copy)
    with path.open("rb") as file:
        head = file.read(4096)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _transcoded(path, label, "utf-16", copy)
    if head[1::2].count(0) > 0.7 * len(head) / 2:
        return _transcoded(path, label, "utf-16-le", copy)
    if head[0::2].count(0) > 0.7 * len(head) / 2:
        return _transcoded(path, label, "utf-16-be", copy)
    damage = _first_damage(path)
    if damage is None:
        return _without_mark(path, head, copy)
    lines = _Lines.of(path)
    if rejected is not None and lines.mostly_sound:
        _quarantine(path, copy, rejected)
        return TextFile(copy, f"{lines.broken:,} of {lines.all:,} lines are not UTF-8")
    if lines.western:
        _mixed(path, copy)
        text = f"{lines.broken:,} of {lines.all:,} lines are not UTF-8, as others are"
        return TextFile(copy, f"{text}; read as Windows-1252")
    if lines.foreign:
        raise AssayError(
            SOURCE_NOT_READABLE,
            f"{label}: byte 0x{damage.byte:02x} at offset {damage.offset:,} (line {damage.line:,})"
            " is not UTF-8, though other lines are.",
            hint="Repair that line, or name the encoding.",
        )
    _transcoded(path, label, "cp1252", copy)
    note = f"not UTF-8 (first at line {damage.line:,}); read as Windows-1252"
    return TextFile(copy, note, "cp1252")


@dataclass(frozen=True, slots=True)
class _Damage:
    offset: int
    line: int
    byte: int


_MOST_BROKEN = 0.01
_FEWEST_ENDS, _ENDS_READ = 10, 0.5  # of the bytes that end lines; others are parts of letters


@dataclass(frozen=True, slots=True)
class _Lines:
    """The lines of a text: `broken` are no UTF-8, `foreign` are, and not ASCII alone.

    `western` says that there are both, and those that are none look like Windows-1252.
    """

    all: int
    foreign: int
    broken: int
    western: bool

    @property
    def mostly_sound(self) -> bool:
        """Whether the text is UTF-8 but for few of its lines."""
        few = max(1.0, _MOST_BROKEN * self.all)
        return 0 < self.broken <= few and self.foreign > self.broken

    @classmethod
    def of(cls, path: Path) -> _Lines:
        """Counted."""
        counted, foreign, broken, western = 0, 0, 0, True
        with path.open("rb") as file:
            for line in file:
                counted += 1
                if not line.isascii():
                    sound = _is_sound(line)
                    foreign, broken = foreign + sound, broken + (not sound)
                    western = western and (sound or _is_western(line))
        return cls(counted, foreign, broken, western and bool(foreign))


def _is_sound(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_western(line: bytes) -> bool:
    """Whether all beyond ASCII in a line is letters and signs of Windows-1252, in no pair that
    UTF-8 makes."""
    return not _PAIR.search(line) and _WESTERN.fullmatch(line) is not None


def _quarantine(path: Path, copy: Path, rejected: Callable[[int, str], None]) -> None:
    with path.open("rb") as source, copy.open("wb") as target:
        for number, line in enumerate(source, start=1):
            if line.isascii() or _is_sound(line):
                target.write(line)
            else:
                target.write(line_end(line))
                rejected(number, line.decode(errors="replace").rstrip("\r\n"))


def _mixed(path: Path, copy: Path) -> None:
    """Write a text of two encodings in one, line by line."""
    with path.open("rb") as source, copy.open("wb") as target:
        for line in source:
            sound = line.isascii() or _is_sound(line)
            target.write(line if sound else line.decode("cp1252").encode())


def _first_damage(path: Path) -> _Damage | None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    offset = 0
    with path.open("rb") as file:
        while True:
            chunk = file.read(_CHUNK)
            pending = decoder.getstate()[0]
            if chunk.isascii() and chunk and not pending:
                offset += len(chunk)  # needs no decoding
                continue
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                place = offset - len(pending) + error.start
                return _Damage(
                    offset=place,
                    line=line_of(path, place),
                    byte=error.object[error.start],
                )
            if not chunk:
                return None
            offset += len(chunk)


def line_end(line: bytes) -> bytes:
    """What ends a line. Readers stumble over a text in which lines end in several ways."""
    return line[len(line.rstrip(b"\r\n")) :]


def line_of(path: Path, place: int) -> int:
    """The line, from 1, that holds the byte at an offset."""
    line = 1
    with path.open("rb") as file:
        while place > 0 and (chunk := file.read(min(_CHUNK, place))):
            line += chunk.count(b"\n")
            place -= len(chunk)
    return line


def _transcoded(path: Path, label: str, codec: str, copy: Path) -> TextFile:
    decoder = codecs.getincrementaldecoder(codec)()
    done, line, ends = 0, 1, 0
    with path.open("rb") as source, copy.open("w", encoding="utf-8", newline="") as target:
        while True:
            chunk = source.read(_CHUNK)
            try:
                text = decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                place = done + error.start
                tried = "UTF-8 or Windows-1252" if codec == "cp1252" else codec
                raise AssayError(
                    SOURCE_NOT_READABLE,
                    f"{label}: byte 0x{error.object[error.start]:02x} near offset {place:,} "
                    f"(after line {line:,}) cannot be read as {tried}.",
                    hint="Name the file's encoding, such as encoding=shift_jis, or save it as "
                    "UTF-8.",
                ) from None
            target.write(text)
            done += len(chunk)
            line += text.count("\n")
            ends += chunk.count(b"\n")
            if not chunk:
                break
    if codec.startswith("utf-16") and ends >= _FEWEST_ENDS and line < _ENDS_READ * ends:
        raise AssayError(
            SOURCE_NOT_READABLE,
            f"{label} begins as UTF-16 and goes on in another encoding: of {ends:,} ends of lines "
            f"{line - 1:,} are UTF-16.",
            hint="Save all of it as UTF-8, or name the encoding of most of it.",
        )
    return TextFile(copy, "" if codec == "utf-8" else f"read as {codec}", codec)


def _without_mark(path: Path, head: bytes, copy: Path) -> TextFile:
    """JSON readers stumble over a byte order mark, so it is not passed on."""
    if not head.startswith(codecs.BOM_UTF8):
        return TextFile(path)
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
