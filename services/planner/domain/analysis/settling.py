"""The reading of a question that follows from what a person said of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from services.planner.domain.analysis.adapting import restored
from services.planner.domain.analysis.planning import Planning, PlanningInput, RecipeUse
from services.planner.domain.analysis.recipe import RecalledRecipe, Recipe
from services.planner.domain.analysis.settled import Settled
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.query.intent import Clarification, NotUnderstood, Understood
from services.planner.domain.reader.asking import find_reading
from services.planner.domain.reader.fragments.corrected import corrected, refused
from services.planner.domain.reader.fragments.joins import (
    denied_join,
    guessed_joins,
    without_join,
)
from services.planner.domain.reader.multiplied import each_once, with_repeat_notes
from services.planner.domain.reader.understand import understand

Outcome = Understood | Clarification | NotUnderstood

_LIKELY = 0.55  # what a person then says of it makes it no surer than likely
_UNCHOSEN = "none of the readings that were offered was chosen"


def settled_by(given: PlanningInput) -> Settled:
    """What was said with the question, or in reply to one back."""
    choice, corrections = given.reply or given.request.choice, given.request.corrections
    asked = given.asked.clarification if given.asked is not None else None
    if asked is not None and given.reply and given.reply not in asked.options:
        choice, corrections = "", (given.reply, *corrections)
    day = given.today if choice or corrections else None
    return Settled(choice=choice, corrections=corrections, on=day)


async def reading_of(given: PlanningInput, settled: Settled) -> tuple[Outcome, Settled]:
    """How the question is read with what a person said of it, and what of that there was need of.

    A choice is of the readings that were offered, where these are on record, else of those that the
    question has today. A correction changes the likeliest reading, or the one chosen; one that
    denies a join has the question read anew without it.
    """
    denied, texts = _without_joins(given, settled)
    if isinstance(denied, NotUnderstood):
        return denied, settled
    found, settled = await _before_corrections(denied, settled)
    found, settled = await _corrected(denied, found, settled)
    if isinstance(found, Understood):
        found = with_repeat_notes(found, denied.catalogue)
        guessed = guessed_joins(found.intent, denied.catalogue)
        found = found.model_copy(update={"assumptions": (*texts, *guessed, *found.assumptions)})
    return found, settled


def _without_joins(
    given: PlanningInput, settled: Settled
) -> tuple[PlanningInput | NotUnderstood, tuple[str, ...]]:
    """What the plan is made from without the joins that are denied, and what is told of it."""
    catalogue, texts = given.catalogue, tuple[str, ...]()
    for what in filter(None, map(denied_join, settled.corrections)):
        found = without_join(what, catalogue)
        if isinstance(found, str):
            return refused(found, catalogue), ()
        catalogue, note = found
        texts += (note,)
    return replace(given, catalogue=catalogue), texts


async def _corrected(
    given: PlanningInput, found: Outcome, settled: Settled
) -> tuple[Outcome, Settled]:
    kept = found.assumptions if isinstance(found, Understood) else ()
    kept = tuple(note for note in kept if note.startswith(_UNCHOSEN))
    for words in settled.corrections:
        if denied_join(words):
            continue
        if not isinstance(found, Understood):
            break
        found = await corrected(found, words, given.catalogue, given.lookup, given.today)
        if isinstance(found, NotUnderstood) and (again := _again(given, words, found)) is not None:
            return again, settled
        if isinstance(found, Understood):
            found = each_once(found, given.catalogue)
    if kept and isinstance(found, Understood):
        found = found.model_copy(update={"assumptions": (*kept, *found.assumptions)})
    return found, settled


async def _before_corrections(given: PlanningInput, settled: Settled) -> tuple[Outcome, Settled]:
    offered = _offered(given.asked, given.catalogue) if given.reply else None
    if offered is not None:
        intended = find_reading(offered, settled.choice)
        if intended is not None:
            return intended, settled
        if settled.corrections and not any(map(denied_join, settled.corrections)):
            return _unchosen(offered.readings[0]), settled
    found = await _understood(given, assume=bool(settled.corrections) and not settled.choice)
    if not settled.choice:
        if given.reply and given.asked is not None and isinstance(found, Understood):
            return _unchosen(found), settled
        return found, settled
    if not isinstance(found, Clarification):
        return found, settled.model_copy(update={"choice": ""})  # nothing was left to choose
    if found.readings:
        return find_reading(found, settled.choice) or found, settled
    return await _understood(given, answer=settled.choice), settled


def _unchosen(likeliest: Understood) -> Understood:
    """The likeliest of readings that were offered, of which none was chosen: what was said in its
    place changes it, and says nothing of what was asked."""
    text = f"{_UNCHOSEN}: this goes on from “{likeliest.summary}”"
    return likeliest.model_copy(
        update={
            "confidence": min(likeliest.confidence, _LIKELY),
            "assumptions": (*likeliest.assumptions, text),
        }
    )


async def _understood(
    given: PlanningInput, *, assume: bool = False, answer: str | None = None
) -> Outcome:
    request = given.request
    return await understand(
        request.intent,
        given.catalogue,
        given.lookup,
        today=given.today,
        assume=not answer and (assume or (request.assume and not request.choice)),
        answer=answer,
        meanings=given.meanings,
        evidence=given.evidence,
    )


def _again(given: PlanningInput, words: str, why: NotUnderstood) -> Clarification | None:
    """The question back once more, where a reply to it in own words could not be read."""
    offered = _offered(given.asked, given.catalogue)
    if offered is None or words != given.reply:
        return None
    question = f"{why.message} {offered.question}"
    return offered.model_copy(update={"question": question})


def _offered(asked: Planning | None, catalogue: Catalogue) -> Clarification | None:
    """The question back as it was asked, with its readings; None where these were not recorded."""
    if asked is None or asked.clarification is None or not asked.readings:
        return None
    return Clarification(
        question=asked.clarification.question,
        options=asked.clarification.options,
        glimpses=asked.clarification.glimpses,
        readings=tuple(_reading(one, catalogue) for one in asked.readings),
    )


def _reading(recorded: dict[str, Any], catalogue: Catalogue) -> Understood:
    intent = restored(recorded["intent"], catalogue)
    return Understood.model_validate({**recorded, "intent": intent})


def remembered_of(recipe: Recipe) -> Settled:
    """What a person said of the question that a recipe was learnt from; nothing for most."""
    return Settled.model_validate(recipe.plan_structure.get("settled") or {})


def by_person_first(recalled: Sequence[RecalledRecipe]) -> list[RecalledRecipe]:
    """What a person chose or corrected before all else, the latest first."""

    def late(one: RecalledRecipe) -> tuple[bool, date]:
        settled = remembered_of(one.recipe)
        return settled.is_by_person, settled.on or date.min

    return sorted(recalled, key=late, reverse=True)


async def passed_over(recipe: Recipe, use: RecipeUse, given: PlanningInput) -> Clarification | None:
    """The question back that the use of a recipe would pass over.

    A plan made for these very words, by someone who was not asked, passes over none; one that was
    made by assuming, or for other particulars, may.
    """
    same = use.how == "used" and not recipe.plan_structure.get("assumed")
    if same or given.request.assume or remembered_of(recipe).is_by_person:
        return None
    found, _ = await reading_of(given, Settled())
    return found if isinstance(found, Clarification) else None
