"""From the last patch to a report: words with claims, files, what is remembered."""

from __future__ import annotations

from typing import Literal

from mesh.proof.assertions import TEXT, TITLE
from mesh.text.spelling import capitalised
from services.planner.causal import recording
from services.planner.causal.advising import list_advice_notes
from services.planner.causal.caveats import caveats_of, notes_of_methods
from services.planner.causal.checking import frame_of
from services.planner.causal.dispatching import seen_of
from services.planner.causal.starting import causal_of
from services.planner.domain.analysis.planning import Planning
from services.planner.domain.answer import Assertion
from services.planner.domain.causal.agent import Brief, Seen
from services.planner.domain.causal.drawing import CHARTS, PREFIX
from services.planner.domain.causal.effects import calibration_of, spoken_for
from services.planner.domain.causal.report import CausalReport
from services.planner.domain.causal.report_tables import (
    beside_cells,
    calibration_cells,
    estimate_cells,
    group_cells,
)
from services.planner.domain.causal.result import CausalResult
from services.planner.domain.causal.results import CritiqueDecision
from services.planner.domain.causal.running import Run
from services.planner.domain.causal.telling import answer, headline, words_of
from services.planner.domain.inquiry.known import document_of, known_of
from services.planner.domain.jobs.ended import Ended
from services.planner.domain.jobs.job import Job, JobState
from services.planner.domain.lesson import Lesson
from services.planner.domain.model_use import use_of
from services.planner.domain.reporting.blocks import Picture
from services.planner.domain.reporting.evidence import ClaimBook
from services.planner.domain.reporting.prose import Prose
from services.planner.domain.reporting.spans import assertions_of
from services.planner.domain.reporting.stating import check_stated
from services.planner.domain.reporting.story import Speaker
from services.planner.jobs.collaborators import Collaborators, JobContext
from services.planner.jobs.ending import Ending
from services.planner.jobs.lessons import tell_or_keep
from services.planner.jobs.reporting import stored_reports
from services.planner.ports import Described

_CONFIDENCE: dict[CritiqueDecision, Literal["high", "medium", "low"]] = {
    CritiqueDecision.APPROVE: "high",
    CritiqueDecision.ITERATE: "low",
}


class Concluding:
    """Ends a job whose agents are done."""

    def __init__(
        self, with_: Collaborators, context: JobContext, described: Described, brief: Brief
    ) -> None:
        self._with = with_
        self._context = context
        self._described = described
        self._brief = brief
        self._ending = Ending(with_, context)

    async def conclude(self, job: Job, run: Run) -> Job:
        """Tell the effect, or that the data cannot; the ended job."""
        now = self._context.clock.now()
        state = run.state.mark_completed(now)
        seen = await seen_of(self._with, job)
        decisions = await self._with.jobs.decisions(job.job_id)
        made = [repair for repair in state.data_repairs if repair.get("applied")]
        frame = frame_of(decisions).repaired(
            [r["column"] for r in made if r["kind"] == "missing"],
            once=any(r["kind"] == "duplicate" for r in made),
        )
        effects = state.get_effects_for_pair(*state.get_primary_pair())
        calibration = calibration_of(seen)
        effect = spoken_for(effects, calibration)
        asked_of = causal_of(job).origin
        origin = asked_of.description if asked_of is not None else ""
        await self._with.audit.append(
            job.job_id, recording.record_sentences(job.job_id, words_of(state, effect, origin))
        )
        book = ClaimBook()
        speaker = Speaker(book)
        title = headline(state, effect, seen.tables, speaker)
        text = answer(state, effect, seen.tables, speaker, origin)
        for prose, place in ((title, TITLE), (text, TEXT)):
            check_stated(prose, place, book.claims, seen.tables)
        report = CausalReport(
            job_id=job.job_id,
            headline=title,
            answer=text,
            state=state,
            effect=effect,
            estimates=estimate_cells(effects, effect, seen.tables, speaker),
            beside=beside_cells(state.treatment_effects, seen.tables, speaker),
            groups=group_cells(effects, seen.tables, speaker),
            calibrated=calibration_cells(seen.tables, speaker),
            caveats=[
                *map(capitalised, frame.caveats),
                *caveats_of(seen, state),
                *list_advice_notes(decisions),
            ],
            methods=notes_of_methods(seen, state),
            book=book,
            tables=seen.tables,
            generated_at=now,
            pictures=await self._pictures(seen, title),
        )
        files = [file for made in seen.files.values() for file in made]
        files += await stored_reports(self._with, self._context, job, report)
        verdict = state.newest_critique.decision if state.newest_critique else _REJECT
        result = CausalResult(
            text=text.plain,
            artifacts=tuple(files),
            claims=book.claims,
            assertions=_assertions(title, text),
            caveats=tuple(report.caveats),
            confidence=frame.at_most(_CONFIDENCE.get(verdict, "low")),
            reasoner=self._with.reasoner.name,
            model_use=use_of(decisions),
            decisions=self._described.decisions,
            verdict=verdict,
            effect=effect,
            state=state,
        )
        known = known_of(job.model_copy(update={"answer": result}), Planning(), [])
        document = document_of(job, known)
        lesson = Lesson(job_id=job.job_id, document=document, session_id=job.session_id)
        await tell_or_keep(self._with, lesson)
        return await self._ending.answered(
            job,
            Ended(
                state=JobState.COMPLETED,
                answer=result,
                partial_artifacts=await self._ending.left_over(job, files),
            ),
            f"{verdict.value} after {state.iteration_count} iterations",
            [table.digest for table in seen.tables.values()],
        )

    async def _pictures(self, seen: Seen, prose: Prose) -> tuple[Picture, ...]:
        charts = [
            file
            for kind in CHARTS
            for file in seen.files.get(f"{PREFIX}{kind}", ())
            if file.artifact_type == "chart"
        ]
        # What stands beside them is the answer's own words: a verifier allows no other there.
        return tuple([Picture(c, await self._with.tools.read_artifact(c), prose) for c in charts])


_REJECT = CritiqueDecision.REJECT


def _assertions(title: Prose, text: Prose) -> tuple[Assertion, ...]:
    return tuple(
        Assertion.model_validate(one.as_object())
        for prose, place in ((title, TITLE), (text, TEXT))
        for one in assertions_of(prose, place)
    )
