"""What the suites about jobs share: a database of each kind, and jobs to put in it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mesh.ids import new_id
from services.planner.adapters import tables
from services.planner.adapters.job_store import SqlJobStore
from services.planner.domain.data_source import DataSource
from services.planner.domain.jobs.job import Job, JobState
from services.planner.domain.jobs.lease import Holder, Lease
from services.planner.domain.plan import Plan, PlanDraft, Subtask
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.request import Constraints
from services.planner.domain.step import Step
from services.planner.store_ports import JobWriter

MIGRATIONS = Path(tables.__file__).parent / "migrations"
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
FIRST, SECOND = Holder("a" * 32, 3.0), Holder("b" * 32, 3.0)


def new_job(tenant: str = "ann", minutes: int = 0, timeout: int = 60) -> Job:
    job_id = new_id()
    when = NOW + timedelta(minutes=minutes)
    request = AnalysisRequest(
        request_id=job_id,
        intent="revenue by month",
        data_sources=(DataSource(file_path="orders.csv"),),
        constraints=Constraints(timeout_seconds=timeout),
        timestamp=when,
    )
    return Job(
        job_id=job_id,
        tenant=tenant,
        state=JobState.SUBMITTED,
        request=request,
        created_at=when,
        updated_at=when,
    )


def planned(job: Job, tasks: Sequence[str] = ("load",)) -> Job:
    subtasks = tuple(
        Subtask(task_id=t, description=t, tool_name="sql.run", arguments={"query": "SELECT 1"})
        for t in tasks
    )
    draft = PlanDraft(subtasks=subtasks, reasoning="because", answer_task=tasks[0])
    return job.model_copy(
        update={
            "state": JobState.EXECUTING,
            "plan": Plan(plan_id=new_id(), request_id=job.job_id, draft=draft, created_at=NOW),
            "steps": tuple(Step(task_id=t, description=t, tool_name="sql.run") for t in tasks),
        }
    )


async def created(
    store: SqlJobStore, job: Job | None = None, holder: Holder = FIRST
) -> tuple[Job, Lease]:
    stored, lease = await store.create(job or new_job(), holder)
    assert lease is not None
    return stored, lease


async def executing(store: SqlJobStore, tasks: Sequence[str] = ("load",)) -> tuple[Job, JobWriter]:
    job, lease = await created(store)
    writer = store.under(lease)
    job = await writer.save(job.model_copy(update={"state": JobState.PLANNING}))
    return await writer.save(planned(job, tasks)), writer
