"""A table that fits the terminal: some rows, the columns there is room for, the rest told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from clients.python.cli.cells import Column, columns_of
from clients.python.cli.harmless import in_order
from clients.python.cli.words import count, listed

if TYPE_CHECKING:
    import pyarrow as pa

MOST_ROWS = 20
# So many rows are shown in full: leaving out a few would save no more than it hides.
NOT_CUT = 25
_GAP = 2
_WIDEST_TEXT = 60
_NAMED_FOLDED = 6


class FittedTable:
    """The beginning of a table, made to fit where it is printed.

    `total_rows` may be more than the table holds; `elsewhere` says where the whole is; `formats`
    are the Answer's.
    """

    def __init__(
        self,
        table: pa.Table,
        total_rows: int,
        elsewhere: str = "",
        formats: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        most = NOT_CUT if total_rows <= NOT_CUT else MOST_ROWS
        self._shown = min(table.num_rows, most)
        self._columns = columns_of(table.slice(0, self._shown), formats)
        self._total_rows = total_rows
        self._elsewhere = elsewhere

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """As many columns as fit, then what was left out."""
        kept = fitting(self._columns, options.max_width)
        grid = Table(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="bold")
        for column in kept:
            grid.add_column(
                Text(column.name),
                justify="right" if column.numeric else "left",
                no_wrap=True,
                overflow="ellipsis",
                max_width=_widest(options.max_width),
            )
        for cells in zip(*(column.cells for column in kept), strict=True):
            ordered = in_order(cells) if options.is_terminal else cells
            grid.add_row(*(Text(cell) for cell in ordered))
        yield grid
        for line in self._left_out(self._columns[len(kept) :]):
            yield Text(line, "dim")

    def _left_out(self, folded: Sequence[Column]) -> list[str]:
        lines = []
        if self._total_rows > self._shown:
            more = count(self._total_rows - self._shown, "more row")
            lines.append(f"… {more}{f', all in {self._elsewhere}' if self._elsewhere else ''}")
        if folded:
            names = [column.name for column in folded[:_NAMED_FOLDED]]
            if len(folded) > len(names):
                names.append(f"{len(folded) - len(names):,} others")
            lines.append(f"… {count(len(folded), 'more column')}: {listed(names)}")
        return lines


def _widest(width: int) -> int:
    """Characters that one column may take of so many: there is room for figures beside it."""
    return min(_WIDEST_TEXT, width * 3 // 5)


def fitting(columns: Sequence[Column], width: int) -> list[Column]:
    """The leading columns that fit side by side in `width` characters; always at least one."""
    kept: list[Column] = []
    used = 0
    for column in columns:
        used += min(column.width, _widest(width)) + (_GAP if kept else 0)
        if kept and used > width:
            break
        kept.append(column)
    return kept
