"""Rules and a model as one reasoner: who decides, how sure it is, and what is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from mesh.errors import SOURCE_NOT_READABLE, AssayError
from mesh.testing.model_server import Answered, Refused
from services.planner.adapters.reasoner_together import TogetherReasoner
from services.planner.domain.analysis.planning import (
    Planning,
    PlanningInput,
    RecipeUse,
    Repair,
    RepairInput,
)
from services.planner.domain.analysis.recipe import RecalledRecipe
from services.planner.domain.clarification import Clarification
from services.planner.domain.failure import Failure
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.suggestions import Suggestions, SuggestionsInput
from tests.unit.planner.llm_world import (
    BY_REGION,
    Rules,
    World,
    answered,
    asked,
    by_rules,
    failed_call,
    recipe,
    world,
)
from tests.unit.planner.llm_world import given as without_rows
from tests.unit.planner.shop_rows import shop_rows

OTHERWISE = 'SELECT "region", count(*) AS "orders" FROM "orders" GROUP BY 1'
SPELLED_OTHERWISE = (
    "select o.region as area, SUM(o.amount) as money from orders as o group by o.region"
)
NOT_UNDERSTOOD = Planning(
    reason="nothing was understood",
    failure=Failure(reason="NOTHING_UNDERSTOOD", message="no word", hint="There is orders."),
)
AMBIGUOUS = Planning(clarification=Clarification(question="sales?", options=("sum", "count")))


def given(request: AnalysisRequest | None = None, **changes: Any) -> PlanningInput:
    return without_rows(request, **{"evidence": shop_rows, **changes})


@pytest_asyncio.fixture
async def shop(tmp_path: Path) -> AsyncIterator[World]:
    async with world(tmp_path, llm_seconds=20.0) as made:
        yield made


async def test_what_the_rules_are_sure_of_is_put_to_the_model_too(shop: World) -> None:
    shop.server.will(answered(SPELLED_OTHERWISE))

    planning = await shop.together(Rules(by_rules(confidence="high"))).plan(given())

    assert len(shop.server.asked) == 1
    assert (planning.decided_by, planning.confidence, planning.caveats) == ("rules", "high", ())
    assert planning.understood == "the rules' reading", "of which more can be told"
    assert planning.proposal is not None and planning.model_use is not None


@pytest.mark.parametrize(("confidence", "asked_of"), [("medium", 0), ("low", 1)])
async def test_what_is_remembered_costs_no_token_unless_it_was_a_guess(
    shop: World, confidence: str, asked_of: int
) -> None:
    remembered = RecipeUse(recipe_id="ab" * 16, how="used")
    rules = by_rules(confidence=confidence).model_copy(update={"recipe": remembered})
    known = RecalledRecipe(recipe=recipe("total by {region}", "rules"), similarity=1, exact=True)
    shop.server.will(answered())

    await shop.together(Rules(rules)).plan(given(recipes=(known,)))

    assert len(shop.server.asked) == asked_of


class Thinking:
    """A model that says when it was asked, and then thinks for good."""

    name = "thinking"

    def __init__(self) -> None:
        self.asked, self.let_go = asyncio.Event(), asyncio.Event()

    async def plan(self, given: PlanningInput) -> Planning:
        self.asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.let_go.set()
        raise NotImplementedError

    async def repair(self, given: RepairInput) -> Repair | None:
        raise NotImplementedError

    async def suggest(self, given: SuggestionsInput) -> Suggestions:
        raise NotImplementedError


async def test_the_model_thinks_while_the_rules_read_and_is_let_go_where_they_fail() -> None:
    model = Thinking()

    class Reading(Rules):
        async def plan(self, given: PlanningInput) -> Planning:
            await asyncio.wait_for(model.asked.wait(), 10)
            raise AssayError(SOURCE_NOT_READABLE, "the file is gone")

    with pytest.raises(AssayError, match="the file is gone"):
        await TogetherReasoner(Reading(by_rules()), model).plan(given())

    assert model.let_go.is_set()


@pytest.mark.parametrize("rules", [NOT_UNDERSTOOD, AMBIGUOUS, by_rules(OTHERWISE, "low")])
async def test_the_model_takes_the_rest(shop: World, rules: Planning) -> None:
    shop.server.will(answered())

    planning = await shop.together(Rules(rules)).plan(given())

    assert planning.by_model
    assert planning.draft is not None
    assert planning.draft.subtasks[0].arguments["query"] == BY_REGION


async def test_that_both_agree_is_seen(shop: World) -> None:
    shop.server.will(answered(SPELLED_OTHERWISE))

    planning = await shop.together(Rules(by_rules(confidence="low"))).plan(given())

    assert (planning.seen.kind, planning.confidence, planning.caveats) == ("agreed", "low", ())


@pytest.mark.parametrize(
    ("query", "apart"),
    [
        (OTHERWISE, "other numbers in 3 of 3 rows, most where West is 20 instead of 762.50"),
        (
            BY_REGION.replace("sum", "avg"),
            "other numbers in 3 of 3 rows, most where West is 38.12 instead of 762.50",
        ),
        (
            BY_REGION.replace(' FROM "orders"', ' FROM "orders" WHERE "region" = \'North\''),
            "1 row instead of 3: South, West left out",
        ),
        (
            BY_REGION.replace('"region"', '"customer_id"'),
            "9 rows by customer_id instead of 3 rows by region",
        ),
        (f"{BY_REGION} LIMIT 1", "1 row instead of 3: South, West left out"),
    ],
)
async def test_that_they_differ_is_seen_and_what_separates_them_told(
    shop: World, query: str, apart: str
) -> None:
    shop.server.will(answered())

    planning = await shop.together(Rules(by_rules(query))).plan(given())

    assert planning.by_model
    assert (planning.seen.kind, planning.seen.beside, planning.seen.level) == (
        "model",
        "other",
        "medium",
    )
    assert planning.caveats == (
        f"The built-in rules read the question otherwise: the rules' reading; they get {apart}.",
    )
    (other,) = planning.others
    assert (other.proposer, other.compared, other.told) == ("rules", "differs", apart)


async def test_other_readings_are_told(shop: World) -> None:
    shop.server.will(answered())

    planning = await shop.together(Rules(AMBIGUOUS)).plan(given())

    assert planning.caveats == ("Other readings were possible: sales? sum; count",)
    assert "sales?" not in shop.server.prompts[0], "independence is worth more"


@pytest.mark.parametrize("rules", [NOT_UNDERSTOOD, AMBIGUOUS, by_rules(confidence="low")])
async def test_without_the_model_the_rules_decide_and_that_is_told(
    shop: World, rules: Planning
) -> None:
    shop.server.will(Refused(422))

    planning = await shop.together(Rules(rules)).plan(given())

    told = "The language model gave no plan: its server refuses the request (status 422). "
    assert planning.caveats == (f"{told}The built-in rules decided.",)
    assert planning.decided_by == "rules"
    assert not planning.by_model
    assert planning.draft == rules.draft
    assert planning.clarification == rules.clarification
    assert planning.model_use is not None, "what was taken in vain is told too"
    if planning.failure is not None:
        assert planning.failure.hint.startswith("There is orders. The language model gave no plan")


async def test_what_neither_can_answer_says_what_lacks(shop: World) -> None:
    shop.server.will(Answered({"kind": "impossible", "reason": "there are no costs"}))

    planning = await shop.together(Rules(NOT_UNDERSTOOD)).plan(given())

    assert planning.failure is not None
    assert planning.failure.message == "there are no costs"
    assert planning.failure.hint == "There is orders."


async def test_the_rules_answer_what_the_model_thinks_impossible_but_not_surely(
    shop: World,
) -> None:
    shop.server.will(Answered({"kind": "impossible", "reason": "there are no costs"}))

    planning = await shop.together(Rules(by_rules())).plan(given())

    assert planning.draft is not None
    assert planning.seen.denied
    assert "would not plan: there are no costs" in planning.caveats[0]


async def test_what_the_rules_doubt_and_the_model_thinks_impossible_is_not_answered(
    shop: World,
) -> None:
    shop.server.will(Answered({"kind": "impossible", "reason": "there are no costs"}))

    planning = await shop.together(Rules(by_rules(confidence="low"))).plan(given())

    assert planning.draft is None and planning.failure is not None
    assert planning.failure.message == "there are no costs"
    assert "The built-in rules would read it as: " in planning.failure.hint


async def test_whoever_asked_back_hears_the_reply(shop: World) -> None:
    question = {"kind": "question", "question": "what is sales?", "options": ["sum", "count"]}
    rules = Rules(by_rules(OTHERWISE, "low"))
    shop.server.will(Answered(question), answered())
    together = shop.together(rules)

    first = await together.plan(given())
    second = await together.plan(given(reply="2", asked=first))

    assert second.by_model
    assert [heard.reply for heard in rules.asked] == ["", ""], "it was not their question"
    await together.plan(given(reply="1", asked=AMBIGUOUS))
    assert rules.asked[-1].reply == "1"


async def test_after_a_models_plan_failed_the_rules_plan_alone(shop: World) -> None:
    rules = Rules(by_rules(confidence="low"))

    planning = await shop.together(rules).plan(given(without_model=True))

    assert shop.server.asked == []
    assert planning.draft == rules.planning.draft
    assert rules.asked[0].request.assume


async def test_the_rules_mend_what_they_can_and_the_model_the_rest(shop: World) -> None:
    by_rule = Repair(arguments={"query": BY_REGION}, reason="by rule")
    changed = {"possible": True, "arguments": {"query": OTHERWISE}, "reason": "by model"}
    failed = failed_call("SELECT region FROM orders", "invalid_arguments", "no")
    shop.server.will(Answered(changed))

    mended = await shop.together(Rules(by_rules(), by_rule)).repair(failed)
    assert mended is not None
    assert (mended.reason, mended.decided_by, shop.server.asked) == ("by rule", "rules", [])

    mended = await shop.together(Rules(by_rules())).repair(failed)
    assert mended is not None
    assert (mended.reason, mended.decided_by) == ("by model", "openai:scripted")


@pytest.mark.parametrize("category", ["cancelled", "internal"])
async def test_nobody_mends_what_no_change_can(shop: World, category: str) -> None:
    failed = failed_call(BY_REGION, category, "no")

    assert await shop.together(Rules(by_rules())).repair(failed) is None
    assert shop.server.asked == []


async def test_a_model_that_is_away_mends_nothing(shop: World) -> None:
    shop.server.will(Refused(401))
    failed = failed_call(BY_REGION, "sql_syntax", "no")

    assert await shop.together(Rules(by_rules())).repair(failed) is None


async def test_a_reading_that_may_be_assumed_is_not_told_as_open(shop: World) -> None:
    shop.server.will(answered())

    planning = await shop.together(Rules(AMBIGUOUS)).plan(given(asked(assume=True)))

    assert planning.caveats == ()


@pytest.mark.parametrize("rules", [NOT_UNDERSTOOD, by_rules(confidence="low")])
async def test_what_leaves_most_of_the_question_aside_does_not_stand(
    shop: World, rules: Planning
) -> None:
    shop.server.will(answered(words="", interpretation="the total by region"))

    planning = await shop.together(Rules(rules)).plan(given(asked("zorkify gribbles by region")))

    assert planning.draft == rules.draft
    assert planning.caveats == (
        "The language model read it as the total by region; it makes no use of "
        '"zorkify", "gribbles". The built-in rules decided.',
    )
    (other,) = planning.others
    assert (other.proposer, other.compared) == ("model:openai:scripted", "fails"), "on record"
