"""A second model answers where the first is away, over its quota, slow or of no use."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from mesh.config import load
from mesh.errors import AssayError
from mesh.testing.model_server import (
    Answered,
    Hangs,
    ModelServer,
    Raw,
    Refused,
    Resets,
    TextReply,
    Turn,
    model_server,
)
from services.planner.adapters.llm.ask import NoAnswerError
from services.planner.settings import PlannerSettings
from tests.unit.planner.llm_world import MODEL, World, answered, given, world

SECOND = "anthropic:second"
QUOTA = '{"error": {"message": "none left", "type": "insufficient_quota", "code": "insufficient_quota"}}'  # noqa: E501


@asynccontextmanager
async def two(folder: Path, **settings: Any) -> AsyncIterator[tuple[World, ModelServer]]:
    async with model_server(answered()) as second:
        also = {"llm_fallback": SECOND, "llm_fallback_base_url": f"http://{second.address}"}
        async with world(folder, **{**also, "llm_fallback_key": "sk-second", **settings}) as shop:
            yield shop, second


FAILING: dict[str, tuple[Turn, str, float]] = {
    "is away": (Refused(503), "its server fails", 5.0),
    "is over its quota": (Refused(429, body=QUOTA), "quota is used up", 5.0),
    "allows no more": (Refused(429, {"retry-after": "90"}), "allows no more requests", 5.0),
    "hangs": (Hangs(), "did not answer within", 1.0),
    "is reset": (Resets(), "cannot be reached", 5.0),
    "sends nonsense": (Raw(b"{"), "cannot be read", 5.0),
    "refuses": (TextReply("I would rather not."), "could not be used", 5.0),
    "is of no use": (Answered({"kind": "poem"}), "could not be used", 5.0),
}


@pytest.mark.parametrize(("turn", "why", "seconds"), FAILING.values(), ids=FAILING.keys())
async def test_the_second_answers_and_it_is_told_why(
    tmp_path: Path, turn: Turn, why: str, seconds: float
) -> None:
    async with two(tmp_path, llm_seconds=20.0, llm_request_seconds=seconds) as (shop, second):
        shop.server.will(turn)
        planning = await shop.model.plan(given())

    assert planning.by_model
    assert planning.decided_by == SECOND
    assert planning.proposal is not None
    assert planning.proposal["proposer"] == f"model:{SECOND}"
    assert why in planning.caveats[-1]
    assert planning.caveats[-1].startswith(f"{MODEL} gave nothing: ")
    assert planning.caveats[-1].endswith(f"{SECOND} answered.")
    assert planning.model_use is not None
    assert planning.model_use.model == f"{MODEL}, {SECOND}"
    assert planning.model_use.requests == len(shop.server.asked) + len(second.asked)
    assert "sk-second" in str(second.headers[0])


async def test_the_first_alone_is_asked_while_it_answers(tmp_path: Path) -> None:
    async with two(tmp_path) as (shop, second):
        shop.server.will(answered())
        planning = await shop.model.plan(given())

    assert planning.decided_by == MODEL
    assert planning.caveats == ()
    assert second.asked == []


async def test_where_both_fail_both_are_told(tmp_path: Path) -> None:
    async with two(tmp_path) as (shop, second):
        shop.server.will(Refused(503))
        second.will(Refused(401))
        with pytest.raises(NoAnswerError) as failed:
            await shop.model.plan(given())

    assert failed.value.why == (
        f"{MODEL} gave nothing: its server fails; {SECOND} neither: its server refuses the key, or "
        "wants one: check ASSAY_LLM_KEY"
    )
    assert failed.value.use.requests == 2


async def test_one_that_rests_is_passed_by_and_the_other_does_not_rest_with_it(
    tmp_path: Path,
) -> None:
    async with two(tmp_path, llm_failures=1, llm_rest_seconds=60.0) as (shop, second):
        shop.server.will(Refused(503))
        for _ in range(2):
            assert (await shop.model.plan(given())).decided_by == SECOND

    assert len(shop.server.asked) == 1
    assert len(second.asked) == 2


def test_a_second_model_is_another_one_and_has_its_price() -> None:
    with pytest.raises(AssayError, match="another model"):
        load(PlannerSettings, llm=MODEL, llm_fallback=MODEL)
    with pytest.raises(AssayError, match="ASSAY_LLM is not"):
        load(PlannerSettings, llm_fallback=MODEL)
    prices = {MODEL: (1.0, 1.0)}
    with pytest.raises(AssayError, match=f"must hold the price of {SECOND}"):
        load(PlannerSettings, llm=MODEL, llm_fallback=SECOND, llm_job_cost=1.0, llm_prices=prices)
