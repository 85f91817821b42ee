"""Recorded exchanges are replayed strictly; what has no answer waits in a queue."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.proposals.cassette import (
    Call,
    Cassette,
    ChangedPromptError,
    Queue,
    digest_of,
    parse_request,
)

ANSWER = Call("decide", {"kind": "impossible", "reason": "there are no prices"})


def test_a_cassette_answers_the_request_that_it_recorded(tmp_path: Path) -> None:
    Cassette("rules", {"shop-01/1": (digest_of("how many?"), ANSWER)}).write(tmp_path / "a.jsonl")

    kept = Cassette.read(tmp_path / "a.jsonl")

    assert kept.instructions == "rules"
    assert kept.answer("shop-01/1", "how many?") == ANSWER
    assert kept.answer("shop-01/2", "how many?") is None


def test_a_changed_prompt_has_no_answer_any_more(tmp_path: Path) -> None:
    kept = Cassette("rules", {"shop-01/1": (digest_of("how many?"), ANSWER)})

    with pytest.raises(ChangedPromptError):
        kept.answer("shop-01/1", "how many of them?")
    assert kept.changed == ["shop-01/1"]


def test_a_queue_keeps_prompts_until_somebody_answered(tmp_path: Path) -> None:
    queue = Queue(tmp_path)
    assert queue.answer("everyday/shop-01/1", "rules", "how many?") is None
    assert queue.waiting == ["everyday/shop-01/1"]
    assert (tmp_path / "everyday_shop-01_1.prompt.txt").read_text() == "how many?"

    told = {"call": ANSWER.name, "arguments": dict(ANSWER.arguments)}
    (tmp_path / "everyday_shop-01_1.answer.json").write_text(json.dumps(told))

    assert Queue(tmp_path).answer("everyday/shop-01/1", "rules", "how many?") == ANSWER


def test_what_a_request_says_is_parted_into_instructions_and_the_rest() -> None:
    call = {"function": {"name": "decide", "arguments": "{}"}, "id": "call_1"}
    request = {
        "messages": [
            {"role": "system", "content": "one statement"},
            {"role": "user", "content": "how many?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "content": "the statement is missing", "tool_call_id": "call_1"},
        ],
        "tools": [{"function": {"name": "decide"}}],
    }

    instructions, rest = parse_request(request)

    assert instructions.startswith("one statement") and '"decide"' in instructions
    assert rest == (
        "[user]\nhow many?\n\n[assistant]\ndecide {}\n\n[tool]\nthe statement is missing"
    )
