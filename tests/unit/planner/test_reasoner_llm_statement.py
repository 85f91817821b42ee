"""What becomes of a model's statement: what is kept of it, what goes back once, and its steps."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from services.planner.domain.question import Deliverable
from services.planner.domain.statements.proposal import Proposal
from tests.unit.planner.llm_world import SHOP, World, answered, asked, given, world


@pytest_asyncio.fixture
async def shop(tmp_path: Path) -> AsyncIterator[World]:
    async with world(tmp_path, llm_request_seconds=0.5, llm_seconds=20.0) as made:
        yield made


async def test_what_is_proposed_is_kept_word_for_word(shop: World) -> None:
    other = {"interpretation": "the number of orders", "statement": "DROP TABLE orders"}
    counted = {
        "interpretation": "orders by region",
        "statement": 'SELECT "region", count(*) AS "orders" FROM "orders" GROUP BY 1',
    }
    bindings = [
        {
            "words": "How much",
            "fragment": 'SUM( "amount" )',
            "kind": "metric",
            "because": "of 4711",
        },
        {"words": "every region", "fragment": "group by 1", "kind": "grouping"},
        {"words": "bring in", "kind": "assumption", "because": "it says that amounts are meant"},
    ]
    columns = [
        {"name": "REGION", "role": "key"},
        {"name": "total", "role": "measure", "unit": "EUR"},
    ]
    shop.server.will(
        answered(
            bindings=bindings, columns=columns, grain="a region", alternatives=[other, counted]
        )
    )

    planning = await shop.model.plan(given())

    assert len(shop.server.asked) == 1
    kept = Proposal.model_validate(planning.proposal)
    assert (kept.proposer, kept.grain) == ("model:openai:scripted", "a region")
    assert [one.fragment for one in kept.bindings] == ['SUM( "amount" )', "group by 1", ""]
    assert kept.bindings[0].because == "", "a number of its own, of which nobody is told"
    assert [(c.name, c.role, c.unit) for c in kept.columns] == [
        ("region", "key", ""),
        ("total", "measure", "EUR"),
    ]
    assert [one.interpretation for one in kept.alternatives] == ["orders by region"]


async def test_words_without_a_binding_go_back_once_and_then_stand(shop: World) -> None:
    shop.server.will(answered(words="every region"))

    planning = await shop.model.plan(given())

    assert planning.draft is not None
    assert len(shop.server.asked) == 2
    assert "W01: the question says 'bring': the statement does nothing" in shop.server.prompts[1]
    assert "'region'" not in shop.server.prompts[1].partition("This cannot be used")[2]


async def test_a_test_is_run_over_the_rows_and_drawn(shop: World) -> None:
    rows = 'SELECT "region", "amount" FROM "orders"'
    test = {"test": "t_test", "columns": ["amount"], "by": "region"}
    shop.server.will(answered(rows, test=test))

    wanted = (Deliverable.CHARTS, Deliverable.TABLES)
    planning = await shop.model.plan(given(asked(deliverables=wanted)))

    assert planning.draft is not None
    load, tried, chart, table = planning.draft.subtasks
    assert load.arguments["query"] == rows
    assert tried.arguments == {"input": "load", **test}
    assert (chart.arguments["type"], chart.arguments["x_col"]) == ("box", "region")
    assert chart.arguments["source"] == SHOP.tables[0].source_name
    assert table.arguments["input"] == planning.draft.answer_task == "test"
