"""Data whose causal graph is known, and the tools that look for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pytest

from mesh.tool import Tool, ToolResult
from services.executor.tools.causal_discover import causal_discover
from services.executor.tools.causal_discovery_plan import causal_discovery_plan
from services.executor.tools.causal_identify import causal_identify
from tests.unit.executor.metric_data import Inputs

PUBLISHED = Path(__file__).parents[4] / "shared" / "data" / "causal"
Row = dict[str, Any]


def call(
    tool: Tool, table: pa.Table | None = None, *, left: float = 600.0, **given: Any
) -> ToolResult:
    """What a tool gives for the frame of the only step."""
    inputs = Inputs({} if table is None else {"data": table}, seconds_left=left)
    result: ToolResult = tool.run(tool.arguments(**given), inputs)
    return result


def rows(result: ToolResult) -> list[Row]:
    assert result.frame is not None
    found: list[Row] = result.frame.to_pylist()
    return found


def discovered(table: pa.Table, method: str = "PC", **given: Any) -> dict[frozenset[str], Row]:
    """Edges by the two columns that they join."""
    given = {"bootstraps": 5, **given}
    return {
        frozenset((r["source"], r["target"])): r
        for r in rows(call(causal_discover, table, method=method, **given))
    }


def arrows(edges: dict[frozenset[str], Row]) -> set[str]:
    """Edges as words: "a -> b", "a - b" in the order of names."""
    marks = {"directed": "->", "undirected": "-", "bidirected": "<->", "partial": "o"}
    told = set()
    for row in edges.values():
        ends = row["source"], row["target"]
        if row["edge_type"] in ("undirected", "bidirected"):
            ends = tuple(sorted(ends))
        told.add(f"{ends[0]} {marks[row['edge_type']]} {ends[1]}")
    return told


def plan(table: pa.Table, **given: Any) -> dict[str, Row]:
    return {row["method"]: row for row in rows(call(causal_discovery_plan, table, **given))}


def identified(
    edges: str,
    *,
    latent: tuple[str, ...] = (),
    before: tuple[str, ...] = (),
    t: str = "T",
    y: str = "Y",
) -> list[Row]:
    """Estimands of a graph written as "W -> T, W -> Y, T <-> Y, A -- B, A o-> B"."""
    kinds = {
        "->": "directed",
        "<->": "bidirected",
        "--": "undirected",
        "o->": "partial",
        "o-o": "partial",
    }
    told = [edge.split() for edge in edges.split(", ")]
    drawn = [
        {
            "source": a,
            "target": b,
            "edge_type": kinds[mark],
            "note": mark if kinds[mark] == "partial" else "",
        }
        for a, mark, b in told
    ]
    nodes = sorted({t, y, *(end for a, _, b in told for end in (a, b))})
    asked: dict[str, Any] = {"treatment": t, "outcome": y, "latent": latent, "before": before}
    return rows(call(causal_identify, nodes=nodes, edges=drawn, **asked))


def sets(found: list[Row], strategy: str) -> list[list[str]]:
    return [
        json.loads(r["variables"]) for r in found if r["strategy"] == strategy and r["identified"]
    ]


def published(name: str) -> pa.Table:
    """A table of published data, tab separated; the test is skipped where it is absent."""
    path = PUBLISHED / name
    if not path.exists():
        pytest.skip(f"published data are not here: {path}")
    return csv.read_csv(path, parse_options=csv.ParseOptions(delimiter="\t"))


def noise(seed: int, count: int, size: int = 1500) -> list[np.ndarray]:
    random = np.random.default_rng(seed)
    return [random.normal(size=size) for _ in range(count)]
