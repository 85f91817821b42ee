"""Data with a known truth for the tools of causal analysis, and how they are called."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa

from mesh.tool import Tool, ToolResult
from tests.unit.executor.metric_data import Inputs

Rows = dict[str, dict[str, Any]]


def called(tool: Tool, frame: pa.Table, **arguments: Any) -> ToolResult:
    """The tool over one frame. The frame has to be the same afterwards."""
    before = _bytes(frame)
    given = tool.arguments.model_validate({"input": "data", **arguments})
    result: ToolResult = tool.run(given, Inputs({"data": frame}))
    assert _bytes(frame) == before
    return result


def frame_of(result: ToolResult) -> pa.Table:
    """The frame that a tool gave."""
    assert result.frame is not None
    return result.frame


def by_column(result: ToolResult) -> Rows:
    """The rows of a profile, by the column they are of."""
    return {row["column"]: row for row in frame_of(result).to_pylist()}


def steps(result: ToolResult) -> list[dict[str, Any]]:
    """The repairs of causal.repairs as causal.repair takes them."""
    return [
        {
            "repair_id": row["repair_id"],
            "column": row["column"],
            "kind": row["kind"],
            "method": row["method"],
            "parameters": json.loads(row["parameters"]),
        }
        for row in frame_of(result).to_pylist()
        if row["applied"]
    ]


def clinic(seed: int = 0, rows: int = 3_000) -> pa.Table:
    """Patients of whom the older and sicker are treated more often, and a lottery decides too.

    Age and severity confound; the lottery is an instrument; follow-up visits come after.
    """
    random = np.random.default_rng(seed)
    age, severity = random.normal(45, 12, rows), random.normal(size=rows)
    lottery, hidden = random.integers(0, 2, rows), random.normal(size=rows)
    chance = 0.05 * (age - 45) + 0.8 * severity + 1.5 * lottery - 0.7 + 0.5 * hidden
    treated = (random.uniform(size=rows) < 1 / (1 + np.exp(-chance))).astype(int)
    pain = 2.0 * treated + 0.1 * age + severity + hidden + random.normal(size=rows)
    return pa.table(
        {
            "patient_id": np.arange(rows) + 100,
            "age": age,
            "severity": severity,
            "lottery": lottery,
            "noise": random.normal(size=rows),
            "region": random.choice(["North", "South", "East"], rows),
            "treated": treated,
            "follow_up_visits": treated * 3 + random.poisson(2, rows),
            "pain_score": pain,
        }
    )


def _bytes(frame: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, frame.schema) as writer:
        writer.write_table(frame)
    content: bytes = sink.getvalue().to_pybytes()
    return content
