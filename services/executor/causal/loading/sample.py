"""All rows of a relation, or a random sample of them that comes out the same every time."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from mesh.tool import ErrorCategory, ToolContext, ToolError
from services.executor.metric.relation import asked, quoted

ROW = "_row"
_RESERVED = (ROW, "_imputation")
_PRIME, _DEGREE = 2**31 - 1, 3
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
    """The rows of a SELECT; of more than `rows` a random sample of so many, without replacement.

    Rows are numbered in the order of all their values, their numbers are hashed by a polynomial
    modulo a prime, whose coefficients the seed gives (Wegman & Carter 1981: any four rows fall
    independently), and those with the smallest hashes are taken (Cohen & Kaplan 2007, bottom-k
    sampling). So the sample is the same however the engine stores or spreads the rows, and what
    comes next to each other by value is taken no more alike than what does not: an evenly spaced
    sample of rows in order of their values has like rows of both groups in step, which misleads
    matching. Raises ToolError for a relation that has no rows or reserved names.
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
    context.progress(f"taking a random sample of {total:,} rows")
    statement = _sampled(opening, empty.schema, rows, seed)
    sample = asked(context, statement, [], rows).replace_schema_metadata(None)
    return Loaded(_with_whole_numbers(sample), total)


def _sampled(opening: str, schema: pa.Schema, rows: int, seed: int) -> str:
    columns = ", ".join(quoted(name) for name in schema.names)
    by = ", ".join(quoted(field.name) for field in sorted(schema, key=_telling))
    row = quoted(ROW)
    return (
        f"{opening}, assay_numbered AS (SELECT {columns}, CAST(ROW_NUMBER() OVER (ORDER BY {by})"
        f" AS BIGINT) - 1 AS {row} FROM assay_relation), assay_taken AS (SELECT * FROM"
        f" assay_numbered ORDER BY {_hashed(row, seed)}, {row} LIMIT {rows})"
        f" SELECT * FROM assay_taken ORDER BY {row}"
    )


def _hashed(number: str, seed: int) -> str:
    """A polynomial of the number modulo a prime; no step leaves 64 bits."""
    first, *others = (
        int.from_bytes(hashlib.sha256(f"{seed}:{power}".encode()).digest()[:8], "big") % _PRIME
        for power in range(_DEGREE + 1)
    )
    text = f"{first or 1}"
    for coefficient in others:
        text = f"({text} * ({number} % {_PRIME}) + {coefficient}) % {_PRIME}"
    return text


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
        f'a column is called "{taken[0]}", which the analysis uses itself'
        if taken
        else f'two columns are called "{twice[0]}"'
        if twice
        else f"it has {len(schema.names):,} columns, and at most {_MOST_COLUMNS:,} are read"
        if len(schema.names) > _MOST_COLUMNS
        else ""
    )
    if problem:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"the relation cannot be analysed: {problem}.",
            hint="Name the columns one by one in the SELECT.",
            details={"columns": taken or twice},
        )
