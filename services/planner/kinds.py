"""The kinds of work there are, each with what does it.

A kind is a folder: its rules in `domain/<kind>/`, its use case in `<kind>/`. It is named here and
in `domain/kinds.py`, and nowhere else in the planner but in the contract. A use case is imported
when there is work for it: to list jobs takes none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from services.planner.domain.request import JobKind
from services.planner.jobs.collaborators import Collaborators, Desk
from services.planner.jobs.work import Work


def _analysis(with_: Collaborators, desk: Desk) -> Work:
    from services.planner.analysis.work import Analysis

    return Analysis(with_, desk)


def _investigation(with_: Collaborators, desk: Desk) -> Work:
    from services.planner.investigation.work import InvestigationWork

    return InvestigationWork(with_, desk)


def _causal(with_: Collaborators, desk: Desk) -> Work:
    from services.planner.causal.work import CausalWork

    return CausalWork(with_, desk)


KINDS: Mapping[JobKind, Callable[[Collaborators, Desk], Work]] = {
    JobKind.ANALYSIS: _analysis,
    JobKind.INVESTIGATION: _investigation,
    JobKind.CAUSAL: _causal,
}
