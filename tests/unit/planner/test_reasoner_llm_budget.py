"""What a model may take: by job, by day, kept in the database; and when it is left to rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from mesh.ids import new_id
from mesh.testing.model_server import Answered, Hangs, Raw, Refused
from services.planner.adapters.llm.ask import NoAnswerError
from tests.unit.planner.llm_world import MODEL, World, answer_of, answered, asked, given, world

DEAR = {"llm_prices": {MODEL: (1.0, 10.0)}}


async def rows(shop: World) -> list[dict[str, Any]]:
    """Every request as the database keeps it."""
    found = await shop.database.reading(
        lambda session: session.execute(text("SELECT * FROM model_requests")).mappings().all()
    )
    return [dict(row) for row in found]


async def test_tokens_cost_and_time_are_kept_for_every_request(tmp_path: Path) -> None:
    async with world(tmp_path, **DEAR) as shop:
        shop.server.will(Refused(500), answered("DROP TABLE orders"), answered())
        request = asked()
        planning = await shop.model.plan(given(request))
        kept = await rows(shop)

    assert [row["outcome"] for row in kept][1:] == ["answered", "answered"]
    assert {row["planner_id"] for row in kept} == {request.request_id}
    assert [row["input_tokens"] for row in kept] == [0, 900, 900], "a refusal takes nothing"
    use = planning.model_use
    assert use is not None
    assert use.cost == pytest.approx(2 * (900 * 1.0 + 100 * 10.0) / 1e6)
    assert (use.currency, use.requests) == ("USD", 3)
    assert use.seconds > 0


async def test_a_job_that_spent_its_tokens_asks_no_more(tmp_path: Path) -> None:
    async with world(tmp_path, llm_job_tokens=9_000) as shop:
        shop.server.will(answered("DROP TABLE orders"))
        request = asked()
        with pytest.raises(
            NoAnswerError, match="could not be used, and this question's budget of 9,000"
        ):
            await shop.model.plan(given(request))
        assert len(shop.server.asked) < 4
        shop.server.will(answered())
        assert (await shop.model.plan(given())).by_model, "another job has its own"


async def test_a_day_that_is_spent_is_spent_for_every_job_and_planner(tmp_path: Path) -> None:
    async with world(tmp_path, llm_day_tokens=9_000) as shop:
        shop.server.will(Answered(answer_of(), input_tokens=4_000, output_tokens=100))
        await shop.model.plan(given())
    async with world(tmp_path, llm_day_tokens=9_000) as another:
        another.server.will(answered())
        with pytest.raises(NoAnswerError, match="today's budget of 9,000 tokens is spent"):
            await another.model.plan(given())
        assert another.server.asked == []


async def test_a_budget_that_is_spent_in_vain_says_on_what(tmp_path: Path) -> None:
    async with world(tmp_path, llm_job_tokens=11_000) as shop:
        shop.server.will(Raw(b"{"))
        with pytest.raises(NoAnswerError, match=r"cannot be read, and this question's budget"):
            await shop.model.plan(given())


@pytest.mark.filterwarnings("ignore:Failed to extract usage")
@pytest.mark.parametrize("tokens", [-5, 10**30])
async def test_tokens_that_cannot_be_are_estimated(tmp_path: Path, tokens: int) -> None:
    async with world(tmp_path) as shop:
        shop.server.will(Answered(answer_of(), input_tokens=tokens, output_tokens=100))
        planning = await shop.model.plan(given())
        (kept,) = await rows(shop)

    assert planning.model_use is not None
    assert kept["input_tokens"] == planning.model_use.input_tokens
    assert 1_500 < kept["input_tokens"] < 10_000


async def test_an_endpoint_that_is_not_there_takes_nothing(tmp_path: Path) -> None:
    gone = {"llm_base_url": "http://127.0.0.1:9/v1", "llm_seconds": 20.0}
    async with world(tmp_path, llm_job_tokens=11_000, **gone) as shop:
        with pytest.raises(NoAnswerError, match="it cannot be reached") as failed:
            await shop.model.plan(given())
        kept = await rows(shop)

    assert failed.value.use.tokens == 0
    assert {row["input_tokens"] for row in kept} == {0}


async def test_money_is_a_budget_where_the_price_is_known(tmp_path: Path) -> None:
    async with world(tmp_path, llm_job_cost=0.01, **DEAR) as shop:
        shop.server.will(answered())
        with pytest.raises(NoAnswerError, match=r"budget of 0\.01 USD is spent"):
            await shop.model.plan(given())
        assert shop.server.asked == []


async def test_money_is_no_budget_where_it_is_not(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="ASSAY_LLM_PRICES must hold the price"):
        async with world(tmp_path, llm_job_cost=0.01):
            pass


async def test_what_broke_off_counts_in_full(tmp_path: Path) -> None:
    async with world(tmp_path, llm_seconds=2.0) as shop:
        shop.server.will(Hangs())
        with pytest.raises(NoAnswerError) as failed:
            await shop.model.plan(given())
        (kept,) = await rows(shop)

    assert kept["output_tokens"] == failed.value.use.output_tokens == 4_000
    assert kept["outcome"] == "CancelledError"


async def test_a_model_that_fails_often_rests_and_is_tried_again(tmp_path: Path) -> None:
    async with world(tmp_path, llm_failures=2, llm_rest_seconds=0.2, llm_seconds=1.0) as shop:
        shop.server.will(Refused(401))
        for _ in range(2):
            with pytest.raises(NoAnswerError, match="refuses"):
                await shop.model.plan(given())
        with pytest.raises(NoAnswerError, match="rests"):
            await shop.model.plan(given())
        assert len(shop.server.asked) == 2
        shop.server.will(answered())
        while True:
            try:
                planning = await shop.model.plan(given())
            except NoAnswerError as failed:
                assert "rests" in failed.why
                continue
            break
        assert planning.by_model


async def test_a_long_catalogue_is_cut_to_what_the_question_is_about(tmp_path: Path) -> None:
    from tests.unit.planner.llm_world import SHOP

    wide = SHOP.tables[0].columns[0]
    others = [
        SHOP.tables[1].model_copy(
            update={
                "name": f"archive_{n}",
                "columns": tuple(
                    wide.model_copy(update={"name": f"field_{n}_{m}"}) for m in range(40)
                ),
            }
        )
        for n in range(40)
    ]
    catalogue = SHOP.model_copy(update={"tables": (*others, *SHOP.tables)})
    async with world(tmp_path, llm_prompt_tokens=1_000) as shop:
        shop.server.will(answered())
        await shop.model.plan(given(asked(request_id=new_id()), catalogue))
        prompt = shop.server.asked[0]["messages"][-1]["content"]

    assert 'table "orders"' in prompt
    assert 'Tables that are there and not described: "archive_' in prompt
    assert len(prompt) < 3.5 * 1_000 + 2_500
