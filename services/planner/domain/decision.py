"""Decisions: typed values with a reason and a maker, recorded before they take effect."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

from pydantic import Field

from services.planner.domain.calls import Observation, ToolCall
from services.planner.domain.catalogue import Catalogue, Frozen, ValueLookup
from services.planner.domain.job import Clarification, Failure
from services.planner.domain.plan import PlanDraft
from services.planner.domain.recipe import RecalledRecipe
from services.planner.domain.request import AnalysisRequest


class Decision(Frozen):
    """A recorded judgement: what was decided from what, by whom, and why."""

    decision_id: str
    job_id: str
    kind: Literal["plan", "repair", "narrate"]
    reasoner: str
    reason: str
    given: dict[str, Any]
    decided: dict[str, Any]
    timestamp: datetime


@dataclass(frozen=True)
class PlanningInput:
    """What a plan is made from. `reply` is the person's answer to an earlier clarification."""

    request: AnalysisRequest
    catalogue: Catalogue
    lookup: ValueLookup
    today: date
    recipes: tuple[RecalledRecipe, ...] = ()
    reply: str = ""


class RecipeUse(Frozen):
    """Which recalled recipe a plan was made from, or why none was."""

    recipe_id: str = ""
    how: Literal["used", "adapted", "refused", "none"] = "none"
    reason: str = ""


class Planning(Frozen):
    """The outcome of planning: exactly one of draft, clarification and failure is set.

    `intent` is the understood question as JSON; `template` and `parameters` generalise it for a
    recipe; `labels` names columns of the answer's frames for people.
    """

    understood: str = ""
    reason: str = ""
    confidence: Literal["high", "medium", "low"] = "high"
    intent: dict[str, Any] = Field(default_factory=dict)
    draft: PlanDraft | None = None
    clarification: Clarification | None = None
    failure: Failure | None = None
    assumptions: tuple[str, ...] = ()
    recipe: RecipeUse = RecipeUse()


class RepairInput(Frozen):
    """A failed attempt: the call, what came back, and what the sources hold."""

    request: AnalysisRequest
    catalogue: Catalogue
    call: ToolCall
    observation: Observation
    seconds_left: float


class Repair(Frozen):
    """A changed call. The arguments differ from the failed ones; `reason` says how and why."""

    arguments: dict[str, Any]
    reason: str
    caveat: str = ""
