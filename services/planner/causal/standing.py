"""Where a causal job stands, for who asks and who watches."""

from __future__ import annotations

from typing import Any

from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.jobs.causal_standing import (
    describe_state,
    list_state_events,
    states_to,
)
from services.planner.domain.jobs.ended import Ended
from services.planner.domain.jobs.job import Job
from services.planner.store_ports import JobStore, Leases


async def state_of(jobs: JobStore, leases: Leases, job: Job) -> AnalysisState:
    """The state of a causal job, whatever became of it."""
    decisions = await jobs.decisions(job.job_id)
    stopping = not job.state.final and await leases.stopping(job.job_id)
    return describe_state(job, decisions, stopping=stopping)


async def list_final_events(
    jobs: JobStore, job: Job, ended: Ended
) -> list[tuple[str, dict[str, Any]]]:
    """What watchers are told of a causal job's end beside it: each status that it passes."""
    decisions = await jobs.decisions(job.job_id)
    return list_state_events(states_to(ended.of(job), decisions)[1:])
