"""df.transform refuses in words that help to repair the call."""

from __future__ import annotations

import threading
from typing import Any

import pyarrow as pa
import pytest
from pydantic import ValidationError

from mesh.testing.tool_context import FakeToolContext
from mesh.tool import ErrorCategory, ToolError
from services.executor.tools.df_transform import df_transform

SALES = pa.table({"category": ["a", "b", "a"], "amount": [1, 2, 3], "t": [[1], [2], [3]]})


def refusal(*steps: dict[str, Any], context: FakeToolContext | None = None) -> ToolError:
    arguments = df_transform.arguments.model_validate({"input": "sales", "steps": steps})
    with pytest.raises(ToolError) as refused:
        df_transform.run(arguments, context or FakeToolContext(inputs={"sales": SALES}))
    return refused.value


def derive(expression: str) -> dict[str, Any]:
    return {"operation": "derive", "column": "new", "expression": expression}


def test_a_missing_column_comes_with_the_closest_names() -> None:
    error = refusal({"operation": "sort", "by": [{"column": "categry"}]})
    assert error.category is ErrorCategory.MISSING_COLUMN
    assert error.details["column"] == "categry"
    assert error.details["candidates"][0] == "category"


def test_a_measure_on_text_names_column_type_and_operation() -> None:
    measure = {"function": "avg", "column": "category"}
    error = refusal({"operation": "aggregate", "measures": [measure]})
    assert error.category is ErrorCategory.TYPE_MISMATCH
    assert {"column": "category", "type": "VARCHAR", "operation": "avg"}.items() <= (
        error.details.items()
    )


@pytest.mark.parametrize(
    ("column", "operator", "value"),
    [
        ("amount", "eq", "many"),
        ("amount", "contains", "1"),
        ("t", "eq", 1),
    ],
)
def test_a_value_that_does_not_fit_its_column_is_a_type_mismatch(
    column: str, operator: str, value: Any
) -> None:
    condition = {"column": column, "operator": operator, "value": value}
    error = refusal({"operation": "filter", "conditions": [condition]})
    assert error.category is ErrorCategory.TYPE_MISMATCH
    assert error.details["column"] == column


@pytest.mark.parametrize(
    "expression",
    [
        "amount + (select 1)",
        "amount in (select 1)",
        "exists(select 1)",
        "sum(amount)",
        "row_number() over ()",
        "read_csv('/etc/passwd')",
        "getenv('HOME')",
        "random()",
        "current_date",
        "columns('*')",
        "$1",
        "[1, 2]",
        "cast(amount as integer[])",
        "amount as other",
        "amount collate nocase",
        "interval 1 day",
    ],
)
def test_an_expression_may_hold_nothing_but_what_is_allowed(expression: str) -> None:
    error = refusal(derive(expression))
    assert error.category in (ErrorCategory.POLICY_DENIED, ErrorCategory.SQL_SYNTAX)


@pytest.mark.parametrize("expression", ["amount +", "1 2", "amount; drop table x", "(" * 1000])
def test_what_is_no_expression_is_a_syntax_error(expression: str) -> None:
    error = refusal(derive(expression))
    assert error.category in (ErrorCategory.SQL_SYNTAX, ErrorCategory.POLICY_DENIED)


def test_a_failure_while_computing_names_its_step() -> None:
    error = refusal({"operation": "select"}, derive("cast(category as integer)"))
    assert error.category is ErrorCategory.TYPE_MISMATCH
    assert error.message.startswith("step 2 (derive):")
    assert error.details["step"] == 2


def test_more_rows_than_allowed_are_refused_with_the_count() -> None:
    context = FakeToolContext(inputs={"sales": SALES}, row_limit=2)
    error = refusal({"operation": "select"}, context=context)
    assert error.category is ErrorCategory.RESOURCE_EXHAUSTED
    assert (error.details["limit"], error.details["seen"]) == (2, 3)


def test_too_many_pivot_columns_are_refused_with_the_count() -> None:
    table = pa.table({"k": list(range(500)), "v": [1] * 500})
    step = {"operation": "pivot", "columns": "k", "values": "v"}
    error = refusal(step, context=FakeToolContext(inputs={"sales": table}))
    assert error.category is ErrorCategory.RESOURCE_EXHAUSTED
    assert (error.details["limit"], error.details["seen"]) == (100, 500)


def test_filling_more_periods_than_allowed_is_refused_before_it_is_done() -> None:
    table = pa.table({"d": ["0001-01-01", "9999-12-31"], "v": [1, 2]})
    step = {
        "operation": "resample",
        "column": "d",
        "grain": "day",
        "measures": [{"function": "sum", "column": "v"}],
        "fill": "zero",
    }
    error = refusal(step, context=FakeToolContext(inputs={"sales": table}))
    assert error.category is ErrorCategory.RESOURCE_EXHAUSTED
    assert error.details["seen"] > 3_000_000


def test_two_results_of_one_name_are_refused() -> None:
    step = {"operation": "select", "rename": {"amount": "Category"}}
    assert refusal(step).category is ErrorCategory.INVALID_ARGUMENTS


def test_an_unknown_input_is_refused_with_those_there_are() -> None:
    arguments = df_transform.arguments.model_validate(
        {"input": "other", "steps": [{"operation": "select"}]}
    )
    with pytest.raises(ToolError, match="no frame of a step 'other'") as refused:
        df_transform.run(arguments, FakeToolContext(inputs={"sales": SALES}))
    assert refused.value.details["inputs"] == ["sales"]


def test_which_input_is_meant_must_be_clear() -> None:
    arguments = df_transform.arguments.model_validate({"steps": [{"operation": "select"}]})
    with pytest.raises(ToolError, match="not clear which frame"):
        df_transform.run(arguments, FakeToolContext(inputs={"a": SALES, "b": SALES}))


def test_a_call_out_of_time_does_nothing() -> None:
    context = FakeToolContext(inputs={"sales": SALES}, seconds_left=0)
    error = refusal({"operation": "select"}, context=context)
    assert error.category is ErrorCategory.RESOURCE_EXHAUSTED
    assert error.details["unit"] == "seconds"


def endless() -> tuple[pa.Table, dict[str, Any]]:
    """A self-join of 100 million million rows."""
    table = pa.table({"k": [1] * 10_000_000})
    on = [{"left": "k", "right": "k"}]
    return table, {"operation": "join", "right": "sales", "on": on}


def test_a_running_call_stops_when_its_time_is_up() -> None:
    table, step = endless()
    context = FakeToolContext(inputs={"sales": table}, seconds_left=0.3)
    assert refusal(step, context=context).category is ErrorCategory.RESOURCE_EXHAUSTED


def test_a_running_call_stops_when_it_is_cancelled() -> None:
    table, step = endless()
    context = FakeToolContext(inputs={"sales": table})
    timer = threading.Timer(0.3, context.cancelled.set)
    timer.start()
    assert refusal(step, context=context).category is ErrorCategory.CANCELLED
    timer.join()


@pytest.mark.parametrize(
    "step",
    [
        {"operation": "explode"},
        {"operation": "filter", "conditions": []},
        {"operation": "filter", "conditions": [{"column": "a", "operator": "between", "value": 1}]},
        {"operation": "filter", "conditions": [{"column": "a", "operator": "eq"}]},
        {"operation": "aggregate", "measures": [{"function": "sum"}]},
        {"operation": "aggregate", "measures": [{"function": "arg_max", "column": "a"}]},
        {"operation": "window", "function": "rank"},
        {"operation": "window", "function": "moving_average", "column": "a"},
        {"operation": "limit", "rows": -1},
        {"operation": "select", "colums": ["a"]},
    ],
)
def test_arguments_that_make_no_sense_are_refused_before_running(step: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        df_transform.arguments.model_validate({"steps": [step]})
