"""Writing one job under a lease: every transaction checks first that the lease is still held."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from sqlalchemy.orm import Session

from mesh.clock import Clock
from mesh.processes.failpoint import failpoint
from mesh.storage.database import Database
from services.planner.adapters.call_rows import keep_call
from services.planner.adapters.job_rows import (
    EventData,
    dumped,
    job_of,
    keep_decision,
    keep_step,
    keep_use,
    new_worker,
    steps_of,
    store_message,
    tell,
    worker_of,
    workers_of,
)
from services.planner.adapters.leases import require
from services.planner.adapters.tables import LeaseRow, PlannerRow, WorkerRow
from services.planner.domain.agents import execution_plan_of
from services.planner.domain.calls import Observation, ToolCall, picture_of
from services.planner.domain.decision import Decision
from services.planner.domain.jobs.job import (
    PLANNER_STATUS,
    Job,
    JobState,
    check_move,
    progress_of,
)
from services.planner.domain.jobs.lease import Lease, LeaseLostError
from services.planner.domain.step import Step

T = TypeVar("T")


class SqlJobWriter:
    """The JobWriter port over SQLAlchemy."""

    def __init__(self, database: Database, clock: Clock, lease: Lease) -> None:
        self._database = database
        self._clock = clock
        self._lease = lease

    async def held(self) -> bool:
        """Whether the lease can still be written under."""

        def work(session: Session) -> bool:
            row = session.get(LeaseRow, self._lease.job_id)
            mine = (self._lease.owner, self._lease.token)
            return row is not None and (row.owner, row.token) == mine

        return await self._database.reading(work)

    async def save(
        self, job: Job, events: Sequence[EventData] = (), decisions: Sequence[Decision] = ()
    ) -> Job:
        """Store a job's new state, its steps, what watchers are told and what was decided.

        A job that has ended, or waits for a person, needs no planner: its lease ends here.
        """

        def work(session: Session, lease: LeaseRow) -> Job:
            now = self._clock.now()
            row = session.get_one(PlannerRow, job.job_id)
            moved = JobState(row.state) is not job.state
            if moved:
                check_move(row.planner_id, JobState(row.state), job.state)
            for decision in decisions:
                keep_decision(session, decision)
            with session.no_autoflush:  # the row is written once, with what is told of it
                workers = self._update(session, row, job)
            tell(session, row, events, now)
            if moved and job.clarification and job.state is JobState.WAITING:
                store_message(session, row, "assistant", job.clarification.question, now)
                lease.owner = lease.deadline = None  # while a person thinks, no time passes
            if moved and job.state.final:
                text = job.answer.text if job.answer else job.failure.message if job.failure else ""
                image = picture_of(job.answer.artifacts) if job.answer else None
                store_message(session, row, "assistant", text, now, image)
                lease.owner = None
            session.flush()
            return job_of(session, row, tuple(Step.model_validate(one.step) for one in workers))

        return await self._write(f"{decisions[0].kind}-decided" if decisions else job.state, work)

    async def save_step(
        self,
        job: Job,
        step: Step,
        call: ToolCall | None = None,
        observation: Observation | None = None,
        decision: Decision | None = None,
    ) -> Job:
        """Store a step's new state with the call or observation that moved it."""

        def work(session: Session, lease: LeaseRow) -> Job:
            row = session.get_one(PlannerRow, job.job_id)
            worker = worker_of(session, row, step.task_id)
            before = steps_of(session, row)
            with session.no_autoflush:  # of what is read here nothing was written above
                keep_step(worker, step, before, self._clock.now())
                if call is not None:
                    keep_call(session, job.job_id, worker, call, observation)
                if decision is not None and keep_decision(session, decision):
                    keep_use(worker, decision)
            kept = Step.model_validate(worker.step)
            steps = tuple(kept if one.task_id == step.task_id else one for one in before)
            pairs = [("step", step.model_dump(mode="json"))]
            percent = progress_of(row.kind, JobState(row.state), steps)
            if percent > row.progress:
                ended = sum(one.state.final for one in steps)
                row.progress, row.progress_reason = percent, f"{ended} of {len(steps)} steps ended"
                pairs.append(("progress", {"percent": percent, "reason": row.progress_reason}))
            row.updated_at = self._clock.now()
            tell(session, row, pairs, self._clock.now())
            return job_of(session, row, steps)

        return await self._write(f"step-{step.state}", work)

    async def keep_observation(self, job: Job, call: ToolCall, observation: Observation) -> None:
        """Store what came back from a call, before anybody is told of it."""

        def work(session: Session, lease: LeaseRow) -> None:
            row = session.get_one(PlannerRow, job.job_id)
            worker = worker_of(session, row, call.task_id, call.plan_id)
            with session.no_autoflush:  # of what is read here nothing was written above
                keep_call(session, job.job_id, worker, call, observation)

        await self._write("observed", work)

    async def _write(self, what: str, work: Callable[[Session, LeaseRow], T]) -> T:
        """One transaction under the lease. Raises LeaseLostError, having written nothing."""

        def checked(session: Session) -> T:
            done = work(session, require(session, self._lease))
            session.flush()
            failpoint(f"planner: {what}, uncommitted")
            return done

        if not self._lease.owner:
            raise LeaseLostError(self._lease.job_id)
        done = await self._database.in_transaction(checked)
        failpoint(f"planner: {what}, committed")
        return done

    def _update(self, session: Session, row: PlannerRow, job: Job) -> list[WorkerRow]:
        """Write a job's new state into its row; the rows of its plan's steps, in order."""
        now = self._clock.now()
        row.state, row.status = job.state.value, PLANNER_STATUS[job.state]
        request = job.request.model_dump(mode="json")
        if row.request != request:  # what the executor filled in
            row.request = request
        row.understood, row.reply, row.replies = job.understood, job.reply, job.replies
        row.plan = job.plan.model_dump(mode="json") if job.plan else None
        draft = job.plan.draft if job.plan else None
        row.execution_plan = execution_plan_of(draft.reasoning, draft.subtasks) if draft else None
        row.clarification = dumped(job.clarification)
        row.answer, row.failure = dumped(job.answer), dumped(job.failure)
        row.has_report = job.has_report
        row.failure_reason = job.failure.reason if job.failure else ""
        row.confidence = job.answer.confidence if job.answer else ""
        row.partial_artifacts = [a.model_dump(mode="json") for a in job.partial_artifacts]
        row.end_logged = job.end_logged
        row.phase = job.phase.value if job.phase else ""
        percent = progress_of(job.kind, job.state, job.steps)
        row.progress = max(row.progress, job.progress, percent)
        row.progress_reason = job.progress_reason
        row.updated_at = now
        known = {worker.task_id: worker for worker in workers_of(session, row)}
        for position, step in enumerate(job.steps):
            if step.task_id in known:
                keep_step(known[step.task_id], step, job.steps, now)
            else:
                known[step.task_id] = new_worker(job, position, step, now)
                session.add(known[step.task_id])
        return sorted(known.values(), key=lambda worker: worker.position)
