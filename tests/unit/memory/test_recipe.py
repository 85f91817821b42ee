"""What a recipe must be, and how its counts change."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from pydantic import ValidationError

from services.memory.domain.recipe import (
    Parameter,
    ParameterType,
    Recipe,
    placeholders,
    question_key,
)

CREATED = datetime(2025, 9, 15, 10, 30, tzinfo=UTC)


def recipe(**changes: Any) -> Recipe:
    """The example of seed 000, with its placeholders declared."""
    fields: dict[str, Any] = {
        "recipe_id": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
        "tenant": "acme",
        "schema_fingerprint": "a3f5b8c0" * 8,
        "intent_template": "Analyze {time_range} {location} sales; trends + charts",
        "plan_structure": {
            "subtasks": [
                {
                    "task_id": "load_data",
                    "tool_name": "sql.run",
                    "arg_template": "SELECT * FROM sales WHERE date BETWEEN {start} AND {end}",
                }
            ]
        },
        "parameters": [
            {"name": "time_range", "type": "time_range", "example": "Q1 2021"},
            {"name": "location", "type": "value", "column": "sales.state"},
            {"name": "start", "type": "date"},
            {"name": "end", "type": "date"},
        ],
        "success_count": 12,
        "created_at": "2025-09-15T10:30:00Z",
        "last_used_at": "2025-09-27T08:45:00Z",
    }
    return Recipe(**{**fields, **changes})


def test_the_specification_example_is_a_recipe() -> None:
    example = recipe()
    assert example.recipe_id == UUID("7c9e6679-7425-40de-944b-e07fc1f90ae7").hex
    assert placeholders(example.intent_template) == ("time_range", "location")
    assert example.intent_text == "Analyze time range location sales; trends + charts"
    assert example.created_at == CREATED
    assert Recipe.model_validate_json(example.model_dump_json()) == example


def test_a_template_without_placeholders_is_refused() -> None:
    for template in ("list all products", "list all {{products}}"):
        with pytest.raises(ValidationError, match=r"has no \{placeholder\}"):
            recipe(intent_template=template, parameters=())


def test_a_plan_is_remembered_for_one_question_where_nothing_could_be_generalised() -> None:
    kept = recipe(intent_template="", exact_question="list all {products}", parameters=())
    assert kept.intent_text == "list all {products}"
    assert kept.question_key == question_key(kept.schema_fingerprint, "List all {products}?")
    with pytest.raises(ValidationError, match="a remembered plan an exact_question"):
        recipe(exact_question="list all products")


def test_a_fingerprint_is_kept_in_lower_case() -> None:
    assert recipe(schema_fingerprint="AB" * 32).schema_fingerprint == "ab" * 32


@pytest.mark.parametrize(
    ("field", "value", "complaint"),
    [
        ("recipe_id", "hyp_001", "not a UUID"),
        ("tenant", "", "at least 1 character"),
        ("schema_fingerprint", "a" * 63, "pattern"),
        ("schema_fingerprint", "g" * 64, "pattern"),
        ("schema_fingerprint", "a" * 64 + "\n", "pattern"),
        ("success_count", 0, "greater than or equal to 1"),
        ("failure_count", -1, "greater than or equal to 0"),
        ("intent_template", "", "has an intent_template"),
        ("intent_template", "sales in {place", "write a literal brace twice"),
        ("intent_template", "sales in place}", "write a literal brace twice"),
        ("intent_template", "sales in {}", "no placeholder"),
        ("intent_template", "sales in {Place Name}", "no placeholder"),
        ("intent_template", "sales in {location:>9}", "no placeholder"),
        ("intent_template", "sales in {location.__class__}", "no placeholder"),
        ("intent_template", "sales in {continent}", "without a parameter: continent"),
        ("plan_structure", {}, "at least one subtask"),
        ("plan_structure", {"subtasks": []}, "at least one subtask"),
        ("created_at", "2025-09-15T10:30:00", "timezone"),
        ("created_at", "2026-09-15T10:30:00Z", "before created_at"),
        ("colour", "red", "not permitted"),
    ],
)
def test_what_is_malformed_is_refused(field: str, value: object, complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        recipe(**{field: value})


def test_a_parameter_is_declared_once() -> None:
    twice = (Parameter(name="location", type=ParameterType.VALUE),) * 2
    with pytest.raises(ValidationError, match="declared twice: location"):
        recipe(parameters=twice)


def test_a_literal_brace_is_written_twice() -> None:
    template = "rows where note contains {{x}} in {location}"
    example = recipe(intent_template=template)
    assert placeholders(template) == ("location",)
    assert example.intent_text == "rows where note contains {x} in location"


def test_a_success_counts_as_a_use_and_forgives() -> None:
    later = CREATED + timedelta(days=100)
    used = recipe(failure_count=2).succeeded(later)
    assert (used.success_count, used.failure_count, used.last_used_at) == (13, 0, later)


def test_a_clock_that_went_back_does_not_move_the_last_use_back() -> None:
    example = recipe()
    assert example.succeeded(CREATED).last_used_at == example.last_used_at


def test_the_third_failure_in_a_row_quarantines_and_a_success_does_not_lift_it() -> None:
    example = recipe().failed().failed()
    assert not example.quarantined
    example = example.failed()
    assert example.quarantined
    assert example.succeeded(CREATED).quarantined


def test_a_new_plan_lifts_a_quarantine_and_the_same_plan_does_not() -> None:
    failing = recipe(quarantined=True, failure_count=3)
    same = failing.absorbing(recipe(recipe_id=uuid4().hex))
    assert same.quarantined
    plan = {"subtasks": [{"task_id": "other"}]}
    healed = failing.absorbing(recipe(recipe_id=uuid4().hex, plan_structure=plan))
    assert not healed.quarantined
    assert (healed.success_count, healed.failure_count) == (1, 0)
    assert healed.plan_structure == plan


def test_merged_and_outcome_ids_are_remembered_up_to_a_bound() -> None:
    example = recipe()
    ids = [uuid4().hex for _ in range(100)]
    for one in ids:
        example = example.failed(outcome_id=one).absorbing(recipe(recipe_id=one))
    assert example.merged_ids == example.outcome_ids == tuple(ids[-64:])
