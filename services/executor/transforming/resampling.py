"""Resample: rows grouped into periods, with the gaps between them made explicit."""

from __future__ import annotations

from mesh.tool import ErrorCategory, ToolError
from services.executor.transforming.aggregating import grouped, measured
from services.executor.transforming.relation import (
    Column,
    Family,
    Relation,
    check_distinct,
    listed,
    quoted,
    type_mismatch,
)
from services.executor.transforming.steps import Resample
from services.executor.transforming.workspace import Workspace


def resample(step: Resample, relation: Relation, space: Workspace) -> Relation:
    """One row for each period and combination of `by`, ordered by period, then by the rest."""
    if step.column in step.by:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"resample cannot group by {step.column!r}, the column it turns into periods",
            hint="Take it out of `by`.",
        )
    groups = relation.picked(step.by)
    outputs = [measure.output for measure in step.measures]
    check_distinct([step.column, *step.by, *outputs], "resample")
    periods = _with_periods(step, relation, space)
    period = periods.column(step.column)
    keys = [period, *groups]
    wanted = listed([*(key.sql for key in keys), *measured(step.measures, relation)])
    buckets = space.table(f"SELECT {wanted} FROM {periods.sql} {grouped(keys)}")
    return buckets if step.fill == "none" else _filled(step, buckets, groups, space)


def _with_periods(step: Resample, relation: Relation, space: Workspace) -> Relation:
    """The rows that have a date, which is replaced by the start of its period.

    Measures of the same column therefore see the period.
    """
    column = relation.column(step.column)
    moment = _moment(column, relation, space)
    without = space.count(relation, f"{column.sql} IS NULL")
    if without:
        space.notes.append(f"resample: {without:,} rows without {column.name} are left out")
    kind = "DATE" if step.grain != "hour" else _timestamp(column)
    start = f"CAST(date_trunc('{step.grain}', {moment}) AS {kind})"
    return space.table(
        f"SELECT * REPLACE ({start} AS {column.sql}) FROM {relation.sql} "
        f"WHERE {column.sql} IS NOT NULL"
    )


def _timestamp(column: Column) -> str:
    return "TIMESTAMPTZ" if column.type == "TIMESTAMP WITH TIME ZONE" else "TIMESTAMP"


def _moment(column: Column, relation: Relation, space: Workspace) -> str:
    """The column as a time; text is read as ISO dates when every value is one."""
    if column.family is Family.TIME:
        return column.sql
    if column.family is not Family.TEXT:
        raise type_mismatch(column, "resample", "it needs a column of dates")
    parsed = f"TRY_CAST({column.sql} AS TIMESTAMP)"
    unread = space.count(relation, f"{column.sql} IS NOT NULL AND {parsed} IS NULL")
    if unread:
        raise type_mismatch(column, "resample", f"{unread:,} of its texts are no ISO dates")
    return parsed


def _filled(step: Resample, buckets: Relation, groups: list[Column], space: Workspace) -> Relation:
    """All periods from the first to the last, for every combination of groups there is."""
    period = buckets.column(step.column)
    first, last, combinations = _extent(buckets, period, groups, space)
    if first is None:
        return buckets
    interval = f"INTERVAL 1 {step.grain}" if step.grain != "quarter" else "INTERVAL 3 month"
    ends = f"CAST($first AS {period.type}), CAST($last AS {period.type})"
    series = f"SELECT unnest(generate_series({ends}, {interval})) AS at"
    bounds = {"first": first, "last": last}
    length = int(space.rows(f"SELECT 1 + date_diff('{step.grain}', {ends})", bounds)[0][0])
    space.check_size(length * combinations, "resample with every period")
    cross = _combinations(buckets, groups)
    on = " AND ".join(
        [f"b.{period.sql} = g.at", *(f"b.{c.sql} IS NOT DISTINCT FROM g.{c.sql}" for c in groups)]
    )
    grid = f"SELECT CAST(s.at AS {period.type}) AS at{cross[0]} FROM ({series}) s{cross[1]}"
    wanted = [f"g.at AS {period.sql}", *(f"g.{c.sql}" for c in groups)]
    for measure in step.measures:
        column = buckets.column(measure.output)
        zero = step.fill == "zero" and column.family is Family.NUMBER
        value = f"coalesce(b.{column.sql}, 0)" if zero else f"b.{column.sql}"
        wanted.append(f"{value} AS {quoted(column.name)}")
    order = listed(["g.at", *(f"g.{c.sql} NULLS LAST" for c in groups)])
    return space.table(
        f"SELECT {listed(wanted)} FROM ({grid}) g LEFT JOIN {buckets.sql} b ON {on} "
        f"ORDER BY {order}",
        bounds,
    )


def _extent(
    buckets: Relation, period: Column, groups: list[Column], space: Workspace
) -> tuple[object, object, int]:
    """First and last period, and how many combinations of groups there are."""
    first, last = space.rows(
        f"SELECT CAST(min({period.sql}) AS VARCHAR), CAST(max({period.sql}) AS VARCHAR) "
        f"FROM {buckets.sql}"
    )[0]
    if not groups:
        return first, last, 1
    distinct = f"SELECT DISTINCT {listed(c.sql for c in groups)} FROM {buckets.sql}"
    return first, last, int(space.rows(f"SELECT count(*) FROM ({distinct})")[0][0])


def _combinations(buckets: Relation, groups: list[Column]) -> tuple[str, str]:
    """The groups' columns as select items, and the cross join that brings them."""
    if not groups:
        return "", ""
    names = listed(column.sql for column in groups)
    items = "".join(f", c.{column.sql}" for column in groups)
    return items, f" CROSS JOIN (SELECT DISTINCT {names} FROM {buckets.sql}) c"
