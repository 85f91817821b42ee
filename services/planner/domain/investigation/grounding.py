"""Grounding: from a request and the description of its sources to what the calls are made of."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from sqlglot import exp

from mesh.errors import (
    INVALID_DATE_RANGE,
    NO_DIMENSIONS,
    AssayError,
)
from services.planner.domain.catalogue import Catalogue, Table
from services.planner.domain.investigation.covering import check_covered, day_of, reached_by
from services.planner.domain.investigation.days import in_days
from services.planner.domain.investigation.dimensions import DimensionColumn, dimensions_of, reached
from services.planner.domain.investigation.each_once import written_out
from services.planner.domain.investigation.ground import (
    DENOMINATOR,
    NUMERATOR,
    TIME,
    WHOLE,
    Ground,
)
from services.planner.domain.investigation.leaves.grounding import ground_of_leaves
from services.planner.domain.investigation.metric import columns_of, not_understood
from services.planner.domain.investigation.metric_text import MetricOfTable, metric_of
from services.planner.domain.investigation.period import DateRange
from services.planner.domain.investigation.request import InvestigationRequest
from services.planner.domain.investigation.times import TimeOfRows, time_of
from services.planner.domain.investigation.wording import counted
from services.planner.domain.query.planning.predicates import Predicates, table_node

_MOST_LONGER = 1.2
"""How many times as long a period may be whose distinct things are counted beside another's."""


def ground_of(
    request: InvestigationRequest,
    catalogue: Catalogue,
    metric: MetricOfTable | None = None,
    proposed: AbstractSet[tuple[str, str]] = frozenset(),
) -> Ground | None:
    """What a request stands on; None where its metric is words that no column bears: then the
    caller finds the metric they mean and gives it.

    Raises AssayError: METRIC_NOT_UNDERSTOOD, NO_TIME_COLUMN, NO_DIMENSIONS, NO_ROWS_IN_PERIOD, and
    of leaves as `ground_of_leaves` does.
    """
    if request.leaf:
        return ground_of_leaves(request, catalogue)
    if not catalogue.tables:
        raise not_understood("there is no table that the metric could be of")
    found = metric or metric_of(request.metric_sql, catalogue)
    if found is None:
        return None
    table = catalogue.table(found.table)
    assert table is not None
    near = set(reached(catalogue, table.name).tables)
    dated = in_days(request, catalogue, table.name, near)
    baseline, comparison = dated.baseline, dated.comparison
    time = time_of(catalogue, table.name, dated.time_column, (baseline, comparison), near)
    check_covered(time, baseline, comparison)
    baseline, comparison, cut = reached_by(time, baseline, comparison)
    used = _columns_used(found) | set(time.columns)
    text = f"{request.investigation_prompt} {request.business_context}"
    dimensions = dimensions_of(
        catalogue, table.name, frozenset(used), text, request.dimensions, proposed
    )
    _check_dimensions(request, table, dimensions)
    return Ground(
        metric=found.metric.sql,
        label=found.metric.label,
        unit=found.metric.unit,
        ratio=found.metric.ratio,
        level=found.metric.level,
        distinct=bool(found.metric.entity),
        table=table.name,
        source_name=table.source_name,
        time=time.name,
        relation=_relation(found, time, dimensions, catalogue, baseline, comparison),
        dimensions=tuple(dimension.name for dimension in dimensions),
        suspected=tuple(d.name for d in dimensions if d.suspected),
        proposed={f"{d.table}.{d.column}": d.name for d in dimensions if d.proposed},
        cardinalities=tuple(d.distinct for d in dimensions),
        tables=tuple(dict.fromkeys((table.name, *(d.table for d in dimensions)))),
        baseline=baseline,
        comparison=comparison,
        first=day_of(time.first),
        last=day_of(time.last),
        said=(
            *dated.notes,
            *cut,
            *_taken_for_granted(found, time, baseline, comparison),
            *(() if dimensions else (_undivided(table),)),
        ),
    )


def _taken_for_granted(
    found: MetricOfTable, time: TimeOfRows, baseline: DateRange, comparison: DateRange
) -> tuple[str, ...]:
    texts = [*found.notes, time.note]
    if baseline.overlaps(comparison):
        texts.append("the periods overlap: days of both count in both")
    if baseline.days != comparison.days and found.metric.entity:
        texts.append(
            f"the baseline has {counted(baseline.days, 'day')}, the comparison "
            f"{counted(comparison.days, 'day')}: different things are counted as they are, and the "
            "longer period sees some more"
        )
    elif baseline.days != comparison.days and not found.metric.ratio:
        texts.append(
            f"the baseline has {counted(baseline.days, 'day')}, the comparison "
            f"{counted(comparison.days, 'day')}: totals are compared by the day"
        )
    if found.metric.entity:
        texts.append(
            "a thing with several rows in a period counts in parts where its rows are, once in all"
        )
    return tuple(text for text in texts if text)


def _check_dimensions(
    request: InvestigationRequest, table: Table, dimensions: tuple[DimensionColumn, ...]
) -> None:
    known = {dimension.column.casefold() for dimension in dimensions}
    known |= {dimension.name.casefold() for dimension in dimensions}
    missing = [
        name
        for name in request.dimensions
        if name.casefold().replace("_", " ") not in {k.replace("_", " ") for k in known}
    ]
    if missing:
        raise AssayError(
            NO_DIMENSIONS,
            f"there is no column {missing[0]!r} to split {table.source_name} by",
            fields={"investigation.dimensions": f"unknown: {', '.join(missing)}"},
        )


def _undivided(table: Table) -> str:
    return (
        f"{table.source_name} has no column that splits its rows into segments: all are ids, "
        "times, measures, or the same everywhere; name one to split by it all the same"
    )


def _columns_used(found: MetricOfTable) -> set[tuple[str, str]]:
    texts = [
        t for t in (found.metric.numerator, found.metric.denominator, found.metric.entity) if t
    ]
    summed = {
        (column.table, column.name) for text in texts for column in columns_of(f"sum({text})")
    }  # also those of conditions: what decides which rows count explains nothing of their count
    return summed


def _relation(
    found: MetricOfTable,
    time: TimeOfRows,
    dimensions: tuple[DimensionColumn, ...],
    catalogue: Catalogue,
    baseline: DateRange,
    comparison: DateRange,
) -> str:
    """The SELECT of the metric's rows: each row once, whatever is joined."""
    metric = found.metric
    side = _side(time.sql, baseline, comparison)
    numerator = written_out(metric.numerator, side)
    if metric.entity:
        numerator = _render_entity_share(metric.entity, time.sql, baseline, comparison)
    outputs = [f'{time.sql} AS "{TIME}"', f'CAST({numerator} AS DOUBLE) AS "{NUMERATOR}"']
    if metric.denominator:
        denominator = written_out(metric.denominator, side)
        outputs.append(f'CAST({denominator} AS DOUBLE) AS "{DENOMINATOR}"')
    outputs += [
        exp.column(d.column, table=d.table, quoted=True).sql(dialect="duckdb")
        + " AS "
        + exp.to_identifier(d.name, quoted=True).sql(dialect="duckdb")
        for d in dimensions
    ] or [f"'all' AS \"{WHOLE}\""]
    used = {d.table for d in dimensions} | {table for table, _ in time.columns}
    used |= {table for table, _ in _columns_used(found)}
    used |= {
        c.table
        for t in (metric.numerator, metric.denominator)
        if t
        for c in columns_of(f"sum({t})")
    }
    query = f"SELECT {', '.join(outputs)} FROM {table_node(found.table).sql(dialect='duckdb')}"
    predicates = Predicates(catalogue)
    for relation in predicates.graph.tree(found.table, used - {found.table}).relations:
        on = predicates.related(relation).sql(dialect="duckdb")
        query += f" LEFT JOIN {table_node(relation.right.table).sql(dialect='duckdb')} ON {on}"
    return query


def _render_entity_share(
    entities: str, time: str, baseline: DateRange, comparison: DateRange
) -> str:
    """What one row adds to a count of distinct things: one over its thing's rows in the period."""
    if baseline.overlaps(comparison):
        raise AssayError(
            INVALID_DATE_RANGE,
            "distinct things cannot be counted over periods that overlap: those of both would be "
            "counted in parts",
            fields={"investigation.comparison_period": "must not overlap the baseline"},
        )
    longer, shorter = sorted((baseline.days, comparison.days), reverse=True)
    if longer > _MOST_LONGER * shorter:
        raise AssayError(
            INVALID_DATE_RANGE,
            f"distinct things cannot be compared over {baseline.days} and {comparison.days} days: "
            "the longer period sees more of them, by nobody knows how many",
            hint="Choose periods of the same length, or count rows instead.",
            fields={"investigation.comparison_period": "must be about as long as the baseline"},
        )
    side = _side(time, baseline, comparison)
    rows = f"COUNT(*) OVER (PARTITION BY {entities}, {side})"
    # The tools scale sums to the days of the comparison; things do not add up along days.
    unscaled = (
        f"CASE WHEN {side} = 'baseline' THEN {baseline.days / comparison.days!r} ELSE 1.0 END"
    )
    one = "1.0" if baseline.days == comparison.days else unscaled
    return f"CASE WHEN {entities} IS NULL THEN 0 ELSE {one} / {rows} END"


def _side(time: str, baseline: DateRange, comparison: DateRange) -> str:
    """The period that a row is of; its day where it is of none."""
    return (
        f"CASE WHEN CAST({time} AS DATE) BETWEEN DATE '{baseline.start}' AND DATE '{baseline.end}' "
        f"THEN 'baseline' WHEN CAST({time} AS DATE) BETWEEN DATE '{comparison.start}' AND DATE "
        f"'{comparison.end}' THEN 'comparison' ELSE CAST(CAST({time} AS DATE) AS VARCHAR) END"
    )
