"""Asking the causal tools about generated worlds and small tables."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa

from bench.causal.worlds import World
from mesh.tool import ToolResult
from services.executor.tools.causal_estimate import causal_estimate
from tests.unit.executor.metric_data import Inputs

Row = dict[str, Any]


def estimate(table: pa.Table, **asked: Any) -> ToolResult:
    arguments = {"input": "data", "treatment": "t", "outcome": "y", "method": "OLS", **asked}
    return causal_estimate.run(causal_estimate.arguments(**arguments), Inputs({"data": table}))


def rows(found: ToolResult) -> list[Row]:
    assert found.frame is not None
    told: list[Row] = found.frame.to_pylist()
    return told


def in_world(world: World, method: str) -> list[Row]:
    return rows(estimate(world.table, **{**world.study(method), "input": "data"}))


def assumption(row: Row, name: str) -> Row:
    (found,) = [each for each in json.loads(row["assumptions"]) if each["name"] == name]
    return dict(found)


def small(count: int = 300, seed: int = 0, **more: Any) -> pa.Table:
    """A treatment t that adds 1 to y, and a covariate x."""
    random = np.random.default_rng(seed)
    x = random.normal(size=count)
    t = (random.random(count) < 1 / (1 + np.exp(-x))).astype(int)
    y = t + x + random.normal(size=count)
    return pa.table({"x": x, "t": t, "y": y, **more})
