"""In which order doubts are told, and what of them a policy leaves."""

from __future__ import annotations

from collections.abc import Iterable

from mesh.policy import Policy
from services.executor.domain.doubt import Doubt


def gravest_first(doubts: Iterable[Doubt]) -> list[Doubt]:
    """Doubts in the order in which people should read them."""
    return sorted(doubts, key=lambda one: (one.repaired, -one.weight, one.table, one.column))


def within(doubt: Doubt, policy: Policy) -> Doubt:
    """A doubt with nothing in it that policy masks; a repair that names such a value is not
    offered."""
    texts = {name: policy.masked(getattr(doubt, name)) for name in ("said", "changes")}
    return doubt.model_copy(
        update={
            **texts,
            "examples": tuple(map(policy.masked, doubt.examples)),
            "repairs": tuple(one for one in doubt.repairs if policy.masked(one.value) == one.value),
        }
    )
