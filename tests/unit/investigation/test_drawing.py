"""The concluding decision carries the calls that draw what was found; no other decision does."""

from __future__ import annotations

from services.planner.domain.investigation.drawing import FIRST_CHART, with_drawings
from services.planner.domain.investigation.iteration import ExitReason, Move, NextStep
from tests.unit.investigation.frames import CHANCE, NORTH, TEAMS, change, ground, search

TOOLS = frozenset({"metric.waterfall", "metric.series", "plot.render"})
END = NextStep(move=Move.CONCLUDE, reason="all settled", exit_reason=ExitReason.CONCLUDE)


def test_what_stands_out_is_drawn_as_a_waterfall_and_marked_along_time() -> None:
    tables = {table.task_id: table for table in (change(), search(TEAMS, NORTH))}
    step = with_drawings(END, ground(), tables, TOOLS)
    assert [(t.task_id, t.tool_name, t.dependencies) for t in step.subtasks] == [
        ("waterfall", "metric.waterfall", ("i03_search",)),
        (FIRST_CHART, "plot.render", ("waterfall",)),
        ("segment", "metric.series", ("cube",)),
        ("chart_segment", "plot.render", ("segment",)),
        ("series", "metric.series", ("cube",)),
        ("chart_series", "plot.render", ("series",)),
    ]
    assert step.subtasks[1].arguments["title"] == (
        "What moved total amount from February 2024 to March 2024"
    )
    assert step.subtasks[3].arguments["marked"] == [{"at": "2024-03-05", "label": "onset"}]
    assert step.subtasks[2].arguments["within"] == {"channel": "web", "region": "North"}
    assert step.subtasks[3].arguments["title"] == (
        "Total amount of channel web with region North along time"
    )
    assert step.exit_reason is ExitReason.CONCLUDE


def test_where_nothing_stands_out_the_change_is_split_by_each_dimension() -> None:
    total = {"searched_depth": 2, "searched_dimensions": '["channel", "region"]'}
    tables = {table.task_id: table for table in (change(), search(CHANCE, total=total))}
    step = with_drawings(END, ground(), tables, TOOLS | {"metric.contribution"})
    split = [t for t in step.subtasks if t.tool_name == "metric.contribution"]
    assert [task.arguments["dimension"] for task in split] == ["channel", "region"]


def test_without_explanations_there_is_the_line_alone() -> None:
    tables = {table.task_id: table for table in (change(), search(CHANCE))}
    step = with_drawings(END, ground(), tables, TOOLS)
    assert [task.task_id for task in step.subtasks] == ["series", "chart_series"]
    assert step.subtasks[1].arguments["marked"] == []


def test_nothing_is_drawn_before_the_end_or_without_the_tools_for_it() -> None:
    tables = {table.task_id: table for table in (change(), search(NORTH))}
    going_on = NextStep(move=Move.ANALYZE, reason="further", hypothesis="hyp_001")
    assert with_drawings(going_on, ground(), tables, TOOLS) is going_on
    assert with_drawings(END, ground(), tables, frozenset({"metric.search"})) is END
    assert with_drawings(END, ground(), {}, TOOLS).subtasks == ()
