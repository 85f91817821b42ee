"""What a definition would change in earlier jobs: each is planned anew with it, and compared."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from assay.common.v1 import analysis_pb2, job_pb2, proposals_pb2
from gateway.domain.definition import Effect
from mesh.errors import AssayError

MOST_JOBS = 10
Plan = Callable[[job_pb2.Job], Awaitable[analysis_pb2.Plan | None]]
"""Plans what a job asked with the definition in force; None where it would be asked back."""


async def effects_on(jobs: list[job_pb2.Job], plan: Plan) -> list[Effect]:
    """What it would change in each of these jobs; jobs that stay as they are are left out."""
    found: list[Effect] = []
    for job in jobs:
        try:
            change = _change(job, await plan(job))
        except AssayError as error:
            change = f"it would be refused: {error.message}"
        if change:
            found.append(Effect(job.job_id, job.analysis.frame, change))
    return found


def _change(job: job_pb2.Job, plan: analysis_pb2.Plan | None) -> str:
    if plan is None:
        return "it would be asked back"
    before, after = job.plan.proposal, plan.proposal
    if before.statement != after.statement:
        return f"it would be computed otherwise: {after.interpretation or after.statement}"
    declared, compiled = _twin(before), _twin(after)
    if declared != compiled:
        return f"what it declares would be compiled otherwise: {compiled or 'not at all'}"
    return ""


def _twin(proposal: proposals_pb2.Proposal) -> str:
    return next((one.statement for one in proposal.others if one.proposer == "twin"), "")
