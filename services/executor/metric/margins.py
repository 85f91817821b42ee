"""The margins of a metric: what each value of each dimension adds up to in both periods."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mesh.tool import ErrorCategory, ToolContext, ToolError
from services.executor.metric.arguments import MOST_ROWS, MetricRows
from services.executor.metric.engine_notes import notes_of
from services.executor.metric.margins_statement import margins_statement, part_of
from services.executor.metric.relation import Relation, asked, no_rows

OTHER = "(other)"
"""Stands for the values of a dimension that are not told one by one."""

_SIDES = ("baseline", "comparison")


def margins(
    relation: Relation, context: ToolContext, most_values: int
) -> tuple[pa.Table, tuple[str, ...]]:
    """The frame of `metric.margins`, notes. Raises ToolError, as for a period without rows."""
    rows = relation.rows
    fitting = max(1, min(most_values, MOST_ROWS // (2 * len(rows.dimensions)) - 2))
    statement = margins_statement(relation, fitting)
    found = asked(context, statement, relation.params, MOST_ROWS)
    notes = list(notes_of(found))
    total = found.filter(pc.equal(found["part"], (1 << len(rows.dimensions)) - 1)).to_pylist()
    empty = [side for side in _SIDES if not total or not total[0][f"{side}_rows"]]
    if empty:
        raise no_rows(relation, context, empty)
    notes += _unusable(rows, total[0])
    if rows.baseline.start <= rows.comparison.end and rows.comparison.start <= rows.baseline.end:
        notes.append("the periods overlap: rows of days that are in both count in both")
    frame = _frame(rows, found)
    notes += _folded(frame)
    return frame, tuple(notes)


def _unusable(rows: MetricRows, total: dict[str, float]) -> list[str]:
    """Raises ToolError where a period has no number at all."""
    notes = []
    for side in _SIDES:
        count, unusable = int(total[f"{side}_rows"]), int(total[f"{side}_unusable"])
        if unusable == count:
            raise ToolError(
                ErrorCategory.INVALID_ARGUMENTS,
                f"none of the {count:,} rows in the {side} period, {getattr(rows, side)}, has a "
                f'finite number in "{rows.numerator}".',
                hint="Look at what the metric is computed from: empty cells, divisions by zero.",
                details={"reason": "NO_NUMBERS_IN_PERIOD", "period": side, "rows": count},
            )
        if unusable:
            notes.append(
                f"{unusable:,} of {count:,} rows in the {side} period have no finite number in "
                f'"{rows.numerator}"; they count as rows and add nothing'
            )
    return notes


def _frame(rows: MetricRows, found: pa.Table) -> pa.Table:
    """Total first, then the dimensions in their order, in each the largest change first."""
    several = len(rows.dimensions)
    places = {part_of(place, several): place for place in range(several)}
    places[(1 << several) - 1] = -1
    place = np.array([places[int(part)] for part in found["part"].to_pylist()], dtype=np.int64)
    scale = rows.comparison.days / rows.baseline.days
    change = np.abs(
        _floats(found, "comparison_numerator") - scale * _floats(found, "baseline_numerator")
    )
    folded = _floats(found, "folded") > 0
    values = np.array(found["value"].to_pylist(), dtype=object)
    spelled = np.array(["" if value is None else value for value in values])
    order = np.lexsort((spelled, -change, folded, place))
    columns: dict[str, pa.Array] = {
        "dimension": pa.array([rows.dimensions[p] if p >= 0 else "" for p in place[order]]),
        "value": pa.array(
            [
                OTHER if fold else value
                for fold, value in zip(folded[order], values[order], strict=True)
            ],
            pa.string(),
        ),
    }
    for side in _SIDES:
        for what in ("numerator", "denominator", "rows", "squares"):
            numbers = _floats(found, f"{side}_{what}")[order]
            if what == "denominator" and rows.denominator is None:
                columns[f"{side}_{what}"] = pa.nulls(len(numbers), pa.float64())
            elif what == "rows":
                columns[f"{side}_{what}"] = pa.array(numbers.astype(np.int64))
            else:
                columns[f"{side}_{what}"] = pa.array(numbers)
    columns["folded"] = pa.array(folded[order])
    columns["values"] = pa.array(_floats(found, "how_many")[order].astype(np.int64))
    return pa.table(columns)


def _folded(frame: pa.Table) -> list[str]:
    notes = []
    for row in frame.filter(frame["folded"]).to_pylist():
        count = row["values"]
        values = (
            "value, that of the least change and size, is"
            if count == 1
            else ("values, those of the least change and size, are")
        )
        notes.append(f'{row["dimension"]}: {count:,} {values} told as "{OTHER}"')
    return notes


def _floats(table: pa.Table, column: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    numbers = table[column].cast(pa.float64(), safe=False)
    return np.asarray(numbers.to_numpy(zero_copy_only=False), dtype=np.float64)
