"""figures.collect: asked figures from the frames of earlier steps."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from mesh.testing.tool_context import FakeToolContext
from mesh.tool import ToolError, ToolResult
from services.executor.tools.figures_collect import figures_collect

TEST = pa.table(
    {
        "about": ["", "", "weight", "height"],
        "statistic": ["t", "p-value", "coefficient", "coefficient"],
        "value": [2.345, 0.0000421, -1.5, None],
    }
)
GROUPS = pa.table({"name": ["a", "b"], "value": [1.25, 3.0]})


def collected(*figures: dict[str, Any]) -> ToolResult:
    context = FakeToolContext({"tested": TEST, "groups": GROUPS})
    arguments = figures_collect.arguments.model_validate({"figures": list(figures)})
    found = figures_collect.run(arguments, context)
    assert isinstance(found, ToolResult)
    return found


def rows(*figures: dict[str, Any]) -> list[dict[str, Any]]:
    frame = collected(*figures).frame
    assert frame is not None
    found: list[dict[str, Any]] = frame.to_pylist()
    return found


def cell(statistic: str, **more: Any) -> dict[str, Any]:
    return {"input": "tested", "where": {"statistic": statistic}, **more}


def test_a_figure_is_told_under_its_name_with_the_decimals_asked_for() -> None:
    [row] = rows({"label": "t", "name": "t_stat", "cell": cell("t"), "decimals": 1})
    assert row == {
        "about": "t_stat",
        "statistic": "t",
        "value": 2.3,
        "text": "2.3",
        "asked": "@t_stat[2.3]",
        "exact": 2.345,
    }


def test_what_rounds_to_nought_is_said_to_be_more() -> None:
    found = collected({"label": "p", "name": "p", "cell": cell("p-value"), "decimals": 3})
    assert found.frame is not None
    assert found.frame["asked"].to_pylist() == ["@p[0.000]"]
    assert found.notes == ("p is 4.21e-05, which rounds to nought.",)


def test_a_verdict_follows_from_the_number_as_it_is_not_as_it_is_rounded() -> None:
    rule = {"comparison": "<", "limit": 0.05, "yes": "yes", "no": "no"}
    [row] = rows({"label": "clear", "name": "clear", "cell": cell("p-value"), "rule": rule})
    assert (row["asked"], row["value"]) == ("@clear[yes]", None)
    less = {"comparison": ">", "limit": 1.0, "yes": "strong", "no": "weak"}
    weight = {"where": {"statistic": "coefficient", "about": "weight"}, "input": "tested"}
    [row] = rows({"label": "w", "cell": weight, "rule": less, "absolute": True})
    assert row["text"] == "strong"


def test_differences_and_groups_are_figures_too() -> None:
    first, second = ({"input": "groups", "where": {"name": name}} for name in "ab")
    found = rows(
        {"label": "gap", "cell": first, "minus": second, "absolute": True},
        {"label": "mean", "cell": {"input": "groups"}, "each": "name"},
    )
    assert [(r["statistic"], r["text"]) for r in found] == [
        ("gap", "1.75"),
        ("mean of a", "1.25"),
        ("mean of b", "3"),
    ]


def test_a_number_that_is_not_there_is_said_to_be_missing() -> None:
    height = {"input": "tested", "where": {"about": "height"}}
    found = collected({"label": "height", "name": "h", "cell": height})
    assert found.frame is not None
    assert found.frame["asked"].to_pylist() == ["@h[none]"]
    assert found.notes == ("There is no height: no row has a value.",)


def test_a_cell_that_is_not_there_is_an_error_that_names_it() -> None:
    with pytest.raises(ToolError, match="tells no odds ratio"):
        rows({"label": "odds", "cell": cell("odds ratio")})
    with pytest.raises(ToolError, match="no frame of a step nowhere"):
        rows({"label": "odds", "cell": {"input": "nowhere"}})
