"""One iteration of the memory loop: run its calls, keep all that they gave, judge it."""

from __future__ import annotations

import json

from mesh.ids import derived_id
from services.planner.domain.analysis.evidence import EvidenceTable
from services.planner.domain.calls import Artifact, partial
from services.planner.domain.decision import Decision
from services.planner.domain.investigation.drawing import with_drawings
from services.planner.domain.investigation.found import ended, rows_of
from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.history import CUBE, HISTORY, MARGINS
from services.planner.domain.investigation.hypothesis import Test
from services.planner.domain.investigation.hypothesising import Segment
from services.planner.domain.investigation.iteration import (
    Finding,
    IterationLog,
    Move,
    NextStep,
    finding_id,
)
from services.planner.domain.investigation.judging import Judgement, judged
from services.planner.domain.investigation.leaves.judging import JUDGES_OF_LEAVES
from services.planner.domain.investigation.outputs import raw_output
from services.planner.domain.investigation.plain_names import in_plain_names
from services.planner.domain.investigation.state import FOUND, Found, Grounded, Investigation
from services.planner.domain.job import Job
from services.planner.domain.past import Evidence
from services.planner.domain.step import StepState
from services.planner.investigation import recording
from services.planner.investigation.failing import unfounded, why_no_tables
from services.planner.jobs import records
from services.planner.jobs.collaborators import Collaborators, Desk
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

    def __init__(self, with_: Collaborators, desk: Desk, described: Described) -> None:
        self._with = with_
        self._desk = desk
        self._described = described

    async def carried_out(self, job: Job, state: Investigation) -> tuple[Job, Investigation]:
        """Run what the open step decided and judge it; the job and what is known after it.

        Raises AssayError where the tables that everything works on cannot be made.
        """
        step = state.open_step
        if step is None:
            raise ValueError("no step is open")
        job, evidence = await StepRunner(self._with, self._desk).run(job, self._described.catalogue)
        await self._check_tables(job, required(state).ground)
        mine = {t.task_id: evidence[t.task_id] for t in step.subtasks if t.task_id in evidence}
        tables = await self.tables(mine)
        hypothesis = state.hypothesis(step.hypothesis)
        ground = required(state).ground
        judges = None if ground.leaf is None else JUDGES_OF_LEAVES
        failed = in_plain_names(_failure(job, step), ground)
        judgement = judged(hypothesis, state.hypotheses, tables, ground, failed, judges)
        output = await self._kept(job, state, step, mine, tables)
        decision = self._found(job, state, step, judgement, mine, tables, output)
        found = Found.model_validate(decision.decided)
        # The file first: it is kept whether the job comes to an answer or not.
        events = [records.concluded(job.job_id, output), *recording.judged(job.job_id, found)]
        await self._with.audit.append(job.job_id, events)
        after = state.after(decision)
        told = [("finding", found.finding.model_dump(mode="json"))] if found.finding else []
        moved = [h for h in after.hypotheses if h not in state.hypotheses]
        told += [("hypothesis", h.model_dump(mode="json")) for h in moved]
        kept = (*job.partial_artifacts, partial(output))
        job = job.model_copy(update={"partial_artifacts": kept})
        job = await self._desk.writer.save(job, told, decisions=[decision])
        self._desk.notify()
        return job, after

    async def with_drawings(self, job: Job, state: Investigation, step: NextStep) -> NextStep:
        """A concluding step with the calls that draw what was found; any other step as it is."""
        if step.move is not Move.CONCLUDE:
            return step
        tables = await self.tables(await self.evidence(job))
        tools = frozenset(await self._with.tools.names())
        return with_drawings(step, required(state).ground, tables, tools)

    async def drawn(self, job: Job) -> Job:
        """The job once its charts are drawn, or could not be."""
        job, _ = await StepRunner(self._with, self._desk).run(job, self._described.catalogue)
        return job

    async def standing_out(self, job: Job, state: Investigation) -> tuple[Segment, ...]:
        """Segments that the search found, the largest first, that nobody has looked into."""
        searched = next((h for h in state.hypotheses if h.test is Test.SEARCH), None)
        done = [log for log in state.iterations if '"metric.search"' in log.code_executed]
        if searched is None or not done:
            return ()
        evidence = await self.evidence(job)
        found: list[Segment] = []
        for task, table in (await self.tables(evidence)).items():
            if ended(task) == "search":
                found += [row.segment for row in rows_of(table) if row.stands_out and row.segment]
        looked_into = {h.segment for h in state.hypotheses if h.test is Test.WITHIN}
        dimensions = set(required(state).ground.dimensions)
        return tuple(
            segment
            for segment in found
            if segment not in looked_into and dimensions - {name for name, _ in segment}
        )

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

    def _found(
        self,
        job: Job,
        state: Investigation,
        step: NextStep,
        judgement: Judgement,
        evidence: dict[str, Evidence],
        tables: dict[str, EvidenceTable],
        output: Artifact,
    ) -> Decision:
        now, number = self._desk.clock.now(), state.next_iteration
        calls = [item.call for item in evidence.values()]
        code = "\n".join(
            json.dumps({"tool": call.tool_name, "arguments": call.arguments}) for call in calls
        )
        found = Found(
            log=IterationLog(
                iteration=number,
                decision=step.move,
                reason=step.reason,
                code_executed=code,
                raw_output=output.content_ref,
                compressed_summary=judgement.summary,
                hypothesis_status_changes=judgement.changes,
                timestamp=now,
            ),
            finding=Finding(
                finding_id=finding_id(len(state.findings) + 1),
                iteration=number,
                summary=judgement.summary,
                full_output_ref=output.content_ref,
                hypothesis_affected=step.hypothesis,
                created_at=now,
            ),
            told=judgement.told,
        )
        return Decision(
            decision_id=derived_id(job.job_id, "finding", str(number)),
            job_id=job.job_id,
            kind=FOUND,
            reasoner="rules",
            reason=judgement.summary,
            given={"frames": [table.digest for table in tables.values()]},
            decided=found.model_dump(mode="json"),
            timestamp=now,
        )


def _failure(job: Job, step: NextStep) -> str:
    tasks = {task.task_id for task in step.subtasks}
    failed = [s for s in job.steps if s.task_id in tasks and s.state is StepState.FAILED]
    return failed[0].detail if failed else ""
