"""Columns of a large text that nothing asks for yet: left where they are, known by a sample."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence

import duckdb

from services.executor.sources.building import Building, Unread
from services.executor.sources.delimited.plain import Plain, all_are, strict_cast
from services.executor.sources.delimited.planning import Plan
from services.executor.sources.manifest import ColumnStatistics, StoredColumn, StoredTable
from services.executor.sources.measuring import column_statistics
from services.executor.sources.partly import named_columns
from services.executor.sources.sql import literal, quoted

_MAY_WAIT = {Plain.WHOLE, Plain.DECIMAL, Plain.FLAG, Plain.DAY, Plain.MOMENT}
_TIMES = {Plain.DAY, Plain.MOMENT, Plain.SECONDS, Plain.MILLISECONDS}
_FEWEST = 2  # less is not worth that the file may have to be read again
_NAMED = 8  # columns that the note names
_SAMPLE = "_assay_sample"


def left_unread(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    plan: Plan,
    units: Mapping[str, str],
    table: str,
    building: Building,
) -> frozenset[str]:
    """The columns that need not be read for what is asked, taken out of the plan.

    Texts are always read: any word may be one of their values. So is what the sample does not show
    to be of one kind throughout.
    """
    known = {
        name: kind in _TIMES or plan.judged.get(name, "") in ("date", "datetime")
        for name, kind in plan.plain.items()
        if kind is not Plain.TEXT or name in plan.judged
    }
    named = named_columns(known, building.asked)
    if named is None:
        return frozenset()
    left: dict[str, list[str | None]] = {}
    for place, name in enumerate(columns):
        kind = plan.plain.get(name)
        if kind not in _MAY_WAIT or name in named or name in plan.zoned:
            continue
        cells = [row[place] if row[place] not in ("", *plan.missing) else None for row in rows]
        filled = [cell for cell in cells if cell is not None]
        if filled and all_are(kind, filled):
            left[name] = cells
    if len(left) < _FEWEST:
        return frozenset()
    try:
        building.unread = _sampled(columns, left, plan, units, table, building)
    except duckdb.Error:  # the whole column will tell
        return frozenset()
    for name in left:
        del plan.plain[name]
    more = f" and {len(left) - _NAMED:,} more" if len(left) > _NAMED else ""
    building.note(
        f"read for what is asked; what {', '.join(list(left)[:_NAMED])}{more} hold is known from "
        f"{len(rows):,} rows alone"
    )
    return frozenset(left)


def _sampled(
    columns: Sequence[str],
    left: Mapping[str, Sequence[str | None]],
    plan: Plan,
    units: Mapping[str, str],
    table: str,
    building: Building,
) -> Unread:
    """The types and statistics of columns by their cells in a sample. Raises duckdb.Error."""
    connection, sample = building.connection, building.scratch("sample.csv")
    with sample.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(zip(*left.values(), strict=True))
    texts = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in left)
    casts = ", ".join(f"{strict_cast(plan.plain[n], n)} AS {quoted(n)}" for n in left)
    connection.execute(
        f"CREATE TEMP TABLE {_SAMPLE} AS SELECT {casts} FROM read_csv({literal(str(sample))}, "
        f"auto_detect=false, header=false, quote='\"', escape='\"', columns={{{texts}}})"
    )
    relation = connection.sql(f"SELECT * FROM {_SAMPLE}")
    entries = {
        name: StoredColumn(
            name=name,
            type=str(kind),
            read=False,
            comment=f"unit: {units[name]}" if name in units else "",
        )
        for name, kind in zip(relation.columns, relation.types, strict=True)
    }
    rows = len(next(iter(left.values())))
    found = column_statistics(connection, _SAMPLE, tuple(entries.values()), rows)
    connection.execute(f"DROP TABLE {_SAMPLE}")
    return Unread(table, entries, found, rows, tuple(columns))


def with_unread(table: StoredTable, unread: Unread) -> StoredTable:
    """The table of the file with the columns that were left, in their places; their statistics are
    estimates for all rows. Any other table as it is."""
    if table.name != unread.table:
        return table
    place = {name: number for number, name in enumerate(unread.order)}
    columns = sorted(
        (*table.columns, *unread.columns.values()), key=lambda c: place.get(c.name, len(place))
    )
    estimates = {
        name: _estimate(known, unread.rows, table.rows) for name, known in unread.statistics.items()
    }
    return table.model_copy(
        update={"columns": tuple(columns), "statistics": {**table.statistics, **estimates}}
    )


def _estimate(known: ColumnStatistics, sampled: int, rows: int) -> ColumnStatistics:
    filled = sampled - known.nulls
    nulls = round(known.nulls * rows / max(sampled, 1))
    distinct = min(_different(known.distinct, filled, rows), rows - nulls)
    return known.model_copy(update={"nulls": nulls, "distinct": distinct, "exact": False})


def _different(seen: int, drawn: int, most: int) -> int:
    """How many values there are, by how many a sample shows, if all are as frequent: the d for
    which d (1 - exp(-drawn / d)) is what was seen (balls in urns)."""
    if seen >= drawn:
        return most
    low, high = float(seen), float(most)
    while high - low > 1:
        middle = (low + high) / 2
        if middle * -math.expm1(-drawn / middle) < seen:
            low = middle
        else:
            high = middle
    return round(low)
