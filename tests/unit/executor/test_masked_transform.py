"""df.transform over frames with pseudonyms: they stay whole, or are seen to be parts."""

from __future__ import annotations

import threading
import time
from typing import Any

import pyarrow as pa
import pytest

from mesh.policy import Policy
from mesh.pseudonym import presented, pseudonym
from services.executor.call import Call, RunningContext
from services.executor.catalogue import ToolCatalogue
from services.executor.running import within_policy

ADA, BOB = (presented(pseudonym(text, "email", b"key")) for text in ("ada", "bob"))
FRAME = pa.table({"who": [ADA, BOB, ADA], "n": [1, 2, 3]})


def transformed(*steps: dict[str, Any]) -> pa.Table:
    policy = Policy(blocked_patterns=("email",))
    call = Call("c", "t", "r", "df.transform", {"steps": list(steps)}, (), policy, 100, 60.0, {})
    context = RunningContext(
        inputs={"load": FRAME},
        row_limit=100,
        deadline=time.monotonic() + 60,
        cancelled=threading.Event(),
        engines=None,  # type: ignore[arg-type]
        open_sources=tuple,
        policy=policy,
        report=lambda message, fraction: None,
        sandbox=None,  # type: ignore[arg-type]
    )
    result = within_policy(ToolCatalogue().get("df.transform"), call, context)
    assert result.frame is not None
    return result.frame


def derived(expression: str) -> list[str]:
    step = {"operation": "derive", "column": "x", "expression": expression}
    found: list[str] = transformed(step)["x"].to_pylist()
    return found


@pytest.mark.parametrize("expression", ["upper(who)", "lower(who)", "trim(who)", "concat(who, '')"])
def test_what_leaves_it_whole_shows_it(expression: str) -> None:
    assert derived(expression) == [ADA, BOB, ADA]


def test_a_part_is_shown_as_a_mask() -> None:
    assert derived("substr(who, 2, 4)") == ["[blocked]"] * 3
    assert derived("concat(substr(who, 1, 3), '@example.org')") == ["[blocked]@example.org"] * 3


def test_groups_columns_and_conditions_name_it_as_people_see_it() -> None:
    total = {"function": "sum", "column": "n", "name": "total"}
    grouped = transformed({"operation": "aggregate", "by": ["who"], "measures": [total]})
    assert {row["who"]: row["total"] for row in grouped.to_pylist()} == {ADA: 4, BOB: 2}
    pivoted = transformed({"operation": "pivot", "columns": "who", "values": "n"})
    assert set(pivoted.column_names) == {ADA, BOB}
    condition = {"column": "who", "operator": "eq", "value": ADA}
    kept = transformed({"operation": "filter", "conditions": [condition]})
    assert kept["n"].to_pylist() == [1, 3]
