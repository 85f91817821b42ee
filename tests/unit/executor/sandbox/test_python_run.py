from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pytest

from mesh.testing.tool_context import FakeToolContext
from mesh.tool import ErrorCategory, PythonRun, ToolError, ToolResult
from services.executor.tools.python_run import PythonArguments, python_run

TABLE = pa.table({"x": [1, 2, 3]})


def run(given: PythonRun, row_limit: int = 100, **arguments: object) -> ToolResult:
    context = FakeToolContext(
        inputs={"load": TABLE, "other": TABLE},
        row_limit=row_limit,
        answer_python=lambda code, frames: given,
    )
    call = PythonArguments.model_validate({"code": "result = 1", **arguments})
    return python_run.run(call, context)


def test_the_code_gets_the_frames_it_names() -> None:
    asked: list[Mapping[str, pa.Table]] = []

    def answer(code: str, frames: Mapping[str, pa.Table]) -> PythonRun:
        asked.append(frames)
        return PythonRun(frame=TABLE)

    context = FakeToolContext(inputs={"load": TABLE, "other": TABLE}, answer_python=answer)
    python_run.run(PythonArguments(code="result = 1", inputs=("load",)), context)
    python_run.run(PythonArguments(code="result = 1"), context)

    assert [list(frames) for frames in asked] == [["load"], ["load", "other"]]


def test_figures_become_charts_with_the_title_given() -> None:
    result = run(PythonRun(figures=(b"one", b"two")), title="Sales")

    assert [file.name for file in result.files] == ["figure-1.png", "figure-2.png"]
    assert [file.metadata["title"] for file in result.files] == ["Sales 1", "Sales 2"]
    assert {file.kind for file in result.files} == {"chart"}


def test_what_was_printed_is_a_note() -> None:
    assert run(PythonRun(frame=TABLE, printed="p = 0.03\n")).notes == (
        "the code printed: p = 0.03",
    )
    assert len(run(PythonRun(frame=TABLE, printed="x" * 9_000)).notes[0]) < 2_100


def test_an_input_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(ToolError) as refused:
        run(PythonRun(), inputs=["lode"])

    assert refused.value.category is ErrorCategory.INVALID_ARGUMENTS
    assert refused.value.details["candidates"] == ["load", "other"]


def test_more_rows_than_allowed_are_refused() -> None:
    with pytest.raises(ToolError) as refused:
        run(PythonRun(frame=TABLE), row_limit=2)

    assert refused.value.category is ErrorCategory.RESOURCE_EXHAUSTED
    assert refused.value.details == {"limit": 2, "seen": 3, "unit": "rows"}
