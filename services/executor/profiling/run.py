"""A whole profile: every column, then the table, then correlations."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mesh.tool import ErrorCategory, ToolContext, ToolError, ToolResult
from services.executor.profiling.cells import WHOLE_TABLE, Cells
from services.executor.profiling.columns import Profiled, is_constant, profile_column
from services.executor.profiling.numbers import pearson, ranks
from services.executor.transforming.relation import distinct_names, missing_column
from services.executor.transforming.watch import Watch
from services.executor.transforming.workspace import workspace

MOST_CORRELATED_COLUMNS = 20


class Wanted(Protocol):
    """What is asked for: the arguments of profiler.analyze."""

    input: str | None
    columns: tuple[str, ...]
    top: int
    total: str | None


def analyze(wanted: Wanted, context: ToolContext) -> ToolResult:
    """The profile of one input frame. Raises ToolError."""
    table, rows = _whole(_input(wanted.input, context), wanted.total)
    table = _chosen(table, wanted.columns)
    names = distinct_names(table.column_names)
    watch, cells = Watch(context), Cells()
    profiled = []
    for position, label in enumerate(names):
        watch.check()
        context.progress(f"profile {label}", position / len(names))
        profiled.append(profile_column(label, table.column(position), wanted.top, cells))
    notes = [
        f"column {position + 1}, {old!r}, repeats a name and is called {new!r}"
        for position, (old, new) in enumerate(zip(table.column_names, names, strict=True))
        if old != new
    ]
    if rows > table.num_rows:
        notes.append(
            f"Found in an even sample of {table.num_rows:,} of {rows:,} rows; counts of values are "
            "of the sample."
        )
    _describe_table(table, rows, profiled, context, cells)
    notes += _correlate(profiled, watch, cells)
    if len(cells) > context.row_limit:
        raise ToolError(
            ErrorCategory.RESOURCE_EXHAUSTED,
            f"the profile has {len(cells):,} rows, more than the limit of {context.row_limit:,}",
            hint="Name fewer columns.",
            details={"limit": context.row_limit, "seen": len(cells), "unit": "rows"},
        )
    summary = f"profile of {table.num_rows:,} rows, {table.num_columns:,} columns"
    return ToolResult(frame=cells.table(), summary=summary, notes=tuple(notes))


def _input(name: str | None, context: ToolContext) -> pa.Table:
    inputs = context.inputs
    if name is None and len(inputs) == 1:
        return next(iter(inputs.values()))
    if name is None or name not in inputs:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            "it is not clear which frame to profile"
            if name is None
            else f"there is no frame of a step {name!r}",
            hint=f"Set `input` to one of: {', '.join(sorted(inputs)) or 'none there'}.",
            details={"inputs": sorted(inputs)},
        )
    return inputs[name]


def _whole(table: pa.Table, total: str | None) -> tuple[pa.Table, int]:
    """The rows without the column that counts them all, and how many there are in all."""
    if total is None:
        return table, table.num_rows
    if total not in table.column_names:
        raise missing_column(total, table.column_names)
    rows = int(pc.max(table[total]).as_py() or 0)
    return table.drop_columns([total]), max(rows, table.num_rows)


def _chosen(table: pa.Table, columns: Sequence[str]) -> pa.Table:
    for name in columns:
        if name not in table.column_names:
            raise missing_column(name, table.column_names)
    if not columns:
        return table
    wanted = set(columns)
    return table.select([i for i, name in enumerate(table.column_names) if name in wanted])


def _describe_table(
    table: pa.Table, rows: int, profiled: Sequence[Profiled], context: ToolContext, cells: Cells
) -> None:
    constant = [
        column.name
        for column, data in zip(profiled, table.columns, strict=True)
        if is_constant(column.distinct, data.null_count, table.num_rows)
    ]
    sampled = rows > table.num_rows
    cells.number(WHOLE_TABLE, "rows", rows)
    if sampled:
        cells.number(WHOLE_TABLE, "sampled", table.num_rows)
    cells.number(WHOLE_TABLE, "columns", table.num_columns)
    if not sampled:  # of a sample nobody knows which rows repeat one that it left out
        cells.number(WHOLE_TABLE, "duplicate_rows", _duplicate_rows(table, context))
    cells.number(WHOLE_TABLE, "constant_columns", len(constant), ", ".join(constant) or None)


def _duplicate_rows(table: pa.Table, context: ToolContext) -> int:
    """How many rows repeat an earlier one in every column."""
    if table.num_rows < 2 or not table.num_columns:
        return 0
    numbered = table.rename_columns([f"c{position}" for position in range(table.num_columns)])
    with workspace(context) as space:
        rows = space.registered(numbered)
        found = space.rows(f"SELECT count(*) FROM (SELECT DISTINCT * FROM {rows.sql})")
        return int(table.num_rows) - int(found[0][0])


def _correlate(profiled: Sequence[Profiled], watch: Watch, cells: Cells) -> list[str]:
    """Pearson and Spearman over the rows where both columns are finite; returns notes."""
    numeric = [column for column in profiled if column.numbers is not None and column.distinct > 1]
    notes = []
    if len(numeric) > MOST_CORRELATED_COLUMNS:
        notes.append(
            f"correlations are given for the first {MOST_CORRELATED_COLUMNS} "
            f"of {len(numeric)} numeric columns"
        )
    chosen = [
        (column.name, column.numbers.rows, column.numbers.ranks())
        for column in numeric[:MOST_CORRELATED_COLUMNS]
        if column.numbers is not None
    ]
    for (left, a, a_ranks), (right, b, b_ranks) in combinations(chosen, 2):
        watch.check()
        both = ~(np.isnan(a) | np.isnan(b))
        complete = bool(both.all())
        a_ranked = a_ranks if complete else ranks(a[both])
        b_ranked = b_ranks if complete else ranks(b[both])
        pair, count = f"{left} ~ {right}", f"n = {int(both.sum())}"
        cells.number(pair, "pairs", int(both.sum()))
        cells.number(pair, "pearson", pearson(a[both], b[both]), count)
        cells.number(pair, "spearman", pearson(a_ranked, b_ranked), count)
    return notes
