"""A plan that grows while it runs: what is decided on adds steps to it, logged before they run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mesh.errors import PLAN_INVALID, AssayError
from services.planner.domain.jobs.job import Job
from services.planner.domain.plan import Plan, Subtask
from services.planner.domain.step import Step
from services.planner.jobs.collaborators import Collaborators, JobContext
from services.planner.ports import AuditEvent

Entries = Callable[[Plan, Sequence[Subtask]], list[AuditEvent]]
"""What the log is told of a plan that has grown by some subtasks."""


async def grown(
    with_: Collaborators,
    context: JobContext,
    job: Job,
    subtasks: Sequence[Subtask],
    reason: str,
    entries: Entries,
    answer_task: str = "",
) -> Job:
    """The job with the subtasks in its plan; those that it has already stay.

    `answer_task` is the step whose frame is the answer from now on; empty leaves it as it is.
    Raises AssayError(PLAN_INVALID) for a tool that the executor has not.
    """
    if job.plan is None:
        raise ValueError(f"job {job.job_id} has no plan")
    known = {task.task_id for task in job.plan.draft.subtasks}
    further = tuple(task for task in subtasks if task.task_id not in known)
    before = job.plan.draft
    update = {"subtasks": (*before.subtasks, *further), "reasoning": reason}
    draft = before.model_copy(update={**update, "answer_task": answer_task or before.answer_task})
    tools = await with_.tools.names()
    unknown = [task.tool_name for task in further if task.tool_name not in tools]
    if unknown:
        raise AssayError(PLAN_INVALID, f"the executor has no tool {unknown[0]}")
    plan = job.plan.model_copy(update={"draft": draft})
    steps = tuple(
        Step(task_id=task.task_id, description=task.description, tool_name=task.tool_name)
        for task in further
    )
    await with_.audit.append(job.job_id, entries(plan, further))
    job = job.model_copy(
        update={"plan": plan, "steps": (*job.steps, *steps), "progress_reason": reason}
    )
    job = await context.writer.save(job, [("plan", plan.model_dump(mode="json"))])
    context.notify()
    return job
