"""The leaves of a metric: every combination of values in every bucket, folded until it fits."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pyarrow as pa

from mesh.tool import ErrorCategory, ToolContext, ToolError
from services.executor.metric.arguments import MOST_ROWS, CubeArguments
from services.executor.metric.buckets import Buckets, buckets_of
from services.executor.metric.cube_statement import cube_statement
from services.executor.metric.engine_notes import notes_of
from services.executor.metric.folding import Folding, Sample, fitted, whole
from services.executor.metric.margins import OTHER, margins
from services.executor.metric.promise import Promise, Value, promise
from services.executor.metric.relation import Relation, asked

_SAMPLED = 100_000
"""Rows whose leaves are counted to learn what a folding leaves: some days of the comparison."""

_ROOM = 0.9
"""Of the cells that may be, those that are planned for: days differ."""

_TRIES = 6


def cube(
    arguments: CubeArguments, relation: Relation, context: ToolContext
) -> tuple[pa.Table, tuple[str, ...]]:
    """The frame of `metric.cube`, and notes. Raises ToolError, also for a period without rows."""
    by_value, notes = _margins(arguments, relation, context)
    promised = promise(by_value, arguments, arguments.most_values)
    buckets = buckets_of(arguments, arguments.bucket, arguments.begins)
    most = min(arguments.most_cells, context.row_limit)
    folding = whole(arguments, promised, buckets)
    room: float = most
    sample: Sample | None = None
    if not _surely_fits(by_value, arguments, promised, buckets, most):
        sample = _sample(arguments, relation, context, promised, by_value)
        room = _ROOM * most
        folding = fitted(arguments, promised, buckets, sample, room)
    for _ in range(_TRIES):
        try:
            found = _asked(arguments, relation, context, folding, promised, most)
            break
        except ToolError as error:
            if not _too_many(error):
                raise
        if sample is None:
            sample = _sample(arguments, relation, context, promised, by_value)
        room *= 0.6
        folding = fitted(arguments, promised, buckets, sample, room)
    else:
        raise ToolError(
            ErrorCategory.RESOURCE_EXHAUSTED,
            f"the metric cannot be split into at most {most:,} cells by these dimensions.",
            hint="Name fewer dimensions, or longer buckets.",
            details={"limit": most, "unit": "rows"},
        )
    frame = _frame(arguments, found, folding)
    texts = (*notes, *notes_of(found), *_describe_folding(arguments, folding, promised))
    return frame, tuple(dict.fromkeys(texts))


def _margins(
    arguments: CubeArguments, relation: Relation, context: ToolContext
) -> tuple[pa.Table, tuple[str, ...]]:
    """The margins that were given, where they are of these dimensions; else made here."""
    given = context.inputs
    if arguments.input is not None and arguments.input not in given:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"there is no frame of a step {arguments.input}.",
            details={"inputs": sorted(given)},
        )
    frames = [given[arguments.input]] if arguments.input else list(given.values())
    for frame in frames:
        needed = {"dimension", "value", "folded", "values", "comparison_squares"}
        if needed <= set(frame.column_names):
            there = set(frame["dimension"].to_pylist())
            if {"", *arguments.dimensions} <= there:
                return frame, ()
    if arguments.input is not None:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"the frame of {arguments.input} is not metric.margins of these dimensions.",
            hint="Give metric.margins the same dimensions, or name no input.",
        )
    context.progress("adding up by every value")
    frame, notes = margins(relation, context, 1_000)
    return frame, tuple(note for note in notes if f'"{OTHER}"' not in note)


def _surely_fits(
    by_value: pa.Table, arguments: CubeArguments, promised: Promise, buckets: Buckets, most: int
) -> bool:
    """Whether there can be no more cells than rows, or than combinations, and these are few."""
    total = by_value.slice(0, 1).to_pylist()[0]
    days = (arguments.last - arguments.begins).days + 1
    covered = arguments.baseline.days + arguments.comparison.days
    rows = (total["baseline_rows"] + total["comparison_rows"]) * max(1.0, days / covered)
    combinations = float(buckets.count)
    for place, distinct in enumerate(promised.distinct):
        number = len(promised.of(place))
        combinations *= number if number >= distinct else number + 1
    return bool(min(rows, combinations) <= most)


def _sample(
    arguments: CubeArguments,
    relation: Relation,
    context: ToolContext,
    promised: Promise,
    by_value: pa.Table,
) -> Sample:
    """Leaves of days in the middle of the comparison, as many days as hold the rows wanted."""
    period = arguments.comparison
    rate = by_value.slice(0, 1).to_pylist()[0]["comparison_rows"] / period.days
    days = min(period.days, max(1, round(_SAMPLED / max(rate, 1e-9))))
    begun = period.start + timedelta(days=(period.days - days) // 2)
    every_day = buckets_of(arguments, "day", arguments.begins)
    folding = whole(arguments, promised, every_day)
    kept = [len(promised.of(place)) for place in folding.dimensions]
    while True:
        try:
            found = _leaves(arguments, relation, context, folding, promised, begun, days)
        except ToolError as error:
            if not _too_many(error) or max(kept) < 2:
                raise
            kept = [max(1, count // 2) for count in kept]
            values = tuple(v for p, count in enumerate(kept) for v in promised.of(p)[:count])
            folding = Folding(folding.dimensions, values, every_day)
            continue
        if found.num_rows or days == period.days:
            return Sample(found, promised, every_day)
        begun, days = period.start, period.days


def _leaves(
    arguments: CubeArguments,
    relation: Relation,
    context: ToolContext,
    folding: Folding,
    promised: Promise,
    begun: date,
    days: int,
) -> pa.Table:
    last = begun + timedelta(days=days - 1)
    kept = folding.kept(arguments, promised)
    statement, params = cube_statement(relation, folding.buckets, kept, begun, last)
    return asked(context, statement, params, MOST_ROWS)


def _asked(
    arguments: CubeArguments,
    relation: Relation,
    context: ToolContext,
    folding: Folding,
    promised: Promise,
    most: int,
) -> pa.Table:
    context.progress("adding up every combination")
    buckets = folding.buckets
    kept = folding.kept(arguments, promised)
    statement, params = cube_statement(relation, buckets, kept, buckets.first, buckets.last)
    return asked(context, statement, params, most)


def _too_many(error: ToolError) -> bool:
    return (
        error.category is ErrorCategory.RESOURCE_EXHAUSTED and error.details.get("unit") == "rows"
    )


def _frame(arguments: CubeArguments, found: pa.Table, folding: Folding) -> pa.Table:
    """The leaves under the names of the dimensions, bucket by its first day."""
    days = folding.buckets.by_number()
    columns: dict[str, pa.Array] = {
        arguments.dimensions[place]: found[f"d{at}"].cast(pa.string())
        for at, place in enumerate(folding.dimensions)
    }
    numbers = found["bucket"].to_numpy(zero_copy_only=False)
    known, where = np.unique(np.asarray(numbers, dtype=np.int64), return_inverse=True)
    firsts = np.array([days[int(number)] for number in known], dtype="datetime64[D]")
    columns["bucket"] = pa.array(firsts[where], pa.date32())
    columns["numerator"] = found["numerator"].cast(pa.float64())
    columns["denominator"] = (
        found["denominator"].cast(pa.float64())
        if arguments.denominator is not None
        else pa.nulls(found.num_rows, pa.float64())
    )
    columns["rows"] = found["leaf_rows"].cast(pa.int64())
    columns["squares"] = found["squares"].cast(pa.float64())
    return pa.Table.from_arrays(list(columns.values()), names=list(columns))


def _describe_folding(arguments: CubeArguments, folding: Folding, promised: Promise) -> list[str]:
    """What was folded, made longer and left out."""
    notes = []
    for place, name in enumerate(arguments.dimensions):
        distinct = promised.distinct[place]
        kept = sum(value.dimension == place for value in folding.values)
        if place not in folding.dimensions:
            notes.append(
                f"{name} is left out: with its {distinct:,} values there are too many cells"
            )
        elif kept < distinct:
            notes.append(
                f'{name}: {kept:,} of {distinct:,} values by name, the others as "{OTHER}"'
            )
        if kept < distinct and _is_other(folding.values, place):
            notes.append(f'{name} has a value "{OTHER}" of its own, which is told with the others')
    kind, first = folding.buckets.kind, folding.buckets.first
    if first > arguments.begins:
        since = f"from {first}" if first < arguments.first else "of both periods alone"
        notes.append(
            f"the days {since}: with all since {arguments.begins} there would be more than "
            f"{arguments.most_cells:,} cells"
        )
    if kind != arguments.bucket:
        notes.append(
            f"by {kind} instead of by {arguments.bucket}: there would be more than "
            f"{arguments.most_cells:,} cells"
        )
    if kind == "week":
        notes.append("weeks are seven days counted from the start of each period")
    return notes


def _is_other(values: tuple[Value, ...], place: int) -> bool:
    return any(value.dimension == place and value.value == OTHER for value in values)
