"""One iteration of the memory loop: run its calls, keep all that they gave, judge it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from mesh.ids import derived_id
from services.planner.domain.analysis.past import Evidence
from services.planner.domain.calls import Artifact, partial
from services.planner.domain.decision import Decision
from services.planner.domain.investigation.drawing import with_drawings
from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.history import CUBE, HISTORY, MARGINS
from services.planner.domain.investigation.iteration import ExitReason, Move, NextStep
from services.planner.domain.investigation.judging import judged
from services.planner.domain.investigation.leaves.judging import JUDGES_OF_LEAVES
from services.planner.domain.investigation.outcome import conclusion_of, found_of
from services.planner.domain.investigation.outputs import raw_output
from services.planner.domain.investigation.plain_names import in_plain_names
from services.planner.domain.investigation.state import FOUND, Found, Grounded, Investigation
from services.planner.domain.jobs.job import Job
from services.planner.domain.reporting.evidence import EvidenceTable
from services.planner.domain.step import StepState
from services.planner.investigation import recording
from services.planner.investigation.failing import unfounded, why_no_tables
from services.planner.jobs import records
from services.planner.jobs.collaborators import Collaborators, JobContext
from services.planner.jobs.finishing import finished
from services.planner.jobs.steps import StepRunner
from services.planner.ports import Described

MOST_READ_ROWS = 5_000
"""Rows of a frame up to which it is read here: what is larger is for other tools."""


def required(state: Investigation) -> Grounded:
    """What the investigation stands on. Raises ValueError before it is grounded."""
    if state.grounded is None:
        raise ValueError("the investigation is not grounded yet")
    return state.grounded


class Iterating:
    """Carries out the iterations of one job."""

    def __init__(self, with_: Collaborators, context: JobContext, described: Described) -> None:
        self._with = with_
        self._context = context
        self._described = described

    async def carried_out(self, job: Job, state: Investigation) -> tuple[Job, Investigation]:
        """Run what the open step decided and judge it; the job and what is known after it.

        Raises AssayError where the tables that everything works on cannot be made.
        """
        step = state.open_step
        if step is None:
            raise ValueError("no step is open")
        job, evidence = await StepRunner(self._with, self._context).run(
            job, self._described.catalogue
        )
        await self._check_tables(job, required(state).ground)
        mine = {t.task_id: evidence[t.task_id] for t in step.subtasks if t.task_id in evidence}
        tables = await self.tables(mine)
        hypothesis = state.hypothesis(step.hypothesis)
        ground = required(state).ground
        judges = None if ground.leaf is None else JUDGES_OF_LEAVES
        failed = in_plain_names(_failure(job, step), ground)
        judgement = judged(hypothesis, state.hypotheses, tables, ground, failed, judges)
        output = await self._kept(job, state, step, mine, tables)
        now = self._context.clock.now()
        found = found_of(state, step, judgement, _code(mine), output.content_ref, now)
        return await self._recorded(job, state, found, output, tables.values())

    async def _recorded(
        self,
        job: Job,
        state: Investigation,
        found: Found,
        output: Artifact,
        seen: Iterable[EvidenceTable],
    ) -> tuple[Job, Investigation]:
        """The job and what is known once an iteration is recorded, with the file of its output."""
        log = found.log
        decision = Decision(
            decision_id=derived_id(job.job_id, "finding", str(log.iteration)),
            job_id=job.job_id,
            kind=FOUND,
            reasoner="rules",
            reason=log.compressed_summary,
            given={"frames": [table.digest for table in seen]},
            decided=found.model_dump(mode="json"),
            timestamp=log.timestamp,
        )
        # The file first: it is kept whether the job comes to an answer or not.
        events = [records.concluded(job.job_id, output), *recording.judged(job.job_id, found)]
        await self._with.audit.append(job.job_id, events)
        after = state.after(decision)
        pairs = [("finding", found.finding.model_dump(mode="json"))] if found.finding else []
        moved = [h for h in after.hypotheses if h not in state.hypotheses]
        pairs += [("hypothesis", h.model_dump(mode="json")) for h in moved]
        kept = (*job.partial_artifacts, partial(output))
        job = job.model_copy(update={"partial_artifacts": kept})
        job = await self._context.writer.save(job, pairs, decisions=[decision])
        self._context.notify()
        return job, after

    async def with_drawings(self, job: Job, state: Investigation, step: NextStep) -> NextStep:
        """A concluding step with the calls that draw what was found; any other step as it is."""
        if step.move is not Move.CONCLUDE:
            return step
        tables = await self.tables(await self.evidence(job))
        tools = frozenset(await self._with.tools.names())
        return with_drawings(step, required(state).ground, tables, tools)

    async def concluded(self, job: Job, state: Investigation) -> tuple[Job, Investigation]:
        """The job once its charts are drawn, or could not be, and the iteration that concludes is
        recorded with its grounds; a loop that ended for another reason has no such iteration."""
        step = state.open_step
        if step is None:
            return job, state
        if step.subtasks:
            job, _ = await StepRunner(self._with, self._context).run(job, self._described.catalogue)
        if state.concluded is not ExitReason.CONCLUDE:
            return job, state
        evidence = await self.evidence(job)
        mine = {t.task_id: evidence[t.task_id] for t in step.subtasks if t.task_id in evidence}
        output = await self._kept(job, state, step, mine, await self.tables(mine))
        found = conclusion_of(
            state, step, _code(mine), output.content_ref, self._context.clock.now()
        )
        return await self._recorded(job, state, found, output, ())

    async def evidence(self, job: Job) -> dict[str, Evidence]:
        """What every completed step gave."""
        recorded = await self._with.jobs.observations(job.job_id)
        return {
            call.task_id: Evidence(call, observation)
            for call, observation in recorded
            if observation is not None and observation.succeeded
        }

    async def tables(self, evidence: dict[str, Evidence]) -> dict[str, EvidenceTable]:
        """The rows of small frames, by the task that made them."""
        found: dict[str, EvidenceTable] = {}
        for task_id, item in evidence.items():
            frame = item.observation.frame
            if task_id not in (MARGINS, CUBE, HISTORY) and frame and frame.rows <= MOST_READ_ROWS:
                rows = await self._with.tools.read(frame)
                found[task_id] = EvidenceTable(task_id, item.call.call_id, frame.digest, rows)
        return found

    async def _check_tables(self, job: Job, ground: Ground) -> None:
        """Raise why nothing can be said: the data have no such rows, or no table can be made."""
        if all(step.state is not StepState.FAILED for step in job.steps):
            return
        error = await unfounded(self._with, job, ground)
        if error is not None:
            raise error
        if any(s.task_id in (MARGINS, CUBE) and s.state is StepState.FAILED for s in job.steps):
            raise await why_no_tables(self._with, job, ground)

    async def _kept(
        self,
        job: Job,
        state: Investigation,
        step: NextStep,
        evidence: dict[str, Evidence],
        tables: dict[str, EvidenceTable],
    ) -> Artifact:
        """All that the calls of an iteration gave, as a file."""
        number = state.next_iteration
        content = raw_output(step, evidence, tables)
        return await finished(
            self._with.tools.put_artifact(
                job.job_id,
                f"output_{number:03d}.txt",
                "summary",
                "text/plain",
                content.encode(),
                {"iteration": number},
            )
        )


def _code(evidence: Mapping[str, Evidence]) -> str:
    """The calls that gave something, as JSON, one a line."""
    calls = [item.call for item in evidence.values()]
    return "\n".join(
        json.dumps({"tool": call.tool_name, "arguments": call.arguments}) for call in calls
    )


def _failure(job: Job, step: NextStep) -> str:
    tasks = {task.task_id for task in step.subtasks}
    failed = [s for s in job.steps if s.task_id in tasks and s.state is StepState.FAILED]
    return failed[0].detail if failed else ""
