"""What was said to a model and what it answered, read from the spans of real requests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from assay.gateway.v1.job_service_pb2 import Span
from clients.python.cli.exchanged import exchanges
from mesh.errors import AssayError
from mesh.testing.model_server import Answered, Refused
from tests.unit.planner.llm_world import QUESTION, answered, given, world


async def _spans(folder: Path, monkeypatch: pytest.MonkeyPatch, *, content: bool) -> list[Span]:
    """Of a model that looks something up, is away for a moment, is corrected, and answers."""
    kept, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    monkeypatch.setattr("opentelemetry.trace.get_tracer_provider", lambda: provider)
    async with world(folder, llm_trace_content=content) as shop:
        looks = Answered({"column": "orders.region", "text": "nort"}, name="find_values")
        shop.server.will(looks, Refused(503), answered("DROP TABLE orders"), answered())
        await shop.model.plan(given())
    found = []
    for span in kept.get_finished_spans():
        attributes = json.dumps(dict(span.attributes or {}))
        error = "" if span.status.is_ok else str(span.status.description)
        made = Span(name=span.name, attributes_json=attributes, error=error)
        made.started_at.FromNanoseconds(span.start_time or 0)
        found.append(made)
    return found


async def test_each_word_is_told_once_in_the_order_in_which_it_was_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = list(exchanges(await _spans(tmp_path, monkeypatch, content=True)))

    assert [who for who, _ in said] == [
        "instructions",
        "user prompt",
        "tool call find_values",
        "tool return find_values",
        "no answer",
        "tool call decide",
        "tool return decide",
        "tool call decide",
    ]
    assert said[1][1].endswith(f"Question: {QUESTION}")
    assert "No value of" in said[3][1]
    assert "This cannot be used" in said[6][1]


async def test_what_was_not_kept_is_said_with_how_to_keep_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spans = await _spans(tmp_path, monkeypatch, content=False)
    with pytest.raises(AssayError, match="was not kept") as refused:
        list(exchanges(spans))
    assert "ASSAY_LLM_TRACE_CONTENT=true" in refused.value.remedy

    with pytest.raises(AssayError, match="no language model was asked"):
        list(exchanges([]))
