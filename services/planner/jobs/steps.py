"""Running a plan: independent steps at the same time, three attempts each, everything recorded.

For every attempt the order is: store the call, audit it, run it, store what came back, audit that,
report the step. Nothing is reported as done before it is in the log, and nothing is logged that is
not stored: whoever goes on after a crash logs and reports the same, and runs only what never ended.
"""

from __future__ import annotations

import asyncio
import time

from mesh import context as calls
from mesh.ids import derived_id
from mesh.telemetry.instruments import STEP_SECONDS
from mesh.telemetry.metrics import record
from mesh.telemetry.tracing import failed, span
from services.planner.domain.acceptance import (
    MOST_CHECKED_ROWS,
    Result,
    asks_for_rows,
    broken_by,
)
from services.planner.domain.agents import failed_task_limit_of
from services.planner.domain.analysis.past import Evidence, Past, past_of
from services.planner.domain.analysis.planning import Repair, RepairInput
from services.planner.domain.calls import MAX_ATTEMPTS, Observation, ToolCall
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.decision import Decision
from services.planner.domain.jobs.job import Job
from services.planner.domain.plan import Subtask
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.routing.asked import CALL_TOOL
from services.planner.domain.statements.readable import statement_of
from services.planner.domain.step import SHOWN_EARLY, Step, StepState
from services.planner.jobs import records
from services.planner.jobs.attempts import Attempts
from services.planner.jobs.collaborators import Collaborators, JobContext
from services.planner.jobs.failing import too_many_failed


class StepRunner:
    """Runs the steps of one job's plan."""

    def __init__(self, with_: Collaborators, context: JobContext) -> None:
        self._with = with_
        self._context = context
        self._attempts = Attempts(with_, context)
        self._slots = asyncio.Semaphore(with_.parallel_steps)

    async def run(self, job: Job, catalogue: Catalogue) -> tuple[Job, dict[str, Evidence]]:
        """Run every step that has not ended; returns the job and what each done step gave.

        Raises AssayError, as its first failed step does, once more steps have failed than may.
        """
        if job.plan is None:
            raise ValueError(f"job {job.job_id} has no plan")
        past = await self._past(job, job.plan.plan_id)
        criteria = {task.task_id: task for task in job.plan.draft.subtasks}
        evidence = {
            task_id: found
            for task_id, found in past.evidence().items()
            if not await self._not_accepted(criteria[task_id], found.observation)
        }
        # Of steps that could start now, the longest goes first: the others end beside it.
        by_cost = sorted(job.plan.draft.subtasks, key=lambda task: -task.estimated_cost_seconds)
        subtasks = {task.task_id: task for task in by_cost}
        waiting = {step.task_id for step in job.steps if not step.state.final}
        running: dict[asyncio.Task[Evidence | None], str] = {}
        failures = sum(step.state is StepState.FAILED for step in job.steps)
        limit = failed_task_limit_of(job.request)
        try:
            while waiting or running:
                for task_id in [t for t in subtasks if t in waiting]:
                    needs = subtasks[task_id].dependencies
                    if any(n in waiting or n in running.values() for n in needs):
                        continue
                    waiting.discard(task_id)
                    if failures > limit:
                        await self._skip(job, subtasks[task_id], "too many steps failed")
                    elif any(_empty(evidence.get(name)) for name in needs):
                        await self._skip(job, subtasks[task_id], "nothing to work on: no rows")
                    elif all(name in evidence for name in needs):
                        work = self._step(job, subtasks[task_id], catalogue, dict(evidence), past)
                        running[asyncio.create_task(work, name=task_id)] = task_id
                    else:
                        await self._skip(job, subtasks[task_id], "a step before it failed")
                if not running:
                    continue
                done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task_id = running.pop(task)
                    if (result := task.result()) is not None:
                        evidence[task_id] = result
                    else:
                        failures += 1
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
        if failures > limit:
            ended = await self._with.jobs.get(job.tenant, job.job_id)
            raise await too_many_failed(self._with, ended, failures, limit)
        # In the plan's order, whichever step was ready first: equal answers look equal.
        order = [task.task_id for task in job.plan.draft.subtasks if task.task_id in evidence]
        evidence = {task_id: evidence[task_id] for task_id in order}
        return await self._with.jobs.get(job.tenant, job.job_id), evidence

    async def _past(self, job: Job, plan_id: str) -> Past:
        """What is recorded, so that nothing completed runs again and no decision is asked again."""
        recorded = await self._with.jobs.observations(job.job_id)
        decisions = await self._with.jobs.decisions(job.job_id) if recorded else []
        return past_of(plan_id, recorded, decisions)

    async def _step(
        self,
        job: Job,
        subtask: Subtask,
        catalogue: Catalogue,
        evidence: dict[str, Evidence],
        past: Past,
    ) -> Evidence | None:
        """One step with its attempts, after those recorded; None when it failed for good."""
        started = time.monotonic()
        tried = iter(past.calls.get(subtask.task_id, []))
        arguments, change = subtask.arguments, ""
        caveats: list[str] = []
        async with self._slots:
            with span(f"step {subtask.task_id}") as value:
                for attempt in range(1, MAX_ATTEMPTS + 1):
                    fresh = (
                        self._attempts.call(past.plan_id, subtask, arguments, attempt, change),
                        None,
                    )
                    call, recorded = next(tried, fresh)
                    step = _step(subtask, StepState.RUNNING, call, started, call.change_reason)
                    observation = recorded or await self._attempts.make(
                        job, step, subtask.dependencies, call, evidence
                    )
                    await self._with.audit.append(job.job_id, records.observed(observation))
                    broken = await self._not_accepted(subtask, observation)
                    if broken:
                        failed(value, "not_accepted")
                        await self._failed(job, subtask, call, observation, started, broken)
                        return None
                    if observation.succeeded:
                        await self._done(job, subtask, call, observation, started)
                        return Evidence(call, observation, tuple(caveats))
                    repair = past.repairs.get(call.call_id)
                    if repair is None and attempt < MAX_ATTEMPTS:
                        repair = await self._repair(job, call, observation, catalogue)
                        if repair is not None:
                            await self._repairing(job, subtask, call, observation, repair, started)
                    if repair is None:
                        break
                    arguments, change = repair.arguments, repair.reason
                    caveats += [repair.caveat] if repair.caveat else []
                failed(value, observation.error_category or "failed")
                await self._failed(job, subtask, call, observation, started)
        return None

    async def _not_accepted(self, subtask: Subtask, observation: Observation) -> str:
        """Which acceptance criterion the result of a call breaks; empty where it may stand, and of
        a call that failed. Rows are read where a criterion needs them and they are few."""
        frame = observation.frame
        if not observation.succeeded or not subtask.invariants:
            return ""
        table = None
        few = frame is not None and 0 < frame.rows <= MOST_CHECKED_ROWS
        if frame is not None and few and asks_for_rows(subtask.invariants):
            table = await self._with.tools.read(frame)
        columns = frame.column_names if frame is not None else ()
        result = Result(observation.row_count, columns or None, table)
        return await asyncio.to_thread(broken_by, subtask.invariants, result)

    async def _repair(
        self, job: Job, call: ToolCall, observation: Observation, catalogue: Catalogue
    ) -> Repair | None:
        # A person's own words are not changed, and what is no question has no other reading.
        if not isinstance(job.request, AnalysisRequest) or job.request.statement:
            return None
        if call.tool_name == CALL_TOOL:  # nobody makes up what is sent to another server
            return None
        return await self._with.reasoner.repair(
            RepairInput(
                request=job.request,
                catalogue=catalogue,
                call=call,
                observation=observation,
                seconds_left=calls.current().seconds_left(180.0),
            )
        )

    async def _repairing(
        self,
        job: Job,
        subtask: Subtask,
        call: ToolCall,
        observation: Observation,
        repair: Repair,
        started: float,
    ) -> None:
        decision = Decision(
            decision_id=derived_id(job.job_id, "repair", call.call_id),
            job_id=job.job_id,
            kind="repair",
            reasoner=repair.decided_by or self._with.reasoner.name,
            reason=repair.reason,
            given={"call_id": call.call_id, "error": observation.error_message},
            decided=repair.model_dump(mode="json"),
            timestamp=self._context.clock.now(),
        )
        step = _step(subtask, StepState.REPAIRING, call, started, repair.reason)
        await self._context.writer.save_step(
            job, step, call=call, observation=observation, decision=decision
        )
        self._context.notify()

    async def _done(
        self,
        job: Job,
        subtask: Subtask,
        call: ToolCall,
        observation: Observation,
        started: float,
    ) -> None:
        detail = call.change_reason or observation.summary
        step = _step(subtask, StepState.DONE, call, started, detail).model_copy(
            update={
                "rows": observation.row_count,
                "columns": _columns(observation),
                "frame": observation.frame if subtask.tool_name in SHOWN_EARLY else None,
            }
        )
        await self._end(job, step, call, observation)

    async def _failed(
        self,
        job: Job,
        subtask: Subtask,
        call: ToolCall,
        observation: Observation,
        started: float,
        broken: str = "",
    ) -> None:
        """The end of a step whose attempts failed, or whose result is not accepted."""
        detail = broken or observation.error_message or "failed"
        step = _step(subtask, StepState.FAILED, call, started, detail)
        await self._end(job, step, call, observation)

    async def _skip(self, job: Job, subtask: Subtask, why: str) -> None:
        await self._end(job, _step(subtask, StepState.SKIPPED, None, time.monotonic(), why))

    async def _end(
        self,
        job: Job,
        step: Step,
        call: ToolCall | None = None,
        observation: Observation | None = None,
    ) -> None:
        await self._context.writer.save_step(job, step, call=call, observation=observation)
        self._context.notify()
        texts = {"assay.tool": step.tool_name, "assay.state": step.state.value}
        record(STEP_SECONDS, step.elapsed_seconds, texts)


def _empty(evidence: Evidence | None) -> bool:
    return evidence is not None and evidence.observation.row_count == 0


def _columns(observation: Observation) -> int:
    return observation.frame.columns if observation.frame else 0


def _step(
    subtask: Subtask, state: StepState, call: ToolCall | None, started: float, detail: str
) -> Step:
    """A step as it stands after `call`; None where it came to none."""
    return Step(
        task_id=subtask.task_id,
        description=subtask.description,
        tool_name=subtask.tool_name,
        state=state,
        attempt=call.attempt_number if call is not None else 0,
        detail=detail,
        elapsed_seconds=time.monotonic() - started,
        statement=statement_of(call.tool_name, call.arguments) if call is not None else None,
    )
