"""One stream of a compound file ([MS-CFB]), the file system in which `.xls` lies."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HEADER, _ENTRY, _SMALL = 512, 128, 64
_LAST = 0xFFFFFFFA  # larger numbers of sectors are signs
_ROOT, _STREAM = 5, 2


def stream_of(content: bytes, names: Sequence[str]) -> bytes:
    """The bytes of the first stream that has one of these names, case ignored; empty without one.

    Raises ValueError for a file whose sectors do not hang together.
    """
    if not content.startswith(SIGNATURE) or len(content) < _HEADER:
        raise ValueError("it does not begin as such a file does")
    try:
        return _Sectors(content).stream(names)
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise ValueError(f"its parts do not hang together ({error})") from None


class _Sectors:
    def __init__(self, content: bytes) -> None:
        self._content = content
        shift, directory, cutoff, small, further = struct.unpack("<H16xI4xII4xI", _head(content))
        self._size = 1 << min(shift, 20)
        self._cutoff = cutoff
        heads = list(struct.unpack_from("<109I", content, 76))
        seen: set[int] = set()
        while further < _LAST and further not in seen:
            seen.add(further)
            *more, further = self._numbers(further)
            heads += more
        self._next = [n for head in heads if head < _LAST for n in self._numbers(head)]
        self._entries = list(self._read_entries(directory))
        self._small_next = (
            [n for sector in self._chain(small, self._next) for n in self._numbers(sector)]
            if small < _LAST
            else []
        )

    def stream(self, names: Sequence[str]) -> bytes:
        for name, kind, first, size in self._entries:
            if kind == _STREAM and name in names:
                if size >= self._cutoff:
                    return self._joined(first)[:size]
                root = next(start for _, what, start, _ in self._entries if what == _ROOT)
                room, sectors = self._joined(root), self._chain(first, self._small_next)
                return b"".join(room[s * _SMALL : (s + 1) * _SMALL] for s in sectors)[:size]
        return b""

    def _sector(self, number: int) -> bytes:
        begins = (number + 1) * self._size
        return self._content[begins : begins + self._size]

    def _numbers(self, sector: int) -> tuple[int, ...]:
        held = self._sector(sector)
        return struct.unpack(f"<{len(held) // 4}I", held[: len(held) // 4 * 4])

    def _joined(self, first: int) -> bytes:
        return b"".join(self._sector(number) for number in self._chain(first, self._next))

    def _chain(self, first: int, following: Sequence[int]) -> list[int]:
        chain: list[int] = []
        while first < _LAST and len(chain) <= len(following):
            chain.append(first)
            first = following[first]
        if len(chain) > len(following):
            raise IndexError("a chain of sectors goes round")
        return chain

    def _read_entries(self, first: int) -> Iterator[tuple[str, int, int, int]]:
        held = self._joined(first)
        for at in range(0, len(held) - _ENTRY + 1, _ENTRY):
            length, kind = struct.unpack_from("<HB", held, at + 64)
            start, size = struct.unpack_from("<II", held, at + 116)
            name = held[at : at + min(max(length, 2), 64) - 2].decode("utf-16-le", "replace")
            yield name.casefold(), kind, start, size


def _head(content: bytes) -> bytes:
    """Of the header: the size of sectors, where directory, small and further sectors begin."""
    return content[30:72]
