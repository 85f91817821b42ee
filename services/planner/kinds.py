"""The kinds of work there are, each with what does it.

A kind is a folder: its rules in `domain/<kind>/`, its use case in `<kind>/`. It is named here and
in `domain/kinds.py`, and nowhere else in the planner but in the contract. A use case is imported
when there is work for it: to list jobs takes none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from services.planner.domain.decision import Ended
from services.planner.domain.job import Job
from services.planner.domain.request import JobKind
from services.planner.jobs.collaborators import AtEnd, Collaborators, Desk
from services.planner.jobs.work import Work
from services.planner.store_ports import JobStore


def _analysis(with_: Collaborators, desk: Desk) -> Work:
    from services.planner.analysis.work import Analysis

    return Analysis(with_, desk)


def _investigation(with_: Collaborators, desk: Desk) -> Work:
    from services.planner.investigation.work import InvestigationWork

    return InvestigationWork(with_, desk)


def _causal(with_: Collaborators, desk: Desk) -> Work:
    from services.planner.causal.work import CausalWork

    return CausalWork(with_, desk)


async def _causal_at_end(
    jobs: JobStore, job: Job, ended: Ended
) -> list[tuple[str, dict[str, Any]]]:
    from services.planner.causal.standing import told_at_end

    return await told_at_end(jobs, job, ended)


AT_END: Mapping[JobKind, AtEnd] = {JobKind.CAUSAL: _causal_at_end}
"""What watchers are told of the end of some kinds, beside what they are of any."""

KINDS: Mapping[JobKind, Callable[[Collaborators, Desk], Work]] = {
    JobKind.ANALYSIS: _analysis,
    JobKind.INVESTIGATION: _investigation,
    JobKind.CAUSAL: _causal,
}
