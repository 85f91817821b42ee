"""The lines of a text that rows begin on: cells may hold line breaks, blank lines are no rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from services.executor.sources.delimited.dialect import Dialect, reader_of

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Places:
    """Where the rows of a text are. `rejected` are the lines from `first_line` on that are none.

    `rows` is how many were read, each of `width` cells.
    """

    path: Path
    dialect: Dialect
    first_line: int
    width: int
    rows: int
    rejected: Sequence[int]

    def of(self, rows: Iterable[int]) -> dict[int, int]:
        """The line that each of these rows, counted from 0, begins on."""
        wanted = sorted(set(rows))
        one_line_each = self.first_line - 1 + self.rows + len(self.rejected)
        return self._counted(wanted) if _lines(self.path) == one_line_each else self._read(wanted)

    def _counted(self, wanted: Sequence[int]) -> dict[int, int]:
        found, before = {}, 0
        for row in wanted:
            while before < len(self.rejected) and self.rejected[before] <= (
                self.first_line + row + before
            ):
                before += 1
            found[row] = self.first_line + row + before
        return found

    def _read(self, wanted: Sequence[int]) -> dict[int, int]:
        """Told by reading the text again, because lines and rows are not the same there."""
        numbers, last = set(self.rejected), wanted[-1] if wanted else -1
        found: dict[int, int] = {}
        waiting = set(wanted)
        with self.path.open(encoding="utf-8", newline="") as file:
            for _ in range(self.first_line - 1):
                file.readline()
            reader, row, line = reader_of(file, self.dialect), 0, self.first_line
            for cells in reader:
                if (cells or self.width == 1) and line not in numbers:
                    if row in waiting:
                        found[row] = line
                    if row == last:
                        break
                    row += 1
                line = self.first_line + reader.line_num
        return found


def lines_at(path: Path, places: Iterable[int]) -> list[int]:
    """The lines, from 1, of offsets that ascend, in one pass."""
    found: list[int] = []
    with path.open("rb") as file:
        line, end, chunk = 1, 0, b""
        mark = b""
        start = 0
        for place in places:
            while place > end:
                line += chunk.count(mark, start) if chunk else 0
                chunk = file.read(_CHUNK)
                if not chunk:
                    break
                mark = mark or (b"\n" if b"\n" in chunk else b"\r")
                start, end = 0, end + len(chunk)
            stop = place - (end - len(chunk))
            line += chunk.count(mark, start, stop) if chunk else 0
            start = stop
            found.append(line)
    return found


def _lines(path: Path) -> int:
    """How many lines a text has, whether or not the last one ends."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - 1))
        ends = file.read(1) in (b"\n", b"\r")
    return lines_at(path, [size])[0] - (1 if ends else 0)
