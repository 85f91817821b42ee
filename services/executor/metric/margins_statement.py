"""The statement of `metric.margins`: every value in both periods, in one scan."""

from __future__ import annotations

from services.executor.metric.relation import Relation

SUMS = tuple(
    f"{side}_{what}"
    for side in ("baseline", "comparison")
    for what in (
        "numerator",
        "denominator",
        "rows",
        "squares",
        "unusable",
    )
)
"""The columns of sums; `unusable` counts rows whose numerator is no number that can be added."""


def margins_statement(relation: Relation, most_values: int) -> str:
    """Columns part (which dimension, see `part_of`), value, folded, how_many, and `SUMS`.

    A value is kept where it is among the `most_values` largest by change from period to period (of
    the mean day), or by size over both; those of a dimension that are not are one row, `folded`.
    """
    rows = relation.rows
    names = [f"d{place}" for place in range(len(rows.dimensions))]
    sets = ", ".join(f"({name})" for name in names)
    sums = ", ".join(f"SUM({name}) AS {name}" for name in SUMS)
    scale = rows.comparison.days / rows.baseline.days
    size = "denominator" if rows.denominator else "numerator"
    values = " ".join(
        f"WHEN {part_of(place, len(names))} THEN CAST({name} AS VARCHAR)"
        for place, name in enumerate(names)
    )
    return f"""{relation.opening}, assay_rows AS ({_rows(relation, names)}),
assay_sides AS (SELECT {", ".join(names)}, {_sides()} FROM assay_rows),
assay_sets AS (
 SELECT GROUPING({", ".join(names)}) AS part, {", ".join(names)}, {sums}
 FROM assay_sides GROUP BY GROUPING SETS ({sets}, ())
), assay_values AS (
 SELECT part, CASE part {values} END AS value, {", ".join(SUMS)} FROM assay_sets
), assay_ranked AS (
 SELECT *,
  ROW_NUMBER() OVER (PARTITION BY part ORDER BY
   ABS(comparison_numerator - baseline_numerator * {scale!r}) DESC, value) AS by_change,
  ROW_NUMBER() OVER (PARTITION BY part ORDER BY
   ABS(baseline_{size}) + ABS(comparison_{size}) DESC, value) AS by_size
 FROM assay_values
), assay_kept AS (
 SELECT part, value, {", ".join(SUMS)},
  CASE WHEN by_change <= {most_values} OR by_size <= {most_values} THEN 0 ELSE 1 END AS folded
 FROM assay_ranked
)
SELECT part, CASE WHEN folded = 0 THEN value END AS value, folded, COUNT(*) AS how_many, {sums}
FROM assay_kept GROUP BY part, CASE WHEN folded = 0 THEN value END, folded"""


def part_of(place: int, dimensions: int) -> int:
    """What GROUPING() is in rows of one dimension: a bit for each of the others, the first highest.

    In the row of the total all bits are set.
    """
    return int((1 << dimensions) - 1 - (1 << (dimensions - 1 - place)))


def place_of(part: int, dimensions: int) -> int:
    """The place of the dimension that a row is of; `dimensions` in the row of the total."""
    return dimensions - ((1 << dimensions) - 1 - part).bit_length()


def _rows(relation: Relation, names: list[str]) -> str:
    """The rows of either period: the values, whether they are of each, and their numbers."""
    from services.executor.metric.relation import quoted

    rows = relation.rows
    dimensions = ", ".join(
        f"{quoted(column)} AS {name}" for column, name in zip(rows.dimensions, names, strict=True)
    )
    sides = [
        relation.within(period.start, period.end) for period in (rows.baseline, rows.comparison)
    ]
    denominator = relation.number(rows.denominator) if rows.denominator else "0e0"
    return (
        f"SELECT {dimensions}, {relation.number(rows.numerator)} AS n, {denominator} AS m, "
        f"{sides[0]} AS b, {sides[1]} AS c FROM assay_relation WHERE {sides[0]} OR {sides[1]}"
    )


def _sides() -> str:
    parts = []
    for side in ("baseline", "comparison"):
        here = side[0]
        parts += [
            f"CASE WHEN {here} THEN COALESCE(n, 0e0) ELSE 0e0 END AS {side}_numerator",
            f"CASE WHEN {here} THEN COALESCE(m, 0e0) ELSE 0e0 END AS {side}_denominator",
            f"CASE WHEN {here} THEN 1 ELSE 0 END AS {side}_rows",
            f"CASE WHEN {here} THEN COALESCE(n * n, 0e0) ELSE 0e0 END AS {side}_squares",
            f"CASE WHEN {here} AND n IS NULL THEN 1 ELSE 0 END AS {side}_unusable",
        ]
    return ", ".join(parts)
