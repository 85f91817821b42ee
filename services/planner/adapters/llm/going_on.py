"""How a model's plan goes on from what was answered before, beside the rules' reading of it."""

from __future__ import annotations

from dataclasses import replace

from services.planner.domain.analysis.planning import GOES_ON_FROM, Planning, PlanningInput


def taken_otherwise(by_model: Planning, given: PlanningInput) -> PlanningInput | None:
    """What the rules are to read where the model takes words for a question of their own that they
    took for a change of the one before, or the other way round; None where both take them alike."""
    if by_model.draft is None:
        return None
    goes_on = len(by_model.said) > 1
    if given.before is not None and not goes_on:
        return replace(given, before=None)
    if given.after is not None and goes_on and not given.request.corrections:
        return replace(given, before=given.after, after=None)
    return None


def going_on(by_model: Planning, given: PlanningInput) -> Planning:
    """The model's plan, doubtful where what it goes on from is."""
    before = given.in_sight
    if before is None or len(by_model.said) == 1 or before.confidence == "high":
        return by_model
    doubts = tuple(one for one in before.assumptions[:1] if one.startswith(GOES_ON_FROM))
    if before.confidence == "low" and not doubts:
        doubts = (f"{GOES_ON_FROM} “{before.understood}”, which is not certain",)
    seen = by_model.seen.model_copy(update={"of_doubtful": True})
    update = {"seen": seen, "assumptions": (*by_model.assumptions, *doubts)}
    return by_model.model_copy(update=update)
