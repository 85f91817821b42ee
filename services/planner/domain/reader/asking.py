"""When a question is asked back, and what: from ranked readings to one question, or to none."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from mesh.errors import AssayError
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.evidence import Evidence, Outcome, ProbedQuery, ProbeState
from services.planner.domain.lexicon.replies import option_meant
from services.planner.domain.query.intent import (
    Clarification,
    Intent,
    NotUnderstood,
    Understood,
)
from services.planner.domain.query.planning.sql import Query, render
from services.planner.domain.query.planning.summary import summarise
from services.planner.domain.reader.ambiguity import asked_about
from services.planner.domain.reader.choice import thresholds
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

    Only readings that leave no word `unread` are offered, whose rows differ and whose words do:
    nobody can choose between what sounds alike.
    """
    if confidence >= thresholds.CLEAR or not ranked or unread(ranked[0]):
        return None
    odds = odds_of([one.score for one in ranked])
    offered: dict[str, Understood] = {}
    kept: list[Candidate] = []
    rows: set[str] = set()
    together = 0.0
    for one, share in zip(ranked, odds, strict=True):
        close = share >= thresholds.RIVAL * odds[0]
        if not close or len(offered) == thresholds.MOST_OFFERED:
            break
        intent = finished(one.intent, weighed.scene, catalogue)
        text = summarise(intent, catalogue)
        same = one.outcome is not None and one.outcome.multiset_digest in rows
        if same or text in offered or unread(one):
            continue
        offered[text] = chosen_reading(intent, catalogue)
        kept.append(one)
        rows |= {one.outcome.multiset_digest} if one.outcome is not None else set()
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
        question=f"{question}: {words}" if words else question, options=tuple(offered),
        readings=tuple(offered.values()), glimpses=tuple(glimpses),
    )  # fmt: skip


def chosen_reading(intent: Intent, catalogue: Catalogue) -> Understood:
    """A reading as it is told once a person chose it."""
    return Understood(
        intent=intent, summary=summarise(intent, catalogue), confidence=CHOSEN, measured=True
    )


async def shown(
    asked: Clarification,
    read: Callable[[str], Awaitable[Reading]],
    evidence: Evidence,
    catalogue: Catalogue,
) -> Reading:
    """The former reader's question back with what each option gives; `read` takes an option.

    Options that come to the same rows are one. Where only one is left, it is what was meant.
    """
    found = [await read(str(number)) for number in range(1, len(asked.options) + 1)]
    readings = tuple(one for one in found if isinstance(one, Understood))
    if len(readings) < len(asked.options):
        return asked
    try:
        outcomes = await _looked_at(readings, evidence, catalogue)
    except AssayError:  # it is asked without a glimpse, then
        outcomes = [None] * len(readings)
    kept: dict[str, int] = {}
    for place, outcome in enumerate(outcomes):
        ran = outcome is not None and outcome.state is ProbeState.OK
        kept.setdefault(outcome.multiset_digest if outcome and ran else str(place), place)
    if len(kept) == 1:
        return readings[0]
    places = tuple(kept.values())
    return Clarification(
        question=asked.question,
        options=tuple(asked.options[at] for at in places),
        readings=tuple(readings[at] for at in places),
        glimpses=tuple(glimpse_of(outcomes[at], readings[at].intent) for at in places),
    )


async def _looked_at(
    readings: Sequence[Understood], evidence: Evidence, catalogue: Catalogue
) -> list[Outcome | None]:
    """What the data says of each reading; None of what is asked by more than a query."""
    queries = [_query(reading.intent, catalogue) for reading in readings]
    probed = [ProbedQuery(sql=q.text, params=q.params) for q in queries if q is not None]
    told = iter(await evidence(probed) if probed else ())
    return [next(told) if query is not None else None for query in queries]


def _query(intent: Intent, catalogue: Catalogue) -> Query | None:
    """What gives a reading's rows; None for what no rows are asked of by a query alone."""
    if intent.statistic is not None or intent.profile or intent.cohort is not None:
        return None
    return render(intent, catalogue)


def reading_meant(asked: Clarification, reply: str) -> Understood | None:
    """The reading that a reply points at; None where it points at none, or none is known."""
    place = option_meant(asked.options, reply)
    if place is None or not asked.readings:
        return None
    return asked.readings[place].model_copy(update={"confidence": CHOSEN, "measured": True})


def settled(asked: Reading, reply: str | None, *, assume: bool = False) -> Reading:
    """What comes of a question back: the reading that a reply points at; where nothing may be asked
    the likeliest, told with the doubt; else the question itself."""
    if not isinstance(asked, Clarification):
        return asked
    meant = reading_meant(asked, reply) if reply else None
    if meant is not None:
        return meant
    return _likeliest(asked) if assume and asked.readings else asked


def _likeliest(asked: Clarification) -> Understood:
    told = zip(asked.options[1:], asked.glimpses[1:], strict=True)
    others = [f"{option} (→ {glimpse})" if glimpse else option for option, glimpse in told]
    doubt = f"taken as {asked.options[0]}; it could also mean {' or '.join(others)}"
    first = asked.readings[0]
    return first.model_copy(
        update={
            "confidence": thresholds.DOUBTFUL,
            "measured": True,
            "assumptions": (doubt, *first.assumptions),
        }
    )
