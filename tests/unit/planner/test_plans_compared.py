"""A model's plan and the rules': compared by what they give, not by how they are written."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from mesh.errors import SERVICE_UNAVAILABLE, AssayError
from services.planner.adapters.llm.agreement import Compared, compared
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

JOINED = 'SELECT c."region", sum("amount") FROM "orders" JOIN "customers" c USING (id) GROUP BY 1'


class Told:
    """What the data says of two queries; an error where it cannot be asked."""

    def __init__(self, *outcomes: Outcome) -> None:
        self._outcomes = outcomes

    async def __call__(
        self, queries: Sequence[ProbedQuery], limits: ProbeLimits = USUAL_LIMITS
    ) -> Sequence[Outcome]:
        if not self._outcomes:
            raise AssayError(SERVICE_UNAVAILABLE, "the executor is away")
        return self._outcomes


def ran(digest: str) -> Outcome:
    return Outcome(state=ProbeState.OK, rows=3, multiset_digest=digest)


EMPTY = Outcome(state=ProbeState.OK, rows=0, multiset_digest="")


def draft(query: str) -> PlanDraft:
    made = by_rules(query).draft
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("evidence", "query", "expected"),
    [
        (Told(ran("a"), ran("a")), JOINED, Compared(same=True)),
        (Told(ran("a"), ran("b")), BY_REGION, Compared(same=False)),
        (
            Told(ran("a"), Outcome(state=ProbeState.FAILED, reason="missing_column")),
            JOINED,
            Compared(same=False, fails="cannot be run: missing_column"),
        ),
        (Told(ran("a"), EMPTY), BY_REGION, Compared(same=False, fails="finds nothing")),
        (Told(EMPTY, EMPTY), JOINED, Compared(same=True)),
        # Where the data does not answer, the queries themselves are all there is.
        (Told(ran("a"), Outcome(state=ProbeState.CUT_OFF)), BY_REGION, Compared(same=True)),
        (Told(), BY_REGION, Compared(same=True)),
        (Told(), JOINED, Compared(same=False)),
    ],
)
async def test_what_two_plans_give_decides(evidence: Told, query: str, expected: Compared) -> None:
    found = await compared(draft(BY_REGION), draft(query), given(evidence=evidence))
    assert found == expected


async def test_what_is_counted_beside_an_answer_keeps_it_from_no_comparison() -> None:
    beside = Subtask(
        task_id="used", description="rows used", tool_name="sql.run", arguments={"query": JOINED}
    )
    facts = Subtask(task_id="facts", description="facts", tool_name="df.transform", arguments={})
    ours = draft(BY_REGION)
    ours = ours.model_copy(update={"subtasks": (*ours.subtasks, beside, facts)})

    found = await compared(ours, draft(JOINED), given(evidence=Told(ran("a"), ran("a"))))

    assert found == Compared(same=True)


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
        ({"decided_by": "openai:gpt", "confidence": "high"}, True),
        ({"decided_by": "openai:gpt", "settled": {"choice": "2", "corrections": []}}, True),
        ({"decided_by": "openai:gpt", "settled": {"choice": "", "corrections": []}}, False),
    ],
)
def test_a_models_word_alone_confirms_no_plan(made: dict[str, Any], confirmed: bool) -> None:
    now = datetime(2026, 1, 2, tzinfo=UTC)
    recipe = Recipe(
        recipe_id="ab" * 16, schema_fingerprint="a" * 64, plan_structure=made,
        tool_argument_templates=[], created_at=now, last_used_at=now,
    )  # fmt: skip
    assert recipe.confirmed is confirmed


@pytest.mark.parametrize(
    "number",
    "366 32 1.8 273.15 0.000000001 1440 0.45359237 2.2046 1.609 235.21".split(),
)
def test_a_query_may_convert_and_allow_for_rounding(number: str) -> None:
    assert known_numbers(["how warm was it"]).allows_literal(number)


def test_a_unit_of_area_states_no_number() -> None:
    assert numbers_in("kWh/m² and x²") == ["²"]


@pytest.mark.parametrize("number", ["33", "370", "0.02", "1450"])
def test_a_query_may_choose_no_threshold(number: str) -> None:
    assert not known_numbers(["how warm was it"]).allows_literal(number)
