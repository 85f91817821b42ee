"""What a language model is told, and what leaves no trace: the prompt, the key, the spans."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from mesh.policy import Policy
from mesh.testing.model_server import Answered, Refused
from services.planner.adapters.llm.ask import NoAnswerError
from tests.unit.planner.llm_world import (
    BY_REGION,
    KEY,
    SHOP,
    World,
    answered,
    asked,
    failed_call,
    given,
    known_policy,
    world,
)


@pytest_asyncio.fixture
async def shop(tmp_path: Path) -> AsyncIterator[World]:
    async with world(tmp_path, llm_request_seconds=0.5, llm_seconds=20.0) as made:
        yield made


async def test_names_that_differ_in_case_alone_keep_no_plan_from_being_made(shop: World) -> None:
    (orders, customers) = SHOP.tables
    twin = orders.columns[1].model_copy(update={"name": "REGION"})
    twins = orders.model_copy(update={"columns": (*orders.columns, twin)})
    shop.server.will(answered())

    catalogue = SHOP.model_copy(update={"tables": (twins, customers)})
    assert (await shop.model.plan(given(catalogue=catalogue))).by_model


async def test_of_tables_that_are_not_meant_it_learns_names_alone(shop: World) -> None:
    far = SHOP.tables[1].model_copy(
        update={"name": "staff", "comment": "4711", "source_name": "a@b.org"}
    )
    catalogue = SHOP.model_copy(update={"tables": (*SHOP.tables, far)})
    shop.server.will(answered())

    await shop.model.plan(given(asked("total amount of orders by region"), catalogue))

    prompt = shop.server.asked[0]["messages"][-1]["content"]
    assert 'such as "Bern"' in prompt.partition('table "staff"')[0], "customers join orders"
    staff = prompt.partition('table "staff"')[2].splitlines()[0]
    assert staff == ', 9 rows, of "id" integer, "email" string, "city" string'
    assert "4711" not in prompt


async def test_a_table_of_which_policy_leaves_nothing_does_not_exist(shop: World) -> None:
    policy = Policy(allowed_columns=("orders.region", "orders.amount"))
    shop.server.will(answered())

    planning = await shop.model.plan(given(asked(policy=policy)))

    assert planning.by_model
    assert "customers" not in shop.server.asked[0]["messages"][-1]["content"]


async def test_what_policy_hides_is_in_no_prompt(shop: World) -> None:
    shop.server.will(answered('SELECT "email" FROM "customers"'), answered())

    await shop.model.plan(given(asked("who are the customers?", policy=known_policy())))

    assert "email" not in shop.server.prompts[0]
    assert "a@b.org" not in shop.server.prompts[0]
    assert "customers" in shop.server.prompts[0]


async def test_what_policy_hides_is_in_no_error_that_a_model_reads(shop: World) -> None:
    shop.server.will(Answered({"possible": False, "reason": "no"}))
    error, request = "cannot convert 'ann@b.org' to a number", asked(policy=known_policy())

    await shop.model.repair(failed_call(BY_REGION, "type_mismatch", error, request=request))

    assert "ann@b.org" not in shop.server.prompts[0]
    assert "[blocked]" in shop.server.prompts[0]


async def test_the_key_is_sent_and_nowhere_else(
    shop: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    shop.server.will(Refused(500, body=f'{{"error": {{"message": "{KEY}"}}}}'))

    with pytest.raises(NoAnswerError) as failed:
        await shop.model.plan(given())

    assert shop.server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert KEY not in str(failed.value)
    assert [r.getMessage() for r in caplog.records if r.name.startswith("assay")]
    assert not [r.name for r in caplog.records if KEY in r.getMessage()]
    assert SHOP.fingerprint not in caplog.text


@pytest.mark.parametrize("content", [False, True])
async def test_every_request_has_a_span_and_content_only_on_demand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bool
) -> None:
    spans = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    monkeypatch.setattr("opentelemetry.trace.get_tracer_provider", lambda: provider)
    async with world(tmp_path, llm_trace_content=content) as shop:
        shop.server.will(Refused(500), answered())
        await shop.model.plan(given(asked("how did the frobnicators do?")))

    failed, told = spans.get_finished_spans()
    assert failed.name == told.name == "ask model"
    assert not failed.status.is_ok
    attributes = dict(told.attributes or {})
    assert attributes["gen_ai.provider.name"] == "openai"
    assert attributes["gen_ai.request.model"] == "scripted"
    assert attributes["gen_ai.usage.input_tokens"] == 900
    assert attributes["assay.decision"] == "plan"
    assert ("frobnicators" in str(attributes)) is content
    assert KEY not in str([span.to_json() for span in (failed, told)])
