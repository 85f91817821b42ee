"""A statement whose meaning is an intent: told, drawn and gone on from as the reader's own are.

The statement stays as it was written, and is what runs. What stands beside its rows, the chart, the
totals that sentences tell, whether a limit cuts equals, is the equal intent's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.charts.choosing import charted
from services.planner.domain.charts.drawing import CHART
from services.planner.domain.drafting.draft import draft_plan
from services.planner.domain.drafting.summed import LOAD
from services.planner.domain.plan import PlanDraft, Subtask
from services.planner.domain.proposals.charting import chart_named
from services.planner.domain.query.from_sql.recover import intent_of
from services.planner.domain.query.intent import Intent, Understood
from services.planner.domain.query.planning.sql import render
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.statements.column import ResultColumn


@dataclass(frozen=True)
class Intended:
    """The intent of a statement, and the plan that its rows are told by: without the load."""

    intent: Intent
    beside: tuple[Subtask, ...]
    reasoning: str


def intended(
    text: str,
    names: Sequence[str],
    request: AnalysisRequest,
    catalogue: Catalogue,
    columns: Sequence[ResultColumn] = (),
) -> Intended | None:
    """What a statement means, whose result has columns of these `names`; None where no intent is
    proven to say the same, or where one would ask for other rows to be told by.

    Without `names` those that the statement gives count, which has to name what it works out.
    `columns` say which units the numbers have, where the data do not.
    """
    intent = intent_of(text, catalogue, columns=names)
    if intent is None:
        return None
    if (named := chart_named(request.intent)) is not None:
        intent = intent.model_copy(update={"chart": named, "chart_named": True})
    intent = charted(intent, catalogue)
    draft = plan_of(intent, request, catalogue)
    load = next(task for task in draft.subtasks if task.task_id == LOAD)
    if load.arguments["query"] != render(intent, catalogue).text or draft.answer_task != LOAD:
        return None  # a sample, or ranges that are counted in place of rows
    units = {one.name: one.unit for one in columns if one.unit}
    beside = (_with_unit(task, units) for task in draft.subtasks if task.task_id != LOAD)
    return Intended(intent, tuple(beside), draft.reasoning)


def plan_of(intent: Intent, request: AnalysisRequest, catalogue: Catalogue) -> PlanDraft:
    """The plan that the built-in rules draw up of an intent."""
    return draft_plan(
        Understood(intent=intent, summary="", confidence=1.0),
        catalogue,
        deliverables=request.deliverables,
        row_limit=request.constraints.row_limit,
        timeout_seconds=request.constraints.timeout_seconds,
    )


def _with_unit(task: Subtask, units: dict[str, str]) -> Subtask:
    """The chart with the unit that was said of its number, where the data name none."""
    unit = units.get(str(task.arguments.get("y_col", "")), "")
    if task.task_id != CHART or not unit or "unit" in task.arguments:
        return task
    arguments: dict[str, Any] = {**task.arguments, "unit": unit}
    return task.model_copy(update={"arguments": arguments})
