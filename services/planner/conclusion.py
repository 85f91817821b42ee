"""From finished steps to an answer: claims, words, report, and what is learnt."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from opentelemetry import trace

from mesh import context as calls
from mesh.clock import Clock
from mesh.errors import REASONS, ROW_LIMIT, STEP_FAILED, TIMEOUT, AssayError
from mesh.ids import derived_id
from services.planner import records
from services.planner.domain.calls import Artifact, ObservationStatus
from services.planner.domain.decision import Decision
from services.planner.domain.evidence import ClaimBook, EvidenceTable
from services.planner.domain.generalise import generalised
from services.planner.domain.job import (
    Answer,
    Job,
    JobState,
    StepState,
)
from services.planner.domain.narrate import Narration, Story, narrate
from services.planner.domain.past import Evidence
from services.planner.domain.plan import PlanState
from services.planner.domain.report import Report, render_html, render_markdown
from services.planner.domain.request import Deliverable
from services.planner.ports import Described, JobWriter

if TYPE_CHECKING:
    from services.planner.analysis import Collaborators, Decided

log = logging.getLogger("assay.planner")
tracer = trace.get_tracer("assay.planner")

# Frames larger than this are not redeemed for words: the planner never reads source-sized data.
MAX_NARRATED_ROWS = 20_000
_WORDS = {Deliverable.SUMMARY, Deliverable.REPORTS}


class Conclusion:
    """Ends a job whose steps have all ended."""

    def __init__(
        self,
        collaborators: Collaborators,
        writer: JobWriter,
        clock: Clock,
        notify: Callable[[], None],
    ) -> None:
        self._with = collaborators
        self._writer = writer
        self._clock = clock
        self._notify = notify

    async def conclude(self, job: Job, evidence: dict[str, Evidence], decided: Decided) -> Job:
        """Answer the job, or raise AssayError(STEP_FAILED) when its answer's step failed."""
        if job.plan is None:
            raise ValueError(f"job {job.job_id} has no plan")
        answer_task = job.plan.draft.answer_task
        if answer_task not in evidence:
            raise await self._why_failed(job)
        decision_id = derived_id(job.job_id, "narrate")
        for decision in await self._with.jobs.decisions(job.job_id):
            if decision.decision_id == decision_id:
                return await self._complete(job, Answer.model_validate(decision.decided))
        with tracer.start_as_current_span("conclude"):
            tables = await self._redeem(evidence)
            book = ClaimBook()
            story = Story(
                request=job.request,
                understood=job.understood,
                intent=decided.planning.intent,
                answer_task=answer_task,
                tables=tables,
                catalogue=decided.described.catalogue,
                answer_rows=evidence[answer_task].observation.row_count or 0,
            )
            narration = narrate(story, book)
            caveats = self._caveats(job, evidence, decided, narration)
            artifacts = [a for e in evidence.values() for a in e.observation.artifacts]
            artifacts += await self._report(
                job, evidence, narration, story, book, caveats, artifacts
            )
            answer = await self._answer(job, evidence, decided, narration, book, caveats, artifacts)
            decision = Decision(
                decision_id=decision_id,
                job_id=job.job_id,
                kind="narrate",
                reasoner=self._with.reasoner.name,
                reason=f"told from {len(tables)} frames in {len(book.claims)} claims",
                given={"frames": [table.digest for table in tables.values()]},
                decided=answer.model_dump(mode="json"),
                timestamp=self._clock.now(),
            )
            await self._writer.save(job, decisions=[decision])
            return await self._complete(job, answer)

    async def _redeem(self, evidence: dict[str, Evidence]) -> dict[str, EvidenceTable]:
        tables: dict[str, EvidenceTable] = {}
        for task_id, item in evidence.items():
            frame = item.observation.frame
            if frame is not None and frame.rows <= MAX_NARRATED_ROWS:
                rows = await self._with.tools.read(frame)
                tables[task_id] = EvidenceTable(task_id, item.call.call_id, frame.digest, rows)
        return tables

    def _caveats(
        self, job: Job, evidence: dict[str, Evidence], decided: Decided, narration: Narration
    ) -> tuple[str, ...]:
        """What matters for reading the answer, most important first, each said once."""
        said: list[str] = list(decided.planning.assumptions)
        said += [caveat for item in evidence.values() for caveat in item.caveats]
        said += [
            f"Step {item.call.task_id} was repaired: {item.call.change_reason}."
            for item in evidence.values()
            if item.call.attempt_number > 1
        ]
        said += [
            f"Step {step.task_id} failed: {step.detail}"
            for step in job.steps
            if step.state is StepState.FAILED
        ]
        said += [note for item in evidence.values() for note in item.observation.notes]
        said += _about_what_was_used(decided.described, evidence)
        said += narration.caveats
        if decided.memory_away:
            said.append("Memory was away: planned without recalling earlier analyses.")
        return tuple(dict.fromkeys(said))

    async def _report(
        self,
        job: Job,
        evidence: dict[str, Evidence],
        narration: Narration,
        story: Story,
        book: ClaimBook,
        caveats: tuple[str, ...],
        artifacts: list[Artifact],
    ) -> list[Artifact]:
        if Deliverable.REPORTS not in job.request.deliverables or job.plan is None:
            return []
        chart = next((a for a in artifacts if a.artifact_type == "chart"), None)
        attempts = await self._with.jobs.observations(job.job_id)
        report = Report(
            job=job,
            narration=narration,
            story=story,
            book=book,
            caveats=caveats,
            calls=tuple(call for call, _ in attempts),
            observations=tuple(seen for _, seen in attempts if seen is not None),
            chart=chart,
            chart_bytes=await self._with.tools.read_artifact(chart) if chart else b"",
        )
        made = []
        for name, media_type, content in (
            ("report.md", "text/markdown", render_markdown(report)),
            ("report.html", "text/html", render_html(report)),
        ):
            artifact = await self._with.tools.put_artifact(
                job.job_id,
                name,
                "report",
                media_type,
                content.encode(),
                {"format": media_type.partition("/")[2], "section_count": len(report.sections())},
            )
            made.append(artifact)
        return made

    async def _answer(
        self,
        job: Job,
        evidence: dict[str, Evidence],
        decided: Decided,
        narration: Narration,
        book: ClaimBook,
        caveats: tuple[str, ...],
        artifacts: list[Artifact],
    ) -> Answer:
        if job.plan is None:
            raise ValueError(f"job {job.job_id} has no plan")
        shaped = evidence.get(narration.display_task) if narration.display_task else None
        told = bool(_WORDS & set(job.request.deliverables)) or narration.empty_reason is not None
        return Answer(
            text=narration.text if told else "",
            table=evidence[job.plan.draft.answer_task].observation.frame,
            display=shaped.observation.frame if shaped else None,
            artifacts=tuple(artifacts),
            claims=book.claims if told else (),
            caveats=caveats,
            empty_reason=narration.empty_reason,
            confidence=decided.planning.confidence,
            reasoner=self._with.reasoner.name,
            recipe=await self._learn(job, decided, _outcome(job), narration),
        )

    async def _complete(self, job: Job, answer: Answer) -> Job:
        """Log the answer, then report it."""
        if job.plan is None:
            raise ValueError(f"job {job.job_id} has no plan")
        await self._with.audit.append(job.job_id, records.answered(job.job_id, answer))
        plan = job.plan.model_copy(update={"state": PlanState.COMPLETED})
        state = _outcome(job)
        job = job.model_copy(update={"state": state, "answer": answer, "plan": plan})
        told: list[tuple[str, dict[str, Any]]] = [
            ("answer", answer.model_dump(mode="json")),
            ("state", {"state": state.value}),
        ]
        job = await self._writer.save(job, told)
        self._notify()
        return job

    async def _learn(
        self, job: Job, decided: Decided, state: JobState, narration: Narration
    ) -> str:
        """Store what worked, and say in a few words what became of the recipe.

        Memory never holds the only copy of anything a job needs: when it is away, the job
        completes without.
        """
        use = decided.planning.recipe
        worked = state is JobState.COMPLETED and narration.empty_reason is None
        try:
            with calls.changed(seconds=self._with.recall_seconds):
                if use.how in ("used", "adapted"):
                    await self._with.memory.record_outcome(use.recipe_id, worked, job.job_id)
                    return f"recipe {use.how}"
                recipe = (
                    generalised(job, decided.planning, decided.described.catalogue)
                    if worked
                    else None
                )
                if recipe is None:
                    return ""
                await self._with.memory.store(recipe)
                await self._with.memory.store_document(
                    job.job_id, f"{job.request.intent}\n\n{narration.text}"
                )
                return "recipe saved"
        except AssayError as error:
            log.warning("nothing was learnt from job %s: %s", job.job_id, error)
            return "memory away, no recipe saved"

    async def _why_failed(self, job: Job) -> AssayError:
        """The error of the first failed step, for people."""
        for call, observation in await self._with.jobs.observations(job.job_id):
            if observation is None or observation.succeeded:
                continue
            if call.attempt_number < max(s.attempt for s in job.steps if s.task_id == call.task_id):
                continue
            if observation.error_category == "policy_denied":
                reason = REASONS["SQL_REFUSED"]
            elif observation.status is ObservationStatus.TIMEOUT:
                reason = TIMEOUT
            elif observation.status is ObservationStatus.RESOURCE_LIMIT:
                reason = ROW_LIMIT
            else:
                reason = STEP_FAILED
            text = f"step {call.task_id} ({call.tool_name}): {observation.error_message}"
            return AssayError(reason, text, metadata={"task_id": call.task_id})
        return AssayError(STEP_FAILED, "no step gave a result")


def _outcome(job: Job) -> JobState:
    missing = [step for step in job.steps if step.state is StepState.FAILED]
    return JobState.PARTIAL_SUCCESS if missing else JobState.COMPLETED


def _about_what_was_used(described: Described, evidence: dict[str, Evidence]) -> list[str]:
    """Notes on reading the sources, as far as they are about tables that the queries named."""
    queries = " ".join(str(item.call.arguments.get("query", "")) for item in evidence.values())
    catalogue = described.catalogue
    sources = Counter(table.source_name for table in catalogue.tables)
    names: set[str] = set()
    for table in catalogue.tables:
        if f'"{table.name}"' in queries:
            alone = sources[table.source_name] == 1
            names |= {table.source_name} if alone else {f"{table.source_name}: {table.name}:"}
    return [
        note
        for note in described.notes
        if any(note.startswith(name) for name in names) and _columns_used(note, queries)
    ]


def _columns_used(note: str, queries: str) -> bool:
    """Whether a note about one column is about one that a query named."""
    about = re.search(r"\bcolumn (.+?) (?:is|was|holds|has)\b", note)
    return about is None or f'"{about.group(1)}"' in queries
