"""When a question is asked back, and what: from ranked readings to one question, or to none."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.confidence import thresholds
from services.planner.domain.lexicon.replies import find_option
from services.planner.domain.query.intent import (
    Clarification,
    Intent,
    NotUnderstood,
    Understood,
)
from services.planner.domain.query.planning.summary import summarise
from services.planner.domain.reader.ambiguity import asked_about
from services.planner.domain.reader.choice import alike
from services.planner.domain.reader.choice.candidate import Candidate, Weighed
from services.planner.domain.reader.choice.confidence import odds_of
from services.planner.domain.reader.finish import finished
from services.planner.domain.reader.glimpse import glimpse_of

Reading = Understood | Clarification | NotUnderstood
CHOSEN = 1.0
"""How sure a reading is that a person chose."""


def asked_back(
    weighed: Weighed,
    ranked: Sequence[Candidate],
    confidence: float,
    catalogue: Catalogue,
    unread: Callable[[Candidate], Sequence[str]],
) -> Clarification | None:
    """The question back where the first readings are close; None where there is nothing to ask.

    Only readings that leave no word `unread` are offered, whose rows differ by more than a column
    beside and whose words do: nobody can choose between what sounds alike.
    """
    if confidence >= thresholds.CLEAR or not ranked or unread(ranked[0]):
        return None
    ranked = alike.rivals(ranked)
    odds = odds_of([one.score for one in ranked])
    offered: dict[str, Understood] = {}
    kept: list[Candidate] = []
    together = 0.0
    for one, share in zip(ranked, odds, strict=True):
        close = share >= thresholds.RIVAL * odds[0]
        if not close or len(offered) == thresholds.MOST_OFFERED:
            break
        intent = finished(one.intent, weighed.scene, catalogue)
        text = summarise(intent, catalogue)
        if any(alike.no_rival(one, other) for other in kept) or text in offered or unread(one):
            continue
        offered[text] = chosen_reading(intent, catalogue)
        kept.append(one)
        together += share
    if len(offered) < 2 or together < thresholds.TOGETHER:
        return None
    question = f"this can be read in {len(offered)} ways that give different answers"
    words = asked_about(weighed.scene, kept)
    glimpses = (
        glimpse_of(one.outcome, read.intent)
        for one, read in zip(kept, offered.values(), strict=True)
    )
    return Clarification(
        question=f"{question}: {words}" if words else question,
        options=tuple(offered),
        readings=tuple(offered.values()),
        glimpses=tuple(glimpses),
    )


def chosen_reading(intent: Intent, catalogue: Catalogue) -> Understood:
    """A reading as it is told once a person chose it."""
    return Understood(
        intent=intent, summary=summarise(intent, catalogue), confidence=CHOSEN, measured=True
    )


def find_reading(asked: Clarification, reply: str) -> Understood | None:
    """The reading that a reply points at; None where it points at none, or none is known."""
    place = find_option(asked.options, reply)
    if place is None or not asked.readings:
        return None
    return asked.readings[place].model_copy(update={"confidence": CHOSEN, "measured": True})


def settled(asked: Reading, reply: str | None, *, assume: bool = False) -> Reading:
    """What comes of a question back: the reading that a reply points at; where nothing may be asked
    the likeliest, told with the doubt; else the question itself."""
    if not isinstance(asked, Clarification):
        return asked
    intended = find_reading(asked, reply) if reply else None
    if intended is not None:
        return intended
    return _likeliest(asked) if assume and asked.readings else asked


def _likeliest(asked: Clarification) -> Understood:
    pairs = zip(asked.options[1:], asked.glimpses[1:], strict=True)
    others = [f"{option} (→ {glimpse})" if glimpse else option for option, glimpse in pairs]
    doubt = f"taken as {asked.options[0]}; it could also mean {' or '.join(others)}"
    first = asked.readings[0]
    return first.model_copy(
        update={
            "confidence": thresholds.DOUBTFUL,
            "measured": True,
            "assumptions": (doubt, *first.assumptions),
        }
    )
