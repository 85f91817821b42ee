"""Routing: which domains a question is about (seed 003). Pure; the vectors are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from services.planner.domain.routing.confidence import calibration, confidence
from services.planner.domain.routing.decision import Alternative, DomainRoutingDecision, Outcome
from services.planner.domain.routing.domain import Domain
from services.planner.domain.routing.nearness import (
    Near,
    Ranked,
    ranked,
    texts_to_embed,
)
from services.planner.domain.routing.parts import parts
from services.planner.domain.routing.words import content, find_words

if TYPE_CHECKING:
    from services.planner.domain.routing.nearness import Vectors

_SURE_PART = 0.5
"""How sure each part of a question must be of its own domain for several to be asked."""
_AMBIGUOUS = 0.55
"""Confidence below which the next nearest domain is told as well."""
_UNSURE = 0.4
"""Confidence below which the person is asked which of the nearest is meant."""
_MOST_SHOWN = 3


def to_embed(question: str, domains: Sequence[Domain]) -> list[str]:
    """The texts whose vectors `route` wants."""
    asked = list(dict.fromkeys((question, *parts(question))))
    return texts_to_embed(asked, [domain for domain in domains if domain.enabled])


def route(question: str, domains: Sequence[Domain], vectors: Vectors) -> DomainRoutingDecision:
    """Which of the enabled domains a question is about.

    `vectors` are of what `to_embed` names; where one is missing, words alone are compared and the
    reasoning says so. A question without a word about data is unclear, one that nothing is near to
    is out of scope; neither names a domain.
    """
    enabled = [domain for domain in domains if domain.enabled]
    whole = ranked(question, enabled, vectors)
    if not whole.near:
        return _nothing(question, whole, "No domain is enabled.", Outcome.OUT_OF_SCOPE)
    if not content(question):
        return _nothing(question, whole, "The question has no word that speaks of data.")
    several = _several(question, enabled, vectors, whole)
    if several is not None:
        return several
    if whole.top < calibration(whole).far:
        return _nothing(question, whole, _far(whole), Outcome.OUT_OF_SCOPE)
    return _one(question, whole, confidence(whole))


def _one(question: str, whole: Ranked, sure: float) -> DomainRoutingDecision:
    first = whole.near[0]
    asking = sure < _UNSURE and len(whole.near) > 1  # of one alone nothing can be asked back
    others = whole.near[1 : _MOST_SHOWN if asking else 2] if sure < _AMBIGUOUS else ()
    reasons = [_because(first, whole, question)]
    if others:
        named = " or ".join(f"{one.domain} ({_near_text(one, whole)})" for one in others)
        reasons.append(f"It could also mean {named}, which is not much further.")
    elif asking:
        reasons.append("That is not near enough to be sure.")
    choice = (first, *others) if asking else others
    return DomainRoutingDecision(
        user_query=question,
        identified_domains=() if asking else (first.domain,),
        reasoning=_describe_reasons(reasons, whole),
        confidence=sure,
        ambiguity_detected=bool(others),
        clarification_needed=asking,
        outcome=Outcome.UNCLEAR if asking else Outcome.ROUTED,
        alternatives=_alternatives(choice),
    )


def _several(
    question: str, domains: Sequence[Domain], vectors: Vectors, whole: Ranked
) -> DomainRoutingDecision | None:
    """Where each part is sure of a domain and they are not the same; None otherwise."""
    texts = parts(question)
    if len(texts) < 2:
        return None
    each = [ranked(part, domains, vectors) for part in texts]
    if any(confidence(part) < _SURE_PART for part in each):
        return None
    names = tuple(dict.fromkeys(part.near[0].domain for part in each))
    if len(names) < 2:
        return None
    reasons = [
        f'"{text}" is about {part.near[0].domain}: {_near_text(part.near[0], part)}.'
        for text, part in zip(texts, each, strict=True)
    ]
    sure = 1.0
    words: dict[str, str] = {}
    for text, part in zip(texts, each, strict=True):
        sure *= confidence(part)
        name = part.near[0].domain
        words[name] = f"{words[name]} and {text}" if name in words else text
    return DomainRoutingDecision(
        user_query=question,
        identified_domains=names,
        reasoning=_describe_reasons(["The parts point at different domains.", *reasons], whole),
        confidence=round(sure, 2),
        questions=words,
    )


def _nothing(
    question: str, whole: Ranked, reason: str, outcome: Outcome = Outcome.UNCLEAR
) -> DomainRoutingDecision:
    return DomainRoutingDecision(
        user_query=question,
        identified_domains=(),
        reasoning=_describe_reasons([reason], whole),
        confidence=confidence(whole),
        clarification_needed=True,
        outcome=outcome,
        alternatives=_alternatives(whole.near[:_MOST_SHOWN]),
    )


def _alternatives(near: Sequence[Near]) -> tuple[Alternative, ...]:
    return tuple(Alternative(domain=one.domain, score=one.score) for one in near)


def _because(near: Near, whole: Ranked, question: str) -> str:
    texts = find_words(near.held, question)
    held = f"; its data has {', '.join(texts)}" if texts else ""
    return f"Nearest is {near.domain}: {_near_text(near, whole)}{held}."


def _near_text(near: Near, whole: Ranked) -> str:
    return f'"{near.text}"' if whole.by_meaning else f"it shares {near.score:.0%} of the words"


def _far(whole: Ranked) -> str:
    return f"No domain is near. The nearest is {whole.near[0].domain}, and that is too far."


def _describe_reasons(reasons: Sequence[str], whole: Ranked) -> str:
    words = [] if whole.by_meaning else ["Words were compared, not their meaning."]
    return " ".join([*reasons, *words])
