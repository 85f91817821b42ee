"""What a finished job's answer is told from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from services.planner.analysis.deciding import Decided
from services.planner.domain.analysis.narrate import Story
from services.planner.domain.analysis.past import Evidence
from services.planner.domain.analysis.planning import PartPlan
from services.planner.domain.jobs.job import Job
from services.planner.domain.question import analysis_of
from services.planner.domain.reporting.evidence import EvidenceTable
from services.planner.domain.statements.column import ResultColumn
from services.planner.domain.statements.readable import QUERYING_TOOL


def story_of(
    job: Job,
    evidence: Mapping[str, Evidence],
    decided: Decided,
    tables: dict[str, EvidenceTable],
) -> Story:
    """The story of a job whose answer's step has given a frame."""
    if job.plan is None:
        raise ValueError(f"job {job.job_id} has no plan")
    answer_task = job.plan.draft.answer_task
    seen = evidence[answer_task].observation
    return Story(
        request=analysis_of(job.request),
        understood=job.understood,
        intent=decided.planning.intent,
        answer_task=answer_task,
        tables=tables,
        catalogue=decided.described.catalogue,
        answer_rows=seen.row_count or 0,
        answer_digest=seen.frame.digest if seen.frame else "",
        elsewhere=_elsewhere(job, decided.planning.domain),
        columns=_columns(decided, tables.get(answer_task)),
        sentences=_sentences(decided),
    )


def part_story(whole: Story, part: PartPlan, job: Job, evidence: Mapping[str, Evidence]) -> Story:
    """What one of several domains gave, as a story of its own with the names of its own steps."""
    start = f"{part.prefix}_"
    seen = evidence[part.answer_task].observation
    words = {d.name: d.question for d in whole.request.domains}
    return replace(
        whole,
        request=whole.request.model_copy(update={"intent": words[part.domain]}),
        understood=part.understood,
        intent=part.intent,
        answer_task=part.answer_task.removeprefix(start),
        tables={
            name.removeprefix(start): replace(table, task_id=name.removeprefix(start))
            for name, table in whole.tables.items()
            if name.startswith(start)
        },
        answer_rows=seen.row_count or 0,
        answer_digest=seen.frame.digest if seen.frame else "",
        elsewhere=_elsewhere(job, part.domain),
    )


def _sentences(decided: Decided) -> tuple[str, ...]:
    proposal = decided.planning.proposal if decided.planning.by_model else None
    return tuple(map(str, proposal.get("sentences", ()))) if proposal is not None else ()


def _columns(decided: Decided, answer: EvidenceTable | None) -> tuple[ResultColumn, ...]:
    """What the columns of a statement's result are, whoever wrote it. Where an intent says it, a
    model's word for their units is all that is known beside it."""
    planning = decided.planning
    if planning.draft is None or answer is None:
        return ()
    if planning.by_model and planning.proposal is not None:
        return tuple(map(ResultColumn.model_validate, planning.proposal.get("columns", ())))
    if planning.intent:
        return ()
    task = next(t for t in planning.draft.subtasks if t.task_id == planning.draft.answer_task)
    if task.tool_name != QUERYING_TOOL:
        return ()
    # Here, because whoever lists jobs comes by this module and reads no statement.
    from services.planner.domain.proposals.roles import columns_of, types_of

    statement = str(task.arguments.get("query", ""))
    return columns_of(statement, types_of(answer.rows.schema), decided.described.catalogue)


def _elsewhere(job: Job, domain: str) -> str:
    """The tool that answers for a domain, as sources are cited; empty where it is data."""
    for one in analysis_of(job.request).domains:
        if one.name == domain and one.call is not None:
            return f"{domain}.{one.call.tool}"
    return ""
