"""Jobs in SQL tables: every method is one transaction, and nothing else holds the truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, defer

from mesh.clock import Clock
from mesh.database import Database
from mesh.errors import INVALID_ARGUMENT, AssayError
from services.planner.adapters.job_rows import (
    dumped,
    job_of,
    keep_call,
    keep_decision,
    keep_step,
    name_of,
    new_worker,
    not_found,
    offset,
    steps_of,
    summary_of,
)
from services.planner.adapters.tables import (
    DecisionRow,
    JobEventRow,
    PlannerMessageRow,
    PlannerRow,
    ToolCallRow,
    WorkerRow,
)
from services.planner.domain.calls import MAX_ATTEMPTS, Observation, ToolCall
from services.planner.domain.decision import Decision
from services.planner.domain.job import (
    PLANNER_STATUS,
    Job,
    JobEvent,
    JobState,
    Step,
    progress_of,
)

Told = tuple[str, dict[str, Any]]
_SHORTEST_PREFIX = 4


class SqlJobStore:
    """The JobStore port over SQLAlchemy."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def create(self, job: Job) -> Job:
        """Store a new job with its first event; an existing id returns the stored job."""

        def work(session: Session) -> Job:
            row = session.get(PlannerRow, job.job_id)
            if row is not None:
                if row.tenant != job.tenant:
                    raise not_found(job.job_id)
                return job_of(session, row)
            row = PlannerRow(
                planner_id=job.job_id,
                planner_name=name_of("planners", job.job_id),
                user_question=job.request.intent,
                failed_task_limit=MAX_ATTEMPTS,
                tenant=job.tenant,
                kind="analysis",
                request=job.request.model_dump(mode="json"),
                created_at=job.created_at,
                updated_at=job.created_at,
                trace_id=job.trace_id,
                status=PLANNER_STATUS[job.state],
                state=job.state.value,
                last_event=0,
                progress=0,
                understood="",
                reply="",
            )
            session.add(row)
            session.flush()
            self._say(session, row, "user", job.request.intent)
            self._tell(session, row, [("state", {"state": job.state.value})])
            return job_of(session, row)

        return await self._database.in_transaction(work)

    async def get(self, tenant: str, job_id: str) -> Job:
        """A job by id or unambiguous prefix. Raises AssayError(NOT_FOUND, INVALID_ARGUMENT)."""

        def work(session: Session) -> Job:
            if len(job_id) < _SHORTEST_PREFIX:
                raise AssayError(
                    INVALID_ARGUMENT, f"{job_id!r} is too short to name a job: give 4 characters"
                )
            found = session.scalars(
                select(PlannerRow)
                .where(PlannerRow.tenant == tenant)
                .where(PlannerRow.planner_id.startswith(job_id, autoescape=True))
                .limit(2)
            ).all()
            if not found:
                raise not_found(job_id)
            if len(found) > 1:
                raise AssayError(
                    INVALID_ARGUMENT, f"several jobs begin with {job_id!r}: give more of the id"
                )
            return job_of(session, found[0])

        return await self._database.reading(work)

    async def page(self, tenant: str, size: int, token: str) -> tuple[list[Job], str]:
        """Newest first, without steps and answers, and the token of the next page."""

        def work(session: Session) -> tuple[list[Job], str]:
            query = (
                select(PlannerRow)
                .where(PlannerRow.tenant == tenant)
                .order_by(PlannerRow.created_at.desc(), PlannerRow.planner_id)
                .options(defer(PlannerRow.answer), defer(PlannerRow.plan))
                .offset(offset(token))
                .limit(size + 1)
            )
            rows = session.scalars(query).all()
            more = str(offset(token) + size) if len(rows) > size else ""
            return [summary_of(row) for row in rows[:size]], more

        return await self._database.reading(work)

    async def unfinished(self) -> list[tuple[str, str]]:
        """(tenant, job id) of every job that neither ended nor waits for a person."""
        live = [s.value for s in JobState if not s.final and s is not JobState.WAITING]

        def work(session: Session) -> list[tuple[str, str]]:
            query = select(PlannerRow.tenant, PlannerRow.planner_id).where(
                PlannerRow.state.in_(live)
            )
            return [(tenant, job_id) for tenant, job_id in session.execute(query)]

        return await self._database.reading(work)

    async def save(
        self, job: Job, events: Sequence[Told] = (), decisions: Sequence[Decision] = ()
    ) -> Job:
        """Store a job's new state, its steps, what watchers are told and what was decided."""

        def work(session: Session) -> Job:
            row = session.get_one(PlannerRow, job.job_id)
            stored = JobState(row.state)
            if stored is not job.state:
                job_of(session, row).check_transition(job.state)
            self._update(session, row, job)
            for decision in decisions:
                keep_decision(session, decision)
            self._tell(session, row, events)
            if job.clarification and job.state is JobState.WAITING:
                self._say(session, row, "assistant", job.clarification.question)
            if job.state.final:
                said = job.answer.text if job.answer else job.failure.message if job.failure else ""
                self._say(session, row, "assistant", said)
            session.flush()
            return job_of(session, row)

        return await self._database.in_transaction(work)

    async def save_step(
        self,
        job: Job,
        step: Step,
        call: ToolCall | None = None,
        observation: Observation | None = None,
        decision: Decision | None = None,
    ) -> Job:
        """Store a step's new state with the call or observation that moved it."""

        def work(session: Session) -> Job:
            row = session.get_one(PlannerRow, job.job_id)
            worker = session.scalars(
                select(WorkerRow)
                .where(WorkerRow.planner_id == job.job_id)
                .where(WorkerRow.task_id == step.task_id)
            ).one()
            keep_step(worker, step, self._clock.now())
            if call is not None:
                keep_call(session, job.job_id, worker, call, observation)
            if decision is not None:
                keep_decision(session, decision)
            session.flush()
            steps = steps_of(session, job.job_id)
            row.progress = max(row.progress, progress_of(JobState(row.state), steps))
            row.updated_at = self._clock.now()
            self._tell(session, row, [("step", step.model_dump(mode="json"))])
            return job_of(session, row)

        return await self._database.in_transaction(work)

    async def observations(self, job_id: str) -> list[tuple[ToolCall, Observation | None]]:
        """Every call of a job in order, with what came back."""

        def work(session: Session) -> list[tuple[ToolCall, Observation | None]]:
            query = select(ToolCallRow).where(ToolCallRow.planner_id == job_id)
            return [
                (
                    ToolCall.model_validate(row.call),
                    Observation.model_validate(row.observation) if row.observation else None,
                )
                for row in session.scalars(query.order_by(ToolCallRow.position))
            ]

        return await self._database.reading(work)

    async def decisions(self, job_id: str) -> list[Decision]:
        """Every recorded decision, in order."""

        def work(session: Session) -> list[Decision]:
            query = select(DecisionRow).where(DecisionRow.planner_id == job_id)
            rows = session.scalars(query.order_by(DecisionRow.position))
            return [Decision.model_validate(row.decision) for row in rows]

        return await self._database.reading(work)

    async def events(self, job_id: str, after: int) -> list[JobEvent]:
        """Events after a sequence number, in order."""

        def work(session: Session) -> list[JobEvent]:
            query = (
                select(JobEventRow)
                .where(JobEventRow.planner_id == job_id, JobEventRow.sequence > after)
                .order_by(JobEventRow.sequence)
            )
            return [
                JobEvent.model_validate(
                    {
                        "sequence": row.sequence,
                        "timestamp": row.timestamp,
                        "kind": row.kind,
                        "data": row.data,
                    }
                )
                for row in session.scalars(query)
            ]

        return await self._database.reading(work)

    def _update(self, session: Session, row: PlannerRow, job: Job) -> None:
        now = self._clock.now()
        row.state, row.status = job.state.value, PLANNER_STATUS[job.state]
        row.understood, row.reply = job.understood, job.reply
        row.plan = job.plan.model_dump(mode="json") if job.plan else None
        row.execution_plan = job.plan.draft.reasoning if job.plan else None
        row.clarification = dumped(job.clarification)
        row.answer, row.failure = dumped(job.answer), dumped(job.failure)
        row.progress = max(row.progress, progress_of(job.state, job.steps))
        row.updated_at = now
        known = {
            worker.task_id: worker
            for worker in session.scalars(
                select(WorkerRow).where(WorkerRow.planner_id == job.job_id)
            )
        }
        for position, step in enumerate(job.steps):
            if step.task_id in known:
                keep_step(known[step.task_id], step, now)
            else:
                session.add(new_worker(job, position, step, now))

    def _tell(self, session: Session, row: PlannerRow, events: Sequence[Told]) -> None:
        for kind, data in events:
            row.last_event += 1
            session.add(
                JobEventRow(
                    planner_id=row.planner_id,
                    sequence=row.last_event,
                    timestamp=self._clock.now(),
                    kind=kind,
                    data=data,
                )
            )

    def _say(self, session: Session, row: PlannerRow, role: str, content: str) -> None:
        session.add(
            PlannerMessageRow(
                agent_id=row.planner_id, role=role, content=content, timestamp=self._clock.now()
            )
        )
