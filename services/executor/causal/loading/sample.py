"""All rows of a relation, or an even sample of them that comes out the same every time."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from mesh.tool import ErrorCategory, ToolContext, ToolError
from services.executor.metric.relation import asked, quoted

ROW = "_row"
_RESERVED = (ROW, "_imputation")
_GOLDEN, _MODULUS = 2_654_435_761, 2**32
_SPARE = 16
"""Rows left free: multiples of the golden ratio fill a range evenly to some rows, not exactly."""
_MOST_COLUMNS = 1_000


@dataclass(frozen=True)
class Loaded:
    """The rows with `_row`, and how many there are in all."""

    frame: pa.Table
    total: int

    @property
    def added_error(self) -> float:
        """What sampling adds to the standard error of a mean, in standard deviations of the data:
        sqrt(1/n - 1/N), of sampling without replacement (Cochran 1977, section 2.8)."""
        if self.frame.num_rows in (0, self.total):
            return 0.0
        return math.sqrt(1 / self.frame.num_rows - 1 / self.total)


def load(relation: str, rows: int, seed: int, context: ToolContext) -> Loaded:
    """The rows of a SELECT; of more than `rows` an even sample.

    Rows are numbered in the order of all their values, and a row is taken where its number, moved
    on by the seed, times the golden ratio has a small fraction (Weyl 1916). So the sample is the
    same however the engine stores or spreads the rows, follows no period, and holds of rows with
    equal values as many as are due. Raises ToolError for a relation that has no rows, reserved
    names or more rows than can be numbered.
    """
    opening = f"WITH assay_relation AS (\n{relation.strip().rstrip(';')}\n)"
    empty = asked(context, f"{opening} SELECT * FROM assay_relation LIMIT 0", [], 1)
    _check(empty.schema)
    counted = asked(context, f"{opening} SELECT COUNT(*) AS n FROM assay_relation", [], 1)
    total = int(counted["n"][0].as_py())
    if not total:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            "the relation has no rows.",
            hint="Look at its conditions.",
            details={"reason": "NO_ROWS"},
        )
    if total <= rows:
        whole = asked(context, relation, [], rows).replace_schema_metadata(None)
        numbers = pa.array(np.arange(whole.num_rows, dtype=np.int64))
        return Loaded(whole.append_column(ROW, numbers), total)
    context.progress(f"taking an even sample of {total:,} rows")
    statement = _sampled(opening, empty.schema, rows, total, seed)
    sample = asked(context, statement, [], rows).replace_schema_metadata(None)
    return Loaded(_with_whole_numbers(sample), total)


def _sampled(opening: str, schema: pa.Schema, rows: int, total: int, seed: int) -> str:
    columns = ", ".join(quoted(name) for name in schema.names)
    by = ", ".join(quoted(field.name) for field in sorted(schema, key=_telling))
    shift = seed * 7_919 % _MODULUS
    share = int(_MODULUS * max(rows - _SPARE, 1) / total)
    return (
        f"{opening}, assay_numbered AS (SELECT {columns}, ROW_NUMBER() OVER (ORDER BY {by})"
        f" - 1 AS {quoted(ROW)} FROM assay_relation) SELECT * FROM assay_numbered"
        f" WHERE (({quoted(ROW)} + {shift}) * {_GOLDEN}) % {_MODULUS} < {share}"
        f" ORDER BY {quoted(ROW)}"
    )


def _telling(field: pa.Field) -> tuple[int, str]:
    """Columns of many values first, which sort fastest; in whatever order they are selected."""
    kind = field.type
    ranks = (pa.types.is_floating, pa.types.is_timestamp, pa.types.is_decimal, pa.types.is_integer)
    rank = next((place for place, of in enumerate(ranks) if of(kind)), len(ranks))
    return rank + pa.types.is_boolean(kind), field.name


def _with_whole_numbers(sample: pa.Table) -> pa.Table:
    place = sample.column_names.index(ROW)
    return sample.set_column(place, ROW, sample[ROW].cast(pa.int64()))


def _check(schema: pa.Schema) -> None:
    taken = [name for name in schema.names if name in _RESERVED]
    twice = sorted({name for name in schema.names if schema.names.count(name) > 1})
    problem = (
        f'a column is called "{taken[0]}", which the analysis uses itself' if taken
        else f'two columns are called "{twice[0]}"' if twice
        else f"it has {len(schema.names):,} columns, and at most {_MOST_COLUMNS:,} are read"
        if len(schema.names) > _MOST_COLUMNS
        else ""
    )  # fmt: skip
    if problem:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"the relation cannot be analysed: {problem}.",
            hint="Name the columns one by one in the SELECT.",
            details={"columns": taken or twice},
        )
