"""Leaves with a forecast, as the literature on root causes has them, as a cube of two buckets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mesh.tool import ErrorCategory, ToolContext, ToolError
from services.executor.metric.cube import (
    BUCKET,
    DENOMINATOR,
    NUMERATOR,
    PREDICTED,
    REAL,
    ROWS,
    SQUARES,
    numbers_in,
)

MOST_LEAVES = 100_000
"""A cube of leaves has two rows for each, and a frame of a tool at most 200,000."""


def leaves_of(
    context: ToolContext,
    relation: str | None,
    params: Sequence[Any],
    step: str | None,
    dimensions: Sequence[str],
    measures: Sequence[tuple[str, str | None]],
) -> tuple[pa.Table, list[str]]:
    """The cube, and notes. `measures` are numerator and denominator of the forecast, then of what
    is real. Raises ToolError."""
    columns = [name for pair in measures for name in pair if name is not None]
    there = rows_of_leaves(context, relation, params, step, dimensions, columns)
    names = [number_called(at) for at in range(len(columns))]
    known = pc.is_valid(there.column(names[0]))
    for name in names[1:]:
        known = pc.or_(known, pc.is_valid(there.column(name)))
    complete = there.filter(known)
    summed = complete.group_by(list(dimensions), use_threads=False).aggregate(
        [(name, "sum") for name in names]
    )
    if not summed.num_rows:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS, "there are no leaves.", details={"seen": 0}
        )
    if summed.num_rows > MOST_LEAVES:
        raise ToolError(
            ErrorCategory.RESOURCE_EXHAUSTED,
            f"there are {summed.num_rows:,} leaves; at most {MOST_LEAVES:,} are searched.",
            hint="Name fewer dimensions, or add up rare values.",
            details={"limit": MOST_LEAVES, "seen": summed.num_rows},
        )
    ratio = measures[0][1] is not None
    half = len(columns) // 2
    parts = []
    for number, bucket in enumerate((PREDICTED, REAL)):
        own = [pc.fill_null(summed.column(f"{n}_sum"), 0.0) for n in names[number * half :][:half]]
        count = summed.num_rows
        data = {name: summed.column(name) for name in dimensions}
        data[BUCKET] = pa.array([bucket] * count, pa.string())
        data[NUMERATOR] = own[0]
        data[DENOMINATOR] = own[1] if ratio else pa.nulls(count, pa.float64())
        data[ROWS] = _present(own[-1])
        data[SQUARES] = pc.multiply(own[0], own[0])
        parts.append(pa.table(data))
    table = pa.concat_tables(parts).combine_chunks()
    order = [(name, "ascending") for name in [BUCKET, *dimensions]]
    left_out = there.num_rows - complete.num_rows
    added = complete.num_rows - summed.num_rows
    notes = [f"{left_out:,} rows without any value were left out."] if left_out else []
    notes += [f"{added:,} rows were added to others of the same leaf."] if added else []
    return table.sort_by(order), notes


def rows_of_leaves(
    context: ToolContext,
    relation: str | None,
    params: Sequence[Any],
    step: str | None,
    dimensions: Sequence[str],
    columns: Sequence[str],
) -> pa.Table:
    """The rows as they lie there: dimensions as texts, and the columns of values as numbers under
    the names of `number_called`, in their order. Raises ToolError."""
    found = _found(context, relation, params, step, [*dimensions, *columns])
    numbers = {name: numbers_in(found, name) for name in dict.fromkeys(columns)}
    return pa.table(
        {
            **{name: pc.cast(found.column(name), pa.string()) for name in dimensions},
            **{number_called(at): numbers[name] for at, name in enumerate(columns)},
        }
    )


def number_called(at: int) -> str:
    """What the column of values at that place is called: no dimension is called so."""
    return f"number {at}"


def _present(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """One row where there is an amount: a leaf that is forecast as nothing is new."""
    return pc.cast(pc.not_equal(values, 0.0), pa.float64())


def _found(
    context: ToolContext,
    relation: str | None,
    params: Sequence[Any],
    step: str | None,
    columns: Sequence[str],
) -> pa.Table:
    if relation is not None:
        named = ", ".join('"' + name.replace('"', '""') + '"' for name in dict.fromkeys(columns))
        sql = f"SELECT {named} FROM ({relation.strip().rstrip(';')}) AS leaves"
        limit = min(context.row_limit, 2 * MOST_LEAVES)
        return context.query(sql, list(params), limit, context.seconds_left)
    frames = context.inputs
    if step is None and len(frames) == 1:
        step = next(iter(frames))
    if step is None or step not in frames:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"there is no frame of a step {step}." if step else "where the leaves are is not said.",
            hint="Give a relation, or name the step as `input`.",
            details={"candidates": sorted(frames)},
        )
    for name in columns:
        if name not in frames[step].column_names:
            raise ToolError(
                ErrorCategory.MISSING_COLUMN,
                f"the frame has no column {name}.",
                details={"column": name, "candidates": list(frames[step].column_names)},
            )
    return frames[step]
