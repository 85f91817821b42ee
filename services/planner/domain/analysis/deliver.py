"""Deliverables that are steps of their own: tables as files."""

from __future__ import annotations

from collections.abc import Collection

from services.planner.domain.plan import FURTHER, PlanDraft, Subtask
from services.planner.domain.query.planning.reasoning import reasons_of
from services.planner.domain.question import Deliverable

TABLE_TASK = "table"


def with_files(draft: PlanDraft, deliverables: Collection[Deliverable]) -> PlanDraft:
    """The draft with steps that write the tables of the answer and of further results, where tables
    were asked for."""
    if Deliverable.TABLES not in deliverables:
        return draft
    further = [task.task_id for task in draft.subtasks if task.task_id.startswith(FURTHER)]
    write = [_written(TABLE_TASK, draft.answer_task, "result.csv")]
    write += [_written(f"{TABLE_TASK}_{name}", name, f"{name}.csv") for name in further]
    why = " ".join([draft.reasoning, *reasons_of(write)]).strip()
    return draft.model_copy(update={"subtasks": (*draft.subtasks, *write), "reasoning": why})


def _written(task_id: str, result: str, file: str) -> Subtask:
    return Subtask(
        task_id=task_id,
        description="write the table as CSV",
        tool_name="table.write",
        arguments={"input": result, "file_name": file},
        dependencies=(result,),
        invariants=("every row of the answer, in its order",),
        estimated_cost_seconds=0.05,
    )
