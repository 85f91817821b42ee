"""The columns of a text, and those of them that are read: of what is too wide to be read whole,
the ones that its request may use."""

from __future__ import annotations

from collections.abc import Sequence

from services.executor.domain.source import ReaderOptions
from services.executor.sources.building import Building
from services.executor.sources.delimited.dialect import Row
from services.executor.sources.delimited.layout import Layout
from services.executor.sources.delimited.units import unit_of
from services.executor.sources.sql import unique_names


def columns_of(layout: Layout, building: Building) -> tuple[str, ...]:
    """The names of all columns, each once."""
    if not layout.header:
        return tuple(unique_names([""] * layout.width, lambda _: None))
    given = ("row", *layout.names) if layout.row_names else layout.names
    names = unique_names((" ".join(name.split()) for name in given), building.note)
    return (*names, *unique_names(["_ghost"], lambda _: None)) if layout.ghost else tuple(names)


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


def units_of(kept: Sequence[str], columns: Sequence[str], layout: Layout) -> dict[str, str]:
    """What the columns that are read are measured in, by their names and by a line of units."""
    units = {name: unit for name in kept if (unit := unit_of(name))}
    below = zip(columns, layout.units, strict=False)
    return units | {name: unit for name, unit in below if unit and name in set(kept)}
