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
from services.planner.domain.reader.asking import reading_meant
from services.planner.domain.reader.fragments.corrected import corrected, refused
from services.planner.domain.reader.fragments.joins import (
    denied_join,
    guessed_joins,
    without_join,
)
from services.planner.domain.reader.multiplied import each_once, with_repeats_told
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


async def reading_of(given: PlanningInput, said: Settled) -> tuple[Outcome, Settled]:
    """How the question is read with what a person said of it, and what of that there was need of.

    A choice is of the readings that were offered, where these are on record, else of those that the
    question has today. A correction changes the likeliest reading, or the one chosen; one that
    denies a join has the question read anew without it.
    """
    denied, told = _without_joins(given, said)
    if isinstance(denied, NotUnderstood):
        return denied, said
    found, said = await _before_corrections(denied, said)
    found, said = await _corrected(denied, found, said)
    if isinstance(found, Understood):
        found = with_repeats_told(found, denied.catalogue)
        guessed = guessed_joins(found.intent, denied.catalogue)
        found = found.model_copy(update={"assumptions": (*told, *guessed, *found.assumptions)})
    return found, said


def _without_joins(
    given: PlanningInput, said: Settled
) -> tuple[PlanningInput | NotUnderstood, tuple[str, ...]]:
    """What the plan is made from without the joins that are denied, and what is told of it."""
    catalogue, told = given.catalogue, tuple[str, ...]()
    for what in filter(None, map(denied_join, said.corrections)):
        found = without_join(what, catalogue)
        if isinstance(found, str):
            return refused(found, catalogue), ()
        catalogue, note = found
        told += (note,)
    return replace(given, catalogue=catalogue), told


async def _corrected(
    given: PlanningInput, found: Outcome, said: Settled
) -> tuple[Outcome, Settled]:
    kept = found.assumptions if isinstance(found, Understood) else ()
    kept = tuple(note for note in kept if note.startswith(_UNCHOSEN))
    for words in said.corrections:
        if denied_join(words):
            continue
        if not isinstance(found, Understood):
            break
        found = await corrected(found, words, given.catalogue, given.lookup, given.today)
        if isinstance(found, NotUnderstood) and (again := _again(given, words, found)) is not None:
            return again, said
        if isinstance(found, Understood):
            found = each_once(found, given.catalogue)
    if kept and isinstance(found, Understood):
        found = found.model_copy(update={"assumptions": (*kept, *found.assumptions)})
    return found, said


async def _before_corrections(given: PlanningInput, said: Settled) -> tuple[Outcome, Settled]:
    offered = _offered(given.asked, given.catalogue) if given.reply else None
    if offered is not None:
        meant = reading_meant(offered, said.choice)
        if meant is not None:
            return meant, said
        if said.corrections and not any(map(denied_join, said.corrections)):
            return _unchosen(offered.readings[0]), said
    found = await _understood(given, assume=bool(said.corrections) and not said.choice)
    if not said.choice:
        if given.reply and given.asked is not None and isinstance(found, Understood):
            return _unchosen(found), said
        return found, said
    if not isinstance(found, Clarification):
        return found, said.model_copy(update={"choice": ""})  # nothing was left to choose
    if found.readings:
        return reading_meant(found, said.choice) or found, said
    return await _understood(given, answer=said.choice), said


def _unchosen(likeliest: Understood) -> Understood:
    """The likeliest of readings that were offered, of which none was chosen: what was said in its
    place changes it, and says nothing of what was asked."""
    told = f"{_UNCHOSEN}: this goes on from “{likeliest.summary}”"
    return likeliest.model_copy(
        update={
            "confidence": min(likeliest.confidence, _LIKELY),
            "assumptions": (*likeliest.assumptions, told),
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
        said = remembered_of(one.recipe)
        return said.said, said.on or date.min

    return sorted(recalled, key=late, reverse=True)


async def passed_over(recipe: Recipe, use: RecipeUse, given: PlanningInput) -> Clarification | None:
    """The question back that the use of a recipe would pass over.

    A plan made for these very words, by someone who was not asked, passes over none; one that was
    made by assuming, or for other particulars, may.
    """
    same = use.how == "used" and not recipe.plan_structure.get("assumed")
    if same or given.request.assume or remembered_of(recipe).said:
        return None
    found, _ = await reading_of(given, Settled())
    return found if isinstance(found, Clarification) else None
