"""What is asked for, as it may become a job."""

from __future__ import annotations

import asyncio

from mesh.errors import AssayError
from services.planner.causal.handing_over import from_finding
from services.planner.domain.investigation.request import InvestigationRequest, asks_why
from services.planner.domain.jobs.kinds import Work
from services.planner.domain.question import AnalysisRequest
from services.planner.jobs.collaborators import Collaborators


async def accepted(with_: Collaborators, tenant: str, request: Work) -> Work:
    """The request checked, with the rows of the finding that it is about, and as it may be kept.

    Raises AssayError as its kind of work does, NOT_FOUND where it is about a job that is not the
    tenant's.
    """
    request = await from_finding(with_.jobs, tenant, request)
    request = await asyncio.to_thread(_checked, request)
    await _check_followed(with_, tenant, request)
    return request


async def _check_followed(with_: Collaborators, tenant: str, request: Work) -> None:
    """The log, asked for a job that is not the tenant's too, notices whose it is."""
    follows = request.follows_job_id if isinstance(request, AnalysisRequest) else ""
    if not follows:
        return
    try:
        await with_.jobs.get(tenant, follows)
    except AssayError:
        await with_.audit.length(follows)
        raise


def _checked(request: Work) -> Work:
    """A request as the kind of work that it asks for, checked, and as it may be kept."""
    asked = request.asked if isinstance(request, InvestigationRequest) else request.question
    if asks_why(asked):
        # Here, because to start up takes no reading of words.
        from services.planner.domain.jobs.work_kind import find_work

        request = find_work(request)
    return request.validated().without_personal_data()
