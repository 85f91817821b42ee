"""Follow-ups and corrections with a model: an edit of the statement in sight."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from mesh.policy import Policy
from services.planner.adapters.llm.ask import NoAnswerError
from services.planner.adapters.reasoner_rules import RulesReasoner
from services.planner.domain.analysis.planning import Planning, PlanningInput
from services.planner.domain.failure import Failure
from tests.unit.planner.llm_world import (
    BY_REGION,
    Rules,
    World,
    answered,
    asked,
    by_rules,
    given,
    known_policy,
    world,
)
from tests.unit.planner.shop_rows import shop_rows

ASKED, SAID = "total amount by region", "only North"
ONLY_NORTH = BY_REGION.replace(" GROUP", " WHERE \"region\" = 'North' GROUP")
REFUSED = Planning(failure=Failure(reason="NOTHING_UNDERSTOOD", message="no word"))


@pytest_asyncio.fixture
async def shop(tmp_path: Path) -> AsyncIterator[World]:
    async with world(tmp_path, llm_seconds=20.0) as made:
        yield made


def before(query: str = BY_REGION, **changes: Any) -> Planning:
    planned = by_rules(query, "high").model_copy(update={"said": (ASKED,)})
    return planned.model_copy(update=changes)


def after(words: str = SAID, earlier: Planning | None = None, **request: Any) -> PlanningInput:
    return given(asked(words, **request), before=before() if earlier is None else earlier)


async def test_the_model_edits_the_statement_in_sight(shop: World) -> None:
    shop.server.will(answered(ONLY_NORTH, SAID))

    planning = await shop.together(Rules(REFUSED)).plan(after())

    prompt = str(shop.server.asked[0]["messages"][-1]["content"])
    assert prompt.endswith(f"Said now: {SAID}")
    assert f"Asked before, in this order:\n- {ASKED}" in prompt
    assert 'answered by "SELECT \\"region\\"' in prompt
    assert planning.by_model
    assert planning.said == (ASKED, SAID)
    assert planning.edit == "as before, but region is North"
    assert planning.edit in planning.assumptions, "it is told before the answer"


async def test_what_the_rules_make_of_it_agrees_or_is_told(shop: World) -> None:
    shop.server.will(answered(ONLY_NORTH, SAID))
    rules = by_rules(ONLY_NORTH).model_copy(update={"edit": "as before, but North"})

    told = replace(after(), evidence=shop_rows)
    agreed = await shop.together(Rules(rules)).plan(told)
    differs = await shop.together(Rules(by_rules())).plan(told)

    assert (agreed.decided_by, agreed.seen.beside) == ("rules", "same")
    assert agreed.edit == "as before, but North"
    assert agreed.said == (ASKED, SAID)
    assert (differs.by_model, differs.seen.beside) == (True, "other")
    assert "The built-in rules read the question otherwise" in differs.caveats[-1]


async def test_a_split_that_is_gone_unasked_goes_back_once(shop: World) -> None:
    lost = 'SELECT sum("amount") FROM "orders" WHERE "region" = \'North\''
    shop.server.will(answered(lost, SAID), answered(ONLY_NORTH, SAID))

    planning = await shop.together(Rules(REFUSED)).plan(after())

    assert (
        "answered not by region, which “only North” does not say: keep it"
        in (shop.server.prompts[1])
    )
    assert planning.edit == "as before, but region is North"


async def test_words_may_be_a_question_of_their_own(shop: World) -> None:
    words = "how many customers are there?"
    count = 'SELECT count(*) AS "customers" FROM "customers"'
    shop.server.will(answered(count, words, alone=True))
    rules = Rules(by_rules(count))

    planning = await shop.together(rules).plan(after(words))

    assert [one.before is None for one in rules.asked] == [False, True], "they read it anew"
    assert (planning.said, planning.edit) == ((words,), "")


async def test_what_looks_like_a_question_of_its_own_may_go_on(shop: World) -> None:
    rules = Rules(by_rules(ONLY_NORTH))
    shop.server.will(answered(ONLY_NORTH, SAID))
    told = replace(after(), before=None, after=before())

    planning = await shop.together(rules).plan(told)

    assert [one.before is None for one in rules.asked] == [True, False]
    assert planning.said == (ASKED, SAID)


async def test_a_correction_reaches_the_model_with_the_question(shop: World) -> None:
    words = "no, I meant only North"
    shop.server.will(answered(ONLY_NORTH, words))
    request = asked(ASKED, corrections=(words,))

    alone = await shop.model.plan(given(request))
    seen = await shop.model.plan(given(request, after=before()))

    for prompt in shop.server.prompts:
        assert f"- {ASKED}" in prompt
        assert f"Said against how it was read: {words}" in prompt
    assert alone.said == seen.said == (ASKED, words)
    assert alone.settled.corrections == (words,), "it is learnt as what a person said"
    assert (alone.edit, seen.edit) == ("", "as before, but region is North")


ROUNDED = BY_REGION.replace('sum("amount")', 'round(sum("amount"), 1)')


async def test_a_models_answer_that_an_intent_says_is_followed_up_by_the_rules(shop: World) -> None:
    shop.server.will(answered(words="how much did every region bring in?"))
    first = await shop.together(Rules(REFUSED)).plan(given())

    north = await RulesReasoner().plan(after("only 2024", earlier=first))
    mean = await RulesReasoner().plan(after("average instead", earlier=first))

    assert first.intent and first.by_model
    assert north.draft is not None and north.edit.startswith("as before, but"), north.failure
    assert mean.draft is not None and "AVG(" in mean.draft.subtasks[0].arguments["query"]


async def test_a_models_answer_that_none_says_is_followed_up_by_the_model_alone(
    shop: World,
) -> None:
    shop.server.will(answered(ROUNDED, words="how much did every region bring in?"))
    first = await shop.together(Rules(REFUSED)).plan(given())
    north = ROUNDED.replace(" GROUP", " WHERE \"region\" = 'North' GROUP")
    shop.server.will(answered(north, SAID))

    told = after(earlier=first)
    planning = await shop.together(Rules(REFUSED)).plan(told)
    without = await RulesReasoner().plan(told)

    assert not first.intent
    assert planning.edit == "as before, but region is North"
    assert without.failure is not None
    assert without.failure.reason == "NOTHING_TO_FOLLOW"
    assert "answered by openai:scripted, and the built-in rules have no reading" in (
        without.failure.message
    )


@pytest.mark.parametrize(
    "policy", [Policy(allowed_columns=("orders.amount",)), Policy(blocked_patterns=("North",))]
)
async def test_what_a_request_may_not_see_of_before_is_not_shown(
    shop: World, policy: Policy
) -> None:
    with pytest.raises(NoAnswerError, match="this request may not see"):
        await shop.model.plan(after(earlier=before(ONLY_NORTH), policy=policy))
    assert shop.server.asked == []


async def test_an_unhidden_statement_passes_a_policy(shop: World) -> None:
    shop.server.will(answered(ONLY_NORTH, SAID))
    assert (await shop.model.plan(after(policy=known_policy()))).by_model


async def test_numbers_of_before_may_stand(shop: World) -> None:
    earlier = before(f"{BY_REGION.replace('ORDER', 'HAVING sum(amount) > 4711 ORDER')}")
    kept = earlier.draft.subtasks[0].arguments["query"] if earlier.draft else ""
    shop.server.will(answered(str(kept).replace("sum", "avg", 1), "the mean"))

    planning = await shop.model.plan(after("the mean", earlier))

    assert len(shop.server.asked) == 1
    assert planning.edit == "as before, but average amount instead of total amount"
