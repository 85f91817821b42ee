"""The tool `sql.run` as the executor calls it."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pytest
from pydantic import ValidationError

from mesh.tool import DomainReply, ErrorCategory, PythonRun, ToolError
from services.executor.tools.sql_run import SqlRunArguments, sql_run


class Asked:
    """A context that remembers what it was asked for."""

    def __init__(self, seconds_left: float = 30.0) -> None:
        self.inputs: Mapping[str, pa.Table] = {}
        self.row_limit = 1_000
        self.seconds_left = seconds_left
        self.cancelled = threading.Event()
        self.calls: list[tuple[str, list[Any], int, float]] = []

    def query(self, sql: str, parameters: list[Any], row_limit: int, seconds: float) -> pa.Table:
        self.calls.append((sql, parameters, row_limit, seconds))
        notes = json.dumps(["2 cells blocked by policy"])
        return pa.table({"a": [1, 2]}).replace_schema_metadata({"assay.notes": notes})

    def run_python(self, code: str, frames: Mapping[str, pa.Table]) -> PythonRun:
        raise AssertionError("a query runs no code of others")

    def call_domain(
        self, server: str, tool: str, arguments: Mapping[str, Any], digest: str, seconds: float
    ) -> DomainReply:
        raise NotImplementedError

    def progress(self, message: str, fraction: float | None = None) -> None:
        assert message


def test_it_passes_on_the_smaller_limits() -> None:
    context = Asked(seconds_left=20.0)
    sql_run.run(SqlRunArguments(query="SELECT 1", timeout=60, row_limit=10), context)
    sql_run.run(SqlRunArguments(query="SELECT ?", params=[1], timeout=5), context)
    assert context.calls == [("SELECT 1", [], 10, 20.0), ("SELECT ?", [1], 1_000, 5.0)]


def test_notes_leave_the_frame_and_reach_the_reader() -> None:
    result = sql_run.run(SqlRunArguments(query="SELECT 1"), Asked())
    assert result.notes == ("2 cells blocked by policy",)
    assert result.frame is not None
    assert result.frame.schema.metadata is None
    assert result.summary == "2 rows, 1 column"


def test_without_time_nothing_is_asked() -> None:
    context = Asked(seconds_left=-1.0)
    with pytest.raises(ToolError) as caught:
        sql_run.run(SqlRunArguments(query="SELECT 1"), context)
    assert caught.value.category is ErrorCategory.RESOURCE_EXHAUSTED
    assert not context.calls


@pytest.mark.parametrize(
    "wrong",
    [
        {"timeout": 0},
        {"timeout": 181},
        {"row_limit": 0},
        {"row_limit": 200_001},
        {"query": ""},
        {"sql": "SELECT 1"},
    ],
)
def test_arguments_outside_their_limits_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        SqlRunArguments.model_validate({"query": "SELECT 1"} | wrong)
