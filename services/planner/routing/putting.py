"""A question put to domains: which, with which words, and what each of them is asked with."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from mesh.errors import TOOL_ARGUMENTS_INVALID, TOOL_NOT_APPROVED, AssayError
from services.planner.analysis.meaning import describe_sources
from services.planner.domain.data_source import DataSource
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.routing.arguments import arguments_for
from services.planner.domain.routing.asked import (
    AskedDomain,
    DomainCallSpec,
    Unasked,
    approving,
)
from services.planner.domain.routing.candidate import Candidate, CandidateTool
from services.planner.domain.routing.decision import DomainRoutingDecision, Outcome
from services.planner.domain.routing.domain import Domain
from services.planner.ports import Tools
from services.planner.routing.deciding import Routing

_LISTED_DOMAINS = 5
_LISTED_CAPABILITIES = 3


@dataclass(frozen=True, slots=True)
class Nowhere:
    """A question that is put to no domain: why, for people, and the decision."""

    routing: DomainRoutingDecision
    message: str


class Putting:
    """Puts questions of their own to domains; asks none of them what it is asked."""

    def __init__(self, routing: Routing, tools: Tools, call_seconds: float) -> None:
        self._routing = routing
        self._tools = tools
        self._call_seconds = call_seconds

    async def put(
        self, request: AnalysisRequest, candidates: Sequence[Candidate]
    ) -> AnalysisRequest | Nowhere:
        """The request with its domains and their sources: those that are meant, or that could be.

        Where there are several, those whose data cannot be read are marked so; of one alone its
        own failure tells it.
        """
        known = {candidate.domain.name: candidate for candidate in candidates}
        domains = [candidate.domain for candidate in candidates if not candidate.disabled]
        routing = await self._decided(request.intent, candidates)
        names = routing.identified_domains or routing.choices
        if not names:
            return Nowhere(routing, _nowhere(routing, domains))
        chosen = [known[name] for name in names]
        words = [routing.questions.get(name, request.intent) for name in names]
        asked = await asyncio.gather(*map(self._asked, chosen, words))
        if len(chosen) > 1:
            checks = (
                self._readable(request, one, each) for one, each in zip(chosen, asked, strict=True)
            )
            asked = list(await asyncio.gather(*checks))
        sources: list[DataSource] = []
        placed = [_placed(d, one, sources) for d, one in zip(asked, chosen, strict=True)]
        return request.model_copy(
            update={"domains": tuple(placed), "routing": routing, "data_sources": tuple(sources)}
        )

    async def _decided(
        self, question: str, candidates: Sequence[Candidate]
    ) -> DomainRoutingDecision:
        """What the question is about: a disabled domain only where it is surely that one."""
        enabled = [candidate.domain for candidate in candidates if not candidate.disabled]
        if len(enabled) < len(candidates):
            routing = await self._routing.decide(question, [one.domain for one in candidates])
            off = {one.domain.name for one in candidates if one.disabled}
            if off & set(routing.identified_domains) and not routing.ambiguity_detected:
                return routing
        return await self._routing.decide(question, enabled)

    async def _asked(self, candidate: Candidate, words: str) -> AskedDomain:
        domain = candidate.domain
        asked = AskedDomain(
            name=domain.name,
            display_name=domain.display_name,
            question=words,
            unasked=candidate.unasked,
        )
        if candidate.unasked is not None or not candidate.mcp_server:
            return asked
        call = await self._call(candidate, words)
        if isinstance(call, Unasked):
            return asked.model_copy(update={"unasked": call})
        return asked.model_copy(update={"call": call})

    async def _call(self, candidate: Candidate, words: str) -> DomainCallSpec | Unasked:
        """The call of the tool that fits the question best, of those that can be called for it."""
        name = candidate.domain.name
        approved = [tool for tool in candidate.tools if tool.digest]
        if not approved:
            first = candidate.tools[0].name if candidate.tools else ""
            return Unasked(
                reason=TOOL_NOT_APPROVED.code,
                message=f"no tool of {name} has been approved",
                hint=f"{approving(name, first)}.",
            )
        given = {tool.name: arguments_for(tool.input_schema, words) for tool in approved}
        fitting = [tool for tool in approved if given[tool.name] is not None]
        if not fitting:
            return Unasked(
                reason=TOOL_ARGUMENTS_INVALID.code,
                message=f"no tool of {name} takes a question alone: each needs more",
                hint="Approve one that takes a question, or nothing.",
            )
        tool = await self._nearest(fitting, words)
        return DomainCallSpec(
            server=candidate.mcp_server,
            tool=tool.name,
            digest=tool.digest,
            arguments=given[tool.name] or {},
            seconds=self._call_seconds,
        )

    async def _nearest(self, tools: Sequence[CandidateTool], words: str) -> CandidateTool:
        if len(tools) == 1:
            return tools[0]
        by_name = {f"tool_{number}": tool for number, tool in enumerate(tools)}
        domains = [
            Domain(name=name, display_name=tool.name, description=tool.description or tool.name)
            for name, tool in by_name.items()
        ]
        decided = await self._routing.decide(words, domains)
        nearest = decided.identified_domains or [other.domain for other in decided.alternatives]
        return by_name[nearest[0]] if nearest else tools[0]

    async def _readable(
        self, request: AnalysisRequest, candidate: Candidate, asked: AskedDomain
    ) -> AskedDomain:
        if asked.unasked is not None or asked.call is not None:
            return asked
        alone = request.model_copy(update={"data_sources": candidate.data_sources})
        try:
            await describe_sources(self._tools, alone)
        except AssayError as error:
            why = Unasked(reason=error.reason.code, message=error.message, hint=error.remedy)
            return asked.model_copy(update={"unasked": why})
        return asked


def _placed(asked: AskedDomain, candidate: Candidate, sources: list[DataSource]) -> AskedDomain:
    """The domain with the places of its sources, which are added to those that are there.

    What another domain has too is there once, and one of the same name as another gets the domain's
    before its own.
    """
    if asked.unasked is not None or asked.call is not None:
        return asked
    places: list[int] = []
    for source in candidate.data_sources:
        there = [_where(other) for other in sources]
        if _where(source) not in there:
            if any(other.label == source.label for other in sources):
                source = source.model_copy(update={"name": f"{asked.name} {source.label}"})
            sources.append(source)
            there.append(_where(source))
        places.append(there.index(_where(source)))
    return asked.model_copy(update={"sources": tuple(places)})


def _where(source: DataSource) -> tuple[str, ...]:
    """What a source is read from, and how; whatever it is called and said to mean."""
    digest = source.content_digest
    return (source.connection_string, source.file_path, digest, source.read_options)


def _nowhere(routing: DomainRoutingDecision, domains: Sequence[Domain]) -> str:
    """Why no domain is asked, with what the nearest of them can tell."""
    by_name = {domain.name: domain for domain in domains}
    near = [by_name[other.domain] for other in routing.alternatives if other.domain in by_name]
    shown = (near or list(domains))[:_LISTED_DOMAINS]
    why = "none of the domains is about that"
    if routing.outcome is Outcome.UNCLEAR:
        why = "no word of that speaks of data"
    text = "; ".join(_able(domain) for domain in shown)
    return f"{why}. They can tell: {text}" if text else why


def _able(domain: Domain) -> str:
    can = ", ".join(domain.capabilities[:_LISTED_CAPABILITIES]) or domain.description[:100]
    return f"{domain.display_name} ({can})" if can else domain.display_name
