"""One analysis from question to answer: decide, run, repair, conclude. Resumable at every point.

Each stage reads the job as stored and leaves it further on, so a job taken up again after a crash
goes on after its last completed step: decisions that were recorded are not asked again and calls
that completed are not run again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from opentelemetry import trace

from mesh import context as calls
from mesh.clock import Clock
from mesh.errors import (
    CANCELLED,
    INTERNAL,
    PLAN_INVALID,
    REASONS,
    TIMEOUT,
    AssayError,
)
from mesh.ids import derived_id
from services.planner import records
from services.planner.conclusion import Conclusion
from services.planner.domain.catalogue import ValueHit
from services.planner.domain.decision import Decision, Planning, PlanningInput
from services.planner.domain.job import Failure, Job, JobState, Plan, Step, StepState
from services.planner.domain.lease import LeaseLostError
from services.planner.domain.permission import column_refused, question_refused
from services.planner.domain.recipe import RecalledRecipe
from services.planner.ports import Audit, Described, JobStore, JobWriter, Memory, Reasoner, Tools
from services.planner.steps import StepRunner

log = logging.getLogger("assay.planner")
tracer = trace.get_tracer("assay.planner")

# The message of a task's cancellation that ends the job too; any other only lets go of it.
CANCEL = "cancel the job"


@dataclass(frozen=True)
class Collaborators:
    """Everything an analysis works with."""

    jobs: JobStore
    tools: Tools
    memory: Memory
    audit: Audit
    reasoner: Reasoner
    parallel_steps: int = 4
    recall_seconds: float = 1.0


@dataclass(frozen=True)
class Decided:
    """A planning decision, its record, and what it was made from."""

    planning: Planning
    described: Described
    decision: Decision

    @property
    def memory_away(self) -> bool:
        """Whether it was made without recalling earlier analyses."""
        return bool(self.decision.given["memory_away"])


class Analysis:
    """Runs a job of kind analysis, written by `writer`; `notify` is called after every change."""

    def __init__(
        self, with_: Collaborators, writer: JobWriter, clock: Clock, notify: Callable[[], None]
    ) -> None:
        self._with = with_
        self._writer = writer
        self._clock = clock
        self._notify = notify

    async def run(self, job: Job) -> None:
        """Take the job to its end, or to a question back.

        Stops without a trace when another planner has the job by now, and when it is cancelled,
        unless with the message CANCEL: that ends the job. Raises only CancelledError, and
        AssayError when not even a failure can be stored.
        """
        with tracer.start_as_current_span("analysis", attributes={"assay.job": job.job_id}):
            try:
                async with asyncio.timeout(calls.current().seconds_left(180.0)):
                    await self._advance(job)
            except asyncio.CancelledError as error:
                if error.args == (CANCEL,):
                    await self.cancel(job)
                raise
            except LeaseLostError as lost:
                log.warning("%s", lost.message)
            except TimeoutError:
                await self._out_of_time(job)
            except AssayError as error:
                if error.reason is TIMEOUT and calls.current().seconds_left(1.0) == 0.0:
                    await self._out_of_time(job)  # a peer, given the same deadline, was first
                    return
                failure = Failure(
                    reason=error.reason.code, message=error.message, hint=error.remedy
                )
                await self.end(job, JobState.FAILED, failure)
            except Exception:
                log.exception("job %s failed", job.job_id)
                text = f"something went wrong inside Assay (job {job.job_id[:8]})"
                await self._finish(job, JobState.FAILED, INTERNAL.code, text)

    async def _advance(self, job: Job) -> None:
        if job.state is JobState.SUBMITTED:
            job = await self._save(job.model_copy(update={"state": JobState.PLANNING}), state=True)
        decided = await self.decide(job)
        if job.plan is None:
            job = await self._adopt(job, decided)
            if job.state is not JobState.EXECUTING:
                return
        runner = StepRunner(
            self._with.jobs,
            self._writer,
            self._with.tools,
            self._with.audit,
            self._with.reasoner,
            self._clock,
            self._notify,
            self._with.parallel_steps,
        )
        job, evidence = await runner.run(job, decided.described.catalogue)
        await Conclusion(self._with, self._writer, self._clock, self._notify).conclude(
            job, evidence, decided
        )

    async def decide(self, job: Job) -> Decided:
        """The planning decision: the recorded one if there is one, else a new one.

        Policy is checked before any table is chosen. Raises AssayError when policy refuses or
        the sources cannot be read.
        """
        request = job.request
        described = await self._with.tools.describe(request)
        decision_id = derived_id(job.job_id, "plan", str(job.replies))
        for decision in await self._with.jobs.decisions(job.job_id):
            if decision.decision_id == decision_id:
                return Decided(Planning.model_validate(decision.decided), described, decision)
        # The column first: "column salary is blocked" helps more than "a pattern matches".
        refused = column_refused(
            request.intent, described.blocked_columns, described.catalogue
        ) or question_refused(request.intent, request.policy)
        if refused:
            await self._with.audit.append(job.job_id, [records.refused(job.job_id, refused)])
            raise refused
        recipes, away = await self._recall(described.catalogue.fingerprint, request.intent)

        async def lookup(phrases: Any) -> list[ValueHit]:
            return await self._with.tools.lookup(request, phrases)

        with tracer.start_as_current_span("decide plan"):
            planning = await self._with.reasoner.plan(
                PlanningInput(
                    request=request,
                    catalogue=described.catalogue,
                    lookup=lookup,
                    recipes=tuple(recipes),
                    reply=job.reply,
                    today=self._clock.now().date(),
                )
            )
        decision = Decision(
            decision_id=decision_id,
            job_id=job.job_id,
            kind="plan",
            reasoner=self._with.reasoner.name,
            reason=planning.reason,
            given={
                "question": request.intent,
                "reply": job.reply,
                "source_digests": list(described.source_digests),
                "schema_fingerprint": described.catalogue.fingerprint,
                "hidden_columns": len(described.blocked_columns),
                "memory_away": away,
            },
            decided=planning.model_dump(mode="json"),
            timestamp=self._clock.now(),
        )
        return Decided(planning, described, decision)

    async def cancel(self, job: Job) -> None:
        """End a job because somebody asked for it."""
        await self._finish(job, JobState.CANCELLED, CANCELLED.code, "cancelled by request")

    async def end(self, job: Job, state: JobState, failure: Failure) -> Job:
        """End a job without an answer; what its steps made is kept."""
        job = await self._with.jobs.get(job.tenant, job.job_id)
        if job.state.final:
            return job
        steps = tuple(_skipped(step) for step in job.steps)
        job = job.model_copy(update={"state": state, "failure": failure, "steps": steps})
        return await self._save(job, ("failure", failure.model_dump(mode="json")), state=True)

    async def _out_of_time(self, job: Job) -> None:
        seconds = job.request.constraints.timeout_seconds
        await self._finish(job, JobState.FAILED, TIMEOUT.code, f"stopped after {seconds} s")

    async def _finish(self, job: Job, state: JobState, reason: str, message: str) -> None:
        hint = REASONS[reason].remedy
        kept = (await self._with.jobs.get(job.tenant, job.job_id)).steps
        done = sum(step.state.value == "done" for step in kept)
        if kept:
            message += f"; {done} of {len(kept)} steps done and kept"
        await asyncio.shield(
            self.end(job, state, Failure(reason=reason, message=message, hint=hint))
        )

    async def _adopt(self, job: Job, decided: Decided) -> Job:
        """Turn a planning decision into the job's next state: waiting, failed or executing.

        The decision is stored first: whatever happens then, it is not asked again.
        """
        planning, decision = decided.planning, decided.decision
        job = await self._writer.save(job, decisions=[decision])
        if planning.clarification is not None:
            job = job.model_copy(
                update={"state": JobState.WAITING, "clarification": planning.clarification}
            )
            data = planning.clarification.model_dump(mode="json")
            return await self._save(job, ("clarification", data), state=True)
        if planning.failure is not None or planning.draft is None:
            failure = planning.failure or Failure(reason=INTERNAL.code, message="no plan was made")
            raise AssayError(REASONS[failure.reason], failure.message, hint=failure.hint)
        await self._validate(job, planning)
        plan = Plan(
            plan_id=derived_id(decision.decision_id, "plan"),
            request_id=job.job_id,
            draft=planning.draft,
            created_at=decision.timestamp,
        )
        await self._with.audit.append(job.job_id, records.planned(plan, decision))
        job = job.model_copy(
            update={
                "state": JobState.EXECUTING,
                "understood": planning.understood,
                "plan": plan,
                "clarification": None,
                "steps": tuple(
                    Step(task_id=t.task_id, description=t.description, tool_name=t.tool_name)
                    for t in planning.draft.subtasks
                ),
            }
        )
        return await self._save(
            job,
            ("understood", {"text": planning.understood}),
            ("plan", plan.model_dump(mode="json")),
            state=True,
        )

    async def _validate(self, job: Job, planning: Planning) -> None:
        if planning.draft is None:
            return
        tools = await self._with.tools.names()
        problems = planning.draft.problems(tools, job.request.constraints.timeout_seconds)
        if problems:
            raise AssayError(PLAN_INVALID, "the plan cannot run: " + "; ".join(problems))

    async def _recall(self, fingerprint: str, intent: str) -> tuple[list[RecalledRecipe], bool]:
        """Candidates from memory; a job goes on without when memory is away or slow."""
        try:
            with calls.changed(seconds=self._with.recall_seconds):
                return await self._with.memory.recall(fingerprint, intent), False
        except AssayError as error:
            log.warning("no recall: %s", error)
            return [], True

    async def _save(
        self, job: Job, *events: tuple[str, dict[str, Any]], state: bool = False
    ) -> Job:
        told = [*events, ("state", {"state": job.state.value})] if state else list(events)
        saved = await self._writer.save(job, told)
        self._notify()
        return saved


def _skipped(step: Step) -> Step:
    if step.state.final:
        return step
    return step.model_copy(update={"state": StepState.SKIPPED})
