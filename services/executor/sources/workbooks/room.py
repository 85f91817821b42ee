"""The room that the cells of one sheet take in a reader."""

from __future__ import annotations

from dataclasses import dataclass, field

BYTES_OF_A_PLACE = 32
"""Of a cell in the reader's memory, also of one that is empty."""


@dataclass(slots=True)
class Room:
    """What a reader makes of a sheet: a place for each cell between the outermost ones.

    `part` names the sheet for people; `repeated` are the bytes of texts that are in the file once
    and in cells more often.
    """

    part: str
    rows: list[int] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)
    repeated: int = 0

    def hold(self, row: int, column: int) -> None:
        """Count a cell in; rows and columns are counted from anywhere."""
        if not self.rows:
            self.rows, self.columns = [row, row], [column, column]
            return
        if row > self.rows[1]:
            self.rows[1] = row
        elif row < self.rows[0]:
            self.rows[0] = row
        if column > self.columns[1]:
            self.columns[1] = column
        elif column < self.columns[0]:
            self.columns[0] = column

    @property
    def high(self) -> int:
        """The rows between the outermost cells, with theirs."""
        return self.rows[1] - self.rows[0] + 1 if self.rows else 0

    @property
    def wide(self) -> int:
        """The columns between the outermost cells, with theirs."""
        return self.columns[1] - self.columns[0] + 1 if self.columns else 0

    @property
    def places(self) -> int:
        """The bytes that the places of all these cells take, without their texts."""
        return self.high * self.wide * BYTES_OF_A_PLACE
