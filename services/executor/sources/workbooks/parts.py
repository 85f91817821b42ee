"""The tables that share a sheet, beside or below one another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from services.executor.sources.sql import table_name
from services.executor.sources.workbooks.grid import Cells, is_filled, is_value

_FEWEST_ROWS = 2


@dataclass(frozen=True, slots=True)
class Part:
    """A table on a sheet, in the lines that it has there, `called` as the title above it says."""

    cells: Cells
    called: str = ""


def parts_of(cells: Cells) -> list[Part]:
    """The tables on a sheet: beside one another with an empty column between, or below with an
    empty row between and names of their own; one where there is no more."""
    beside = _beside(cells)
    return [part for one in beside for part in _below(one)]


def _beside(cells: Cells) -> list[Cells]:
    width = max(map(len, cells), default=0)
    used = [
        any(column < len(row) and is_filled(row[column]) for row in cells)
        for column in range(width)
    ]
    by_use = groupby(range(width), used.__getitem__)
    runs = [list(run) for filled, run in by_use if filled]
    found = [[[*row[run[0] : run[-1] + 1]] for row in cells] for run in runs]
    if len(found) < 2 or not all(_is_table(_rows(one)) for one in found):
        return [cells]
    extents = {(_places(one)[0], _places(one)[-1]) for one in found}
    names = [{str(cell).casefold() for cell in _rows(one)[_names_at(_rows(one))]} for one in found]
    shared = any(names[0] & other for other in names[1:])
    return found if len(extents) > 1 or shared else [cells]


def _below(cells: Cells) -> Iterator[Part]:
    """The tables of a run of columns, each with the lines of the others blank."""
    starts, names = [0], None
    blocks = list(_blocks(cells))
    for number, block in enumerate(blocks):
        rows = [cells[place] for place in block]
        if not _is_table(rows):
            continue
        own = [str(cell).casefold() for cell in rows[_names_at(rows)]]
        if names is not None and own != names:
            above = blocks[number - 1]
            titled = len(above) == 1 and sum(map(is_filled, cells[above[0]])) == 1
            starts.append(above[0] if titled and above[0] > starts[-1] else block[0])
        names = own
    edges = [*starts[1:], len(cells)]
    for first, last in zip(starts, edges, strict=True):
        kept = [row if first <= place < last else [] for place, row in enumerate(cells)]
        used = [at for row in kept for at, cell in enumerate(row) if is_filled(cell)]
        lead = next((row for row in kept if any(map(is_filled, row))), [])
        title = [str(cell).strip() for cell in lead if is_filled(cell)]
        called = table_name(title[0]) if len(title) == 1 else ""
        yield Part([row[: max(used, default=0) + 1] for row in kept], called)


def _blocks(cells: Cells) -> Iterator[list[int]]:
    """Runs of lines with something in them."""
    for filled, run in groupby(enumerate(cells), lambda one: any(map(is_filled, one[1]))):
        if filled:
            yield [place for place, _ in run]


def _is_table(rows: Cells) -> bool:
    """Whether lines begin with names, after titles, and go on with values below these."""
    at = _names_at(rows)
    if at < 0 or len(rows) - at < _FEWEST_ROWS:
        return False
    return any(is_value(cell) for row in rows[at + 1 :] for cell in row)


def _names_at(rows: Cells) -> int:
    """The place of the line of names: words in every column that is used below it; -1 for none."""
    width = max((sum(map(is_filled, row)) for row in rows), default=0)
    for place, row in enumerate(rows):
        filled = [cell for cell in row if is_filled(cell)]
        if len(filled) > 1 and len(filled) == width and not any(map(is_value, filled)):
            return place
        if len(filled) > 1:
            return -1
    return -1


def _rows(cells: Cells) -> Cells:
    return [row for row in cells if any(map(is_filled, row))]


def _places(cells: Cells) -> list[int]:
    return [place for place, row in enumerate(cells) if any(map(is_filled, row))]
