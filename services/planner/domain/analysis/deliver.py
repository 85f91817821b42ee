"""Deliverables that are steps of their own: the answer's table as a file."""

from __future__ import annotations

from collections.abc import Collection

from services.planner.domain.analysis.request import Deliverable
from services.planner.domain.language.planning.reasoning import reasons_of
from services.planner.domain.plan import PlanDraft, Subtask

TABLE_TASK = "table"


def with_files(draft: PlanDraft, deliverables: Collection[Deliverable]) -> PlanDraft:
    """The draft with a step that writes the answer's table, where tables were asked for."""
    if Deliverable.TABLES not in deliverables:
        return draft
    write = Subtask(
        task_id=TABLE_TASK,
        description="write the table as CSV",
        tool_name="table.write",
        arguments={"input": draft.answer_task, "file_name": "result.csv"},
        dependencies=(draft.answer_task,),
        invariants=("every row of the answer, in its order",),
        estimated_cost_seconds=0.05,
    )
    why = " ".join([draft.reasoning, *reasons_of([write])]).strip()
    return draft.model_copy(update={"subtasks": (*draft.subtasks, write), "reasoning": why})
