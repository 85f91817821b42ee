"""Routing between the contract and the domain."""

from __future__ import annotations

import json

from pydantic import ValidationError

from assay.common.v1 import routing_pb2
from assay.planner.v1 import planner_service_pb2 as pb
from mesh.errors import INVALID_ARGUMENT, QUESTION_EMPTY, QUESTION_TOO_LONG, AssayError
from services.planner.domain.routing.asked import AskedDomain
from services.planner.domain.routing.decision import DomainRoutingDecision, Outcome
from services.planner.domain.routing.domain import Domain, Domains, DomainTable

_LONGEST_QUESTION = 2_000
_MOST_TEXTS = 2_000
_OUTCOMES = {
    Outcome.ROUTED: routing_pb2.ROUTING_OUTCOME_ROUTED,
    Outcome.UNCLEAR: routing_pb2.ROUTING_OUTCOME_UNCLEAR,
    Outcome.OUT_OF_SCOPE: routing_pb2.ROUTING_OUTCOME_OUT_OF_SCOPE,
}


def routing_from(message: pb.RouteQuestionRequest) -> tuple[str, Domains]:
    """The question and the domains.

    Raises AssayError: QUESTION_EMPTY, QUESTION_TOO_LONG, INVALID_ARGUMENT for domains that break a
    rule or say more than can be compared.
    """
    if not message.question.strip():
        raise AssayError(QUESTION_EMPTY, "the question has no words in it")
    if len(message.question) > _LONGEST_QUESTION:
        raise AssayError(
            QUESTION_TOO_LONG, f"the question is longer than {_LONGEST_QUESTION:,} characters"
        )
    try:
        domains = Domains(all=tuple(domain_from(each) for each in message.domains))
    except ValidationError:
        raise _broken("the domains break a rule") from None
    if sum(len(domain.texts) for domain in domains.all) > _MOST_TEXTS:
        raise AssayError(
            INVALID_ARGUMENT,
            f"the domains say more than {_MOST_TEXTS:,} things of themselves",
            fields={"domains": f"at most {_MOST_TEXTS:,} capabilities, tools and tables together"},
        )
    return message.question, domains


def decision_to(decided: DomainRoutingDecision) -> routing_pb2.DomainRoutingDecision:
    """The decision as a message."""
    return routing_pb2.DomainRoutingDecision(
        user_query=decided.user_query,
        identified_domains=decided.identified_domains,
        reasoning=decided.reasoning,
        confidence=decided.confidence,
        ambiguity_detected=decided.ambiguity_detected,
        clarification_needed=decided.clarification_needed,
        outcome=_OUTCOMES[decided.outcome],
        alternatives=[
            routing_pb2.DomainAlternative(domain=other.domain, score=other.score)
            for other in decided.alternatives
        ],
    )


def asked_to(domain: AskedDomain) -> routing_pb2.AskedDomain:
    """A domain that a question was put to, as a message."""
    call, unasked = domain.call, domain.unasked
    return routing_pb2.AskedDomain(
        name=domain.name,
        display_name=domain.display_name,
        question=domain.question,
        sources=domain.sources,
        call=routing_pb2.DomainToolCall(
            server=call.server,
            tool=call.tool,
            digest=call.digest,
            arguments_json=json.dumps(call.arguments, sort_keys=True),
        )
        if call is not None
        else None,
        unasked=routing_pb2.Unasked(**unasked.model_dump()) if unasked is not None else None,
    )


def domain_from(message: pb.RoutableDomain) -> Domain:
    """A domain as routing compares it. Raises AssayError(INVALID_ARGUMENT)."""
    try:
        return Domain(
            name=message.name,
            display_name=message.display_name or message.name,
            description=message.description,
            capabilities=tuple(message.capabilities),
            tools=tuple(message.tools),
            tables=tuple(
                DomainTable(
                    name=table.name, columns=tuple(table.columns), values=tuple(table.values)
                )
                for table in message.tables
            ),
        )
    except ValidationError:
        raise _broken(f"the domain {message.name!r} breaks a rule") from None


def _broken(what: str) -> AssayError:
    return AssayError(
        INVALID_ARGUMENT,
        what,
        hint="Names are snake_case and different, and there are 200 at most.",
        fields={"domains": "snake_case names, different, at most 200"},
    )
