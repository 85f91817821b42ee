"""How far a reading is, told twice a second by the process that reads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

_SECONDS = 0.5


@dataclass
class ReadingWatch:
    """How much of the `size` bytes of all files was read, which never goes back, and how many rows,
    where they are counted; `of_rows` is 0 where not all are."""

    size: int = 0
    files: int = 1
    _bytes_before: int = 0
    _rows_before: int = 0
    _bytes: int = 0
    _rows: int = 0
    _share: float = 0.0
    _copying: bool = False

    def begin(self, size: int) -> None:
        """The next file, of so many bytes."""
        self._bytes_before += self._bytes
        self._rows_before += self._rows
        self._bytes, self._rows, self._share = size, 0, 0.0

    @contextmanager
    def copying(self, rows: int) -> Iterator[None]:
        """While the engine goes through the file, which has so many rows."""
        self._rows, self._copying = rows or self._rows, True
        try:
            yield
        finally:
            self._copying = False
        self._share = 1.0

    def seen(self, percent: float) -> None:
        """What the engine says of the statement it is at; less than nothing where it cannot."""
        if self._copying:
            self._share = max(self._share, min(percent, 100.0) / 100.0)

    def to_json(self) -> dict[str, Any]:
        """As others are told it."""
        return {
            "rows": self._rows_before + round(self._share * self._rows),
            "of_rows": self._rows if self.files == 1 else 0,
            "bytes": self._bytes_before + round(self._share * self._bytes),
            "of_bytes": self.size,
        }


@contextmanager
def watched(
    watch: ReadingWatch, percent: Callable[[], float], tell: Callable[[dict[str, Any]], None]
) -> Iterator[None]:
    """Tell how far it is twice a second meanwhile, from half a second on, and how far it came."""
    ended = threading.Event()

    def work() -> None:
        while not ended.wait(_SECONDS):
            watch.seen(percent())
            tell(watch.to_json())

    thread = threading.Thread(target=work, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
    tell(watch.to_json())
