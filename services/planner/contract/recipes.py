"""Recipes."""

from __future__ import annotations

import json
from collections.abc import Sequence

from assay.common.v1 import catalogue_pb2
from services.planner.contract.times import moment, timestamp
from services.planner.domain.analysis.recipe import Parameter, Recipe


def recipe_to(recipe: Recipe) -> catalogue_pb2.Recipe:
    """A recipe for the contract."""
    return catalogue_pb2.Recipe(
        recipe_id=recipe.recipe_id,
        schema_fingerprint=recipe.schema_fingerprint,
        intent_template=recipe.intent_template,
        exact_question=recipe.exact_question,
        plan_structure_json=json.dumps(recipe.plan_structure, sort_keys=True),
        tool_argument_templates_json=json.dumps(recipe.tool_argument_templates, sort_keys=True),
        success_count=recipe.success_count,
        created_at=timestamp(recipe.created_at),
        last_used_at=timestamp(recipe.last_used_at),
        failure_count=recipe.failure_count,
        quarantined=recipe.quarantined,
        last_failure=recipe.last_failure,
        parameters_json=json.dumps(
            [item.model_dump() for item in recipe.parameters], sort_keys=True
        ),
    )


def recipe_from(message: catalogue_pb2.Recipe) -> Recipe:
    """A recipe as the domain knows it."""
    return Recipe(
        recipe_id=message.recipe_id,
        schema_fingerprint=message.schema_fingerprint,
        intent_template=message.intent_template,
        exact_question=message.exact_question,
        plan_structure=json.loads(message.plan_structure_json or "{}"),
        tool_argument_templates=json.loads(message.tool_argument_templates_json or "[]"),
        parameters=tuple(
            Parameter.model_validate(item) for item in json.loads(message.parameters_json or "[]")
        ),
        success_count=message.success_count,
        created_at=moment(message.created_at),
        last_used_at=moment(message.last_used_at),
        failure_count=message.failure_count,
        quarantined=message.quarantined,
        last_failure=message.last_failure,
    )


def recipes_to(recipes: Sequence[Recipe]) -> list[catalogue_pb2.Recipe]:
    """Recipes for the contract."""
    return [recipe_to(recipe) for recipe in recipes]
