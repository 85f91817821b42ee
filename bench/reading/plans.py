"""Carries out what was understood as a plan does it: its query, then the test over its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import sqlglot
from sqlglot import exp

from bench.reading.protocol import Drawn, Opened, Rows
from bench.reading.running import ROWS_AT_MOST, OverTimeError
from mesh.testing.tool_context import FakeToolContext
from mesh.tool import ErrorCategory, ToolError, ToolResult
from services.executor.tools.stats_test import stats_test
from services.planner.domain.charts.choosing import layout
from services.planner.domain.drafting.draft import draft_plan
from services.planner.domain.query.intent import ChartType, Intent, Understood

_ROWS_TESTED = 200_000
_SECONDS = 60.0
_CHARTS = {
    ChartType.BAR: "Bar",
    ChartType.HISTOGRAM: "Bar",
    ChartType.GROUPED_BAR: "Stacked Bar",
    ChartType.STACKED_BAR: "Stacked Bar",
    ChartType.LINE: "Line",
    ChartType.AREA: "Line",
    ChartType.MULTI_LINE: "Grouping Line",
    ChartType.PIE: "Pie",
    ChartType.SCATTER: "Scatter",
}


@dataclass(frozen=True, slots=True)
class Carried:
    """The answer's rows, its SQL with the values in it, and why there are no rows."""

    rows: Rows | None
    sql: str
    failed: str = ""


def carried_out(read: Understood, database: Opened) -> Carried:
    """The rows that the plan of a reading would show; a profile of a table has none."""
    plan = draft_plan(
        read, database.catalogue, deliverables=(), row_limit=_ROWS_TESTED, timeout_seconds=_SECONDS
    )
    arguments = plan.subtasks[0].arguments
    query, params = str(arguments["query"]), list(arguments["params"])
    sql = with_values(query, params)
    if read.intent.profile:
        return Carried(None, sql, "a profile has no rows to compare")
    tested = plan.answer_task != plan.subtasks[0].task_id
    try:
        limit = _ROWS_TESTED if tested else ROWS_AT_MOST
        columns, rows = database.run(query, params, limit)
        if not tested:
            cut = len(rows) > limit
            return Carried(Rows(columns, rows[:limit], cut, drawn(read.intent)), sql)
        [test] = [task for task in plan.subtasks if task.task_id == plan.answer_task]
        return Carried(tested_rows(test.arguments, columns, rows), sql)
    except (duckdb.Error, OverTimeError, ToolError) as error:
        return Carried(None, sql, f"does not run: {error}")


def tested_rows(arguments: Mapping[str, Any], columns: list[str], rows: Sequence[Any]) -> Rows:
    """What a test tells of rows. Raises ToolError."""
    table = pa.Table.from_pandas(pd.DataFrame(rows, columns=columns), preserve_index=False)
    context = FakeToolContext({str(arguments["input"]): table})
    found = stats_test.run(stats_test.arguments.model_validate(arguments), context)
    frame = found.frame if isinstance(found, ToolResult) else None
    if frame is None:
        raise ToolError(ErrorCategory.INTERNAL, "the test gave no frame")
    values = [tuple(row.values()) for row in frame.to_pylist()]
    return Rows(frame.column_names, values, statistics=True)


def with_values(query: str, params: Sequence[Any]) -> str:
    """The query with its values in their places."""
    values = iter(params)

    def filled(node: exp.Expr) -> exp.Expr:
        return exp.convert(next(values)) if isinstance(node, exp.Placeholder) else node

    try:
        return sqlglot.parse_one(query, dialect="duckdb").transform(filled).sql(dialect="duckdb")
    except (StopIteration, sqlglot.errors.SqlglotError):
        return query


def drawn(intent: Intent) -> Drawn | None:
    """The chart that goes with a reading, in the data sets' words."""
    place = layout(intent)
    if place is None:
        return None
    kind = _CHARTS.get(intent.chart, intent.chart.value) if intent.chart else "none"
    if kind == "Scatter" and intent.series is not None:
        kind = "Grouping Scatter"
    return Drawn(kind, place.x, place.y, place.series)
