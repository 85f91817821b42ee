"""A second sample of a model: the same request anew, which hears nothing of the first."""

from __future__ import annotations

from typing import Protocol

from services.planner.adapters.llm.agreement import compared
from services.planner.adapters.llm.ask import NoAnswerError
from services.planner.domain.analysis.planning import Planning, PlanningInput
from services.planner.domain.model_use import ModelUse, total_use
from services.planner.domain.proposals.considered import considered

_AGAIN = "Asked a second time, the language model"


class Plans(Protocol):
    """Who can be asked for a plan; raises NoAnswerError."""

    async def plan(self, given: PlanningInput) -> Planning:
        """A statement as a plan, a question back, or why the data cannot answer."""
        ...


async def asked_again(model: Plans, planning: Planning, given: PlanningInput) -> Planning:
    """A model's decision with what a second sample says of it. Where that gives another result, or
    none, it is told; the first one stands, and is not sure."""
    if planning.draft is None:
        return planning
    try:
        other = await model.plan(given)
    except NoAnswerError as failed:
        lost = Planning(model_use=failed.use)
        return _beside(planning, lost, f"{_AGAIN} gave no plan: {failed.why}")
    if other.draft is None:
        text = other.failure.message if other.failure else "it could mean several things"
        return _beside(planning, other, f"{_AGAIN} would not plan: {text}", divided=True)
    found = await compared(planning.draft, other.draft, given)
    beside = considered(
        other.proposal, other.decided_by, other.understood, found.compared, found.note
    )
    planning = planning.model_copy(update={"others": (*planning.others, beside)})
    if found.agrees:
        return _beside(planning, other, samples=2)
    if found.compared == "differs":
        read = f"{_AGAIN} read the question as {other.understood.rstrip('.')}"
        gives = found.note or "another result"
        return _beside(planning, other, f"{read}; that gives {gives}", divided=True)
    why = found.note or "the data did not answer in time"
    return _beside(planning, other, f"{_AGAIN} gave a plan that cannot be compared: {why}")


def _beside(
    planning: Planning,
    other: Planning,
    caveat: str = "",
    *,
    samples: int = 1,
    divided: bool = False,
) -> Planning:
    """The decision with what is known of another sample, and what both took."""
    update = {
        "seen": planning.seen.model_copy(update={"samples": samples, "divided": divided}),
        "caveats": (*planning.caveats, *([f"{caveat.rstrip('.')}."] if caveat else [])),
        "model_use": _both(planning, other),
        "lookups": (*planning.lookups, *other.lookups),
    }
    return planning.model_copy(update=update)


def _both(planning: Planning, other: Planning) -> ModelUse | None:
    """What both took; the model whose plan stands is named last, as the one that decided."""
    both = total_use([planning.model_use, other.model_use])
    if both is None:
        return None
    names = [name for name in both.model.split(", ") if name != planning.decided_by]
    return both.model_copy(update={"model": ", ".join([*names, planning.decided_by])})
