"""Files that are too wide to be read whole: the columns that are read of them."""

from __future__ import annotations

from collections.abc import Sequence

from services.executor.domain.source import ReaderOptions
from services.executor.sources.building import Building
from services.executor.sources.delimited.dialect import Row


def columns_read(
    columns: Sequence[str], table: str, options: ReaderOptions, building: Building
) -> tuple[str, ...]:
    """Those of the columns that are to be read; told where that is not all.

    Raises AssayError(RESOURCE_EXHAUSTED) where there are too many, or none of those named.
    """
    if not options.only:
        return tuple(columns)
    only = {name.strip().casefold() for name in options.only}
    kept = tuple(c for c in columns if {c.casefold(), f"{table}.{c}".casefold()} & only)
    building.check_columns(kept or columns)
    building.note(f"has {len(columns):,} columns; {len(kept):,} that may be used are read")
    return kept


def cells_of(
    kept: Sequence[str], columns: Sequence[str], rows: Sequence[Row]
) -> list[tuple[str, ...]]:
    """The cells of these columns in each row that is as wide as the table."""
    whole = [row.cells for row in rows if len(row.cells) == len(columns)]
    if len(kept) == len(columns):
        return [tuple(cells) for cells in whole]
    places = {name: place for place, name in enumerate(columns)}
    wanted = [places[name] for name in kept]
    return [tuple(cells[place] for place in wanted) for cells in whole]
