"""What would be written, held against what is there, without a second copy of either."""

from __future__ import annotations

import io

import pyarrow as pa


class Comparison(io.RawIOBase):
    """Takes what would be written and compares it with what is there.

    A place may be written again, as the headers of an archive are: the last time counts.
    """

    def __init__(self, actual: pa.Buffer) -> None:
        super().__init__()
        self._actual = actual
        self._place = 0
        self._end = 0
        self._wrong: set[int] = set()

    def writable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always."""
        return True

    def tell(self) -> int:
        """Where the next write goes."""
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Write elsewhere next."""
        self._place = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._end}[whence]
        self._place += offset
        return self._place

    def write(self, content: object) -> int:
        """Compare."""
        wanted = pa.py_buffer(content)
        there = max(0, min(wanted.size, self._actual.size - self._place))
        if there == wanted.size and self._actual.slice(self._place, there).equals(wanted):
            self._wrong.discard(self._place)
        else:
            self._wrong.add(self._place)
        self._place += wanted.size
        self._end = max(self._end, self._place)
        return int(wanted.size)

    @property
    def differs_at(self) -> int | None:
        """Where the first thing that was written and is not there begins, or None."""
        return min(self._wrong, default=None)

    @property
    def behind(self) -> int:
        """How many bytes are there behind the end of what was written."""
        return int(self._actual.size) - self._end

    @property
    def same(self) -> bool:
        """Whether what is there is what was written, and nothing else."""
        return not self._wrong and not self.behind
