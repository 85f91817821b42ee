"""The tools' own failures: each is mended from what the error carries, and then the call works."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from mesh.testing.tool_context import FakeToolContext
from mesh.tool import Tool, ToolError, ToolResult
from services.executor.engines.duckdb.errors import as_tool_error
from services.executor.engines.guard import guard
from services.executor.engines.known import KnownTable
from services.executor.tools.df_transform import df_transform
from services.executor.tools.plot_render import plot_render
from services.executor.tools.profiler_analyze import profiler_analyze
from services.executor.tools.sql_run import sql_run
from services.planner.domain.analysis.planning import RepairInput
from services.planner.domain.analysis.repair import repair
from services.planner.domain.calls import MAX_ATTEMPTS, Observation, ObservationStatus, ToolCall
from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType, Table
from services.planner.domain.data_source import DataSource
from services.planner.domain.question import AnalysisRequest

NOW = datetime(2026, 1, 2, tzinfo=UTC)
SALES = pa.table(
    {
        "ShopName": ["north", "south", "north", "east"],
        "Amount": [1.5, 2.5, 3.0, 4.0],
        "Pieces": ["1", "2", "three", "4"],
        "SoldOn": ["1997-01-02", "1997-02-03", "1997-02-04", "unknown"],
    }
)
_TYPES = {"Amount": DataType.FLOAT}
CATALOGUE = Catalogue(
    tables=(
        Table(
            name="Sales",
            source_name="shop",
            rows=4,
            columns=tuple(
                Column(
                    name=name,
                    data_type=_TYPES.get(name, DataType.STRING),
                    role=ColumnRole.DIMENSION,
                )
                for name in SALES.column_names
            ),
        ),
    )
)


def answer(sql: str, parameters: list[Any], row_limit: int, seconds: float) -> pa.Table:
    """The executor's guard and error table over one table in memory."""
    known = [KnownTable("Sales", tuple(SALES.column_names))]
    statement = guard(sql, known, row_limit)
    with duckdb.connect() as connection:
        connection.register("Sales", SALES)
        try:
            return connection.execute(statement, parameters).to_arrow_table()
        except duckdb.Error as error:
            raise as_tool_error(error, statement, known) from None


@dataclass(frozen=True)
class Outcome:
    """What the last attempt gave, and the reasons for the changes before it."""

    result: ToolResult
    reasons: tuple[str, ...]


def attempted(tool: Tool, arguments: dict[str, Any]) -> Outcome:
    """Up to three attempts, as the planner makes them; raises the last ToolError."""
    reasons: list[str] = []
    for attempt in range(1, MAX_ATTEMPTS + 1):
        call = ToolCall(
            call_id="c" * 32,
            plan_id="d" * 32,
            task_id="load",
            tool_name=tool.name,
            arguments=arguments,
            timestamp=NOW,
            attempt_number=attempt,
            change_reason=reasons[-1] if reasons else "",
        )
        context = FakeToolContext(inputs={"load": SALES}, answer_query=answer)
        try:
            result = tool.run(tool.arguments.model_validate(arguments), context)
        except ToolError as error:
            found = repair(_failure(call, error))
            if found is None:
                raise
            arguments = found.arguments
            reasons.append(found.reason)
        else:
            return Outcome(result, tuple(reasons))
    raise AssertionError(f"still failing after {reasons}")


def _failure(call: ToolCall, error: ToolError) -> RepairInput:
    return RepairInput(
        request=AnalysisRequest(
            request_id="r" * 32,
            intent="?",
            data_sources=(DataSource(file_path="shop.csv"),),
            timestamp=NOW,
        ),
        catalogue=CATALOGUE,
        call=call,
        observation=Observation(
            observation_id="o" * 32,
            call_id=call.call_id,
            status=ObservationStatus.ERROR,
            error_message=error.message,
            error_category=error.category.value,
            error_details=error.details,
            execution_time_seconds=0.01,
            timestamp=NOW,
        ),
        seconds_left=20.0,
    )


def rows(outcome: Outcome) -> list[dict[str, Any]]:
    assert outcome.result.frame is not None
    found: list[dict[str, Any]] = outcome.result.frame.to_pylist()
    return found


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT shop_nam FROM Sales ORDER BY 1 LIMIT 1", "east"),
        ("SELECT s.Shop FROM Sales AS s ORDER BY 1 LIMIT 1", "east"),
        ("SELECT Sale.ShopName FROM Sale ORDER BY 1 LIMIT 1", "east"),
        ('SELECT ShopName FROM Sales WHERE ShopName = "east"', "east"),
        ("SELECT SUM(Pieces) FROM Sales", 7.0),
        ("SELECT SUM(CAST(Pieces AS DOUBLE)) FROM Sales", 7.0),
        ("SELECT COUNT(*) FROM Sales WHERE Pieces > 1", 2),
        ("SELECT COUNT(*) FROM Sales WHERE Pieces BETWEEN 1 AND 3", 2),
        ("SELECT MAX(YEAR(SoldOn)) FROM Sales", 1997),
        ("SELECT COUNT(*) FROM Sales WHERE date_trunc('month', SoldOn) = DATE '1997-02-01'", 2),
        ("SELECT ShopName, SUM(Amount) FROM Sales ORDER BY 2 DESC LIMIT 1", "north"),
        ("SELECT `ShopName` FROM `Sales` WHERE `Amount` > 3.5;", "east"),
        ("SELCT ShopName FROM Sales WHERE Amount > 3.5", "east"),
        ("SELECT ShopName FROM Sales WHERE (Amount > 3.5", "east"),
        ("SELECT TOP 1 [ShopName] FROM [Sales] ORDER BY [ShopName]", "east"),
    ],
)
def test_a_failing_query_is_mended_and_answers(query: str, expected: Any) -> None:
    outcome = attempted(sql_run, {"query": query})
    assert outcome.reasons
    assert next(iter(rows(outcome)[0].values())) == expected


def test_a_transform_that_names_columns_wrongly_is_mended() -> None:
    steps = [
        {
            "operation": "aggregate",
            "by": ["ShopName"],
            "measures": [{"function": "sum", "column": "Amuont", "name": "total"}],
        },
        {"operation": "sort", "by": [{"column": "totl", "descending": True}]},
    ]
    outcome = attempted(df_transform, {"input": "load", "steps": steps})
    assert rows(outcome)[0]["total"] == 4.5


def test_a_transform_over_texts_reads_them_as_numbers() -> None:
    steps = [
        {
            "operation": "aggregate",
            "by": [],
            "measures": [{"function": "sum", "column": "Pieces", "name": "total"}],
        },
    ]
    outcome = attempted(df_transform, {"input": "load", "steps": steps})
    assert rows(outcome) == [{"total": 7.0}]
    assert outcome.reasons == ('read "Pieces" as numbers',)


def test_an_expression_that_fails_on_a_value_gives_null_there() -> None:
    steps = [{"operation": "derive", "column": "n", "expression": "CAST(Pieces AS BIGINT)"}]
    outcome = attempted(df_transform, {"input": "load", "steps": steps})
    assert [row["n"] for row in rows(outcome)] == [1, 2, None, 4]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (plot_render, {"type": "bar", "x_col": "Shop_Nam", "y_col": "Amount", "title": "Sales"}),
        (profiler_analyze, {"columns": ["amnt"]}),
    ],
    ids=["chart", "profile"],
)
def test_charts_and_profiles_find_the_column_that_was_meant(
    tool: Tool, arguments: dict[str, Any]
) -> None:
    outcome = attempted(tool, arguments)
    assert len(outcome.reasons) == 1
    assert outcome.result.frame is not None or outcome.result.files


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (sql_run, {"query": "DROP TABLE Sales"}),
        (sql_run, {"query": "SELECT xqzvw FROM Sales"}),
        (plot_render, {"type": "bar", "x_col": "Amount", "y_col": "ShopName", "title": "t"}),
    ],
    ids=["not a query", "nothing like it", "texts as heights"],
)
def test_what_no_change_can_mend_is_given_up_at_once(tool: Tool, arguments: dict[str, Any]) -> None:
    with pytest.raises(ToolError):
        attempted(tool, arguments)
