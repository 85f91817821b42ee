"""From a question to an answerable reading, one question back, or a plain "not understood".

Columns that the question defines, and references of a table to itself, are taken out of it first.
Then every reading that the grammar finds is asked of the data; the ranker takes the likeliest.
Statistical tests and descriptions of a whole table are read by what they name.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import date
from functools import partial

from services.planner.domain.business.telling import plainly, which_turnover, with_definitions
from services.planner.domain.catalogue import Catalogue, MeaningLookup, ValueLookup
from services.planner.domain.confidence import thresholds
from services.planner.domain.evidence import NOT_ALL_TRIED, Evidence
from services.planner.domain.lexicon.tokens import tokenise
from services.planner.domain.query.defining.columns import leaves_out_defined
from services.planner.domain.query.defining.terms import Definition
from services.planner.domain.query.dimensions.coverage import coverage_notes
from services.planner.domain.query.intent import (
    Clarification,
    Intent,
    NotUnderstood,
    Understood,
)
from services.planner.domain.query.measures.metrics import why_not_of_groups
from services.planner.domain.query.planning.summary import summarise
from services.planner.domain.reader import asking, read
from services.planner.domain.reader.asked_of_data import with_evidence, without_evidence
from services.planner.domain.reader.beyond_rows import why_beyond_rows
from services.planner.domain.reader.choice import alike, confidence
from services.planner.domain.reader.choice.candidate import Weighed
from services.planner.domain.reader.choice.model import ReaderModel, learnt
from services.planner.domain.reader.chosen import Choice
from services.planner.domain.reader.cohorts.reading import cohort_reading
from services.planner.domain.reader.confidence_cap import cap_confidence, where_nothing_is
from services.planner.domain.reader.deciding import decided, untried, with_reason
from services.planner.domain.reader.defining.definitions import Defined, defined
from services.planner.domain.reader.fiscal import by_fiscal_year, fiscal_of
from services.planner.domain.reader.levels import on_last_days, reword_levels
from services.planner.domain.reader.links.other_names import with_other_names
from services.planner.domain.reader.lost_amounts import lost_amounts, refusal_of, refused
from services.planner.domain.reader.multiplied import no_surer, with_repeat_notes
from services.planner.domain.reader.nearest import nearest_questions
from services.planner.domain.reader.one_of_several import with_several_values
from services.planner.domain.reader.plotted import plotted
from services.planner.domain.reader.politeness import without_politeness
from services.planner.domain.reader.referring.names import with_names
from services.planner.domain.reader.referring.reading import has_entities_alone, with_role
from services.planner.domain.reader.referring.spoken import Spoken, spoken
from services.planner.domain.reader.statistics.charts import with_test
from services.planner.domain.reader.statistics.phrases import DRAWN
from services.planner.domain.reader.statistics.reading import statistic_reading
from services.planner.domain.reader.times.time_parts import vague_time, why_no_day
from services.planner.domain.reader.years_compared import with_years_compared

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

    Without `evidence` nothing is tried on the data, and no reading is sure.
    """
    fiscal = fiscal_of(question, catalogue)
    if isinstance(fiscal, NotUnderstood):
        return fiscal
    question = reword_levels(fiscal.question if fiscal is not None else question, catalogue)

    async def read(plain: str, *, sure: bool) -> asking.Reading:
        return await _read(
            plain,
            catalogue,
            lookup,
            today=today,
            evidence=evidence,
            assume=assume or sure,
            answer=None if sure else answer,
            meanings=meanings,
            model=model,
        )

    asked = question
    question = plainly(question, catalogue, today)
    either = await which_turnover(asked, catalogue, partial(read, sure=True), today)
    if either is not None:
        found = asking.settled(either, answer, assume=assume)
    else:
        found = with_definitions(await read(question, sure=False), asked, catalogue, today)
    if not isinstance(found, Understood):
        return found
    if not answer:  # what was chosen is what was meant
        found = await with_several_values(found, question, catalogue, lookup)
        found = cap_confidence(no_surer(found, catalogue), question, catalogue)
    found = on_last_days(found, catalogue)
    if fiscal is not None:
        yearly = by_fiscal_year(found, fiscal, catalogue)
        if isinstance(yearly, NotUnderstood):
            return yearly
        found = yearly
    else:
        found = _with_partial_periods(with_years_compared(found, question, catalogue), catalogue)
    found = plotted(found, question, catalogue)
    drawn = found.intent
    if DRAWN.search(question) is not None:  # else a relation is read as a test of its own
        drawn = with_test(drawn, question, catalogue)
    found = found.model_copy(update={"intent": drawn}) if drawn != found.intent else found
    return with_reason(with_repeat_notes(found, catalogue))


def _with_partial_periods(found: Understood, catalogue: Catalogue) -> Understood:
    """With which units of time, of those that sums are told by, the data covers only in part."""
    notes = [n for n in coverage_notes(found.intent, catalogue) if n not in found.assumptions]
    return found.model_copy(update={"assumptions": (*found.assumptions, *notes)})


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
    question = without_politeness(question, catalogue)
    known_spoken = spoken(question, catalogue)
    if known_spoken.problem:
        return refused(known_spoken.problem, catalogue)
    own = defined(known_spoken.question, catalogue)
    found = await _read_plain(
        own.question,
        own.catalogue,
        own.lookup(lookup),
        today=today,
        evidence=evidence,
        assume=assume or has_entities_alone(known_spoken),
        answer=answer,
        model=model or learnt(),
        definitions=own.definitions,
    )
    if not isinstance(found, Understood):
        return found
    return _whole(found, known_spoken, own, question, catalogue)


def _whole(
    found: Understood, known_spoken: Spoken, own: Defined, question: str, catalogue: Catalogue
) -> Understood | NotUnderstood:
    """The reading with the columns that the question defines, and what it says of references."""
    intent = found.intent
    if intent.defined[: len(own.definitions)] != own.definitions:
        intent = intent.model_copy(update={"defined": (*own.definitions, *intent.defined)})
    with_roles = with_role(intent, known_spoken, catalogue)
    if isinstance(with_roles, str):
        return refused(with_roles, catalogue)
    intent = with_names(with_roles, question, catalogue)
    if leaves_out_defined(intent, own.definitions):
        columns = ", ".join(f'"{d.column}"' for d in own.definitions)
        why = f"what is asked of {columns}, which the question defines, is not read"
        return refused(why, catalogue)
    if intent == found.intent and not own.definitions:
        return found
    update: dict[str, object] = {"intent": intent, "summary": summarise(intent, own.catalogue)}
    if has_entities_alone(
        known_spoken
    ):  # nothing is left of what the rest might have been taken for
        update |= {"confidence": max(found.confidence, thresholds.LIKELY), "assumptions": ()}
    return found.model_copy(update=update)


async def _read_plain(
    question: str,
    catalogue: Catalogue,
    lookup: ValueLookup,
    *,
    today: date,
    evidence: Evidence | None,
    assume: bool,
    answer: str | None,
    model: ReaderModel,
    definitions: Sequence[Definition] = (),
) -> Understood | Clarification | NotUnderstood:
    """What a question of columns that are there means."""
    if not any(token.stem or token.quoted for token in tokenise(question)):
        return refused("the question has no words in it", catalogue)
    if vague := vague_time(question):
        return refused(vague, catalogue)
    scene = await read.scene_of(question, catalogue, lookup, today=today, definitions=definitions)
    weighed = read.weighed_of(read.local_of(scene), model)
    tested = statistic_reading(question, weighed)
    if tested is None:
        tested = cohort_reading(question, weighed)
    if tested is not None:
        return tested
    choice = await choose(weighed, evidence, model)
    if choice is None:
        return refused("nothing in the question is known to the data", catalogue)
    found = asking.settled(decided(choice, catalogue), answer, assume=assume)
    if isinstance(found, Understood) and (lost := lost_amounts(scene, found.intent)):
        found = refusal_of(lost, catalogue)
    if isinstance(found, Understood) and (why := _why_not(found.intent, catalogue)):
        found = refused(why, catalogue)
    answered = None if isinstance(found, NotUnderstood) else choice.best.intent
    if why := why_beyond_rows(scene, answered):
        found = refused(why, catalogue)
    if isinstance(found, Understood):
        if choice.best.outcome is None:
            return untried(found, asked=evidence is not None)
        found = found.model_copy(update={"odds": choice.odds})
        if choice.best.hurried:
            values = (*found.assumptions, NOT_ALL_TRIED)
            found = found.model_copy(update={"assumptions": values})
        return where_nothing_is(found, choice.best.outcome)
    if not isinstance(found, NotUnderstood) or evidence is None:
        return found

    async def by_itself(other: str) -> asking.Reading:
        return await _read_plain(
            other,
            catalogue,
            lookup,
            today=today,
            evidence=None,
            assume=True,
            answer=None,
            model=model,
        )

    offered = await nearest_questions(choice.ranked, by_itself, evidence, catalogue)
    return found.model_copy(update={"nearest": offered})


def _why_not(intent: Intent, catalogue: Catalogue) -> str:
    """Why no row or no number can be had of a reading; empty where there may be one."""
    return why_no_day(intent) or why_not_of_groups(intent, catalogue)


async def choose(weighed: Weighed, evidence: Evidence | None, model: ReaderModel) -> Choice | None:
    """All candidates with what the data says of them, ranked; None where there is none."""
    scene = weighed.scene
    # A tenth of a second of computing: on a thread of its own, others' calls go on in between.
    candidates = await asyncio.to_thread(read.composed, weighed, model, most=_MOST_CANDIDATES)
    kept = await with_evidence(candidates, weighed, evidence) if evidence is not None else []
    kept = kept or without_evidence(candidates, weighed)
    if not kept:
        return None
    ranked = alike.as_often(read.ranked(kept, weighed, model), scene)
    ranked = alike.by_name(alike.with_numbers_read(ranked), scene)
    rivals = alike.rivals(ranked)
    seen = confidence.of_candidates(rivals, charted=scene.charted)
    return Choice(weighed, ranked, model.calibration.confidence(seen), seen["odds"])
