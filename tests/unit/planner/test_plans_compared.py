"""A model's plan and the rules': compared by what they give, not by how they are written."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from mesh.errors import SERVICE_UNAVAILABLE, AssayError
from services.planner.adapters.llm.agreement import compared
from services.planner.adapters.llm.numbers import known_numbers, numbers_in
from services.planner.domain.analysis.recipe import Recipe
from services.planner.domain.evidence import (
    USUAL_LIMITS,
    Outcome,
    ProbedQuery,
    ProbeLimits,
    ProbeState,
)
from services.planner.domain.plan import PlanDraft, Subtask
from tests.unit.planner.llm_world import BY_REGION, by_rules, given
from tests.unit.planner.shop_rows import shop_rows

SPELLED = "select o.region as area, SUM(o.amount) as money from orders as o group by o.region"
NONE = "SELECT region, sum(amount) FROM orders WHERE region = 'East' GROUP BY 1"
COUNTED = 'SELECT "region", count(*) AS "orders" FROM "orders" GROUP BY 1'


class Away:
    """Data that cannot be asked."""

    async def __call__(
        self, queries: Sequence[ProbedQuery], limits: ProbeLimits = USUAL_LIMITS
    ) -> Sequence[Outcome]:
        raise AssayError(SERVICE_UNAVAILABLE, "the executor is away")


async def slow(
    queries: Sequence[ProbedQuery], limits: ProbeLimits = USUAL_LIMITS
) -> Sequence[Outcome]:
    return [Outcome(state=ProbeState.CUT_OFF) for _ in queries]


def draft(query: str) -> PlanDraft:
    made = by_rules(query).draft
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("ours", "theirs", "how", "told"),
    [
        (BY_REGION, SPELLED, "same", ""),
        (BY_REGION, f"SELECT money FROM ({SPELLED})", "subset", ""),
        (
            BY_REGION,
            COUNTED,
            "differs",
            "other numbers in 3 of 3 rows, most where West is 20 instead of 762.50",
        ),
        (
            BY_REGION,
            SPELLED.replace("o.region", "o.regio"),
            "fails",
            "cannot be run: MISSING_COLUMN",
        ),
        (BY_REGION, NONE, "fails", "finds nothing"),
        (NONE, NONE.replace("sum", "max"), "same", ""),
    ],
)
async def test_what_two_plans_give_decides(ours: str, theirs: str, how: str, told: str) -> None:
    found = await compared(draft(ours), draft(theirs), given(evidence=shop_rows))
    assert (found.compared, found.note) == (how, told)


@pytest.mark.parametrize("evidence", [Away(), slow, None])
async def test_where_the_data_do_not_answer_equal_texts_agree_on_nothing(evidence: Any) -> None:
    found = await compared(draft(BY_REGION), draft(BY_REGION), given(evidence=evidence))
    assert found.compared == "not_compared" and not found.agrees


async def test_what_is_counted_beside_an_answer_keeps_it_from_no_comparison() -> None:
    beside = Subtask(
        task_id="used", description="rows used", tool_name="sql.run", arguments={"query": COUNTED}
    )
    facts = Subtask(task_id="facts", description="facts", tool_name="df.transform", arguments={})
    ours = draft(BY_REGION)
    ours = ours.model_copy(update={"subtasks": (*ours.subtasks, beside, facts)})

    found = await compared(ours, draft(SPELLED), given(evidence=shop_rows))
    assert found.compared == "same"


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("which plants run above 80 % of capacity", "0.8"),
        ("prices raised by 12.5 per cent", "1.125"),
        ("sales in November", "11"),
        ("sales by region in Q4", "12"),
        ("parcels heavier than 5 kg", "5000"),
        ("films longer than 2 hours", "120"),
        ("orders above 2 million", "2000000"),
        ("more than 3 weeks late", "21"),
    ],
)
def test_numbers_that_follow_from_the_words_are_known(question: str, number: str) -> None:
    assert known_numbers([question]).holds(number)
    assert Decimal(number) not in known_numbers(["how many are there"]).numbers


def test_no_other_number_follows() -> None:
    known = known_numbers(["which plants run above 80 % of capacity in the north"])
    assert not known.holds("0.7") and not known.holds("11") and not known.holds("5000")


@pytest.mark.parametrize(
    ("made", "confirmed"),
    [
        ({"decided_by": "rules", "confidence": "medium"}, True),
        ({"decided_by": "openai:gpt", "confidence": "medium"}, False),
        ({"decided_by": "openai:gpt", "confidence": "high"}, False),
        ({"decided_by": "openai:gpt", "settled": {"choice": "2", "corrections": []}}, True),
        ({"decided_by": "openai:gpt", "settled": {"choice": "", "corrections": []}}, False),
    ],
)
def test_a_models_word_alone_confirms_no_plan(made: dict[str, Any], confirmed: bool) -> None:
    now = datetime(2026, 1, 2, tzinfo=UTC)
    recipe = Recipe(
        recipe_id="ab" * 16,
        schema_fingerprint="a" * 64,
        plan_structure=made,
        tool_argument_templates=[],
        created_at=now,
        last_used_at=now,
    )
    assert recipe.confirmed is confirmed


@pytest.mark.parametrize(
    "number",
    "366 32 1.8 273.15 0.000000001 1440 0.45359237 2.2046 1.609 235.21".split(),
)
def test_a_query_may_convert_and_allow_for_rounding(number: str) -> None:
    assert known_numbers(["how warm was it"]).allows_literal(number)


def test_a_year_of_the_data_and_what_the_statement_holds_may_be_said() -> None:
    known = known_numbers(["rain since 2024-03-05"])
    assert known.foreign("all of 2024") == []
    assert known.foreign("below 32 F in 2023", ["32"]) == ["2023"]


def test_a_unit_of_area_states_no_number() -> None:
    assert numbers_in("kWh/m² and x²") == ["²"]


@pytest.mark.parametrize("number", ["33", "370", "0.02", "1450"])
def test_a_query_may_choose_no_threshold(number: str) -> None:
    assert not known_numbers(["how warm was it"]).allows_literal(number)
