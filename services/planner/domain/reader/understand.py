"""From a question to an answerable reading, one question back, or a plain "not understood".

Every reading that the grammar finds, and the former reader's, is asked of the data; the ranker
takes the likeliest. Where both readers give the same answer the former's layout is kept. What the
grammar cannot say yet (tests, cohorts, changes over time) is the former reader's alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial

from services.planner.domain.catalogue import Catalogue, MeaningLookup, ValueLookup
from services.planner.domain.evidence import Evidence
from services.planner.domain.language.intent import (
    Clarification,
    Intent,
    Link,
    NotUnderstood,
    Understood,
)
from services.planner.domain.language.planning.summary import filter_text, summarise
from services.planner.domain.language.understand import understand as formerly
from services.planner.domain.reader import asking, read
from services.planner.domain.reader.accounting import account_of
from services.planner.domain.reader.choice import confidence, thresholds
from services.planner.domain.reader.choice.candidate import Candidate, Weighed
from services.planner.domain.reader.choice.model import ReaderModel, learnt
from services.planner.domain.reader.finish import finished
from services.planner.domain.reader.former import former_alone, former_candidate
from services.planner.domain.reader.nearest import nearest_questions
from services.planner.domain.reader.unread import unread_words

_TOLD_WORDS, _MOST_CANDIDATES = 5, 60
_HARDLY_SURE = 0.7  # of an answer that leaves a word of the question out
_FORMERLY_SURE = 0.75  # from here on the former reader tells its answers as sure
_DISPUTED = 0.4  # of a reading that the ranker puts below another of which it is not sure either


@dataclass(frozen=True, eq=False)
class Choice:
    """The candidates by the ranker, and how sure it is of the first (0 to 1)."""

    weighed: Weighed
    ranked: Sequence[Candidate]
    confidence: float


async def understand(
    question: str,
    catalogue: Catalogue,
    lookup: ValueLookup,
    *,
    today: date,
    evidence: Evidence | None = None,
    assume: bool = False,
    answer: str | None = None,
    meanings: MeaningLookup | None = None,
    model: ReaderModel | None = None,
) -> Understood | Clarification | NotUnderstood:
    """What the question means over this data; `answer` replies to an earlier clarification.

    Without `evidence` the former reader alone decides.
    """

    async def read_formerly(reply: str | None) -> asking.Reading:
        return await formerly(
            question, catalogue, lookup, today=today, assume=assume, answer=reply, meanings=meanings
        )

    async def by_itself(other: str) -> asking.Reading:
        return await formerly(other, catalogue, lookup, today=today, meanings=meanings)

    if evidence is None:
        return await read_formerly(answer)
    former = await read_formerly(None)
    if former_alone(former):
        return former
    if isinstance(former, Clarification):  # which of two columns is meant no ranking can tell
        asked = await asking.shown(former, read_formerly, evidence, catalogue)
        return asking.settled(asked, answer)
    choice = await choose(
        question, catalogue, lookup, evidence, former, model or learnt(), today=today
    )
    if choice is None:
        return former
    found = asking.settled(_decided(choice, former, catalogue), answer, assume=assume)
    if not isinstance(found, NotUnderstood):
        return found
    offered = await nearest_questions(choice.ranked, by_itself, evidence, catalogue)
    return found.model_copy(update={"nearest": offered})


async def choose(
    question: str,
    catalogue: Catalogue,
    lookup: ValueLookup,
    evidence: Evidence,
    former: Understood | NotUnderstood | None,
    model: ReaderModel,
    *,
    today: date,
) -> Choice | None:
    """All candidates with what the data says of them, ranked; None where there is none."""
    scene = await read.scene_of(question, catalogue, lookup, today=today)
    weighed = read.weighed_of(read.local_of(scene), model)
    candidates = read.composed(weighed, model, most=_MOST_CANDIDATES)
    proposed = former_candidate(former, catalogue) if former is not None else None
    if proposed is not None:
        candidates.append(proposed)
    kept = await read.with_evidence(candidates, weighed, evidence, former)
    if not kept:
        return None
    ranked = read.ranked(kept, weighed, model)
    seen = confidence.of_candidates(ranked, charted=scene.charted, former=type(former).__name__)
    return Choice(weighed, ranked, model.calibration.confidence(seen))


def _decided(
    choice: Choice, former: Understood | NotUnderstood, catalogue: Catalogue
) -> Understood | Clarification | NotUnderstood:
    best, sure = choice.ranked[0], choice.confidence
    left_out = bool(unread_words(choice.weighed.scene, best))
    if isinstance(former, Understood) and best.agreed:
        clean = former.confidence >= _FORMERLY_SURE and not former.assumptions
        if (
            clean
            and sure >= thresholds.AGREED
            and not unread_words(choice.weighed.scene, choice.ranked[0])
        ):
            sure = max(sure, thresholds.SURE)
        told = _with_unused(former, choice)
        if told.assumptions and left_out:  # it may be right without the word, but not surely
            sure = min(sure, _HARDLY_SURE)
        return told.model_copy(update={"confidence": sure, "measured": True})
    unsure = sure < thresholds.ANSWERED or (sure < thresholds.SURE and left_out)
    if not unsure:  # a word that was not used may have been the filter, or what it is all about
        return _told(choice, catalogue)
    if not isinstance(former, Understood):
        return _asked_back(choice, catalogue) or former
    return _disputed(former, choice, catalogue)


def _disputed(former: Understood, choice: Choice, catalogue: Catalogue) -> Understood:
    """The former reader's answer with the doubt that there is."""
    scene = choice.weighed.scene
    rival = summarise(finished(choice.ranked[0].intent, scene, catalogue), catalogue)
    notes = _with_unused(former, choice).assumptions
    if not unread_words(scene, choice.ranked[0]):  # else it is no reading of the same question
        notes += (f"it may also mean: {rival}",)
    told = {"confidence": min(former.confidence, _DISPUTED), "assumptions": notes}
    return former.model_copy(update=told)


def _with_unused(former: Understood, choice: Choice) -> Understood:
    """The former reader's answer with the words that it made no use of."""
    best, scene = choice.ranked[0], choice.weighed.scene
    claims = [(link.phrase, None) for link in former.links]
    unused = account_of(former.intent, scene, claims).unread
    if best.agreed and best.draft is not None:  # the same rows, read otherwise
        read_otherwise = unread_words(scene, best)
        unused = tuple(word for word in unused if word in read_otherwise)
    said = " ".join(former.assumptions)
    unused = tuple(word for word in unused if word not in said)
    notes = [_not_used(unused)] if unused else []
    return former.model_copy(update={"assumptions": (*notes, *former.assumptions)})


def _not_used(words: Sequence[str]) -> str:
    return "not used: " + ", ".join(f'"{word}"' for word in words[:_TOLD_WORDS])


def _asked_back(choice: Choice, catalogue: Catalogue) -> Clarification | None:
    return asking.asked_back(
        choice.weighed, choice.ranked, choice.confidence, catalogue,
        partial(unread_words, choice.weighed.scene),
    )  # fmt: skip


def _told(choice: Choice, catalogue: Catalogue) -> Understood:
    best, sure = choice.ranked[0], choice.confidence
    intent = finished(best.intent, choice.weighed.scene, catalogue)
    notes = _doubts(choice, intent, catalogue)
    return Understood(
        intent=intent, summary=summarise(intent, catalogue), confidence=sure, measured=True,
        links=_links(choice), assumptions=notes,
    )  # fmt: skip


def _links(choice: Choice) -> tuple[Link, ...]:
    """Which words the chosen reading ties to what."""
    draft, scene = choice.ranked[0].draft, choice.weighed.scene
    if draft is None:
        return ()

    def phrase(first: int, last: int) -> str:
        return scene.question[scene.tokens[first].start : scene.tokens[last].end]

    found = [
        Link(
            phrase=phrase(m.first, m.last), score=min(1.0, m.coverage), reason=str(m.tie),
            target=f"{m.place.column.name} of {m.place.table.source_name} ({role})",
        )
        for m, role in draft.roles.played
    ]  # fmt: skip
    found += [
        Link(
            phrase=phrase(c.first, c.last), score=min(1.0, c.quality), reason=c.source,
            target=filter_text(c.condition) if c.place else "the number of rows of each group",
        )
        for c in draft.sketch.rows
    ]  # fmt: skip
    return tuple(found)


def _doubts(choice: Choice, intent: Intent, catalogue: Catalogue) -> tuple[str, ...]:
    """What is to be known before the number is believed."""
    notes: list[str] = []
    unread = unread_words(choice.weighed.scene, choice.ranked[0])
    if unread:
        notes.append(_not_used(unread))
    if choice.confidence < thresholds.SURE:
        word = "likely" if choice.confidence >= thresholds.LIKELY else "doubtful"
        notes.append(
            f"this reading is {word} ({choice.confidence:.2f}): {summarise(intent, catalogue)}"
        )
    return tuple(notes)
