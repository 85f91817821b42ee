"""Questions that were put to domains: which is asked, and how, by what routing decided.

One domain of data is asked as its sources are. A tool elsewhere is called. Several are asked at the
same time, each with its own part of the question; what one of them cannot do keeps no other from
answering, and is told.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from mesh.errors import AssayError
from services.planner.domain.analysis.parts import planned_call, planned_parts
from services.planner.domain.analysis.planning import Planning
from services.planner.domain.clarification import Clarification
from services.planner.domain.failure import Failure
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.routing.asked import (
    AskedDomain,
    Unasked,
    chosen_of,
    narrowed,
    prefixes,
)
from services.planner.ports import Described

AskData = Callable[[AnalysisRequest, Described, Planning | None], Awaitable[Planning]]
"""Plans a question over data: the request, what is in the data, and the decision that asked back
before."""

_TELLING_SECONDS = 4.0
"""What a job keeps of its time to tell what came, when a call takes all that it may."""


class Routed:
    """Plans one question that was put to domains."""

    def __init__(self, ask_data: AskData) -> None:
        self._ask_data = ask_data

    async def planned(
        self, request: AnalysisRequest, described: Described, asked: Planning | None, reply: str
    ) -> Planning:
        """The plan; or which domain is meant, as a question back; or why none can be asked.

        `asked` is the decision that asked back before, `reply` what was said to it.
        """
        domain = self._find_domain(request, asked, reply)
        if domain is not None:
            before = asked if asked is not None and asked.domain else None
            planning = await self._one(request, described, domain, before, alone=True)
            return _doubted(planning.model_copy(update={"domain": domain.name}), request)
        if request.routing is not None and request.routing.choices:
            return _which(request, repeated=asked is not None)
        return await self._several(request, described)

    def _find_domain(
        self, request: AnalysisRequest, asked: Planning | None, reply: str
    ) -> AskedDomain | None:
        """The one domain that is to be asked; None where there are several, or it is not said."""
        if len(request.domains) == 1:
            return request.domains[0]
        if asked is None:
            return None
        return chosen_of(request.domains, asked.domain or reply)

    async def _one(
        self,
        request: AnalysisRequest,
        described: Described,
        domain: AskedDomain,
        before: Planning | None,
        *,
        alone: bool,
    ) -> Planning:
        if domain.unasked is not None:
            return _failed(domain.unasked)
        limits = request.constraints
        seconds = max(1.0, limits.timeout_seconds - _TELLING_SECONDS)
        if domain.call is not None:
            return planned_call(domain, request, min(domain.call.seconds, seconds))
        whole = described
        if len(request.domains) > 1:
            labels = frozenset(request.data_sources[place].label for place in domain.sources)
            tables = narrowed(described.catalogue, labels)
            whole = described.model_copy(update={"catalogue": tables})
        update: dict[str, Any] = {"intent": domain.question}
        if not alone:  # one that takes too long keeps no other from being told
            kept = limits.model_copy(update={"timeout_seconds": seconds})
            update |= {"assume": True, "constraints": kept}
        return await self._ask_data(request.model_copy(update=update), whole, before)

    async def _several(self, request: AnalysisRequest, described: Described) -> Planning:
        parts: list[tuple[AskedDomain, Planning]] = []
        missing: list[str] = []
        for domain in request.domains:
            try:
                planning = await self._one(request, described, domain, None, alone=False)
            except AssayError as error:
                planning = _failed(Unasked(reason=error.reason.code, message=error.message))
            if planning.draft is not None:
                parts.append((domain, planning))
                continue
            missing.append(_describe_missing(domain, planning))
            last = planning
        if not parts:
            return last.model_copy(update={"lacking": tuple(missing)})
        plans, draft = planned_parts(parts, prefixes(request.domains))
        text = " · ".join(
            f"{domain.called}: {planning.understood}"
            if domain.call is None
            else planning.understood
            for domain, planning in parts
        )
        sure = {planning.confidence for _, planning in parts}
        return Planning(
            understood=text,
            reason=request.routing.reasoning if request.routing else "several domains are meant",
            confidence=next(how for how in ("low", "medium", "high") if how in sure),
            draft=draft,
            parts=plans,
            lacking=tuple(missing),
            assumptions=tuple(sentence for _, p in parts for sentence in p.assumptions),
            caveats=(*missing, *(sentence for _, p in parts for sentence in p.caveats)),
            decided_by="rules",
        )


def _doubted(planning: Planning, request: AnalysisRequest) -> Planning:
    """The plan with what else the question could be about, where routing was not sure and nobody
    was asked which is meant."""
    routing = request.routing
    if planning.draft is None or routing is None or len(request.domains) > 1:
        return planning
    if not routing.ambiguity_detected:
        return planning
    others = " or ".join(other.domain for other in routing.alternatives)
    doubt = f"Put to {planning.domain}; it could also be about {others}."
    sure = "low" if planning.confidence == "low" else "medium"
    return planning.model_copy(update={"caveats": (doubt, *planning.caveats), "confidence": sure})


def _which(request: AnalysisRequest, *, repeated: bool) -> Planning:
    again = "That is none of them. " if repeated else ""
    asked = Clarification(
        question=f"{again}Which of these is the question about?",
        options=tuple(domain.called for domain in request.domains),
    )
    routing = request.routing
    return Planning(
        understood="which domain is meant is not clear",
        reason=routing.reasoning if routing else "",
        confidence="low",
        clarification=asked,
        decided_by="rules",
    )


def _failed(why: Unasked) -> Planning:
    failure = Failure(reason=why.reason, message=why.message, hint=why.hint)
    return Planning(reason=why.message, confidence="low", failure=failure, decided_by="rules")


def _describe_missing(domain: AskedDomain, planning: Planning) -> str:
    failure = planning.failure
    why = f"{failure.message} {failure.hint}".strip() if failure else "its part could not be read"
    return f"{domain.called} gave no answer: {why}"


def is_one_of_data(routed: Sequence[AskedDomain]) -> bool:
    """Whether a question was put to one domain, and it is data: then recipes fit as they do to
    sources that a request names."""
    return len(routed) == 1 and bool(routed[0].sources)
