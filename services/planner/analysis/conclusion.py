"""From finished steps to an answer: claims, words, report, and what is learnt."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from mesh.errors import STEP_FAILED
from mesh.telemetry.tracing import span
from services.planner.analysis.caveats import caveats_of, queries_of
from services.planner.analysis.deciding import Decided
from services.planner.analysis.learning import learn, learn_failure
from services.planner.analysis.stories import part_story, story_of
from services.planner.domain.analysis.narrate import Narration, Story, narrate, narrate_unstated
from services.planner.domain.analysis.narrate_parts import narrate_parts
from services.planner.domain.analysis.past import Evidence
from services.planner.domain.analysis.planning import Confidence, Planning
from services.planner.domain.analysis.report import (
    Report,
    render_html,
    render_markdown,
    summary_markdown,
)
from services.planner.domain.answer import Answer, Assertion, EmptyReason
from services.planner.domain.calls import Artifact, partial
from services.planner.domain.jobs.ended import Ended
from services.planner.domain.jobs.job import Job, JobState
from services.planner.domain.model_use import use_of
from services.planner.domain.question import Deliverable, analysis_of
from services.planner.domain.reading import ReadDecision, decisions_used
from services.planner.domain.reporting.evidence import ClaimBook, EvidenceTable
from services.planner.domain.reporting.source_text import source_of
from services.planner.domain.reporting.stating import UnstatedError
from services.planner.domain.reporting.test_text import is_denied
from services.planner.domain.step import StepState
from services.planner.jobs.collaborators import Collaborators, JobContext
from services.planner.jobs.ending import Ending
from services.planner.jobs.failing import why_failed
from services.planner.jobs.finishing import finished

# Frames larger than this are not redeemed for words: the planner never reads source-sized data.
MAX_NARRATED_ROWS = 20_000
_WORDS = {Deliverable.SUMMARY, Deliverable.REPORTS}


log = logging.getLogger("assay.planner")


class Conclusion:
    """Ends a job whose steps have all ended."""

    def __init__(self, with_: Collaborators, context: JobContext) -> None:
        self._with = with_
        self._context = context
        self._ending = Ending(with_, context)

    async def conclude(self, job: Job, evidence: dict[str, Evidence], decided: Decided) -> Job:
        """Answer the job, or raise AssayError(STEP_FAILED) when its answer's step failed."""
        if job.plan is None:
            raise ValueError(f"job {job.job_id} has no plan")
        answer_task = job.plan.draft.answer_task
        if answer_task not in evidence:
            error = await why_failed(self._with, job)
            why = error.message if error.reason is STEP_FAILED else ""
            await learn_failure(self._with, job.job_id, decided.planning, why)
            raise error
        with span("conclude"):
            tables = await self._redeem(evidence)
            story = story_of(job, evidence, decided, tables)
            stories = [
                (part.domain, part_story(story, part, job, evidence))
                for part in decided.planning.parts
                if part.answer_task in evidence
            ]
            narration, book = _narrate_answer(job.job_id, story, stories)
            caveats = caveats_of(job, evidence, decided, narration)
            # Of several tables the answer's own comes first.
            made = sorted(
                evidence.values(), key=lambda e: e.call.arguments.get("input") != answer_task
            )
            artifacts = [a for e in made for a in e.observation.artifacts]
            decisions = decisions_used(
                decided.described.decisions,
                story.catalogue,
                queries_of(job, evidence, story.catalogue),
            )
            artifacts += await self._report(
                job, decided, narration, story, book, caveats, decisions, artifacts
            )
            artifacts += await self._summary(job, narration, caveats, artifacts)
            answer = await self._answer(
                job, evidence, decided, narration, story, book, caveats, decisions, artifacts
            )
            left = await self._ending.left_over(job, artifacts)
            return await self._ending.answered(
                job,
                Ended(state=_outcome(job, decided.planning), answer=answer, partial_artifacts=left),
                f"told from {len(tables)} frames in {len(book.claims)} claims",
                [table.digest for table in tables.values()],
            )

    async def _redeem(self, evidence: dict[str, Evidence]) -> dict[str, EvidenceTable]:
        tables: dict[str, EvidenceTable] = {}
        for task_id, item in evidence.items():
            frame = item.observation.frame
            if frame is not None and frame.rows <= MAX_NARRATED_ROWS:
                rows = await self._with.tools.read(frame)
                tables[task_id] = EvidenceTable(task_id, item.call.call_id, frame.digest, rows)
        return tables

    async def _report(
        self,
        job: Job,
        decided: Decided,
        narration: Narration,
        story: Story,
        book: ClaimBook,
        caveats: tuple[str, ...],
        decisions: tuple[ReadDecision, ...],
        artifacts: list[Artifact],
    ) -> list[Artifact]:
        if Deliverable.REPORTS not in analysis_of(job.request).deliverables or job.plan is None:
            return []
        chart = next((a for a in artifacts if a.artifact_type == "chart"), None)
        recorded = await self._with.jobs.observations(job.job_id)
        attempts = [(c, seen) for c, seen in recorded if c.plan_id == job.plan.plan_id]
        report = Report(
            job=job,
            narration=narration,
            story=story,
            book=book,
            caveats=caveats,
            decisions=decisions,
            calls=tuple(call for call, _ in attempts),
            observations=tuple(seen for _, seen in attempts if seen is not None),
            chart=chart,
            chart_bytes=await self._with.tools.read_artifact(chart) if chart else b"",
            planned_by=decided.planning.decided_by or self._with.reasoner.name,
            confidence=_level(decided, story),
            model_use=use_of(await self._with.jobs.decisions(job.job_id)),
            source=source_of(story),
        )
        made: list[Artifact] = []
        for name, media_type, content in (
            ("report.md", "text/markdown", render_markdown(report)),
            ("report.html", "text/html", render_html(report)),
        ):
            described = {
                "format": media_type.partition("/")[2],
                "section_count": len(report.sections()),
            }
            file = self._keep(job, made, "report", name, media_type, content, described)
            made.append(await finished(file))
        return made

    async def _summary(
        self,
        job: Job,
        narration: Narration,
        caveats: tuple[str, ...],
        before: list[Artifact],
    ) -> list[Artifact]:
        """The answer in words as a file, where a summary is wanted."""
        request = analysis_of(job.request)
        if Deliverable.SUMMARY not in request.deliverables:
            return []
        reports = [artifact for artifact in before if artifact.artifact_type == "report"]
        content = summary_markdown(request.question, narration.text, caveats)
        described = {"format": "markdown"}
        file = self._keep(
            job, reports, "summary", "summary.md", "text/markdown", content, described
        )
        return [await finished(file)]

    async def _keep(
        self,
        job: Job,
        before: list[Artifact],
        kind: str,
        name: str,
        media_type: str,
        content: str,
        described: dict[str, Any],
    ) -> Artifact:
        """Store a report or summary, and with the job that it is there: should the job end without
        its answer, its end lists the file."""
        made = await self._with.tools.put_artifact(
            job.job_id, name, kind, media_type, content.encode(), described
        )
        kept = tuple(partial(artifact) for artifact in (*before, made))
        await self._context.writer.save(job.model_copy(update={"partial_artifacts": kept}))
        return made

    async def _answer(
        self,
        job: Job,
        evidence: dict[str, Evidence],
        decided: Decided,
        narration: Narration,
        story: Story,
        book: ClaimBook,
        caveats: tuple[str, ...],
        decisions: tuple[ReadDecision, ...],
        artifacts: list[Artifact],
    ) -> Answer:
        if job.plan is None:
            raise ValueError(f"job {job.job_id} has no plan")
        shaped = evidence.get(narration.display_task) if narration.display_task else None
        is_mentioned = (
            bool(_WORDS & set(analysis_of(job.request).deliverables))
            or narration.empty_reason is not None
        )
        return Answer(
            text=narration.text if is_mentioned else "",
            table=evidence[job.plan.draft.answer_task].observation.frame,
            display=shaped.observation.frame if shaped else None,
            artifacts=tuple(artifacts),
            claims=book.claims if is_mentioned else (),
            assertions=tuple(
                Assertion.model_validate(one.as_object()) for one in narration.assertions
            )
            if is_mentioned
            else (),
            caveats=caveats,
            empty_reason=narration.empty_reason if is_mentioned else EmptyReason.NOT_ASKED,
            confidence=_level(decided, story),
            reasoner=decided.planning.decided_by or self._with.reasoner.name,
            recipe=await learn(
                self._with, job, decided, _outcome(job, decided.planning), narration
            ),
            model_use=use_of(await self._with.jobs.decisions(job.job_id)),
            decisions=decisions,
            formats=dict(narration.formats),
        )


def _level(decided: Decided, story: Story) -> Confidence:
    """How sure the answer is: what a test takes for granted, and its data denies, is doubtful, and
    nothing is sure where an approved definition could not be used."""
    if is_denied(story.answer):
        return "low"
    level = decided.planning.confidence
    return "medium" if level == "high" and decided.described.catalogue.unused else level


def _narrate_answer(
    job_id: str, story: Story, parts: Sequence[tuple[str, Story]]
) -> tuple[Narration, ClaimBook]:
    """The answer in words and the claims it makes; a fault in the words does not cost the table.

    `parts` are what each of several domains gave.
    """
    book = ClaimBook()
    try:
        return (narrate_parts(parts, book) if parts else narrate(story, book)), book
    except UnstatedError as fault:
        log.error("job %s: its sentences did not pass and are left out", job_id)
        log.debug("job %s: %s", job_id, fault)
        return narrate_unstated(story), ClaimBook()


def _outcome(job: Job, planning: Planning) -> JobState:
    missing = [step for step in job.steps if step.state is StepState.FAILED]
    return JobState.PARTIAL_SUCCESS if missing or planning.lacking else JobState.COMPLETED
