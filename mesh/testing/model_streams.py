"""Answers of a scripted model as streams of events, in OpenAI's and in Anthropic's form."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

_PIECE, _MOST_PIECES = 40, 50
_DELTAS = {"text": ("text_delta", "text"), "tool_use": ("input_json_delta", "partial_json")}


def openai_events(answer: dict[str, Any]) -> Iterator[str]:
    """The chunks of a chat completion, as it is without streaming."""
    choice = answer["choices"][0]
    message = choice["message"]
    calls = message.get("tool_calls")
    function = calls[0]["function"] if calls else None
    first: dict[str, Any] = {"role": "assistant", "content": None}
    if function is not None:
        first["tool_calls"] = [{**calls[0], "index": 0, "function": {**function, "arguments": ""}}]
    deltas = [first]
    for piece in _pieces(function["arguments"] if function is not None else message["content"]):
        values = {"index": 0, "function": {"arguments": piece}}
        deltas.append({"content": piece} if function is None else {"tool_calls": [values]})
    whole = {key: answer[key] for key in ("id", "created", "model")}
    whole["object"] = "chat.completion.chunk"
    for delta in deltas:
        yield _event({**whole, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    ended = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    yield _event({**whole, "choices": [ended]})
    yield _event({**whole, "choices": [], "usage": answer["usage"]})
    yield "data: [DONE]\n\n"


def anthropic_events(answer: dict[str, Any]) -> Iterator[str]:
    """The events of a message, as it is without streaming."""
    block, usage = answer["content"][0], answer["usage"]
    kind, key = _DELTAS[block["type"]]
    begun = {**answer, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    yield _event({"type": "message_start", "message": begun})
    empty = {**block, **({"text": ""} if block["type"] == "text" else {"input": {}})}
    yield _event({"type": "content_block_start", "index": 0, "content_block": empty})
    text = block["text"] if block["type"] == "text" else json.dumps(block["input"])
    for piece in _pieces(text):
        texts = {"type": kind, key: piece}
        yield _event({"type": "content_block_delta", "index": 0, "delta": texts})
    yield _event({"type": "content_block_stop", "index": 0})
    ended = {"stop_reason": answer["stop_reason"], "stop_sequence": None}
    counted = {"output_tokens": usage["output_tokens"]}
    yield _event({"type": "message_delta", "delta": ended, "usage": counted})
    yield _event({"type": "message_stop"})


def _pieces(text: str) -> list[str]:
    length = max(_PIECE, len(text) // _MOST_PIECES + 1)
    return [text[start : start + length] for start in range(0, len(text), length)]


def _event(data: dict[str, Any]) -> str:
    named = f"event: {data['type']}\n" if "type" in data else ""
    return f"{named}data: {json.dumps(data)}\n\n"
