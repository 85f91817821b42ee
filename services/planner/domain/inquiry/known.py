"""A finished job as something that can be asked, and as the document that is remembered of it."""

from __future__ import annotations

from services.planner.domain.analysis.past import Attempt
from services.planner.domain.analysis.planning import Planning
from services.planner.domain.causal.result import CausalResult
from services.planner.domain.inquiry.choosing import Known
from services.planner.domain.inquiry.of_analysis import of_analysis
from services.planner.domain.inquiry.of_any import of_any
from services.planner.domain.inquiry.of_causal import of_causal
from services.planner.domain.inquiry.of_investigation import of_investigation
from services.planner.domain.inquiry.passage import Passage
from services.planner.domain.investigation.result import InvestigationResult
from services.planner.domain.investigation.wording import called
from services.planner.domain.jobs.job import Job


def known_of(job: Job, planning: Planning, calls: list[Attempt]) -> Known:
    """What a job with an answer can be asked. Raises ValueError for one without."""
    result = job.answer
    if result is None:
        raise ValueError(f"job {job.job_id} has no answer")
    names = [source.label for source in job.request.data_sources]
    general = f"{job.request.question} {job.understood}"
    passages: list[Passage] = []
    if isinstance(result, InvestigationResult):
        passages += of_investigation(result)
        general += f" {called(result.ground)}"
        names += [v for e in result.explanations for _, v in e.segment if v]
        names += result.ground.dimensions
    elif isinstance(result, CausalResult):
        passages += of_causal(result)
        names += [name for name in result.state.get_primary_pair() if name]
    else:
        passages += of_analysis(job, result, planning)
    passages += of_any(job, calls)
    return Known(
        passages=tuple(passages), claims=result.claims, general=general, names=tuple(names)
    )


def document_of(job: Job, known: Known) -> str:
    """What memory keeps to find the job by: its question, and all that it tells, by topic."""
    parts = [f"# {job.request.question}"]
    for topic in known.topics:
        text = "\n".join(dict.fromkeys(p.text for p in known.of(topic) if p.text))
        if text:
            parts.append(f"# {topic.value[:1].upper()}{topic.value[1:]}\n{text}")
    return "\n\n".join(parts)
