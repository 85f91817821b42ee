"""From a question to an answerable reading, one question back, or a plain "not understood".

Every reading that the grammar finds, and the former reader's, is asked of the data; the ranker
takes the likeliest. Where both readers give the same answer the former's layout is kept. What the
grammar cannot say yet (tests, cohorts, changes over time) is the former reader's alone.
"""

from __future__ import annotations

import asyncio
from datetime import date
from functools import partial

from services.planner.domain.business.telling import plainly, told, which_turnover
from services.planner.domain.catalogue import Catalogue, MeaningLookup, ValueLookup
from services.planner.domain.evidence import NOT_ALL_TRIED, Evidence
from services.planner.domain.language.understand import understand as formerly
from services.planner.domain.query.intent import (
    Clarification,
    NotUnderstood,
    Understood,
)
from services.planner.domain.reader import asking, read
from services.planner.domain.reader.asides import without_asides
from services.planner.domain.reader.asked_of_data import with_evidence
from services.planner.domain.reader.choice import alike, confidence, forms
from services.planner.domain.reader.choice.model import ReaderModel, learnt
from services.planner.domain.reader.chosen import Choice
from services.planner.domain.reader.deciding import (
    decided,
    part_of_each,
    untried,
    with_reason,
)
from services.planner.domain.reader.fiscal import by_fiscal_year, fiscal_of
from services.planner.domain.reader.former import former_alone, former_candidate
from services.planner.domain.reader.former_alone import spreads, told_alone
from services.planner.domain.reader.former_errs import errs, shares_averages
from services.planner.domain.reader.grammar.rules import Words
from services.planner.domain.reader.held_back import held_back, tried, where_nothing_is
from services.planner.domain.reader.levels import on_last_days, said_of_the_end
from services.planner.domain.reader.links.other_names import with_other_names
from services.planner.domain.reader.lost_amounts import lost_amounts, refusal_of
from services.planner.domain.reader.multiplied import no_surer, with_repeats_told
from services.planner.domain.reader.nearest import nearest_questions
from services.planner.domain.reader.one_of_several import with_several_told
from services.planner.domain.reader.plotted import plotted
from services.planner.domain.reader.words.tokens import tokenise

_MOST_CANDIDATES = 60


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
    fiscal = fiscal_of(question, catalogue)
    if isinstance(fiscal, NotUnderstood):
        return fiscal
    question = said_of_the_end(fiscal.question if fiscal is not None else question, catalogue)

    async def read(plain: str, *, sure: bool) -> asking.Reading:
        return await _read(
            plain, catalogue, lookup, today=today, evidence=evidence, assume=assume or sure,
            answer=None if sure else answer, meanings=meanings, model=model,
        )  # fmt: skip

    asked = question
    question = plainly(question, catalogue, today)
    either = await which_turnover(asked, catalogue, partial(read, sure=True), today)
    if either is not None:
        found = asking.settled(either, answer, assume=assume)
    else:
        found = told(await read(question, sure=False), asked, catalogue, today)
    if not isinstance(found, Understood):
        return found
    if not answer:  # what was chosen is what was meant
        found = await with_several_told(found, question, catalogue, lookup)
        found = held_back(no_surer(found, catalogue), question, catalogue)
    found = on_last_days(found, catalogue)
    if fiscal is not None:
        yearly = by_fiscal_year(found, fiscal, catalogue)
        if isinstance(yearly, NotUnderstood):
            return yearly
        found = yearly
    found = plotted(found, question, catalogue)
    return with_reason(with_repeats_told(found, catalogue))


async def _read(
    question: str,
    catalogue: Catalogue,
    lookup: ValueLookup,
    *,
    today: date,
    evidence: Evidence | None,
    assume: bool,
    answer: str | None,
    meanings: MeaningLookup | None,
    model: ReaderModel | None,
) -> Understood | Clarification | NotUnderstood:
    """What it means, whatever its joins make of the numbers."""
    catalogue = with_other_names(catalogue)
    question = without_asides(question, catalogue)

    async def read_formerly(reply: str | None) -> asking.Reading:
        return await formerly(
            question, catalogue, lookup, today=today, assume=assume, answer=reply, meanings=meanings
        )

    async def by_itself(other: str) -> asking.Reading:
        return await formerly(other, catalogue, lookup, today=today, meanings=meanings)

    if evidence is None:
        return await read_formerly(answer)
    former = await read_formerly(None)
    if former_alone(former) and not _is_otherwise_meant(former, question):
        if not isinstance(former, Understood):
            return former
        within: Understood | None = None
        if spreads(former.intent, question):
            rivals = await choose(
                question, catalogue, lookup, evidence, former, model or learnt(), today=today
            )
            within = part_of_each(rivals, former, catalogue) if rivals is not None else None
        alone = within or told_alone(former, question, catalogue)
        return await tried(alone, evidence, catalogue)
    if isinstance(former, Clarification):  # which of two columns is meant no ranking can tell
        asked = await asking.shown(former, read_formerly, evidence, catalogue)
        return asking.settled(asked, answer)
    choice = await choose(
        question, catalogue, lookup, evidence, former, model or learnt(), today=today
    )
    if choice is None:
        return untried(former)
    found = asking.settled(decided(choice, former, catalogue), answer, assume=assume)
    if isinstance(found, Understood) and choice.best.hurried:
        found = found.model_copy(update={"assumptions": (*found.assumptions, NOT_ALL_TRIED)})
    if isinstance(found, Understood) and (lost := lost_amounts(choice.weighed.scene, found.intent)):
        found = refusal_of(lost, catalogue)
    if isinstance(found, Understood):
        found = found.model_copy(update={"odds": choice.odds})
        return where_nothing_is(found, choice.best.outcome)
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
    # A tenth of a second of computing: on a thread of its own, others' calls go on in between.
    candidates = await asyncio.to_thread(read.composed, weighed, model, most=_MOST_CANDIDATES)
    proposed = former_candidate(former, catalogue) if former is not None else None
    wrong = isinstance(former, Understood) and errs(former, scene)
    if proposed is not None and not wrong:
        candidates.append(proposed)
    kept = await with_evidence(candidates, weighed, evidence, former)
    if not kept:
        return None
    ranked = alike.as_often(read.ranked(kept, weighed, model), scene)
    ranked = alike.by_name(ranked, scene)
    rivals = alike.rivals(ranked)
    seen = confidence.of_candidates(rivals, charted=scene.charted, former=type(former).__name__)
    return Choice(weighed, ranked, model.calibration.confidence(seen), seen["odds"])


def _is_otherwise_meant(former: asking.Reading, question: str) -> bool:
    """Whether what it alone can read is known to be another thing than is asked for."""
    shares = isinstance(former, Understood) and shares_averages(former.intent)
    return shares or _picks_none(former, question)


def _picks_none(former: asking.Reading, question: str) -> bool:
    """Whether it shows changes of all where those are asked for that rose or fell (most)."""
    if not isinstance(former, Understood) or not forms.changes(Words(tokenise(question))):
        return False
    told = former.intent
    return told.limit is None and told.statistic is None and told.cohort is None
