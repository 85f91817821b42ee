"""Running agents: their calls as steps of the job, their patches as its decisions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from mesh.ids import derived_id
from services.planner.causal import recording
from services.planner.causal.advising import ASKING, Advising
from services.planner.domain.analysis.past import Evidence
from services.planner.domain.calls import Observation, ToolCall
from services.planner.domain.causal.agent import Brief, Seen, trace_of
from services.planner.domain.causal.agents.registry import AGENTS
from services.planner.domain.causal.contracts import ORCHESTRATOR, TOOLS
from services.planner.domain.causal.patching import Patch, merged
from services.planner.domain.causal.running import DISPATCHED, PATCHED, Dispatch, Run
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.tasks import DATA, PROFILE
from services.planner.domain.causal.tracing import call_traces, inputs_of, milliseconds
from services.planner.domain.decision import Decision
from services.planner.domain.jobs.causal_standing import list_state_events
from services.planner.domain.jobs.job import Job
from services.planner.domain.plan import Subtask
from services.planner.domain.reporting.evidence import EvidenceTable
from services.planner.domain.step import Step, StepState
from services.planner.jobs.collaborators import Collaborators, JobContext
from services.planner.jobs.failing import why_failed
from services.planner.jobs.steps import StepRunner
from services.planner.ports import Described

MOST_READ_ROWS = 20_000
"""Rows of a frame up to which it is read here: what is larger is for tools."""
_NEEDED = frozenset({DATA, PROFILE})
_FETCHING = frozenset({"causal.load"})
"""What the orchestrator itself calls."""


async def evidence_of(with_: Collaborators, job: Job) -> dict[str, Evidence]:
    """What every completed step gave."""
    recorded = await with_.jobs.observations(job.job_id)
    return {
        call.task_id: Evidence(call, observation)
        for call, observation in recorded
        if observation is not None and observation.succeeded
    }


async def seen_of(with_: Collaborators, job: Job) -> Seen:
    """What calls gave so far, as agents see it."""
    job = await with_.jobs.get(job.tenant, job.job_id)
    found = await evidence_of(with_, job)
    tables: dict[str, EvidenceTable] = {}
    for task, item in found.items():
        frame = item.observation.frame
        if frame is not None and frame.rows <= MOST_READ_ROWS and task != DATA:
            rows = await with_.tools.read(frame)
            tables[task] = EvidenceTable(task, item.call.call_id, frame.digest, rows)
    return Seen(
        tables=tables,
        frames={t: i.observation.frame.name for t, i in found.items() if i.observation.frame},
        files={t: i.observation.artifacts for t, i in found.items() if i.observation.artifacts},
        notes={t: i.observation.notes for t, i in found.items() if i.observation.notes},
        failed={
            step.task_id: step.detail
            for step in job.steps
            if step.state in (StepState.FAILED, StepState.SKIPPED)
        },
    )


class Dispatching:
    """Carries out the dispatches of one job."""

    def __init__(
        self, with_: Collaborators, context: JobContext, described: Described, brief: Brief
    ) -> None:
        self._with = with_
        self._context = context
        self._described = described
        self._brief = brief
        self._advising = Advising(with_, context, described, brief)

    async def dispatched(self, job: Job, run: Run, dispatch: Dispatch) -> tuple[Job, Run]:
        """The job with a dispatch recorded, before any of it is done."""
        number = str(len(run.done))
        before = len(job.plan.draft.subtasks) if job.plan is not None else 0
        dispatch = dispatch.model_copy(update={"calls_before": before})
        decision = self._decision(
            job, ("dispatch", number), DISPATCHED, dispatch.reason, dispatch.model_dump(mode="json")
        )
        await self._with.audit.append(
            job.job_id, recording.dispatched(job.job_id, dispatch, number)
        )
        after = run.dispatched(dispatch)
        update = {
            "progress_reason": _describe_dispatch(dispatch),
            "progress": _percent(after.state),
        }
        job = job.model_copy(update=update)
        passed = _passed(run.state, dispatch) or [after.state]
        job = await self._context.writer.save(job, list_state_events(passed), decisions=[decision])
        self._context.notify()
        return job, after

    async def carried_out(self, job: Job, run: Run) -> tuple[Job, Run]:
        """Run the calls of the open dispatch until its agents have seen enough; then their patches.

        Raises AssayError where the data cannot be had: nothing can be said without.
        """
        if run.open is None:
            raise ValueError("nothing is dispatched")
        while True:
            seen = await seen_of(self._with, job)
            asked = self._asked(run, seen)
            job = await self._extended(job, run, asked)
            if not any(not step.state.final for step in job.steps):
                break
            job, _ = await StepRunner(self._with, self._context).run(job, self._described.catalogue)
            job = await self._with.jobs.get(job.tenant, job.job_id)
            await self._check_needed(job)
        for name in sorted(ASKING & set(run.waiting_for)):
            job, advice = await self._advising.advised(job, run, name)
            seen = replace(seen, advice=advice)
        patches = [await self._patch(job, run, name, seen) for name in run.waiting_for]
        merged(run.state, patches)  # that they do not write over one another
        for patch in patches:
            job, run = await self._patched(job, run, patch, seen)
        return job, run

    def _asked(self, run: Run, seen: Seen) -> list[Subtask]:
        """What the orchestrator and the agents of the open dispatch want to know next; each agent
        sees a state of its own."""
        asked = [t for t in run.open.subtasks if not seen.ended(t.task_id)] if run.open else []
        for name in run.waiting_for:
            if name != ORCHESTRATOR:
                own = run.state.model_copy(deep=True)
                asked += AGENTS[name].calls(own, seen, self._brief)
        return asked

    async def _patch(self, job: Job, run: Run, name: str, seen: Seen) -> Patch:
        now = self._context.clock.now()
        if name == ORCHESTRATOR:
            fetched = call_traces(name, await self._calls_of(job, run, name), now)
            return Patch(agent=name, traces=fetched, made_at=now)
        own = run.state.model_copy(deep=True)
        began = self._context.clock.monotonic()
        writes, reasoning = AGENTS[name].writes(own, seen, self._brief)
        took = self._context.clock.monotonic() - began
        calls = await self._calls_of(job, run, name)
        trace = trace_of(
            name,
            "patch",
            reasoning,
            now,
            inputs=inputs_of(name, run.state),
            outputs=writes,
            tools_called=tuple(call.tool_name for call, _ in calls),
            duration_ms=milliseconds(took),
        )
        traces = (*call_traces(name, calls, now), trace)
        return Patch(agent=name, writes=writes, traces=traces, made_at=now)

    async def _calls_of(self, job: Job, run: Run, name: str) -> list[tuple[ToolCall, Observation]]:
        """What an agent asked for since it was dispatched and what came back, in the plan's order;
        of a call that was made again the last."""
        begun = run.open.calls_before if run.open is not None else 0
        asked = job.plan.draft.subtasks[begun:] if job.plan is not None else ()
        made = {
            call.task_id: (call, observation)
            for call, observation in await self._with.jobs.observations(job.job_id)
            if observation is not None
        }
        mine = TOOLS.get(name, _FETCHING)
        return [made[t.task_id] for t in asked if t.tool_name in mine and t.task_id in made]

    async def _patched(self, job: Job, run: Run, patch: Patch, seen: Seen) -> tuple[Job, Run]:
        reason = patch.reasoning or (run.open.reason if run.open is not None else "")
        about = ("patch", patch.agent, str(run.rounds_of(patch.agent)))
        decision = self._decision(
            job,
            about,
            PATCHED,
            reason,
            patch.model_dump(mode="json"),
            frames=[table.digest for table in seen.tables.values()],
        )
        after = run.patched(patch)
        number = run.rounds_of(patch.agent)
        await self._with.audit.append(job.job_id, recording.patched(job.job_id, patch, number))
        events = list_state_events([after.state])
        if after.state.critique_history != run.state.critique_history:
            events.append(("critique", after.state.critique_history[-1].model_dump(mode="json")))
        job = await self._context.writer.save(job, events, decisions=[decision])
        self._context.notify()
        return job, after

    async def _extended(self, job: Job, run: Run, asked: Sequence[Subtask]) -> Job:
        """The job with further calls in its plan; those that it has already stay."""
        if job.plan is None or run.open is None:
            raise ValueError(f"job {job.job_id} has no plan")
        draft = job.plan.draft
        known = {task.task_id for task in draft.subtasks}
        further = tuple(task for task in asked if task.task_id not in known)
        if not further:
            return job
        update = {"subtasks": (*draft.subtasks, *further), "reasoning": run.open.reason}
        plan = job.plan.model_copy(update={"draft": draft.model_copy(update=update)})
        tools = await self._with.tools.names()
        steps = tuple(_step(task, tools) for task in further)
        await self._with.audit.append(job.job_id, recording.extended(plan, run.open, further))
        job = job.model_copy(update={"plan": plan, "steps": (*job.steps, *steps)})
        job = await self._context.writer.save(job, [("plan", plan.model_dump(mode="json"))])
        self._context.notify()
        return job

    async def _check_needed(self, job: Job) -> None:
        """Raise why the data or their profile could not be had."""
        if any(s.task_id in _NEEDED and s.state is StepState.FAILED for s in job.steps):
            raise await why_failed(self._with, job)

    def _decision(
        self,
        job: Job,
        about: tuple[str, ...],
        kind: str,
        reason: str,
        decided: dict[str, object],
        **given: object,
    ) -> Decision:
        return Decision.model_validate(
            {
                "decision_id": derived_id(job.job_id, *about),
                "job_id": job.job_id,
                "kind": kind,
                "reasoner": "rules",
                "reason": reason,
                "given": given,
                "decided": decided,
                "timestamp": self._context.clock.now(),
            }
        )


def _step(task: Subtask, tools: Collection[str]) -> Step:
    """A call as a step; one that the executor has no tool for has failed before it is made, and
    its agent goes on without."""
    there = task.tool_name in tools
    return Step(
        task_id=task.task_id,
        description=task.description,
        tool_name=task.tool_name,
        state=StepState.WAITING if there else StepState.FAILED,
        detail="" if there else f"the executor has no tool {task.tool_name}",
    )


def _describe_dispatch(dispatch: Dispatch) -> str:
    alone = "fetching" if dispatch.subtasks else "recommending"
    who = " and ".join(name.replace("_", " ") for name in dispatch.agents) or alone
    return f"{who}: {dispatch.reason}"[:300]


def _percent(state: AnalysisState) -> int:
    """Whole per cent of the job; all of it only once its report is told."""
    return min(99, int(state.progress_percentage))


def _passed(state: AnalysisState, dispatch: Dispatch) -> list[AnalysisState]:
    """The states that a dispatch moves through, one for each of its statuses."""
    passed: list[AnalysisState] = []
    for status in dispatch.patch.statuses:
        state = state.moved(status, dispatch.patch.made_at)
        passed.append(state)
    return passed
