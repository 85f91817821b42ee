"""What is wrong in what a model proposes goes back to it with the reason, over real HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from mesh.testing.model_server import Answered, TextReply, Turn
from services.planner.adapters.llm.ask import NoAnswerError
from tests.unit.planner.llm_world import BY_REGION, World, answer_of, answered, given, world


@pytest_asyncio.fixture
async def shop(tmp_path: Path) -> AsyncIterator[World]:
    async with world(tmp_path, llm_request_seconds=5.0, llm_seconds=20.0) as made:
        yield made


def bound(**binding: Any) -> Answered:
    return answered(bindings=[{"kind": "column", **binding}])


def with_test(**test: Any) -> Answered:
    rows = 'SELECT "region", "amount" FROM "orders"'
    return answered(rows, test={"test": "correlation", **test})


PAGES = f"{BY_REGION} {'-- and so on, line after line ' * 6_000}"

WRONG: dict[str, tuple[Turn, str]] = {
    "half a form": (Answered('{"kind": "answer", "interpre'), "JSON"),
    "wrong types": (answered(bindings="all of them"), "Input should be"),
    "fields nobody asked for": (answered(shell="rm -rf /"), "shell"),
    "a function that does not exist": (Answered(answer_of(), name="run_shell"), "run_shell"),
    "words": (TextReply("Here is your plan: SELECT 42"), "your response in a tool call"),
    "a refusal": (TextReply("I cannot help with that."), "your response in a tool call"),
    "no statement": (answered("", ""), "not one SELECT"),
    "what does not parse": (answered('SELEC "region" FRM "orders"'), "not one SELECT"),
    "SQL that drops": (answered("DROP TABLE orders"), "not one SELECT"),
    "SQL that deletes": (
        answered("WITH gone AS (DELETE FROM orders RETURNING *) SELECT * FROM gone"),
        "only reads",
    ),
    "two statements": (answered(f"{BY_REGION}; DROP TABLE orders"), "not one SELECT"),
    "a file": (answered("SELECT * FROM read_csv('/etc/passwd')"), "no table of the data"),
    "a file by name": (answered("SELECT * FROM '/etc/passwd'"), "no table"),
    "an export": (answered("COPY orders TO '/tmp/orders.csv'"), "not one SELECT"),
    "another schema": (answered("SELECT * FROM information_schema.tables"), "without a schema"),
    "an unknown table": (answered('SELECT * FROM "salaries"'), "no table 'salaries'"),
    "an unknown column": (answered('SELECT "salary" FROM "orders"'), "salary"),
    "an unknown function": (answered('SELECT steal("region") AS x FROM "orders"'), "steal"),
    "a constant": (answered('SELECT 1 AS "total" FROM "orders"'), "does not come from the data"),
    "a made-up number": (answered('SELECT "amount" * 4711 AS x FROM "orders"'), "4711"),
    "rows of its own": (
        answered('SELECT v.x FROM "orders", (VALUES (4711)) AS v(x)'),
        "VALUES is not allowed",
    ),
    "a made-up text": (
        answered(
            "SELECT CASE WHEN \"region\" = 'North' THEN '4,711' ELSE '0' END AS x FROM \"orders\""
        ),
        "4,711",
    ),
    "a threshold of its own": (
        answered('SELECT "region" FROM "orders" WHERE "amount" > 4711'),
        "or ask what is meant",
    ),
    "a telling name": (
        answered('SELECT sum("amount") AS "revenue is 4711" FROM "orders"'),
        "states a number: 4711",
    ),
    "a result in its reading": (
        answered(interpretation="the North brought in 4,711"),
        "states a number",
    ),
    "a result in words": (answered(interpretation="the North brought in a million"), "million"),
    "a result as an assumption": (answered(assumptions=["North is at 4711"]), "4711"),
    "a result as a grain": (answered(grain="one of 4711 rows"), "4711"),
    "a binding of other words": (
        bound(words="profits", fragment="sum"),
        "the binding's words 'profits' are not in the question",
    ),
    "a binding to what is not there": (
        bound(words="every region", fragment='GROUP BY "city"'),
        "is not in the statement",
    ),
    "a binding to nothing": (bound(words="region"), "has no fragment"),
    "a column that is not given": (
        answered(columns=[{"name": "profit", "role": "measure"}]),
        "columns names 'profit'; those of the statement are region, total",
    ),
    "a role that there is not": (
        answered(columns=[{"name": "total", "role": "hero"}]),
        "Input should be",
    ),
    "a test that there is not": (
        with_test(test="palmistry", columns=["amount"]),
        "there are correlation, t_test, one_sample_t, missing",
    ),
    "a method that there is not": (
        with_test(columns=["amount"], method="ols"),
        "no method 'ols': leave it empty, or one of pearson, spearman",
    ),
    "a test of no column": (with_test(columns=["profit"]), "test names the column 'profit'"),
    "a test of nothing": (with_test(), "test must name its columns"),
    "a test against a number of its own": (
        with_test(test="one_sample_t", columns=["amount"], expected=4711),
        "expected is 4711",
    ),
    "a test against no number": (
        with_test(test="one_sample_t", columns=["amount"], expected=float("nan")),
        "expected is nan",
    ),
    "a question without options": (
        Answered({"kind": "question", "question": "which?"}),
        "two to four options",
    ),
    "a result in a refusal": (
        Answered({"kind": "impossible", "reason": "only 4,711 is known"}),
        "4,711",
    ),
    "an impossible without a reason": (Answered({"kind": "impossible"}), "what the data lacks"),
    "nothing understood": (answered(interpretation=""), "interpretation must say"),
    "a number too large to look at": (
        answered('SELECT "amount" * 1e999999999 AS x FROM "orders"'),
        "1e999999999 is neither",
    ),
    "raised digits": (answered('SELECT sum("amount") AS "⁴⁷¹¹" FROM "orders"'), "states a number"),
    "a query without end": (answered(f"{BY_REGION}, {'1+' * 9_999}1"), "longer than 10,000"),
    "what a terminal obeys": (answered(interpretation="total\x1b[2J"), "control characters"),
}


@pytest.mark.parametrize(("turn", "why"), WRONG.values(), ids=WRONG.keys())
async def test_what_is_wrong_goes_back_with_the_reason(shop: World, turn: Turn, why: str) -> None:
    shop.server.will(turn, answered())

    planning = await shop.model.plan(given())

    assert planning.draft is not None
    assert planning.draft.subtasks[0].arguments["query"] == BY_REGION
    assert len(shop.server.asked) == 2
    assert why in shop.server.prompts[1]
    assert why not in shop.server.prompts[0]


async def test_it_goes_back_three_times_at_most(shop: World) -> None:
    shop.server.will(answered("DROP TABLE orders"))

    with pytest.raises(NoAnswerError, match="3 corrections") as refused:
        await shop.model.plan(given())

    assert len(shop.server.asked) == 4
    assert refused.value.use.requests == 4
    assert refused.value.use.tokens == 4 * 1000


async def test_fifty_pages_are_not_read_and_take_no_more_than_the_budget(shop: World) -> None:
    shop.server.will(answered(PAGES))

    with pytest.raises(NoAnswerError, match="budget of 60,000 tokens is spent"):
        await shop.model.plan(given())

    assert len(shop.server.asked) <= 2
