"""Questions of conversations that are put to domains, within the time of a turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mesh.errors import QUESTION_OUT_OF_SCOPE
from services.planner.domain.conversation.turn import Judgement, TurnKind
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.request import Constraints
from services.planner.domain.routing.candidate import Candidate
from services.planner.routing.putting import Nowhere, Putting

_TELLING_SECONDS = 2.0
"""What a turn keeps of its time beside suggestions, to tell what came."""


@dataclass(frozen=True, slots=True)
class TurnLimits:
    """Seconds that a call of a turn may take, and the turn as a whole (seed 003)."""

    call_seconds: float = 50.0
    turn_seconds: float = 60.0
    suggest_seconds: float = 3.0


class ToDomains:
    """Puts questions to domains."""

    def __init__(self, putting: Putting, limits: TurnLimits) -> None:
        self._putting = putting
        self._limits = limits

    async def put(
        self, request: AnalysisRequest, candidates: Sequence[Candidate]
    ) -> AnalysisRequest | Judgement:
        """The request with its domains; or why it is put to none, as a refusal."""
        put = await self._putting.put(request, candidates)
        if isinstance(put, Nowhere):
            return Judgement(
                kind=TurnKind.FRESH,
                reason=put.routing.reasoning,
                refused=put.message,
                rule=QUESTION_OUT_OF_SCOPE.code,
                routing=put.routing,
            )
        return self._with_time(put)

    def _with_time(self, request: AnalysisRequest) -> AnalysisRequest:
        """With the time that a call elsewhere may take, unless less than is usual was asked for."""
        asked = request.constraints.timeout_seconds
        elsewhere = any(domain.call is not None for domain in request.domains)
        if not elsewhere or asked < Constraints().timeout_seconds:
            return request
        limits = self._limits
        most = max(1.0, limits.turn_seconds - limits.suggest_seconds - _TELLING_SECONDS)
        constraints = request.constraints.model_copy(update={"timeout_seconds": most})
        return request.model_copy(update={"constraints": constraints})


def describe_routing(request: AnalysisRequest) -> str:
    """Which domains a question was put to, in a few words."""
    routing = request.routing
    if routing is None:
        return ""
    if not routing.identified_domains:
        return f"it could be about {' or '.join(routing.choices)}"
    names = " and ".join(routing.identified_domains)
    return f"put to {names} ({routing.confidence:.2f})"


def refused_domain(name: str, candidates: Sequence[Candidate]) -> str:
    """Why nothing goes on from a domain that was asked before; empty where it still may be."""
    if any(one.domain.name == name and not one.disabled for one in candidates):
        return ""
    return f"the domain {name}, which answered before, is not enabled any more"
