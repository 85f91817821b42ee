"""Assay as it is measured: its own tools in process, called as an investigation calls them."""

from __future__ import annotations

import json
from typing import Any

import duckdb
import pyarrow as pa

from bench.root_cause.cases import Case
from mesh.testing.tool_context import FakeToolContext
from mesh.tool import Tool, ToolResult

ALPHA = 0.05
_SECONDS = 600.0


class Assay:
    """What an investigation tells: of rows the segments that metric.quality finds at fault, then
    those of metric.margins, metric.cube and metric.search; of leaves those of metric.leaves and
    metric.search. All with their defaults; a segment is found where its p-value, corrected for the
    search, is at most 5 %."""

    def find(self, case: Case) -> list[set[tuple[str, str]]]:
        """Segments in the order in which an investigation tells them."""
        at_fault = (
            []
            if case.form == "leaves"
            else [
                {(row["segment_dimension"], row["segment_value"])}
                for row in faults(case)
                if row["severity"] == "fault" and row["segment_dimension"]
            ]
        )
        return [*at_fault, *(set(one["segment"].items()) for one in explanations(case))]


def explanations(case: Case) -> list[dict[str, Any]]:
    """The rows of metric.search on segments that stand out, with `segment` as a mapping."""
    table = searched(case)
    out = []
    for row in table.to_pylist():
        if row["kind"] in ("alike", "total") or row["p_corrected"] is None:
            continue
        if row["p_corrected"] <= ALPHA:
            out.append({**row, "segment": json.loads(row["segment"])})
    return out


def searched(case: Case) -> pa.Table:
    """The whole frame of metric.search."""
    from services.executor.tools.metric_search import metric_search

    if case.form == "leaves":
        arguments: dict[str, Any] = {}
        cube = _leaf_cube(case)
    else:
        arguments = _periods(case)
        cube = _cube(case)
    result = _run(metric_search, {**arguments, "input": "cube"}, FakeToolContext({"cube": cube}))
    return _frame(result)


def faults(case: Case) -> list[dict[str, Any]]:
    """What metric.quality says of the rows: its rows of severity fault or doubt."""
    from services.executor.tools.metric_quality import metric_quality

    with duckdb.connect() as database:
        table = _frame(_run(metric_quality, _rows(case), _over(case, database)))
    return [row for row in table.to_pylist() if row["severity"] in ("fault", "doubt")]


def _cube(case: Case) -> pa.Table:
    from services.executor.tools.metric_cube import metric_cube
    from services.executor.tools.metric_margins import metric_margins

    with duckdb.connect() as database:
        context = _over(case, database)
        context.inputs = {"margins": _frame(_run(metric_margins, _rows(case), context))}
        arguments = {
            **_rows(case),
            "history_start": case.history_start.isoformat(),
            "input": "margins",
        }
        return _frame(_run(metric_cube, arguments, context))


def _leaf_cube(case: Case) -> pa.Table:
    from services.executor.tools.metric_leaves import metric_leaves

    leaves = case.leaves
    columns: dict[str, Any] = {
        name: pa.array(leaves.values[place]).take(pa.array(leaves.codes[:, place]))
        for place, name in enumerate(leaves.dimensions)
    }
    columns |= {"predicted": leaves.predicted, "real": leaves.real}
    arguments = {
        "input": "leaves",
        "dimensions": list(leaves.dimensions),
        "real": "real",
        "predicted": "predicted",
    }
    if leaves.real_denominator is not None:
        columns["predicted_below"] = leaves.predicted_denominator
        columns["real_below"] = leaves.real_denominator
        arguments |= {"real_denominator": "real_below", "predicted_denominator": "predicted_below"}
    return _frame(_run(metric_leaves, arguments, FakeToolContext({"leaves": pa.table(columns)})))


def _rows(case: Case) -> dict[str, Any]:
    arguments: dict[str, Any] = {
        "relation": "SELECT * FROM facts",
        "time": "day",
        "numerator": "numerator",
        "dimensions": list(case.dimensions),
        **_periods(case),
    }
    return arguments | ({"denominator": "denominator"} if case.ratio else {})


def _periods(case: Case) -> dict[str, Any]:
    return {
        name: {"start": span.start.isoformat(), "end": span.end.isoformat()}
        for name, span in (("baseline", case.baseline), ("comparison", case.comparison))
    }


def _over(case: Case, database: duckdb.DuckDBPyConnection) -> FakeToolContext:
    database.execute("SET threads = 1")
    database.register("facts", case.rows)

    def query(sql: str, parameters: list[Any], row_limit: int, _seconds: float) -> pa.Table:
        return database.execute(sql, parameters).to_arrow_table().slice(0, row_limit)

    return FakeToolContext(answer_query=query, seconds_left=_SECONDS)


def _run(tool: Tool, arguments: dict[str, Any], context: FakeToolContext) -> ToolResult:
    return tool.run(tool.arguments.model_validate(arguments), context)


def _frame(result: ToolResult) -> pa.Table:
    assert result.frame is not None
    return result.frame
