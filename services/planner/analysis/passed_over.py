"""Doubt about what a follow-up goes on from, where something said in between was not answered."""

from __future__ import annotations

from services.planner.domain.analysis.planning import GOES_ON_FROM, Planning
from services.planner.domain.jobs.job import Job, JobFilter, JobState
from services.planner.store_ports import JobStore

_LOOKED_AT = 10  # jobs of the conversation


async def with_doubt_of_refused(
    planning: Planning, job: Job, followed: Job, jobs: JobStore
) -> Planning:
    """The decision that a follow-up goes on from, which is doubtful where a message in between was
    refused, or failed: who then says "only Spain" may mean what was refused."""
    if not job.conversation_id:
        return planning
    page, _ = await jobs.page(
        job.tenant, JobFilter(conversation_id=job.conversation_id), _LOOKED_AT, ""
    )
    lost = [
        one for one in page if followed.turn < one.turn < job.turn and one.state is JobState.FAILED
    ]
    if not lost:
        return planning
    doubt = (
        f"{GOES_ON_FROM} “{planning.understood}”; “{lost[0].request.question}”, said after it, "
        "was not answered"
    )
    sure = planning.confidence == "high"
    update = {"assumptions": (doubt,), "confidence": "medium" if sure else planning.confidence}
    return planning.model_copy(update=update)
