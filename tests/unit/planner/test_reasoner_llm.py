"""A language model's plans: proposed over real HTTP, checked, returned with what is wrong."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from mesh.testing.model_server import (
    Answered,
    Hangs,
    Raw,
    Refused,
    Resets,
    Said,
    Turn,
)
from services.planner.adapters.llm.ask import NoAnswerError
from tests.busy import allowing
from tests.unit.planner.llm_world import (
    BY_REGION,
    KEY,
    World,
    answered,
    asked,
    failed_call,
    given,
    plan_of,
    world,
)


@pytest_asyncio.fixture
async def shop(tmp_path: Path) -> AsyncIterator[World]:
    async with world(tmp_path, llm_request_seconds=0.5, llm_seconds=20.0) as made:
        yield made


async def test_a_good_proposal_becomes_a_plan(shop: World) -> None:
    shop.server.will(answered())

    planning = await shop.model.plan(given())

    assert planning.draft is not None
    (load,) = planning.draft.subtasks
    assert load.arguments == {"query": BY_REGION, "timeout": 30, "row_limit": 200_000}
    assert planning.decided_by == "openai:scripted"
    assert planning.confidence == "medium", "a model alone is never sure"
    use = planning.model_use
    assert use is not None
    assert (use.requests, use.input_tokens, use.output_tokens) == (1, 900, 100)
    assert use.cost is None, "a price that is not known is not stated"


async def test_anthropic_is_asked_in_its_own_language(tmp_path: Path) -> None:
    async with world(tmp_path, llm="anthropic:scripted") as shop:
        shop.server.will(answered())
        planning = await shop.model.plan(given())
        assert planning.by_model
        assert KEY in shop.server.headers[0]["authorization"]


@pytest.mark.parametrize("output", ["native", "prompted"])
async def test_endpoints_without_tools_are_asked_for_json(tmp_path: Path, output: str) -> None:
    async with world(tmp_path, llm_output=output) as shop:
        shop.server.will(Said(json.dumps(plan_of())))
        planning = await shop.model.plan(given())
        assert planning.by_model
        assert "tools" not in shop.server.asked[0]


PASSING: dict[str, Turn] = {
    "a server error": Refused(500),
    "an overload": Refused(529),
    "too many requests": Refused(429, {"retry-after": "0.1"}),
    "a reset connection": Resets(),
    "half a body": Raw(b'{"id": "chatcmpl-1", "choices": [{"ind'),
    "a body of another kind": Raw(b'"nonsense"'),
    "a request that hangs": Hangs(),
}


@pytest.mark.parametrize("turn", PASSING.values(), ids=PASSING.keys())
async def test_what_may_pass_is_tried_again(shop: World, turn: Turn) -> None:
    shop.server.will(turn, answered())

    planning = await shop.model.plan(given())

    assert planning.model_use is not None
    assert planning.model_use.requests == len(shop.server.asked) == 2


@pytest.mark.parametrize(
    ("turn", "why", "requests"),
    [
        (Hangs(), "did not answer within", 4),
        (Refused(500), "its server fails", 4),
        (Refused(401), "refuses the key, or wants one: check ASSAY_LLM_KEY", 1),
        (Refused(404), "knows no such model or address: check ASSAY_LLM and", 1),
        (Refused(413), r"refuses the request \(status 413\)", 1),
        (Refused(402), "quota", 1),
        (
            Refused(307, {"location": "http://127.0.0.1:9/elsewhere"}),
            "sends elsewhere, which is not followed: check ASSAY_LLM_BASE_URL",
            1,
        ),
        (Raw(b"[]"), "cannot be read", 4),
        (Raw(b" " * (5 * 2**20)), "cannot be", 4),
        (Raw(b"\x1f\x8b", {"content-encoding": "gzip"}), "cannot be", 4),
    ],
)
async def test_what_does_not_pass_ends_within_the_time(
    shop: World, turn: Turn, why: str, requests: int
) -> None:
    shop.server.will(turn)
    began = time.monotonic()

    with pytest.raises(NoAnswerError, match=why):
        await shop.model.plan(given())

    assert time.monotonic() - began < allowing(10.0)  # it may take 20 s
    assert 1 <= len(shop.server.asked) <= requests


@pytest.mark.parametrize("body", [b"[]", b"{}", b'{"content": [5]}', b"[" * 100_000])
async def test_an_answer_of_a_wrong_shape_is_no_fault_of_assay(tmp_path: Path, body: bytes) -> None:
    async with world(tmp_path, llm="anthropic:scripted", llm_seconds=20.0) as shop:
        shop.server.will(Raw(body), answered())
        assert (await shop.model.plan(given())).by_model


async def test_a_wait_longer_than_the_time_is_not_waited_for(shop: World) -> None:
    shop.server.will(Refused(429, {"retry-after": "60"}))
    began = time.monotonic()

    with pytest.raises(NoAnswerError, match="no more requests"):
        await shop.model.plan(given())

    assert time.monotonic() - began < allowing(1.0)
    assert len(shop.server.asked) == 1


def chart(tool: str = "plot.render", **arguments: Any) -> dict[str, Any]:
    """A plan with a chart of the query's frame, or another tool over it."""
    draw = {
        "task_id": "chart",
        "description": "draw it",
        "tool_name": tool,
        "arguments": {"type": "bar", "input": "load", "x_col": "region", **arguments},
        "dependencies": ["load"],
    }
    plan = plan_of()
    return {**plan, "steps": [*plan["steps"], draw]}


def derived(expression: str) -> dict[str, Any]:
    change = {
        "task_id": "shape",
        "description": "derive",
        "tool_name": "df.transform",
        "arguments": {
            "input": "load",
            "steps": [{"operation": "derive", "column": "share", "expression": expression}],
        },
        "dependencies": ["load"],
    }
    plan = plan_of()
    return {**plan, "steps": [*plan["steps"], change]}


def step(**changes: Any) -> dict[str, Any]:
    (load,) = plan_of()["steps"]
    return plan_of(steps=[{**load, **changes}])


WRONG: dict[str, tuple[Turn, str]] = {
    "half a form": (Answered('{"kind": "plan", "unders'), "JSON"),
    "wrong types": (Answered(plan_of(steps="all of them")), "Input should be"),
    "fields nobody asked for": (Answered(plan_of(shell="rm -rf /")), "shell"),
    "a function that does not exist": (Answered(plan_of(), name="run_shell"), "run_shell"),
    "words": (Said("Here is your plan: SELECT 42"), "your response in a tool call"),
    "a tool that does not exist": (
        Answered(step(tool_name="http.get", arguments={"url": "http://evil"})),
        "http.get, which is no tool here",
    ),
    "a tool of a server that nobody named": (
        Answered(step(tool_name="mcp__files__read", arguments={})),
        "mcp__files__read, which is no",
    ),
    "a tool that is not allowed": (
        Answered(step(tool_name="python.run", arguments={"code": "import os"})),
        "python.run, which is no tool here",
    ),
    "an argument that does not exist": (
        Answered(step(arguments={"query": BY_REGION, "source": "/etc/passwd"})),
        "no argument 'source'",
    ),
    "an argument that is missing": (Answered(step(arguments={})), "'query' is missing"),
    "a cycle": (Answered(step(dependencies=["load"])), "cycle"),
    "an answer from nowhere": (Answered(plan_of(answer_step="x")), "not in the plan"),
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
        answered(understood="the North brought in 4,711"),
        "states a number",
    ),
    "a result in words": (answered(understood="the North brought in a million"), "million"),
    "a result as an assumption": (answered(assumptions=["North is at 4711"]), "4711"),
    "a result in a title": (Answered(chart(title="4,711 in the North")), "4,711"),
    "a result in a derived column": (Answered(derived("4711")), "does not come from the data"),
    "a chart of no column": (Answered(chart(y_col="profit", title="t")), "y_col is 'profit'"),
    "a test of no column": (
        Answered(chart(tool="stats.test", test="describe", columns=["profit"])),
        "columns is 'profit'",
    ),
    "a question without options": (
        Answered({"kind": "question", "question": "which?"}),
        "two to four options",
    ),
    "a result in a refusal": (
        Answered({"kind": "impossible", "reason": "only 4,711 is known"}),
        "4,711",
    ),
    "nothing understood": (answered(understood=""), "understood must say"),
    "a number too large to look at": (
        answered('SELECT "amount" * 1e999999999 AS x FROM "orders"'),
        "1e999999999 is neither",
    ),
    "no number": (Answered(chart(tool="stats.test", threshold=float("nan"))), "threshold is nan"),
    "raised digits": (answered('SELECT sum("amount") AS "⁴⁷¹¹" FROM "orders"'), "states a number"),
    "a query without end": (answered(f"{BY_REGION}, {'1+' * 9_999}1"), "longer than 10,000"),
    "what a terminal obeys": (answered(understood="total\x1b[2J"), "control characters"),
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


async def test_numbers_of_the_question_and_of_the_data_may_be_used(shop: World) -> None:
    query = (
        'SELECT date_trunc(\'month\', "sold_on") AS "month", sum("amount") AS "total" '
        'FROM "orders" WHERE "amount" > 4711 AND "sold_on" >= DATE \'2024-03-01\' '
        "GROUP BY 1 ORDER BY 2 DESC LIMIT 5"
    )
    shop.server.will(answered(query, understood="total above 4,711 since March 2024, top 5"))

    planning = await shop.model.plan(given(asked("top 5 months above 4711 since March 2024?")))

    assert len(shop.server.asked) == 1
    assert planning.draft is not None


async def test_an_endless_query_does_not_hold_the_planner_up(shop: World) -> None:
    endless = (
        'WITH RECURSIVE t AS (SELECT count(*) AS x FROM "orders" UNION ALL SELECT x + 1 FROM t) '
        "SELECT max(x) AS x FROM t"
    )
    shop.server.will(answered(endless))

    planning = await shop.model.plan(given())

    assert planning.draft is not None, "running it is for the executor, which limits it"


async def test_a_question_back_has_options_and_is_asked_once(shop: World) -> None:
    question = {"kind": "question", "question": "what is sales?", "options": ["sum", "count"]}
    shop.server.will(Answered(question))

    first = await shop.model.plan(given())
    shop.server.will(Answered(question), answered())
    second = await shop.model.plan(given(reply="2", asked=first))

    assert first.clarification is not None
    assert first.clarification.options == ("sum", "count")
    assert second.draft is not None
    assert "1. sum; 2. count" in shop.server.asked[0]["messages"][-1]["content"]


async def test_with_assume_nothing_is_asked(shop: World) -> None:
    question = {"kind": "question", "question": "what is sales?", "options": ["sum", "count"]}
    shop.server.will(Answered(question), answered(assumptions=["sales is the sum of amount"]))

    planning = await shop.model.plan(given(asked(assume=True)))

    assert planning.assumptions == ("sales is the sum of amount",)


async def test_a_failed_call_is_changed_and_checked_like_a_plan(shop: World) -> None:
    wrong = {"possible": True, "arguments": {"query": "DROP TABLE orders"}, "reason": "drop it"}
    right = {"possible": True, "arguments": {"query": BY_REGION}, "reason": "grouped by region"}
    shop.server.will(Answered(wrong), Answered(right))

    repair = await shop.model.repair(
        failed_call("SELECT region FROM orders", "policy_denied", "refused: no function steal")
    )

    assert repair is not None
    assert repair.arguments == {"query": BY_REGION, "timeout": 30, "row_limit": 1000}
    assert repair.decided_by == "openai:scripted"
    assert "refused: no function steal" in shop.server.asked[0]["messages"][-1]["content"]
    assert "not one SELECT" in shop.server.prompts[1]


async def test_a_call_that_cannot_be_mended_is_left(shop: World) -> None:
    shop.server.will(Answered({"possible": False, "reason": "there is no such thing"}))

    assert await shop.model.repair(failed_call(BY_REGION, "sql_syntax", "no")) is None
