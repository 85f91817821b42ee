"""One causal job from request to report: dispatch agents, run their calls, keep their patches.

Everything that is known is folded from the job's recorded decisions: whoever takes the job up after
a crash asks no agent twice and runs no completed call again.
"""

from __future__ import annotations

from typing import Any

from mesh.ids import derived_id
from services.planner.causal import recording
from services.planner.causal.checking import FRAME, checked_frame
from services.planner.causal.concluding import Concluding
from services.planner.causal.dispatching import Dispatching, seen_of
from services.planner.causal.starting import begun_state, brief_of, causal_of, described, understood
from services.planner.domain.causal.agent import Brief
from services.planner.domain.causal.orchestrating import next_dispatch
from services.planner.domain.causal.running import BEGUN, Run
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.status import JobStatus
from services.planner.domain.decision import Decision
from services.planner.domain.jobs.causal_standing import before_sources, list_state_events, run_of
from services.planner.domain.jobs.job import Job, JobPhase, JobState
from services.planner.domain.plan import Plan, PlanDraft, PlanState
from services.planner.jobs.collaborators import Collaborators, JobContext
from services.planner.jobs.work import Preview
from services.planner.ports import Described


class CausalWork:
    """Does jobs of kind causal."""

    def __init__(self, with_: Collaborators, context: JobContext) -> None:
        self._with = with_
        self._context = context

    async def advance(self, job: Job) -> None:
        """Dispatch agents until there is nothing left to do, and tell what came of it."""
        if job.state is JobState.SUBMITTED:
            planning = {
                "state": JobState.PLANNING,
                "phase": JobPhase.PLANNING,
                "progress_reason": "reading the source",
            }
            pending = before_sources(causal_of(job), job.job_id)
            fetching = pending.moved(JobStatus.FETCHING_DATA, self._context.clock.now())
            moves: list[tuple[str, dict[str, Any]]] = [
                *list_state_events([pending]),
                ("state", {"state": JobState.PLANNING.value}),
                *list_state_events([fetching]),
            ]
            job = await self._context.writer.save(
                job.model_copy(update=planning),
                moves,
                decisions=[self._begin(job, fetching, "reading the source", {})],
            )
            self._context.notify()
        found = await described(self._with, job)
        brief = brief_of(causal_of(job), found.catalogue)
        run = run_of(job, await self._with.jobs.decisions(job.job_id))
        if job.plan is None:
            begun = begun_state(job, found.catalogue)
            run = Run(state=begun.moved(JobStatus.FETCHING_DATA, self._context.clock.now()))
            job = await self._begun(job, run, brief, found)
        dispatching = Dispatching(self._with, self._context, found, brief)
        while True:
            if run.open is None:
                seen = await seen_of(self._with, job)
                dispatch = next_dispatch(run, seen, brief, self._context.clock.now())
                if dispatch is None:
                    break
                job, run = await dispatching.dispatched(job, run, dispatch)
            else:
                job, run = await dispatching.carried_out(job, run)
        telling = {"phase": JobPhase.CONCLUDING, "progress_reason": "telling what came of it"}
        job = await self._context.writer.save(job.model_copy(update=telling))
        await Concluding(self._with, self._context, found, brief).conclude(job, run)

    async def preview(self, job: Job) -> Preview:
        """What would be done first."""
        found = await described(self._with, job)
        brief = brief_of(causal_of(job), found.catalogue)
        run = Run(state=begun_state(job, found.catalogue))
        dispatch = next_dispatch(run, recording.NOTHING_SEEN, brief, self._context.clock.now())
        subtasks = dispatch.subtasks if dispatch is not None else ()
        plan = Plan(
            plan_id=derived_id(job.job_id, "plan", "0"),
            request_id=job.job_id,
            draft=PlanDraft(
                subtasks=subtasks,
                reasoning="thirteen agents follow, each after what it needs",
                answer_task=subtasks[0].task_id,
            ),
            created_at=self._context.clock.now(),
        )
        return Preview(understood=understood(causal_of(job), run.state), plan=plan)

    async def _begun(self, job: Job, run: Run, brief: Brief, found: Described) -> Job:
        """The job with its plan, which grows by what each dispatch asks for."""
        plan = Plan(
            plan_id=derived_id(job.job_id, "plan", "0"),
            request_id=job.job_id,
            draft=PlanDraft(
                subtasks=(), reasoning="each agent adds what it asks for", answer_task="data"
            ),
            created_at=self._context.clock.now(),
            state=PlanState.EXECUTING,
        )
        text = understood(causal_of(job), run.state)
        frame = await checked_frame(self._with, job, brief, found)
        await self._with.audit.append(
            job.job_id,
            recording.begun(
                job.job_id, plan, run.state, brief, text, found, frame, causal_of(job).origin
            ),
        )
        update = {
            "state": JobState.EXECUTING,
            "phase": JobPhase.RUNNING,
            "progress_reason": "fetching the data",
            "understood": text,
            "plan": plan,
            "request": job.request.with_fingerprints(found.source_fingerprints),
        }
        moves = [("state", {"state": JobState.EXECUTING.value}), ("understood", {"text": text})]
        given = {
            "schema_fingerprint": found.catalogue.fingerprint,
            FRAME: frame.model_dump(mode="json"),
        }
        decision = self._begin(job, run.state, text, given)
        saved = await self._context.writer.save(
            job.model_copy(update=update), moves, decisions=[decision]
        )
        self._context.notify()
        return saved

    def _begin(
        self, job: Job, state: AnalysisState, reason: str, given: dict[str, Any]
    ) -> Decision:
        """The state that a job begins with: before its sources are read, or once they are."""
        return Decision(
            decision_id=derived_id(job.job_id, "begin", "read" if given else "reading"),
            job_id=job.job_id,
            kind=BEGUN,
            reasoner="rules",
            reason=reason,
            given=given,
            decided=state.model_dump(mode="json"),
            timestamp=self._context.clock.now(),
        )
