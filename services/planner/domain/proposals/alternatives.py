"""Other interpretations of a question, run beside the one that is answered."""

from __future__ import annotations

import math

from services.planner.domain.evidence import Evidence, Outcome, ProbedQuery, ProbeState, Value
from services.planner.domain.proposals.agreeing import LIMITS, beside
from services.planner.domain.proposals.separating import REORDERED
from services.planner.domain.statements.proposal import Proposal

_SECONDS, _ALSO = 4.0, "It could also mean: "
_SLIGHT = 0.01
"""Numbers that differ by less than this part of them mean the same to whoever asked."""


async def describe_alternatives(proposal: Proposal, evidence: Evidence | None) -> tuple[str, ...]:
    """What is told of each that gives a materially different result, with its numbers; nothing of
    one that cannot be run, or where the data do not answer in time."""
    if evidence is None or not proposal.alternatives:
        return ()
    own = ProbedQuery(sql=proposal.statement)
    statements = [ProbedQuery(sql=other.statement) for other in proposal.alternatives]
    limits = LIMITS.model_copy(update={"seconds": _SECONDS, "each": _SECONDS / 4})
    outcome, others = await beside(own, statements, evidence, limits)
    if outcome is None or outcome.state is not ProbeState.OK:
        return ()
    return tuple(
        f"{_ALSO}{other.interpretation.rstrip('.')}: {found.note}"
        for other, found in zip(proposal.alternatives, others, strict=True)
        if found.compared == "differs"
        and found.note != REORDERED
        and found.outcome is not None
        and _differs(outcome, found.outcome)
    )


def is_alternative(caveat: str) -> bool:
    """Whether a caveat tells of another interpretation."""
    return caveat.startswith(_ALSO)


def _differs(left: Outcome, right: Outcome) -> bool:
    """Whether two results differ materially: in rows, or in more than the last digits."""
    if (left.rows, len(left.columns)) != (right.rows, len(right.columns)):
        return True
    if left.rows > len(left.glimpse):
        return True  # where they differ is not in sight
    pairs = zip(left.glimpse, right.glimpse, strict=False)
    return any(
        not _alike(a, b) for ours, theirs in pairs for a, b in zip(ours, theirs, strict=False)
    )


def _alike(left: Value, right: Value) -> bool:
    if isinstance(left, int | float) and isinstance(right, int | float):
        return math.isclose(left, right, rel_tol=_SLIGHT)
    return left == right
