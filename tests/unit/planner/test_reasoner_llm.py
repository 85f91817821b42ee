"""A language model's plans: proposed over real HTTP, checked, returned with what is wrong."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from mesh.testing.model_server import (
    Answered,
    Hangs,
    Raw,
    Refused,
    Resets,
    TextReply,
    Turn,
)
from services.planner.adapters.llm.ask import NoAnswerError
from services.planner.domain.request import Constraints
from tests.busy import allowing
from tests.unit.planner.llm_world import (
    BY_REGION,
    KEY,
    World,
    answer_of,
    answered,
    asked,
    failed_call,
    given,
    world,
)


@pytest_asyncio.fixture
async def shop(tmp_path: Path) -> AsyncIterator[World]:
    async with world(tmp_path, llm_request_seconds=0.5, llm_seconds=20.0) as made:
        yield made


async def test_a_good_proposal_becomes_a_plan_with_one_request(shop: World) -> None:
    shop.server.will(answered())

    planning = await shop.model.plan(given())

    assert planning.draft is not None
    (load,) = planning.draft.subtasks
    assert load.arguments == {"query": BY_REGION, "timeout": 30, "row_limit": 200_000}
    assert (planning.decided_by, len(shop.server.asked)) == ("openai:scripted", 1)
    assert planning.understood == "total = sum of amount by region"
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
        shop.server.will(TextReply(json.dumps(answer_of())))
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
        (Raw(b" " * (17 * 2**20)), "cannot be|did not answer", 4),
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


async def test_numbers_of_the_question_and_of_the_data_may_be_used(shop: World) -> None:
    query = (
        'SELECT date_trunc(\'month\', "sold_on") AS "month", sum("amount") AS "total" '
        'FROM "orders" WHERE "amount" > 4711 AND "sold_on" >= DATE \'2024-03-01\' '
        "GROUP BY 1 ORDER BY 2 DESC LIMIT 5"
    )
    said = "total above 4,711 since March 2024, top 5"
    question = "top 5 months above 4711 since March 2024?"
    shop.server.will(answered(query, question, interpretation=said))

    planning = await shop.model.plan(given(asked(question)))

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


async def test_that_the_jobs_own_time_limit_ended_it_is_told(tmp_path: Path) -> None:
    request = asked(constraints=Constraints(timeout_seconds=1.0))
    async with world(tmp_path, llm_seconds=20.0) as shop:
        shop.server.will(Hangs())
        with pytest.raises(NoAnswerError, match="the time limit of the job leaves no more"):
            await shop.model.plan(given(request))


async def test_googles_models_are_asked_in_openais_language_without_references(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "sk-google")
    async with world(tmp_path, llm="google:gemini-flash", llm_key="") as shop:
        shop.server.will(answered())
        planning = await shop.model.plan(given())
        [request], [headers] = shop.server.asked, shop.server.headers

    assert planning.decided_by == "google:gemini-flash"
    assert request["model"] == "gemini-flash"
    assert "$ref" not in json.dumps(request["tools"])
    assert headers["authorization"] == "Bearer sk-google"
