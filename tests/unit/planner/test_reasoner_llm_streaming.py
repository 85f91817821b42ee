"""Answers that come in pieces: how far the model is, is known while it thinks."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from mesh.testing.model_server import Answered, Raw, Refused, Turn
from services.planner.adapters.llm.ask import NoAnswerError
from services.planner.domain.thinking import Thinking
from tests.unit.planner.llm_world import answer_of, answered, given, world


class Stopped:
    """A clock that stands where it is put."""

    seconds = 0.0

    def monotonic(self) -> float:
        return self.seconds


@pytest.mark.parametrize("family", ["openai", "anthropic"])
async def test_it_is_told_how_far_the_model_is(tmp_path: Path, family: str) -> None:
    thinking = Thinking(Stopped().monotonic)
    async with world(
        tmp_path, thinking=thinking, llm=f"{family}:scripted", llm_seconds=20.0
    ) as shop:
        shop.server.will(Answered(answer_of(), seconds=0.3))
        request = given()
        planning = asyncio.create_task(shop.model.plan(request))
        heard = set()
        while not planning.done():
            heard.add(thinking.describe_progress(request.request.request_id))
            await asyncio.sleep(0)
        use = (await planning).model_use

    assert use is not None
    assert (use.input_tokens, use.output_tokens) == (900, 100)

    counted = [int(found[1]) for one in heard if (found := re.search(r"(\d+) tokens", one))]
    assert max(counted) > 50
    assert "the model is thinking: 0 s" in heard
    assert thinking.describe_progress(request.request.request_id) == "", "and nothing of it stays"


def test_seconds_are_those_of_the_longest_request() -> None:
    clock = Stopped()
    thinking = Thinking(clock.monotonic)
    with thinking.about("a") as first:
        clock.seconds = 3.4
        with thinking.about("a") as second:
            first(1_000)
            second(234)
            assert thinking.describe_progress("a") == "the model is thinking: 1,234 tokens, 3 s"
            assert thinking.describe_progress("b") == ""
    assert thinking.describe_progress("a") == ""


async def test_one_that_answers_as_a_whole_is_asked_so_from_then_on(tmp_path: Path) -> None:
    async with world(tmp_path) as shop:
        shop.server.streams = False
        shop.server.will(answered())
        for _ in range(2):
            assert (await shop.model.plan(given())).by_model

    assert [request["stream"] for request in shop.server.asked] == [True, False, False]


async def test_one_that_refuses_to_stream_is_asked_without(tmp_path: Path) -> None:
    def script(request: dict[str, Any]) -> Turn:
        return Refused(400) if request["stream"] else answered()

    async with world(tmp_path) as shop:
        shop.server.script = script
        assert (await shop.model.plan(given())).by_model


_CHUNK = {
    "id": "x",
    "object": "chat.completion.chunk",
    "created": 1,
    "model": "scripted",
    "choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": None}],
}
_EVENT = f"data: {json.dumps(_CHUNK)}\n\n".encode()


@pytest.mark.parametrize("body", [_EVENT * 2_000, b"data: " + b"x" * 17 * 2**20])
async def test_a_stream_without_end_is_cut_off(tmp_path: Path, body: bytes) -> None:
    limits = {
        "llm_answer_tokens": 256,
        "llm_seconds": 20.0,
        "llm_fallback": "openai:another",
        "llm_fallback_base_url": "http://127.0.0.1:9",
    }
    async with world(tmp_path, **limits) as shop:
        shop.server.will(Raw(body))
        with pytest.raises(
            NoAnswerError,
            match=r"gave nothing: (what it sends cannot be read|it cannot be reached)",
        ):
            await shop.model.plan(given())
