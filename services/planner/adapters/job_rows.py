"""Rows of the planner's tables to and from the domain's values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import bindparam, delete, func, select
from sqlalchemy.orm import Session

from mesh.errors import NOT_FOUND, AssayError
from mesh.ids import new_id
from services.planner.adapters.tables import (
    DecisionRow,
    GapRow,
    JobEventRow,
    PlannerMessageRow,
    PlannerRow,
    ToolCallRow,
    WorkerRow,
)
from services.planner.domain.agents import failed_task_limit_of, instruction_of, wip_answer
from services.planner.domain.calls import Artifact
from services.planner.domain.clarification import Clarification
from services.planner.domain.decision import Decision
from services.planner.domain.failure import Failure
from services.planner.domain.jobs.gaps import gaps_in
from services.planner.domain.jobs.job import PLANNER_STATUS, Job, JobPhase, JobState
from services.planner.domain.jobs.kinds import Result, Work
from services.planner.domain.model_use import ModelUse, total_use, use_of
from services.planner.domain.plan import Plan
from services.planner.domain.step import WORKER_STATUS, Step

EventData = tuple[str, dict[str, Any]]
_REQUEST: TypeAdapter[Work] = TypeAdapter(Work)
_RESULT: TypeAdapter[Result] = TypeAdapter(Result)
# Built once: to build a query takes a third of what it takes to run it, and all that reads or
# writes a job asks these.
_OF_PLAN = (
    WorkerRow.planner_id == bindparam("job_id"),
    WorkerRow.plan_id == bindparam("plan_id"),
)
_WORKERS = select(WorkerRow).where(*_OF_PLAN).order_by(WorkerRow.position)
_WORKER = select(WorkerRow).where(*_OF_PLAN, WorkerRow.task_id == bindparam("task_id"))
_STEPS = select(WorkerRow.step).where(*_OF_PLAN).order_by(WorkerRow.position)


def not_found(job_id: str) -> AssayError:
    """The refusal of an id that is nobody's, or somebody else's."""
    return AssayError(NOT_FOUND, f"there is no job {job_id!r}")


def dumped(value: Clarification | Result | Failure | None) -> dict[str, Any] | None:
    """A value as JSON, or None."""
    return value.model_dump(mode="json") if value is not None else None


@cache
def _names() -> dict[str, list[str]]:
    text = files("services.planner.adapters").joinpath("names.json").read_text(encoding="utf-8")
    names: dict[str, list[str]] = json.loads(text)
    return names


def name_of(kind: str, identity: str) -> str:
    """A name for people, always the same for one id."""
    names = _names()[kind]
    return names[int(identity, 16) % len(names)]


def new_job(job: Job) -> PlannerRow:
    """The row of a job that is not stored yet."""
    return PlannerRow(
        planner_id=job.job_id,
        planner_name=name_of("planners", job.job_id),
        user_question=job.request.question,
        instruction=instruction_of(job.request) or None,
        failed_task_limit=failed_task_limit_of(job.request),
        tenant=job.tenant,
        asked_by=job.asked_by,
        kind=job.kind.value,
        session_id=job.session_id,
        conversation_id=job.conversation_id,
        turn=job.turn,
        parent_job_id=job.parent_job_id,
        request=job.request.model_dump(mode="json"),
        created_at=job.created_at,
        updated_at=job.created_at,
        trace_id=job.trace_id,
        status=PLANNER_STATUS[job.state],
        state=job.state.value,
        last_event=0,
        phase="",
        progress=0,
        progress_reason=job.progress_reason,
        understood="",
        reply="",
        replies=0,
    )


def tell(session: Session, row: PlannerRow, events: Sequence[EventData], now: datetime) -> None:
    """Store what watchers of a job are told, numbered after what they were told before."""
    for kind, data in events:
        row.last_event += 1
        session.add(
            JobEventRow(
                planner_id=row.planner_id,
                sequence=row.last_event,
                timestamp=now,
                kind=kind,
                data=data,
            )
        )


def store_message(
    session: Session,
    row: PlannerRow,
    role: str,
    content: str,
    now: datetime,
    image: str | None = None,
) -> None:
    """Store a message between a person and a job, with the place of its chart."""
    session.add(
        PlannerMessageRow(
            agent_id=row.planner_id, role=role, content=content, image=image, timestamp=now
        )
    )


def new_worker(job: Job, position: int, step: Step, now: datetime) -> WorkerRow:
    """The row of a step that is not stored yet."""
    worker_id = new_id()
    subtask = job.plan.draft.subtasks[position] if job.plan else None
    return WorkerRow(
        worker_id=worker_id,
        worker_name=name_of("workers", worker_id),
        planner_id=job.job_id,
        plan_id=job.plan.plan_id if job.plan else "",
        task_id=step.task_id,
        position=position,
        task_status=WORKER_STATUS[step.state],
        task_description=step.description,
        acceptance_criteria=list(subtask.invariants) if subtask else [],
        user_request=job.request.question,
        querying_structured_data=step.tool_name == "sql.run",
        tools=[step.tool_name],
        variable_keys=list(subtask.dependencies) if subtask else [],
        image_keys=[],
        wip_answer_template=wip_answer(job.request.question, job.steps),
        created_at=now,
        updated_at=now,
        step=step.model_dump(mode="json"),
    )


def keep_step(worker: WorkerRow, step: Step, steps: Sequence[Step], now: datetime) -> None:
    """Write a step's state into its row; a step that has ended stays as it ended.

    `steps` are all of the plan, as they stand: what has ended is filled into the answer that is
    being made.
    """
    if Step.model_validate(worker.step).state.final:
        return
    worker.step = step.model_dump(mode="json")
    worker.task_status = WORKER_STATUS[step.state]
    worker.task_result = step.detail if step.state.final else None
    known = [step if one.task_id == step.task_id else one for one in steps]
    worker.wip_answer_template = wip_answer(worker.user_request or "", known)
    worker.updated_at = now


def keep_use(row: PlannerRow | WorkerRow, decision: Decision) -> None:
    """Add what a decision took of a language model to what the agent's row tells of that; nothing
    where none was asked."""
    if (asked := use_of([decision])) is None:
        return
    known = row.agent_metadata or {}
    before = ModelUse.model_validate(known["model_use"]) if "model_use" in known else None
    use = total_use([before, asked]) or asked
    row.agent_metadata = {**known, "model_use": use.model_dump(mode="json")}
    if isinstance(row, PlannerRow):
        row.model = asked.model


def keep_decision(session: Session, decision: Decision) -> bool:
    """Store a decision after those before it, and with the job what it took of a language model;
    one that is stored already stays as it is. Whether it is new."""
    if session.get(DecisionRow, decision.decision_id) is not None:
        return False
    session.add(
        DecisionRow(
            decision_id=decision.decision_id,
            planner_id=decision.job_id,
            position=next_position(session, DecisionRow, decision.job_id),
            decision=decision.model_dump(mode="json"),
        )
    )
    keep_use(session.get_one(PlannerRow, decision.job_id), decision)
    if decision.kind == "plan":
        keep_gaps(session, decision)
    return True


def keep_gaps(session: Session, decision: Decision) -> None:
    """Store what a planning decision says is missing or in doubt, in the place of what an earlier
    one of the job said: that one no longer stands."""
    session.execute(delete(GapRow).where(GapRow.planner_id == decision.job_id))
    session.add_all(
        GapRow(planner_id=decision.job_id, kind=kind.value, subject=subject)
        for kind, subject in gaps_in(decision.decided)
    )


def next_position(
    session: Session, table: type[ToolCallRow] | type[DecisionRow], job_id: str
) -> int:
    """The place after all that are kept of a job in a table that numbers them."""
    query = select(func.count()).select_from(table).where(table.planner_id == job_id)
    return session.scalar(query) or 0


def workers_of(session: Session, row: PlannerRow) -> Sequence[WorkerRow]:
    """The rows of the steps of a job's plan, in its order."""
    return session.scalars(_WORKERS, _plan_of(row)).all()


def worker_of(session: Session, row: PlannerRow, task_id: str, plan_id: str = "") -> WorkerRow:
    """The row of a step of a plan of the job: of that which it has now, where none is named."""
    return session.scalars(_WORKER, {**_plan_of(row, plan_id), "task_id": task_id}).one()


def steps_of(session: Session, row: PlannerRow) -> tuple[Step, ...]:
    """The steps of a job's plan, in its order."""
    return tuple(Step.model_validate(step) for step in session.scalars(_STEPS, _plan_of(row)))


def _plan_of(row: PlannerRow, plan_id: str = "") -> dict[str, str]:
    plan_id = plan_id or (row.plan["plan_id"] if row.plan else "")
    return {"job_id": row.planner_id, "plan_id": plan_id}


def summary_of(row: PlannerRow) -> Job:
    """A job without its plan, steps and answer."""
    return Job(
        job_id=row.planner_id,
        tenant=row.tenant,
        asked_by=row.asked_by,
        state=JobState(row.state),
        request=_REQUEST.validate_python(row.request),
        understood=row.understood,
        created_at=row.created_at.astimezone(UTC),
        updated_at=row.updated_at.astimezone(UTC),
        phase=JobPhase(row.phase) if row.phase else None,
        progress=row.progress,
        progress_reason=row.progress_reason,
        session_id=row.session_id,
        conversation_id=row.conversation_id,
        turn=row.turn,
        parent_job_id=row.parent_job_id,
        trace_id=row.trace_id,
        replies=row.replies,
        clarification=Clarification.model_validate(row.clarification)
        if row.clarification
        else None,
        failure=Failure.model_validate(row.failure) if row.failure else None,
    )


def job_of(session: Session, row: PlannerRow, steps: tuple[Step, ...] | None = None) -> Job:
    """A job with all it has. Its `steps` are read, unless they are known."""
    return summary_of(row).model_copy(
        update={
            "plan": Plan.model_validate(row.plan) if row.plan else None,
            "steps": steps_of(session, row) if steps is None else steps,
            "reply": row.reply,
            "partial_artifacts": tuple(map(Artifact.model_validate, row.partial_artifacts or ())),
            "end_logged": row.end_logged,
            "answer": _RESULT.validate_python(row.answer) if row.answer else None,
        }
    )
