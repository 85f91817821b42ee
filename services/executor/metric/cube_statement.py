"""The statement of `metric.cube`: every leaf of every bucket, the values that are kept by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from services.executor.metric.buckets import Buckets
from services.executor.metric.margins import OTHER
from services.executor.metric.relation import Relation, quoted


@dataclass(frozen=True)
class Kept:
    """The values of one dimension that stay by name; all of them where `values` is None.

    None among the values is NULL.
    """

    dimension: str
    values: tuple[str | None, ...] | None = None


def cube_statement(
    relation: Relation, buckets: Buckets, kept: Sequence[Kept], first: date, last: date
) -> tuple[str, list[Any]]:
    """The statement over the days from `first` to `last`, and its parameters.

    Columns bucket (its number), d0… (a text each), numerator, denominator, rows and squares.
    """
    rows = relation.rows
    params = relation.params
    dimensions = []
    for place, one in enumerate(kept):
        sql, values = _folded(f"d{place}", one)
        dimensions.append(f"{sql} AS d{place}")
        params += values
    denominator = relation.number(rows.denominator) if rows.denominator else "0e0"
    named = ", ".join(f"{quoted(one.dimension)} AS d{place}" for place, one in enumerate(kept))
    names = ["bucket", *(f"d{place}" for place in range(len(kept)))]
    statement = f"""{relation.opening}, assay_days AS (
 SELECT {relation.day} AS assay_day, {named},
  {relation.number(rows.numerator)} AS assay_n, {denominator} AS assay_m
 FROM assay_relation WHERE {relation.within(first, last)}
), assay_rows AS (
 SELECT {buckets.number("assay_day")} AS bucket, {", ".join(dimensions)}, assay_n, assay_m
 FROM assay_days
)
SELECT {", ".join(names)}, COALESCE(SUM(assay_n), 0e0) AS numerator,
 COALESCE(SUM(assay_m), 0e0) AS denominator, COUNT(*) AS leaf_rows,
 COALESCE(SUM(assay_n * assay_n), 0e0) AS squares
FROM assay_rows GROUP BY {", ".join(names)}"""
    return statement, params


def _folded(column: str, kept: Kept) -> tuple[str, list[Any]]:
    """SQL of a dimension as text, whose other values are one."""
    text = f"CAST({column} AS VARCHAR)"
    if kept.values is None:
        return text, []
    named = [value for value in kept.values if value is not None]
    null = "NULL" if None in kept.values else f"'{OTHER}'"
    inside = f"WHEN {text} IN ({', '.join('?' * len(named))}) THEN {text} " if named else ""
    whether = f"WHEN {column} IS NULL THEN {null} "
    return f"CASE {inside}{whether}ELSE '{OTHER}' END", list(named)
