"""What is new or gone among leaves moves neither the rest nor what everything is off by."""

from __future__ import annotations

import json

import pyarrow as pa

from mesh.testing.tool_context import FakeToolContext
from services.executor.tools.metric_leaves import metric_leaves
from services.executor.tools.metric_search import metric_search
from tests.unit.executor.metric_data import ran, rows_of


def test_what_is_new_and_what_is_gone_explain_themselves_and_nothing_more() -> None:
    at = range(180)
    leaves = pa.table(
        {
            "region": [f"r{n % 9}" for n in at],
            "product": [f"p{n // 9}" for n in at],
            "real": [0.0 if n % 9 == 0 else 100.0 + n % 7 for n in at],
            "predicted": [0.0 if n % 9 == 4 else 103.0 - n % 5 / 2 for n in at],
        }
    )
    arguments = {
        "input": "leaves",
        "dimensions": ["region", "product"],
        "real": "real",
        "predicted": "predicted",
    }
    made = metric_leaves.run(
        metric_leaves.arguments.model_validate(arguments), FakeToolContext({"leaves": leaves})
    )
    assert made.frame is not None
    rows = rows_of(ran(metric_search, made.frame))
    told = {row["kind"]: row for row in reversed(rows)}

    gone, new = told["vanished"], told["new"]
    assert json.loads(gone["segment"]) == {"region": "r0"}
    assert json.loads(new["segment"]) == {"region": "r4"}
    assert abs(gone["effect"] + gone["baseline"]) < 0.05 * gone["baseline"]
    assert new["effect"] == new["comparison"]
    assert told["alike"]["p_corrected"] > 0.05, "all others came as forecast"
    whole = told["total"]["effect"]
    rest = told["alike"]["effect"]
    assert abs(gone["effect"] + new["effect"] + rest - whole) < 1e-6, "they add up"
