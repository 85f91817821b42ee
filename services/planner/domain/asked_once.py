"""What the data say of a statement is asked once, however many ask it on the way to a decision:
the reading of the question, checks of what a model proposed, the comparison of both, and checks of
what was decided."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.evidence import (
    USUAL_LIMITS,
    Evidence,
    Outcome,
    ProbedQuery,
    ProbeLimits,
    ProbeState,
)


class AskedOnce:
    """Evidence that keeps what ran, as long as it lives itself: one decision rests on one state of
    the data. What failed or was cut off is asked again, for another moment may tell."""

    def __init__(self, evidence: Evidence, usual: ProbeLimits = USUAL_LIMITS) -> None:
        self._evidence = evidence
        self._usual = usual
        self._kept: dict[tuple[str, str, int], Outcome] = {}

    async def __call__(
        self, queries: Sequence[ProbedQuery], limits: ProbeLimits | None = None
    ) -> Sequence[Outcome]:
        """An outcome for each query, in their order. Raises AssayError as who is asked does."""
        within = limits or self._usual
        # Of more rows looked at a digest is another one.
        keys = [(query.sql, repr(query.params), within.rows) for query in queries]
        unknown = {
            key: query for key, query in zip(keys, queries, strict=True) if key not in self._kept
        }
        outcomes: dict[tuple[str, str, int], Outcome] = {}
        if unknown:
            found = await self._evidence(list(unknown.values()), within)
            outcomes = dict(zip(unknown, found, strict=True))
            self._kept |= {k: one for k, one in outcomes.items() if one.state is ProbeState.OK}
        return [outcomes[key] if key in outcomes else self._kept[key] for key in keys]
