"""The charts of an investigation: steps like any other, added to the plan by its last decision."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from services.planner.domain.investigation.contributions import contribution_steps
from services.planner.domain.investigation.explaining import MIX
from services.planner.domain.investigation.found import ALPHA, Row, ended, rows_of, statistics_of
from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.history import CUBE
from services.planner.domain.investigation.hypothesising import Segment, in_words
from services.planner.domain.investigation.iteration import Move, NextStep
from services.planner.domain.investigation.leaves.sides import side_called
from services.planner.domain.investigation.wording import called, day_called, is_share
from services.planner.domain.plan import Subtask
from services.planner.domain.reporting.evidence import EvidenceTable

WATERFALL, SERIES, SEGMENT = "waterfall", "series", "segment"
FIRST_CHART = "chart_waterfall"
"""The chart that a report shows first."""
_CHARTS = {WATERFALL: FIRST_CHART, SERIES: "chart_series", SEGMENT: "chart_segment"}
_FILES = {SERIES: "along_time", SEGMENT: "segment_along_time"}


def with_drawings(
    step: NextStep, ground: Ground, tables: Mapping[str, EvidenceTable], tools: frozenset[str]
) -> NextStep:
    """A concluding step with the calls that draw what was found, or split the change by each
    dimension where nothing was; any other step as it is.

    `tables` are the frames there are by their tasks, `tools` the executor's.
    """
    if step.move is not Move.CONCLUDE or step.subtasks or "plot.render" not in tools:
        return step
    made: list[Subtask] = []
    search = next((task for task in tables if ended(task) == "search"), None)
    if search is not None and "metric.waterfall" in tools and _stands_out(tables[search]):
        made += _waterfall(ground, search)
    elif search is not None and "metric.contribution" in tools:
        made += contribution_steps(ground, tables[search])
    if (
        not ground.leaf
        and "metric.series" in tools
        and any(ended(task) in ("change", "search") for task in tables)
    ):
        first = _largest(tables)
        if first is not None and first.segment and first["kind"] != MIX:
            made += _series(ground, str(first["onset"] or ""), first.segment)
            made += _series(ground, "")
        else:
            made += _series(ground, _onset(first, tables))
    return step.model_copy(update={"subtasks": tuple(made)})


def _stands_out(table: EvidenceTable) -> bool:
    return any(row.stands_out and row["kind"] != "total" for row in rows_of(table))


def _largest(tables: Mapping[str, EvidenceTable]) -> Row | None:
    """The row of the explanation that is most of the change, or None."""
    rows = [row for task, t in tables.items() if ended(task) == "search" for row in rows_of(t)]
    found = [row for row in rows if row.stands_out and row["kind"] != "total"]
    return max(found, key=lambda row: abs(row.figure("effect") or 0.0), default=None)


def _onset(first: Row | None, tables: Mapping[str, EvidenceTable]) -> str:
    """When the largest explanation begins; of the whole where there is none and it moved unusually
    far."""
    if first is not None:
        return str(first["onset"] or "")
    for task, table in tables.items():
        if ended(task) == "change":
            rows = statistics_of(table)
            p = rows["p_value"].figure("value") if "p_value" in rows else None
            if "onset" in rows and p is not None and p <= ALPHA:
                return str(rows["onset"]["text"] or "")
    return ""


def _waterfall(ground: Ground, search: str) -> list[Subtask]:
    before, after = side_called(ground, "baseline"), side_called(ground, "comparison")
    frame = Subtask(
        task_id=WATERFALL,
        description=f"from {before} to {after}, one step an explanation",
        tool_name="metric.waterfall",
        arguments={"input": search, "baseline": before, "comparison": after},
        dependencies=(search,),
        estimated_cost_seconds=0.1,
    )
    chart = {
        "type": "waterfall",
        "input": WATERFALL,
        "x_col": "label",
        "y_col": "end",
        "start_col": "start",
        "series_col": "kind",
        "title": _title(ground),
        "y_label": called(ground),
        "file_name": "explanations",
        **_looks(ground),
    }
    return [frame, _drawn(_CHARTS[WATERFALL], "the explanations as a waterfall", chart, WATERFALL)]


def _title(ground: Ground) -> str:
    if ground.leaf is not None:
        return f"Why {called(ground)} differs from its forecast"
    before, after = side_called(ground, "baseline"), side_called(ground, "comparison")
    return f"What moved {called(ground)} from {before} to {after}"


def _series(ground: Ground, onset: str, segment: Segment = ()) -> list[Subtask]:
    """A line of the metric in a segment, or of all; with a segment, that of all is its context."""
    periods = ground.periods
    what = f"{called(ground)} of {in_words(segment)}" if segment else called(ground)
    task = SEGMENT if segment else SERIES
    frame = Subtask(
        task_id=task,
        description=f"{what} along time"[:150]
        + (f", which changes on {day_called(onset)}" if onset else ""),
        tool_name="metric.series",
        arguments={**periods, "within": dict(segment)} if segment else periods,
        dependencies=(CUBE,),
        estimated_cost_seconds=0.1,
    )
    shaded = [
        {"start": period["start"], "end": period["end"], "label": name}
        for name, period in periods.items()
    ]
    chart = {
        "type": "line",
        "input": task,
        "x_col": "bucket",
        "y_col": "value",
        "title": f"{what[:1].upper()}{what[1:]} along time",
        "y_label": called(ground),
        "x_label": "time",
        "shaded": shaded,
        "marked": [{"at": onset, "label": "onset"}] if onset else [],
        "file_name": _FILES[task],
        **_looks(ground),
    }
    return [frame, _drawn(_CHARTS[task], f"{what} along time, both periods"[:200], chart, task)]


def _drawn(task: str, description: str, arguments: dict[str, Any], of: str) -> Subtask:
    return Subtask(
        task_id=task,
        description=description,
        tool_name="plot.render",
        arguments=arguments,
        dependencies=(of,),
        estimated_cost_seconds=0.5,
    )


def _looks(ground: Ground) -> dict[str, Any]:
    return {
        "unit": ground.unit or None,
        "fraction": is_share(ground),
        "additive": not ground.ratio,
        "source": ground.source_name,
    }
