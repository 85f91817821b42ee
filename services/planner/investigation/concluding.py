"""From a closed loop to a report: explanations, words with claims, files, what is remembered."""

from __future__ import annotations

from typing import Literal

from mesh.proof.assertions import TEXT, TITLE
from mesh.text.spelling import capitalised
from services.planner.domain.analysis.past import Evidence
from services.planner.domain.answer import Assertion, EmptyReason
from services.planner.domain.calls import Artifact
from services.planner.domain.checks.finding import Severity
from services.planner.domain.investigation.comparing import compared
from services.planner.domain.investigation.contributions import describe_contributions
from services.planner.domain.investigation.drawing import FIRST_CHART
from services.planner.domain.investigation.explained import describe_explanations
from services.planner.domain.investigation.found import Row, ended, rows_of, statistics_of
from services.planner.domain.investigation.leads import describe_leads
from services.planner.domain.investigation.memory import memory_document
from services.planner.domain.investigation.proceedings import hints_of
from services.planner.domain.investigation.report import InvestigationReport
from services.planner.domain.investigation.request import InvestigationRequest
from services.planner.domain.investigation.result import InvestigationResult, ReportStatus
from services.planner.domain.investigation.seasons import describe_habit, habits_in
from services.planner.domain.investigation.state import Grounded, Investigation
from services.planner.domain.investigation.telling import headline, summary
from services.planner.domain.investigation.why import why_moved
from services.planner.domain.jobs.ended import Ended
from services.planner.domain.jobs.job import Job, JobState
from services.planner.domain.lesson import Lesson
from services.planner.domain.reporting.blocks import Picture
from services.planner.domain.reporting.evidence import ClaimBook, EvidenceTable
from services.planner.domain.reporting.markdown import render_markdown
from services.planner.domain.reporting.prose import Prose
from services.planner.domain.reporting.spans import assertions_of
from services.planner.domain.reporting.stating import check_stated
from services.planner.domain.reporting.story import Speaker
from services.planner.domain.step import StepState
from services.planner.investigation.caveats import OF_METHODS, caveats_of, notes_of
from services.planner.investigation.iterating import Iterating, required
from services.planner.investigation.starting import investigation_of
from services.planner.jobs.collaborators import Collaborators, JobContext
from services.planner.jobs.ending import Ending
from services.planner.jobs.lessons import tell_or_keep
from services.planner.jobs.reporting import stored_reports
from services.planner.ports import Described


class Concluding:
    """Ends a job whose loop has ended."""

    def __init__(self, with_: Collaborators, context: JobContext, described: Described) -> None:
        self._with = with_
        self._context = context
        self._described = described
        self._ending = Ending(with_, context)

    async def conclude(self, job: Job, state: Investigation) -> Job:
        """Tell what explains the movement, or that nothing does; the ended job."""
        reading = Iterating(self._with, self._context, self._described)
        evidence = await reading.evidence(job)
        tables = await reading.tables(evidence)
        grounded, now = required(state), self._context.clock.now()
        ledger = state.ledger(now)
        book = ClaimBook()
        speaker = Speaker(book)
        changed = next((t for n, t in tables.items() if ended(n) == "change"), None)
        rows = statistics_of(changed) if changed is not None else {}
        explanations = describe_explanations(state, grounded, tables, speaker)
        title = headline(grounded.ground, rows, speaker)
        searched = _searched(tables)
        text = summary(
            grounded.ground,
            rows,
            explanations,
            speaker,
            searched=searched,
            doubts=_doubts(tables),
            way=_way(investigation_of(job)),
        )
        beside = compared(
            grounded.ground, rows, speaker, explained=bool(explanations), searched=searched
        )
        for prose, place in ((title, TITLE), (text, TEXT)):
            check_stated(prose, place, book.claims, tables)
        report = InvestigationReport(
            job_id=job.job_id,
            headline=title,
            answer=text,
            compared=beside,
            grounded=grounded,
            state=state,
            ledger_of_findings=ledger,
            explanations=explanations,
            caveats=(
                *caveats_of(grounded.ground, evidence),
                *map(capitalised, hints_of(state)),
                *describe_leads(grounded.suggestions, state.hypotheses),
            ),
            methods=notes_of(evidence, OF_METHODS),
            book=book,
            tables=tables,
            generated_at=now,
            pictures=await self._pictures(evidence, title),
            contributions=describe_contributions(grounded.ground, tables, speaker),
            habits=[describe_habit(row, grounded.ground, speaker) for row in habits_in(searched)],
        )
        files = [a for item in evidence.values() for a in item.observation.artifacts]
        files += [a.model_copy(update={"metadata": _kept(a)}) for a in job.partial_artifacts]
        files += await stored_reports(self._with, self._context, job, report)
        result = self._result(state, grounded, report, text, files, tables)
        document = memory_document(investigation_of(job), result, render_markdown(report))
        lesson = Lesson(job_id=job.job_id, document=document, session_id=job.session_id)
        await tell_or_keep(self._with, lesson)
        missing = any(step.state is StepState.FAILED for step in job.steps)
        outcome = JobState.PARTIAL_SUCCESS if missing else JobState.COMPLETED
        return await self._ending.answered(
            job,
            Ended(
                state=outcome,
                answer=result,
                partial_artifacts=await self._ending.left_over(job, files),
            ),
            f"{len(explanations)} explanations of {len(state.findings)} findings",
            [table.digest for table in tables.values()],
        )

    def _result(
        self,
        state: Investigation,
        grounded: Grounded,
        report: InvestigationReport,
        text: Prose,
        files: list[Artifact],
        tables: dict[str, EvidenceTable],
    ) -> InvestigationResult:
        explanations = tuple(
            explanation_text.explanation for explanation_text in report.explanations
        )
        return InvestigationResult(
            text=text.plain,
            artifacts=tuple(files),
            claims=report.book.claims,
            assertions=tuple(
                Assertion.model_validate(one.as_object())
                for prose, place in ((report.headline, TITLE), (text, TEXT))
                for one in assertions_of(prose, place)
            ),
            caveats=tuple(report.caveats),
            empty_reason=None if tables else EmptyReason.NO_ROWS,
            confidence=_sureness(grounded),
            reasoner=self._with.reasoner.name,
            model_use=grounded.model_use,
            decisions=self._described.decisions,
            status=ReportStatus.COMPLETED if explanations else ReportStatus.NO_FINDINGS,
            ground=grounded.ground,
            data_model=grounded.data_model,
            analysis_plan=grounded.analysis_plan,
            hypotheses=state.hypotheses,
            iterations=state.iterations,
            ledger=report.ledger_of_findings,
            explanations=explanations,
        )

    async def _pictures(self, evidence: dict[str, Evidence], prose: Prose) -> tuple[Picture, ...]:
        drawn = sorted(evidence.values(), key=lambda item: item.call.task_id != FIRST_CHART)
        charts = [
            a for item in drawn for a in item.observation.artifacts if a.artifact_type == "chart"
        ]
        return tuple([Picture(c, await self._with.tools.read_artifact(c), prose) for c in charts])


def _sureness(grounded: Grounded) -> Literal["high", "medium", "low"]:
    """How sure the answer is: of a metric that a model read never wholly."""
    if grounded.suggestions is None or not grounded.suggestions.metric:
        return "high"
    found = (grounded.proposal or {}).get("findings", ())
    return "low" if any(one["severity"] == Severity.ERROR for one in found) else "medium"


def _way(request: InvestigationRequest) -> int:
    """Which way the question takes the metric to have moved."""
    found = why_moved(request.asked, request.timestamp.date()) if request.asked else None
    return found.way if found is not None else 0


def _doubts(tables: dict[str, EvidenceTable]) -> list[Row]:
    """What makes the data doubtful, where nothing in them is sure to be at fault."""
    found = [row for n, t in tables.items() if ended(n) == "quality" for row in rows_of(t)]
    at_fault = any(row["severity"] == "fault" for row in found)
    return [] if at_fault else [row for row in found if row["severity"] == "doubt"]


def _searched(tables: dict[str, EvidenceTable]) -> list[Row]:
    """The rows of the search over everything."""
    return next((rows_of(t) for task, t in tables.items() if ended(task) == "search"), [])


def _kept(artifact: Artifact) -> dict[str, object]:
    return {name: value for name, value in artifact.metadata.items() if name != "partial"}
