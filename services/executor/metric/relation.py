"""The relation of a metric as statements use it: its columns checked, its rows in plain terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from difflib import get_close_matches
from typing import Any

import pyarrow as pa

from mesh.tool import ErrorCategory, ToolContext, ToolError
from services.executor.metric.arguments import MetricRows

LARGEST = "1e150"
"""Numbers from here on are left out, as infinities are: their squares are beyond floating point."""


@dataclass(frozen=True)
class Relation:
    """A relation with the types of its columns, which were found by asking for no rows."""

    rows: MetricRows
    schema: pa.Schema

    @property
    def opening(self) -> str:
        """The beginning of every statement over it. Its parameters are the statement's first."""
        return f"WITH assay_relation AS (\n{self.rows.relation.strip().rstrip(';')}\n)"

    @property
    def params(self) -> list[Any]:
        """What stands for the question marks of the relation."""
        return list(self.rows.params)

    @property
    def moment(self) -> str:
        """SQL of when a row happened, as DATE or TIMESTAMP."""
        name = quoted(self.rows.time)
        texts = pa.types.is_string(self.schema.field(self.rows.time).type)
        return f"TRY_CAST({name} AS TIMESTAMP)" if texts else name

    @property
    def day(self) -> str:
        """SQL of the day of a row."""
        return self.moment if self.has_days else f"CAST({self.moment} AS DATE)"

    @property
    def has_days(self) -> bool:
        """Whether the time of a row is a day."""
        return bool(pa.types.is_date(self.schema.field(self.rows.time).type))

    def within(self, first: date, last: date) -> str:
        """SQL of whether a row is of these days, in a form that skips what is stored elsewhere."""
        if self.has_days:
            return f"{self.moment} BETWEEN DATE '{first}' AND DATE '{last}'"
        after = last + timedelta(days=1)
        return f"{self.moment} >= TIMESTAMP '{first}' AND {self.moment} < TIMESTAMP '{after}'"

    def number(self, column: str) -> str:
        """SQL of a number that can be added, else NULL."""
        value = self.double(column)
        return f"CASE WHEN abs({value}) < {LARGEST} THEN {value} END"

    def double(self, column: str) -> str:
        """SQL of a numeric column in floating point; yes is one, no is nought."""
        name = quoted(column)
        if pa.types.is_boolean(self.schema.field(column).type):
            return f"CASE WHEN {name} THEN 1e0 WHEN NOT {name} THEN 0e0 END"
        return f"CAST({name} AS DOUBLE)"


def described(rows: MetricRows, context: ToolContext) -> Relation:
    """The relation with its types. Raises ToolError for columns that are missing or of another
    kind, and what the statement itself is refused for."""
    sql = f"WITH assay_relation AS (\n{rows.relation.strip().rstrip(';')}\n) "
    empty = asked(context, f"{sql}SELECT * FROM assay_relation LIMIT 0", list(rows.params), 1)
    relation = Relation(rows, empty.schema)
    for column in (rows.time, rows.numerator, rows.denominator, *rows.dimensions):
        if column is not None:
            check_column(column, empty.schema)
    _check_kinds(relation)
    return relation


def check_column(column: str, schema: pa.Schema) -> None:
    """Raises ToolError(MISSING_COLUMN) where the relation has no such column, or two of them."""
    if schema.names.count(column) == 1:
        return
    alike = get_close_matches(column, schema.names, 3, 0.5) or list(schema.names)[:10]
    raise ToolError(
        ErrorCategory.MISSING_COLUMN,
        f'the relation of the metric has no column "{column}".',
        hint="It has " + ", ".join(f'"{name}"' for name in alike) + ".",
        details={"column": column, "candidates": alike},
    )


def _check_kinds(relation: Relation) -> None:
    rows, schema = relation.rows, relation.schema
    for column in filter(None, (rows.numerator, rows.denominator)):
        kind = schema.field(column).type
        if not _numeric(kind):
            raise _of_another_kind(column, kind, "numbers, which a metric is the sum of")
    kind = schema.field(rows.time).type
    if not (pa.types.is_date(kind) or pa.types.is_timestamp(kind) or pa.types.is_string(kind)):
        raise _of_another_kind(rows.time, kind, "dates or times")


def _numeric(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_boolean(kind)
    )


def _of_another_kind(column: str, kind: pa.DataType, wanted: str) -> ToolError:
    return ToolError(
        ErrorCategory.TYPE_MISMATCH,
        f'column "{column}" of the metric\'s relation holds {kind}, not {wanted}.',
        hint="Convert it in the relation.",
        details={"column": column, "type": str(kind)},
    )


def asked(context: ToolContext, sql: str, params: Sequence[Any], most: int) -> pa.Table:
    """The rows of one statement, in what is left of the time. Raises ToolError."""
    seconds = context.seconds_left
    if seconds <= 0:
        raise ToolError(
            ErrorCategory.RESOURCE_EXHAUSTED,
            "no time is left to read the metric's rows.",
            details={"limit": 0, "unit": "seconds"},
        )
    return context.query(sql, list(params), most, seconds)


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def no_rows(relation: Relation, context: ToolContext, empty: Sequence[str]) -> ToolError:
    """What is said where a period, or both, have no rows: which, and what days there are."""
    rows = relation.rows
    days = asked(
        context,
        f"{relation.opening} SELECT MIN({relation.day}) AS first_day, MAX({relation.day}) AS "
        "last_day, COUNT(*) AS n FROM assay_relation",
        relation.params,
        1,
    ).to_pylist()[0]
    named = " and ".join(f"the {name} period, {getattr(rows, name)}" for name in empty)
    first, last = days["first_day"], days["last_day"]
    there = f'The days of "{rows.time}" run from {first} to {last}.'
    if first is None:
        there = f'Of {days["n"]:,} rows none has a day in "{rows.time}".'
    return ToolError(
        ErrorCategory.INVALID_ARGUMENTS,
        f"there are no rows in {named}. {there}",
        hint="Name periods that the data covers.",
        details={
            "reason": "NO_ROWS_IN_PERIOD",
            "periods": list(empty),
            "first_day": None if first is None else str(first),
            "last_day": None if last is None else str(last),
        },
    )
