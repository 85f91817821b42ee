"""Columns that are none: without a name and without a value, as delimiters at line ends make."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from services.executor.sources.building import Building
from services.executor.sources.delimited.layout import Layout
from services.executor.sources.sql import literal, nameless, quoted


def columns_of_nothing(
    columns: Sequence[str], layout: Layout, staged: Path, table: str, building: Building
) -> tuple[str, ...]:
    """Those of the columns of a staged table that have neither a name nor a value; told."""
    if layout.row_names:
        return ()
    unnamed = [c for c, name in zip(columns, layout.names, strict=False) if not name.strip()]
    if not unnamed:
        return ()
    counts = ", ".join(f"count({quoted(column)})" for column in unnamed)
    row = building.connection.execute(
        f"SELECT {counts} FROM read_parquet({literal(str(staged))})"
    ).fetchone()
    empty = tuple(column for column, n in zip(unnamed, row or (), strict=True) if not n)
    if not empty or len(empty) == len(columns):
        return ()
    building.notes.pop(building.prefix + nameless(unnamed), None)
    if left := [column for column in unnamed if column not in empty]:
        building.note(nameless(left))
    what = "1 column has" if len(empty) == 1 else f"{len(empty):,} columns have"
    building.note(f"{what} neither a name nor a value: left out")
    building.decide(table, "columns", f"without {', '.join(empty)}", because="no name, no value")
    return empty
