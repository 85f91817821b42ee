"""The kinds of work there are, each with what does it.

A kind is a folder: its rules in `domain/<kind>/`, its use case in `<kind>/`. It is named here and
in `domain/kinds.py`, and nowhere else in the planner but in the contract. A use case is imported
when there is work for it: to list jobs takes none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from services.planner.domain.jobs.ended import Ended
from services.planner.domain.jobs.job import Job
from services.planner.domain.request import JobKind
from services.planner.jobs.collaborators import AtEnd, Collaborators, JobContext
from services.planner.jobs.work import Work
from services.planner.store_ports import JobStore

UseCase = Callable[[Collaborators, JobContext], Work]

_USE_CASES: Mapping[JobKind, tuple[str, str]] = {
    JobKind.ANALYSIS: ("services.planner.analysis.work", "Analysis"),
    JobKind.INVESTIGATION: ("services.planner.investigation.work", "InvestigationWork"),
    JobKind.CAUSAL: ("services.planner.causal.work", "CausalWork"),
}


async def use_case(kind: JobKind) -> UseCase:
    """What does work of this kind; imported in a thread, which takes half a second once."""
    module, name = _USE_CASES[kind]
    found: UseCase = getattr(await asyncio.to_thread(import_module, module), name)
    return found


async def _causal_at_end(
    jobs: JobStore, job: Job, ended: Ended
) -> list[tuple[str, dict[str, Any]]]:
    from services.planner.causal.standing import list_final_events

    return await list_final_events(jobs, job, ended)


AT_END: Mapping[JobKind, AtEnd] = {JobKind.CAUSAL: _causal_at_end}
"""What watchers are told of the end of some kinds, beside what they are of any."""
