"""Asks the data of a request what candidate statements give, within its policy."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.asked_once import AskedOnce
from services.planner.domain.evidence import Evidence, Outcome, ProbedQuery, ProbeLimits
from services.planner.domain.request import WorkRequest
from services.planner.jobs.collaborators import Collaborators


def evidence_of(with_: Collaborators, request: WorkRequest) -> Evidence:
    """What the data of a request say of statements, each asked once as long as this is kept; it
    raises AssayError where they cannot be asked."""

    async def asked(
        queries: Sequence[ProbedQuery], limits: ProbeLimits = with_.probing
    ) -> list[Outcome]:
        return await with_.tools.probe(request, queries, limits)

    return AskedOnce(asked, with_.probing)
