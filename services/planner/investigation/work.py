"""One investigation from request to report: ground it, loop over hypotheses, conclude. Resumable.

Everything that is known is folded from the job's recorded decisions: whoever takes the job up after
a crash asks no decision twice and runs no completed call again.
"""

from __future__ import annotations

import asyncio
from typing import Any

from mesh.ids import derived_id
from services.planner.domain.decision import Decision
from services.planner.domain.investigation.iteration import NextStep
from services.planner.domain.investigation.state import NEXT, Investigation, folded
from services.planner.domain.investigation.step_calls import StepInput
from services.planner.domain.jobs.job import Job, JobPhase, JobState
from services.planner.domain.plan import Plan, PlanDraft, PlanState
from services.planner.investigation import recording
from services.planner.investigation.concluding import Concluding
from services.planner.investigation.iterating import Iterating, required
from services.planner.investigation.starting import Starting, investigation_of
from services.planner.jobs.collaborators import Collaborators, JobContext
from services.planner.jobs.growing import grown
from services.planner.jobs.lessons import expect_lesson
from services.planner.jobs.work import Preview
from services.planner.ports import Described


class InvestigationWork:
    """Does jobs of kind investigation."""

    def __init__(self, with_: Collaborators, context: JobContext) -> None:
        self._with = with_
        self._context = context
        self._starting = Starting(with_, context)
        self._beside: set[asyncio.Task[None]] = set()

    async def advance(self, job: Job) -> None:
        """Ground, loop and conclude, from wherever the job is."""
        if job.state is JobState.SUBMITTED:
            job = await self._context.writer.save(
                job.model_copy(
                    update={
                        "state": JobState.PLANNING,
                        "phase": JobPhase.PLANNING,
                        "progress_reason": "reading the sources and finding the metric in them",
                    }
                ),
                [("state", {"state": JobState.PLANNING.value})],
            )
            self._context.notify()
        described = await self._starting.described(job)
        state = folded(await self._with.jobs.decisions(job.job_id))
        if state.grounded is None:
            decision = await self._starting.grounded(job, described)
            await self._context.writer.save(job, decisions=[decision])
            state = state.after(decision)
        if job.plan is None:
            job = await self._begun(job, state, described)
        iterating = Iterating(self._with, self._context, described)
        while state.concluded is None:
            if state.open_step is None:
                job, state = await self._decided(job, state, iterating)
            elif not set(t.task_id for t in state.open_step.subtasks) <= _planned(job):
                job = await self._extended(job, state.open_step)  # a crash came between
            else:
                job, state = await iterating.carried_out(job, state)
                if len(state.iterations) == 1:  # the first finding is told, and the rest takes time
                    expecting = asyncio.create_task(expect_lesson(self._with))
                    self._beside.add(expecting)
                    expecting.add_done_callback(self._beside.discard)
        if state.open_step is not None:
            if not {t.task_id for t in state.open_step.subtasks} <= _planned(job):
                job = await self._extended(job, state.open_step)
            job, state = await iterating.concluded(job, state)
        telling = {"phase": JobPhase.CONCLUDING, "progress_reason": "telling what explains it"}
        job = await self._context.writer.save(job.model_copy(update=telling))
        await Concluding(self._with, self._context, described).conclude(job, state)

    async def preview(self, job: Job) -> Preview:
        """What would be looked at first."""
        described = await self._starting.described(job)
        state = Investigation().after(await self._starting.grounded(job, described))
        step = await self._with.reasoner.next_step(
            StepInput(state=state, now=self._context.clock.now())
        )
        plan = Plan(
            plan_id=derived_id(job.job_id, "plan", "0"),
            request_id=job.job_id,
            draft=_draft(step.subtasks, step.reason),
            created_at=self._context.clock.now(),
        )
        return Preview(understood=recording.understood(required(state)), plan=plan)

    async def _begun(self, job: Job, state: Investigation, described: Described) -> Job:
        """The job with its plan, which grows by what each iteration decides."""
        grounded = required(state)
        plan = Plan(
            plan_id=derived_id(job.job_id, "plan", "0"),
            request_id=job.job_id,
            draft=PlanDraft(
                subtasks=(), reasoning="each iteration adds what it decides on", answer_task="cube"
            ),
            created_at=self._context.clock.now(),
            state=PlanState.EXECUTING,
            proposal=grounded.proposal,
        )
        understood = recording.understood(grounded)
        await self._with.audit.append(
            job.job_id, recording.begun(job.job_id, plan, grounded, described)
        )
        update = {
            "state": JobState.EXECUTING,
            "phase": JobPhase.RUNNING,
            "progress_reason": "looking for what is at fault or stands out",
            "understood": understood,
            "plan": plan,
            "request": job.request.with_fingerprints(described.source_fingerprints),
        }
        pairs: list[tuple[str, dict[str, Any]]] = [
            ("state", {"state": JobState.EXECUTING.value}),
            ("understood", {"text": understood}),
            *(("hypothesis", h.model_dump(mode="json")) for h in grounded.hypotheses),
        ]
        saved = await self._context.writer.save(job.model_copy(update=update), pairs)
        self._context.notify()
        return saved

    async def _decided(
        self, job: Job, state: Investigation, iterating: Iterating
    ) -> tuple[Job, Investigation]:
        """The reasoner's next step, recorded before any of it is done."""
        given = StepInput(
            state=state,
            planned=frozenset(_planned(job)),
            now=self._context.clock.now(),
        )
        step = await iterating.with_drawings(job, state, await self._with.reasoner.next_step(given))
        decision = Decision(
            decision_id=derived_id(job.job_id, "next", str(state.next_iteration)),
            job_id=job.job_id,
            kind=NEXT,
            reasoner=step.decided_by or self._with.reasoner.name,
            reason=step.reason,
            given={"iteration": state.next_iteration},
            decided=step.model_dump(mode="json"),
            timestamp=self._context.clock.now(),
        )
        await self._context.writer.save(job, decisions=[decision])
        after = state.after(decision)
        if step.subtasks or step.exit_reason is not None:
            job = await self._extended(job, step)
        moved = [h for h in after.hypotheses if h not in state.hypotheses]
        pairs = [("hypothesis", h.model_dump(mode="json")) for h in moved]
        if pairs:
            job = await self._context.writer.save(job, pairs)
            self._context.notify()
        return job, after

    async def _extended(self, job: Job, step: NextStep) -> Job:
        """The job with the subtasks of a step in its plan; those that it has already stay."""
        return await grown(
            self._with,
            self._context,
            job,
            step.subtasks,
            step.reason,
            lambda plan, further: recording.extended(plan, step, further),
        )


def _planned(job: Job) -> set[str]:
    return {task.task_id for task in job.plan.draft.subtasks} if job.plan else set()


def _draft(subtasks: Any, reason: str) -> PlanDraft:
    return PlanDraft(
        subtasks=subtasks, reasoning=reason, answer_task=subtasks[-1].task_id if subtasks else ""
    )


__all__ = ["InvestigationWork", "investigation_of"]
