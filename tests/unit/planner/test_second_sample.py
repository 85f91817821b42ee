"""A model that stands alone is asked once more where that can make its answer sure."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from mesh.testing.model_server import Answered, Refused, Turn
from services.planner.adapters.reasoner_together import TogetherReasoner
from services.planner.analysis.checking import checked
from services.planner.domain.analysis.planning import Planning
from services.planner.domain.failure import Failure
from tests.unit.planner.llm_world import (
    BY_REGION,
    Rules,
    World,
    answered,
    asked,
    by_rules,
    given,
    world,
)
from tests.unit.planner.shop_rows import shop_rows

SPELLED_OTHERWISE = (
    "select o.region as area, SUM(o.amount) as money from orders as o group by o.region"
)
COUNTED = 'SELECT "region", count(*) AS "orders" FROM "orders" GROUP BY 1'
QUESTION = "total amount by region"
NOTHING = Rules(Planning(failure=Failure(reason="NOTHING_UNDERSTOOD", message="no", hint="")))


@pytest_asyncio.fixture
async def shop(tmp_path: Path) -> AsyncIterator[World]:
    async with world(tmp_path, llm_seconds=20.0) as made:
        yield made


async def _decided(shop: World, rules: Rules, *turns: Turn, samples: int = 2) -> Planning:
    shop.server.will(*turns)
    together = TogetherReasoner(rules, shop.model, samples)
    about = given(asked(QUESTION), evidence=shop_rows)
    return await checked(await together.plan(about), about, together)


def _said(query: str = BY_REGION) -> Answered:
    return answered(query, QUESTION)


async def test_two_samples_that_agree_are_sure(shop: World) -> None:
    planning = await _decided(shop, NOTHING, _said(), _said(SPELLED_OTHERWISE))

    assert (planning.seen.kind, planning.confidence, planning.caveats) == ("twice", "high", ())
    assert planning.draft is not None, "the first one's plan is run"
    assert planning.draft.subtasks[0].arguments["query"] == BY_REGION
    assert planning.model_use is not None and planning.model_use.requests == 2


async def test_the_second_is_asked_as_the_first_was(shop: World) -> None:
    await _decided(shop, NOTHING, _said())

    first, second = shop.server.asked
    assert first["messages"] == second["messages"], "and hears nothing of what that said"


async def test_what_the_second_reads_otherwise_is_told(shop: World) -> None:
    other = answered(COUNTED, QUESTION, interpretation="the number of orders by region.")
    planning = await _decided(shop, NOTHING, _said(), other)

    assert planning.seen.divided and planning.confidence != "high"
    (told,) = planning.caveats
    assert told.startswith(
        "Asked a second time, the language model read the question as the number of orders by "
        "region; that gives other numbers in 3 of 3 rows"
    )
    assert planning.others[-1].compared == "differs"


@pytest.mark.parametrize(
    ("second", "why"),
    [
        (Refused(422), "the language model gave no plan: "),
        (Answered({"kind": "impossible", "reason": "there are no costs"}), "would not plan: there"),
    ],
)
async def test_a_second_that_gives_nothing_costs_only_sureness(
    shop: World, second: Turn, why: str
) -> None:
    planning = await _decided(shop, NOTHING, _said(), second)

    assert planning.by_model and planning.confidence != "high"
    assert planning.caveats[0].startswith("Asked a second time, ") and why in planning.caveats[0]


@pytest.mark.parametrize(
    ("rules", "query", "samples", "kind"),
    [
        (NOTHING, BY_REGION, 1, "model"),
        (Rules(by_rules(confidence="low")), SPELLED_OTHERWISE, 2, "agreed"),
        (NOTHING, BY_REGION.replace("sum", "avg"), 2, "model"),
    ],
    ids=["turned off", "the rules agree", "it stays doubted"],
)
async def test_no_second_is_asked_where_it_changes_nothing(
    shop: World, rules: Rules, query: str, samples: int, kind: str
) -> None:
    planning = await _decided(shop, rules, _said(query), samples=samples)

    anew = [one for one in shop.server.asked if one["messages"][-1]["role"] == "user"]
    assert (planning.seen.kind, len(anew)) == (kind, 1)
