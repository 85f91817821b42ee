"""What was said before in a conversation, as its jobs tell it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.planner.domain.analysis.planning import Planning
from services.planner.domain.conversation.turn import Standing
from services.planner.domain.jobs.job import Job, JobState
from services.planner.domain.question import AnalysisRequest, analysis_of
from services.planner.store_ports import JobStore

ANSWERED = (JobState.COMPLETED, JobState.PARTIAL_SUCCESS)


@dataclass(frozen=True, slots=True)
class Past:
    """What was said before: the job that waits for a reply, and the last that was read, with the
    number of messages that its answer goes back on."""

    waiting: Job | None
    read: Job | None
    message_count: int = 1

    @property
    def standing(self) -> Standing:
        """What words are judged by."""
        asked = self.waiting.clarification if self.waiting is not None else None
        fresh = False
        if self.read is not None:
            read = analysis_of(self.read.request)
            changed = self.message_count > 1 and not read.corrections
            fresh = not (read.follows_job_id or changed or read.statement or self.read.replies)
        return Standing(
            options=asked.options if asked is not None else (),
            has_reading=self.read is not None,
            fresh_reading=fresh,
            in_sight=self.read.understood if self.read is not None else "",
        )


async def past_of(jobs: JobStore, page: Sequence[Job]) -> Past:
    """What stands before, of the conversation's jobs from the newest."""
    waiting = page[0] if page and page[0].state is JobState.WAITING else None
    for job in page:
        analysis = job.state in ANSWERED and isinstance(job.request, AnalysisRequest)
        if not analysis:
            continue
        planning = await planning_of(jobs, job)
        if planning.intent or planning.is_statement:  # what words can change
            return Past(waiting, job, len(planning.said))
    return Past(waiting, None)


async def planning_of(jobs: JobStore, job: Job) -> Planning:
    """The decision that a job was planned by; an empty one where there is none."""
    plans = [d for d in await jobs.decisions(job.job_id) if d.kind == "plan"]
    return Planning.model_validate(plans[-1].decided) if plans else Planning()
