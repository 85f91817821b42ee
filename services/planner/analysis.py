"""One analysis from question to answer: decide, run, repair, conclude. Resumable at every point.

Each stage reads the job as stored and leaves it further on, so a job taken up again after a crash
goes on after its last completed step: decisions that were recorded are not asked again and calls
that completed are not run again.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from opentelemetry import trace

from mesh import context as calls
from mesh.errors import (
    CANCELLED,
    INTERNAL,
    PLAN_INVALID,
    REASONS,
    STEP_FAILED,
    TIMEOUT,
    AssayError,
)
from services.planner import records
from services.planner.collaborators import Collaborators, Desk
from services.planner.conclusion import Conclusion
from services.planner.deciding import Decided, Deciding
from services.planner.domain.job import Failure, Job, JobState, Plan, Step
from services.planner.domain.lease import LeaseLostError
from services.planner.domain.past import Evidence
from services.planner.domain.plan import PlanDraft
from services.planner.ending import Ending
from services.planner.failing import failed_recipe
from services.planner.learning import learn_failure
from services.planner.steps import StepRunner

log = logging.getLogger("assay.planner")
tracer = trace.get_tracer("assay.planner")

# The message of a task's cancellation that ends the job too; any other only lets go of it.
CANCEL = "cancel the job"


class Analysis:
    """Runs a job of kind analysis."""

    def __init__(self, with_: Collaborators, desk: Desk) -> None:
        self._with = with_
        self._desk = desk
        self._deciding = Deciding(with_, desk.clock)
        self._ending = Ending(with_, desk)

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
                await self._end(job, JobState.FAILED, failure)
            except Exception:
                log.exception("job %s failed", job.job_id)
                text = f"something went wrong inside Assay (job {job.job_id[:8]})"
                await self._stop(job, JobState.FAILED, INTERNAL.code, text)

    async def cancel(self, job: Job) -> None:
        """End a job because somebody asked for it."""
        await self._stop(job, JobState.CANCELLED, CANCELLED.code, "cancelled by request")

    async def _advance(self, job: Job) -> None:
        if job.state is JobState.SUBMITTED:
            job = await self._save(job.model_copy(update={"state": JobState.PLANNING}), state=True)
        elif await self._ending.resumed(job):
            return
        decided = await self._deciding.decide(job)
        if job.plan is None:
            job = await self._adopt(job, decided)
            if job.state is not JobState.EXECUTING:
                return
        job, evidence = await self._run(job, decided)
        if why := await failed_recipe(self._with, job, evidence, decided):
            afresh = await self._deciding.decide_afresh(job, decided, why)
            await self._desk.writer.save(job, decisions=[afresh.decision])
            if afresh.planning.draft is not None:  # else nothing is left but the failure
                decided = afresh
                job = await self._begin_plan(job, afresh, afresh.planning.draft)
                job, evidence = await self._run(job, afresh)
            elif job.plan is not None and job.plan.draft.answer_task in evidence:
                raise AssayError(STEP_FAILED, f"what a remembered plan gave cannot be: {why}")
        await Conclusion(self._with, self._desk).conclude(job, evidence, decided)

    async def _run(self, job: Job, decided: Decided) -> tuple[Job, dict[str, Evidence]]:
        runner = StepRunner(self._with, self._desk)
        return await runner.run(job, decided.described.catalogue)

    async def _out_of_time(self, job: Job) -> None:
        seconds = job.request.constraints.timeout_seconds
        await self._stop(job, JobState.FAILED, TIMEOUT.code, f"stopped after {seconds} s")

    async def _stop(self, job: Job, state: JobState, reason: str, message: str) -> None:
        """End a job in the middle and say what is kept of it."""
        hint = REASONS[reason].remedy
        kept = (await self._with.jobs.get(job.tenant, job.job_id)).steps
        done = sum(step.state.value == "done" for step in kept)
        if kept:
            message += f"; {done} of {len(kept)} steps done and kept"
        await self._end(job, state, Failure(reason=reason, message=message, hint=hint))

    async def _end(self, job: Job, state: JobState, failure: Failure) -> None:
        await asyncio.shield(self._ending.unanswered(job, state, failure))

    async def _adopt(self, job: Job, decided: Decided) -> Job:
        """Turn a planning decision into the job's next state: waiting, failed or executing.

        The decision is stored first: whatever happens then, it is not asked again.
        """
        planning, decision = decided.planning, decided.decision
        job = await self._desk.writer.save(job, decisions=[decision])
        if planning.draft is None:
            await learn_failure(self._with, job.job_id, planning, "")
        if planning.clarification is not None:
            job = job.model_copy(
                update={"state": JobState.WAITING, "clarification": planning.clarification}
            )
            data = planning.clarification.model_dump(mode="json")
            return await self._save(job, ("clarification", data), state=True)
        if planning.failure is not None or planning.draft is None:
            failure = planning.failure or Failure(reason=INTERNAL.code, message="no plan was made")
            raise AssayError(REASONS[failure.reason], failure.message, hint=failure.hint)
        return await self._begin_plan(job, decided, planning.draft)

    async def _begin_plan(self, job: Job, decided: Decided, draft: PlanDraft) -> Job:
        """Check a plan, log it, and make it the job's: one that failed on the way is abandoned."""
        await self._validate(job, draft)
        planning, decision = decided.planning, decided.decision
        plan = Plan(
            plan_id=decision.plan_id,
            request_id=job.job_id,
            draft=draft,
            created_at=decision.timestamp,
        )
        await self._with.audit.append(job.job_id, records.planned(plan, decision))
        steps = tuple(
            Step(task_id=t.task_id, description=t.description, tool_name=t.tool_name)
            for t in draft.subtasks
        )
        update = {"state": JobState.EXECUTING, "understood": planning.understood}
        job = job.model_copy(update={**update, "plan": plan, "steps": steps})
        return await self._save(
            job,
            ("understood", {"text": planning.understood}),
            ("plan", plan.model_dump(mode="json")),
            state=True,
        )

    async def _validate(self, job: Job, draft: PlanDraft) -> None:
        tools = await self._with.tools.names()
        problems = draft.problems(tools, job.request.constraints.timeout_seconds)
        if problems:
            raise AssayError(PLAN_INVALID, "the plan cannot run: " + "; ".join(problems))

    async def _save(
        self, job: Job, *events: tuple[str, dict[str, Any]], state: bool = False
    ) -> Job:
        told = [*events, ("state", {"state": job.state.value})] if state else list(events)
        saved = await self._desk.writer.save(job, told)
        self._desk.notify()
        return saved
