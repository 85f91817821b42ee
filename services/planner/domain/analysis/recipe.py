"""Recipes: plans that worked, generalised so that a new question can fill them in (seed 000, 5)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from services.planner.domain.catalogue import Frozen


class Parameter(Frozen):
    """A {placeholder}: what may stand there, of which column, and what did at first."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    type: str
    column: str = ""
    example: str = ""


RULES = "rules"
"""Who decides without a language model."""


class Recipe(Frozen):
    """A plan that worked. `parameters` describe the {placeholders} of the template.

    Where nothing could be generalised it is no recipe but a remembered plan: it has no template and
    serves its `exact_question` alone.
    """

    recipe_id: str
    schema_fingerprint: str = Field(pattern=r"^[0-9a-f]{64}$")
    intent_template: str = ""
    exact_question: str = ""
    plan_structure: dict[str, Any]
    tool_argument_templates: list[dict[str, Any]]
    parameters: tuple[Parameter, ...] = ()
    success_count: int = Field(default=1, ge=1)
    created_at: datetime
    last_used_at: datetime
    failure_count: int = 0
    quarantined: bool = False
    last_failure: str = ""

    @property
    def confirmed(self) -> bool:
        """Whether more than a model's word says that the plan was right: the rules made it, or a
        person chose it. Two samples of a model that agree are its word still."""
        made = self.plan_structure
        by_rules = made.get("decided_by", RULES) == RULES
        said = made.get("settled") or {}
        return by_rules or any(said.values())


class RecalledRecipe(Frozen):
    """A candidate for a question: nearer in meaning is larger; `exact` means the same schema."""

    recipe: Recipe
    similarity: float
    exact: bool
