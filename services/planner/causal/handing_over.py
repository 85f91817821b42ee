"""A causal request about a finding, completed from the investigation that it comes from."""

from __future__ import annotations

import asyncio

from mesh.errors import INVALID_ARGUMENT, INVESTIGATION_NOT_COMPLETE, AssayError
from services.planner.domain.causal.request import CausalRequest
from services.planner.domain.investigation.request import InvestigationRequest
from services.planner.domain.investigation.result import InvestigationResult
from services.planner.domain.jobs.kinds import Work
from services.planner.store_ports import JobStore


async def from_finding(jobs: JobStore, tenant: str, request: Work) -> Work:
    """The request itself, or where it is about a finding, over that finding's rows.

    Raises AssayError: NOT_FOUND for a job that is not the caller's, INVALID_ARGUMENT for one of
    another kind, INVESTIGATION_NOT_COMPLETE for one that has no report yet or never got one, and as
    `handed_over` does.
    """
    if not isinstance(request, CausalRequest) or request.origin is None:
        return request
    job = await jobs.get(tenant, request.origin.job_id)
    if not isinstance(job.request, InvestigationRequest):
        raise AssayError(
            INVALID_ARGUMENT,
            f"job {job.job_id[:8]} is of kind {job.kind}, not an investigation",
            hint="Name an investigation; `assay jobs` lists all jobs.",
            fields={"causal.origin.job_id": "must be an investigation"},
        )
    if not isinstance(job.answer, InvestigationResult):
        after = "has no report" if job.state.final else "has no report to ask about yet"
        raise AssayError(
            INVESTIGATION_NOT_COMPLETE,
            f"investigation {job.job_id[:8]} is {job.state.value.replace('_', ' ')} and {after}",
        )
    return await asyncio.to_thread(_completed, request, job.request, job.answer)


def _completed(
    request: CausalRequest, asked: InvestigationRequest, result: InvestigationResult
) -> CausalRequest:
    """In a thread of its own: to load what reads SQL, and to read it, takes its time."""
    from services.planner.domain.handover.handed import handed_over

    return handed_over(request, asked, result)
