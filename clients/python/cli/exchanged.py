"""What was said to a language model about a job and what it answered, as its spans keep it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from mesh.errors import NOT_FOUND, AssayError

if TYPE_CHECKING:
    from assay.gateway.v1.job_service_pb2 import Span

ASKED, ANSWERED = "gen_ai.input.messages", "gen_ai.output"


def exchanges(spans: Sequence[Span]) -> Iterator[tuple[str, str]]:
    """Who said what, request by request, in order; each request without what an earlier one said.

    Raises AssayError(NOT_FOUND) where no model was asked, or the server keeps no content.
    """
    requests = sorted(
        (span for span in spans if span.name == "ask model"),
        key=lambda span: span.started_at.ToNanoseconds(),
    )
    if not requests:
        raise AssayError(NOT_FOUND, "no language model was asked about this job")
    kept = [json.loads(span.attributes_json or "{}") for span in requests]
    if not any(ASKED in content for content in kept):
        raise AssayError(
            NOT_FOUND,
            "what was said to the language model was not kept",
            hint="It is kept from when the server has ASSAY_LLM_TRACE_CONTENT=true: traces then "
            "hold what data holds.",
        )
    texts: set[str] = set()
    for span, value in zip(requests, kept, strict=True):
        for who, text in [*_parts(value.get(ASKED)), *_parts(value.get(ANSWERED))]:
            if text not in texts:
                texts.add(text)
                yield who, text
        if span.error:
            yield "no answer", span.error


def _parts(messages: str | None) -> Iterator[tuple[str, str]]:
    """The parts of messages as pydantic-ai writes them."""
    for message in json.loads(messages or "[]"):
        if instructions := message.get("instructions"):
            yield "instructions", instructions
        for part in message.get("parts", []):
            who = str(part.get("part_kind", "")).replace("-", " ")
            name = f" {part['tool_name']}" if part.get("tool_name") else ""
            yield f"{who}{name}", _text(part.get("args") or part.get("content"))


def _text(content: Any) -> str:
    if isinstance(content, str):
        try:
            content = json.loads(content)
        except ValueError:
            return str(content)
    return content if isinstance(content, str) else json.dumps(content, indent=2)
