"""One analysis from question to answer: decide, run, repair, conclude. Resumable at every point.

Each stage reads the job as stored and leaves it further on, so a job taken up again after a crash
goes on after its last completed step: decisions that were recorded are not asked again and calls
that completed are not run again.
"""

from __future__ import annotations

from typing import Any

from mesh.errors import INTERNAL, PLAN_INVALID, REASONS, STEP_FAILED, AssayError
from mesh.ids import new_id
from services.planner.analysis.conclusion import Conclusion
from services.planner.analysis.deciding import Decided, Deciding
from services.planner.analysis.failing import failed_recipe
from services.planner.analysis.learning import learn_failure
from services.planner.analysis.merging import Merging
from services.planner.domain.analysis.past import Evidence
from services.planner.domain.failure import Failure
from services.planner.domain.jobs.job import Job, JobPhase, JobState, progress_of
from services.planner.domain.plan import Plan, PlanDraft, PlanState
from services.planner.domain.step import Step
from services.planner.jobs import records
from services.planner.jobs.collaborators import Collaborators, JobContext
from services.planner.jobs.steps import StepRunner
from services.planner.jobs.work import Preview


class Analysis:
    """Does jobs of kind analysis."""

    def __init__(self, with_: Collaborators, context: JobContext) -> None:
        self._with = with_
        self._context = context
        self._deciding = Deciding(with_, context.clock)

    async def advance(self, job: Job) -> None:
        """Decide, run, and conclude, from wherever the job is."""
        if job.state is JobState.SUBMITTED:
            job = job.model_copy(
                update={
                    "state": JobState.PLANNING,
                    "phase": JobPhase.PLANNING,
                    "progress_reason": "reading the sources and deciding on a plan",
                }
            )
            job = await self._save(job, state=True)
        decided = await self._deciding.decide(job)
        request = job.request.with_fingerprints(decided.described.source_fingerprints)
        job = job.model_copy(update={"request": request})  # stored with what is decided on it
        if job.plan is None:
            job = await self._adopt(job, decided)
            if job.state is not JobState.EXECUTING:
                return
        job, evidence = await self._run(job, decided)
        if decided.planning.parts:
            job, evidence, decided = await Merging(self._with, self._context).merged(
                job, evidence, decided
            )
        if why := await failed_recipe(self._with, job, evidence, decided):
            afresh = await self._deciding.decide_afresh(job, decided, why)
            await self._context.writer.save(job, decisions=[afresh.decision])
            if afresh.planning.draft is not None:  # else nothing is left but the failure
                decided = afresh
                job = await self._begin_plan(job, afresh, afresh.planning.draft)
                job, evidence = await self._run(job, afresh)
            elif job.plan is not None and job.plan.draft.answer_task in evidence:
                raise AssayError(STEP_FAILED, f"what a remembered plan gave cannot be: {why}")
        telling = {"phase": JobPhase.CONCLUDING, "progress_reason": "telling the answer"}
        job = await self._save(job.model_copy(update=telling))
        await Conclusion(self._with, self._context).conclude(job, evidence, decided)

    async def preview(self, job: Job) -> Preview:
        """What was understood and how it would be found out."""
        planning = (await self._deciding.decide(job)).planning
        plan = None
        if planning.draft is not None:
            plan = Plan(
                plan_id=new_id(),
                request_id=job.job_id,
                draft=planning.draft,
                created_at=self._context.clock.now(),
                state=PlanState.DRAFT,
                proposal=planning.proposal_record,
            )
        return Preview(
            understood=planning.understood,
            doubtful=planning.confidence == "low",
            plan=plan,
            clarification=planning.clarification,
            failure=planning.failure,
        )

    async def _run(self, job: Job, decided: Decided) -> tuple[Job, dict[str, Evidence]]:
        # A planner of before stored a plan first, and that it runs after.
        if job.plan is not None and job.plan.state is PlanState.VALIDATED:
            plan = job.plan.moved(PlanState.EXECUTING)
            job = await self._save(job.model_copy(update={"plan": plan}), _planned(plan))
        runner = StepRunner(self._with, self._context)
        return await runner.run(job, decided.described.catalogue)

    async def _adopt(self, job: Job, decided: Decided) -> Job:
        """Turn a planning decision into the job's next state: waiting, failed or executing.

        The decision is stored first: whatever happens then, it is not asked again.
        """
        planning, decision = decided.planning, decided.decision
        job = await self._context.writer.save(job, decisions=[decision])
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
        planning, decision = decided.planning, decided.decision
        plan = Plan(
            plan_id=decision.plan_id,
            request_id=job.job_id,
            draft=draft,
            created_at=decision.timestamp,
            proposal=planning.proposal_record,
        )
        await self._validate(job, draft)
        plan = plan.moved(PlanState.VALIDATED)
        await self._with.audit.append(job.job_id, records.planned(plan, decision))
        running = plan.moved(PlanState.EXECUTING)
        steps = tuple(
            Step(task_id=t.task_id, description=t.description, tool_name=t.tool_name)
            for t in draft.subtasks
        )
        update = {
            "state": JobState.EXECUTING,
            "phase": JobPhase.RUNNING,
            "progress_reason": f"running {len(steps)} steps",
            "understood": planning.understood,
            "plan": running,
            "steps": steps,
        }
        pairs = [("understood", {"text": planning.understood}), _planned(plan), _planned(running)]
        if job.plan is not None:
            why = {"plan_id": job.plan.plan_id, "reason": decided.abandoned_because}
            pairs[:0] = [("plan_abandoned", why), _planned(job.plan.moved(PlanState.ABANDONED))]
        job = job.model_copy(update=update)
        return await self._save(job, *pairs, state=True)

    async def _validate(self, job: Job, draft: PlanDraft) -> None:
        tools = await self._with.tools.names()
        problems = draft.problems(tools, job.request.constraints.timeout_seconds)
        if problems:
            raise AssayError(PLAN_INVALID, "the plan cannot run: " + "; ".join(problems))

    async def _save(
        self, job: Job, *events: tuple[str, dict[str, Any]], state: bool = False
    ) -> Job:
        pairs = [*events, ("state", {"state": job.state.value})] if state else list(events)
        if job.progress_reason:
            percent = max(job.progress, progress_of(job.kind, job.state, job.steps))
            pairs.append(("progress", {"percent": percent, "reason": job.progress_reason}))
        saved = await self._context.writer.save(job, pairs)
        self._context.notify()
        return saved


def _planned(plan: Plan) -> tuple[str, dict[str, Any]]:
    """What watchers are told when a plan was made or has moved."""
    return "plan", plan.model_dump(mode="json")
