"""The answers of several domains made one: joined where keys allow, else side by side.

Which keys, is judged here, from the rows; the executor joins them, as a step of the job.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mesh.ids import derived_id
from services.planner.analysis.deciding import Decided
from services.planner.domain.analysis.parts import join_step, joined_file
from services.planner.domain.analysis.past import Evidence
from services.planner.domain.analysis.planning import PartPlan
from services.planner.domain.calls import Frame
from services.planner.domain.decision import Decision
from services.planner.domain.jobs.job import Job
from services.planner.domain.plan import Subtask
from services.planner.domain.question import analysis_of
from services.planner.domain.routing.asked import CALL_TOOL
from services.planner.domain.routing.merging import Answer, describe_failures, join_of
from services.planner.jobs import records
from services.planner.jobs.collaborators import Collaborators, JobContext
from services.planner.jobs.failing import called_in_vain
from services.planner.jobs.growing import grown
from services.planner.jobs.steps import StepRunner

_MOST_ROWS = 10_000
"""Rows of an answer that are read here to find keys; larger ones stand side by side."""


class Merging:
    """Merges the answers of one job's parts, once all have ended."""

    def __init__(self, with_: Collaborators, context: JobContext) -> None:
        self._with = with_
        self._context = context

    async def merged(
        self, job: Job, evidence: dict[str, Evidence], decided: Decided
    ) -> tuple[Job, dict[str, Evidence], Decided]:
        """The job with the answers joined, and the decision with what is to be known of it.

        A part without an answer is told of. Where none has one, nothing is changed.
        """
        parts = decided.planning.parts
        answered = [part for part in parts if part.answer_task in evidence]
        if not answered:
            return job, evidence, decided
        failed = {p.domain: await self._why(job, p) for p in parts if p not in answered}
        notes = list(describe_failures(failed))
        answer, joined = answered[0].answer_task, list[Subtask]()
        whole: Answer | None = None
        for number, part in enumerate(answered):
            other = await self._table(part, evidence[part.answer_task])
            if other is None:
                notes += _beside(part, evidence[part.answer_task], len(answered))
                continue
            if whole is None:
                whole, answer = other, part.answer_task
                continue
            plan = join_of(whole, other)
            if plan is None:
                notes.append(
                    f"{part.domain} has no key in common with {whole.domain}: "
                    f"its rows are in {part.prefix}.csv."
                )
                continue
            tasks = {whole.domain: answer, part.domain: part.answer_task}
            left, right = tasks[plan.left], tasks[plan.right]
            step = join_step(number, plan, left, right, plan.right.partition(" ")[0])
            job, evidence = await self._run(job, decided, (step,))
            if step.task_id not in evidence:
                notes.append(f"{part.domain} could not be joined with {whole.domain}.")
                continue
            joined.append(step)
            notes += plan.notes
            answer = step.task_id
            frame = evidence[answer].observation.frame
            name = f"{whole.domain} with {part.domain}"
            whole = await self._answer(name, frame) if frame is not None else whole
        await self._recorded(job, decided, answer, notes)
        if job.plan is not None and (joined or answer != job.plan.draft.answer_task):
            files = joined_file(answer, analysis_of(job.request).deliverables) if joined else ()
            job, evidence = await self._run(job, decided, files, answer)
        planning = decided.planning
        caveats = (*planning.caveats, *dict.fromkeys(notes))
        missing = (*planning.lacking, *failed)
        update = {"caveats": caveats, "lacking": missing}
        return job, evidence, replace(decided, planning=planning.model_copy(update=update))

    async def _run(
        self, job: Job, decided: Decided, steps: Sequence[Subtask], answer: str = ""
    ) -> tuple[Job, dict[str, Evidence]]:
        """The plan with some steps more, and another answer where one is named; and what all of its
        steps gave. What it has already, it was given before a crash, and is not logged again."""
        if job.plan is None:
            raise ValueError(f"job {job.job_id} has no plan")
        draft = job.plan.draft
        known = {task.task_id for task in draft.subtasks}
        further = any(step.task_id not in known for step in steps)
        if further or answer not in ("", draft.answer_task):
            why = f"the answer is that of {answer}" if answer else "the answers have keys in common"
            job = await grown(self._with, self._context, job, steps, why, records.joined, answer)
        runner = StepRunner(self._with, self._context)
        return await runner.run(job, decided.described.catalogue)

    async def _table(self, part: PartPlan, given: Evidence) -> Answer | None:
        """A part's answer as a table; None for words, and for one too long to look for keys."""
        frame = given.observation.frame
        words = given.call.tool_name == CALL_TOOL and given.observation.artifacts
        if frame is None or words or frame.rows > _MOST_ROWS:
            return None
        return await self._answer(part.domain, frame)

    async def _answer(self, name: str, frame: Frame) -> Answer:
        table = await self._with.tools.read(frame)
        columns = {column: tuple(table[column].to_pylist()) for column in table.column_names}
        return Answer(domain=name, columns=columns)

    async def _why(self, job: Job, part: PartPlan) -> str:
        """Why a part has no answer: of the step that failed, in words for people."""
        for call, observation in await self._with.jobs.observations(job.job_id):
            mine = call.task_id.startswith(f"{part.prefix}_")
            if observation is None or observation.succeeded or not mine:
                continue
            if call.tool_name == CALL_TOOL:
                error = called_in_vain(call, observation)
                return f"{error.message}. {error.remedy}"
            return observation.error_message or "a step of it failed"
        return "a step of it failed"

    async def _recorded(
        self, job: Job, decided: Decided, answer: str, notes: Sequence[str]
    ) -> None:
        decision = Decision(
            decision_id=derived_id(job.job_id, "merge"),
            job_id=job.job_id,
            kind="merge",
            reasoner="rules",
            reason=" ".join(notes) or "one answer is the whole",
            given={"parts": [part.domain for part in decided.planning.parts]},
            decided={"answer_task": answer, "notes": list(notes)},
            timestamp=self._context.clock.now(),
        )
        await self._context.writer.save(job, decisions=[decision])


def _beside(part: PartPlan, given: Evidence, of: int) -> list[str]:
    """What is told of an answer that is joined to nothing."""
    frame = given.observation.frame
    if of > 1 and frame is not None and frame.rows > _MOST_ROWS:
        return [f"The answer of {part.domain} is too long to be joined, and stands beside."]
    return []
