"""The statements of `metric.quality`: by day, by stretches of days and segment, and for repeats."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from services.executor.metric.margins_statement import part_of
from services.executor.metric.relation import Relation, quoted

TIMES = (2, 3, 4, 5, 6, 7)
"""How often a load may have come."""

_LOGS = (
    "COUNT(assay_log) AS logged, COALESCE(SUM(assay_log), 0e0) AS log_sum,"
    " COALESCE(SUM(assay_log * assay_log), 0e0) AS log_squares"
)


def by_day(relation: Relation, columns: Sequence[str], first: date, last: date) -> str:
    """Columns day, n (rows), sums of logarithms of the numerator's size, zeros (rows whose
    numerator is nought) and c0… (rows that have a value in each of `columns`)."""
    counts = ", ".join(f"COUNT({quoted(name)}) AS c{at}" for at, name in enumerate(columns))
    kept = ", ".join(quoted(name) for name in dict.fromkeys(columns))
    return f"""{relation.opening}, assay_days AS (
 SELECT {relation.day} AS assay_day, {_log(relation)} AS assay_log,
  CASE WHEN {relation.double(relation.rows.numerator)} = 0 THEN 1 ELSE 0 END AS assay_zero, {kept}
 FROM assay_relation WHERE {relation.within(first, last)}
)
SELECT assay_day AS day, COUNT(*) AS n, {_LOGS}, SUM(assay_zero) AS zeros, {counts}
FROM assay_days GROUP BY assay_day"""


def by_stretch(relation: Relation, starts: Sequence[date], last: date, least: int) -> str:
    """Columns stretch (place in `starts`), part (as GROUPING() gives it), value, n and sums of
    logarithms: each value of each dimension with at least so many rows in a stretch."""
    names = [f"d{place}" for place in range(len(relation.rows.dimensions))]
    dimensions = ", ".join(
        f"{quoted(column)} AS {name}"
        for column, name in zip(relation.rows.dimensions, names, strict=True)
    )
    stretches = " ".join(
        f"WHEN assay_day >= DATE '{starts[place]}' THEN {place}"
        for place in range(len(starts) - 1, -1, -1)
    )
    several = len(names)
    values = " ".join(
        f"WHEN {part_of(place, several)} THEN CAST({name} AS VARCHAR)"
        for place, name in enumerate(names)
    )
    sets = ", ".join(f"(stretch, {name})" for name in names)
    listed = ", ".join(names)
    return f"""{relation.opening}, assay_days AS (
 SELECT {relation.day} AS assay_day, {dimensions}, {_log(relation)} AS assay_log
 FROM assay_relation WHERE {relation.within(starts[0], last)}
), assay_rows AS (
 SELECT CASE {stretches} END AS stretch, {listed}, assay_log FROM assay_days
), assay_sets AS (
 SELECT stretch, GROUPING({listed}) AS part, {listed}, COUNT(*) AS n, {_LOGS}
 FROM assay_rows GROUP BY GROUPING SETS ({sets}) HAVING COUNT(*) >= {least}
)
SELECT stretch, part, CASE part {values} END AS value, n, logged, log_sum, log_squares
FROM assay_sets"""


def by_day_of_segments(relation: Relation, first: date, last: date, least: int) -> str:
    """Columns day, part (as GROUPING() gives it), value and n: each value of each dimension that
    has rows on at least so many days."""
    names = [f"d{place}" for place in range(len(relation.rows.dimensions))]
    dimensions = ", ".join(
        f"{quoted(column)} AS {name}"
        for column, name in zip(relation.rows.dimensions, names, strict=True)
    )
    several, listed = len(names), ", ".join(names)
    values = " ".join(
        f"WHEN {part_of(place, several)} THEN CAST({name} AS VARCHAR)"
        for place, name in enumerate(names)
    )
    sets = ", ".join(f"(assay_day, {name})" for name in names)
    return f"""{relation.opening}, assay_days AS (
 SELECT {relation.day} AS assay_day, {dimensions} FROM assay_relation
 WHERE {relation.within(first, last)}
), assay_sets AS (
 SELECT assay_day, GROUPING({listed}) AS part, {listed}, COUNT(*) AS n
 FROM assay_days GROUP BY GROUPING SETS ({sets})
), assay_values AS (
 SELECT assay_day, part, CASE part {values} END AS value, n FROM assay_sets
), assay_often AS (
 SELECT part AS often_part, value AS often_value FROM assay_values GROUP BY part, value
 HAVING COUNT(*) >= {least}
)
SELECT assay_day AS day, part, value, n FROM assay_values JOIN assay_often
 ON part = often_part AND (value = often_value OR (value IS NULL AND often_value IS NULL))"""


def repeats(
    relation: Relation, columns: Sequence[str], days: Sequence[tuple[date, date]], least: int
) -> str:
    """Columns day, part, value, n (rows), kinds (of rows), again (kinds there more than once) and,
    for each number of TIMES, by2… (kinds there a multiple of so many times) and just2… (exactly so
    many times): for each day, and each value of a dimension in it that has at least so many kinds.
    Rows are of one kind where all `columns` are the same."""
    dimensions = [name for name in relation.rows.dimensions if name in columns]
    several = len(dimensions)
    keys = [f"{quoted(name)} AS k{at}" for at, name in enumerate(columns)]
    listed = [f"k{at}" for at in range(len(columns))]
    places = {name: f"k{at}" for at, name in enumerate(columns)}
    within = " OR ".join(f"({relation.within(first, last)})" for first, last in days)
    grouped = ", ".join(places[name] for name in dimensions)
    sets = "".join(f", (assay_day, {places[name]})" for name in dimensions)
    part = f"GROUPING({grouped})" if several else "0"
    values = " ".join(
        f"WHEN {part_of(at, several)} THEN CAST({places[name]} AS VARCHAR)"
        for at, name in enumerate(dimensions)
    )
    value = f"CASE part {values} END" if several else "CAST(NULL AS VARCHAR)"
    counted = ", ".join(
        f"SUM(CASE WHEN times % {m} = 0 THEN 1 ELSE 0 END) AS by{m},"
        f" SUM(CASE WHEN times = {m} THEN 1 ELSE 0 END) AS just{m}"
        for m in TIMES
    )
    text = ", ".join(f"by{m}, just{m}" for m in TIMES)
    # Not in a HAVING, where Spark does not resolve GROUPING() of a column under another name.
    enough = f"WHERE part = {(1 << several) - 1} OR kinds >= {least}" if several else ""
    return f"""{relation.opening}, assay_days AS (
 SELECT {relation.day} AS assay_day, {", ".join(keys)} FROM assay_relation WHERE {within}
), assay_kinds AS (
 SELECT assay_day, {", ".join(listed)}, COUNT(*) AS times
 FROM assay_days GROUP BY assay_day, {", ".join(listed)}
), assay_sets AS (
 SELECT assay_day, {part} AS part{", " + grouped if several else ""}, SUM(times) AS n,
  COUNT(*) AS kinds, SUM(CASE WHEN times > 1 THEN 1 ELSE 0 END) AS again, {counted}
 FROM assay_kinds GROUP BY GROUPING SETS ((assay_day){sets})
)
SELECT assay_day AS day, part, {value} AS value, n, kinds, again, {text}
FROM assay_sets {enough}"""


def _log(relation: Relation) -> str:
    """SQL of the logarithm of the numerator's size; NULL for nought and what is no number."""
    value = relation.double(relation.rows.numerator)
    return f"LN(CASE WHEN ABS({value}) > 1e-150 AND ABS({value}) < 1e150 THEN ABS({value}) END)"
