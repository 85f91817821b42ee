"""What a language model is told, and what leaves no trace: the prompt, the key, the spans."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
import pytest_asyncio
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from mesh.policy import Policy
from mesh.testing.model_server import Answered, Refused
from services.planner.adapters.llm.ask import NoAnswerError
from services.planner.domain.analysis.recipe import RecalledRecipe
from services.planner.domain.catalogue import (
    Catalogue,
    Column,
    ColumnRole,
    DataType,
    Relationship,
    Table,
    ValueHit,
)
from services.planner.domain.checks.rules import RULES
from tests.unit.planner.llm_world import (
    BY_REGION,
    KEY,
    MODEL,
    SHOP,
    World,
    answered,
    asked,
    failed_call,
    given,
    known_policy,
    recipe,
    world,
)

PROMPT_BYTES, FORM_BYTES = 12_000, 3_000
"""Of everything that is said about ten tables, and of the form that is to be filled in; at most."""


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
    question = "total amount of orders by region"
    shop.server.will(answered(words=question))

    await shop.model.plan(given(asked(question), catalogue))

    prompt = shop.server.asked[0]["messages"][-1]["content"]
    assert 'such as "Bern"' in prompt.partition('table "staff"')[0], "customers join orders"
    staff = prompt.partition('table "staff"')[2].splitlines()[0]
    assert staff == ', 9 rows, of "id" integer, "email" string, "city" string'
    assert "4711" not in prompt


async def test_a_prompt_about_ten_tables_is_short(shop: World) -> None:
    question = "average amount of orders by region and month for products of each supplier"
    query = 'SELECT "region", avg("amount") AS "average" FROM "orders" GROUP BY 1'
    shop.server.will(answered(query, question))

    await shop.model.plan(given(asked(question), ten_tables()))

    [request] = shop.server.asked
    said, asked_for = [str(message["content"]) for message in request["messages"]]
    assert len((said + asked_for).encode()) < PROMPT_BYTES
    assert len(json.dumps(request["tools"], separators=(",", ":"))) < FORM_BYTES
    for table in ten_tables().tables:
        line = asked_for.partition(f'table "{table.name}"')[2]
        assert '"amount" float' in line.partition("table ")[0]
    assert '"orders"."supplier_id" refers to "suppliers"."id"' in asked_for
    assert asked_for.endswith(f"Question: {question}"), "what changes comes last"
    assert "plot.render" not in said + asked_for, "no tool is described"


async def test_what_is_asked_of_it_is_the_same_for_every_question(shop: World) -> None:
    shop.server.will(answered())
    await shop.model.plan(given())
    again = given(asked(), ten_tables().model_copy(update={"tables": SHOP.tables}), reply="2")
    await shop.model.plan(again)

    first, second = [request["messages"][0]["content"] for request in shop.server.asked]
    assert first == second
    assert all(f"{rule.code} {rule.name}" in first for rule in RULES)


async def test_of_earlier_questions_it_is_told_confirmed_statements(shop: World) -> None:
    shop.server.will(answered())
    recalled = [
        RecalledRecipe(recipe=recipe(question, by), similarity=0.9, exact=True)
        for question, by in (("total by {region}", "rules"), ("profit by region", MODEL))
    ]

    await shop.model.plan(given(recipes=tuple(recalled)))

    told = shop.server.asked[0]["messages"][1]["content"]
    statement = BY_REGION.replace('"', '\\"')
    assert f'"total by {{region}}" was answered by "{statement}"' in told
    assert "profit by region" not in told, "that it ran does not mean that it was right"


def ten_tables() -> Catalogue:
    """A shop of ten tables with eight columns each, all of which a question may mean."""
    names = "orders products suppliers regions customers shipments returns payments stores staff"
    kinds = (
        ("id", DataType.INTEGER, ColumnRole.ID, ()),
        ("name", DataType.STRING, ColumnRole.DIMENSION, ("Northern Light", "Plain", "Old Mill")),
        ("region", DataType.STRING, ColumnRole.DIMENSION, ("North", "South", "West")),
        ("amount", DataType.FLOAT, ColumnRole.MEASURE, ("12.5", "13.0")),
        ("quantity", DataType.INTEGER, ColumnRole.MEASURE, ("1", "2")),
        ("order_month", DataType.DATE, ColumnRole.TIMESTAMP, ("2024-01-01",)),
        ("supplier_id", DataType.INTEGER, ColumnRole.ID, ()),
        ("status", DataType.STRING, ColumnRole.DIMENSION, ("open", "closed", "returned")),
    )
    columns = tuple(
        Column(name=name, data_type=kind, role=role, samples=samples, distinct=9)
        for name, kind, role, samples in kinds
    )
    tables = tuple(
        Table(name=name, source_name="shop.sqlite", rows=900, columns=columns)
        for name in names.split()
    )
    links = tuple(
        Relationship(
            from_table=name, from_column="supplier_id", to_table="suppliers", to_column="id"
        )
        for name in names.split()
        if name != "suppliers"
    )
    return Catalogue(tables=tables, relationships=links, fingerprint="cd" * 32)


async def test_a_table_of_which_policy_leaves_nothing_does_not_exist(shop: World) -> None:
    policy = Policy(allowed_columns=("orders.region", "orders.amount"))
    shop.server.will(answered())

    planning = await shop.model.plan(given(asked(policy=policy)))

    assert planning.by_model
    assert "customers" not in shop.server.asked[0]["messages"][-1]["content"]


async def test_what_policy_hides_is_in_no_prompt(shop: World) -> None:
    question = "who are the customers?"
    shop.server.will(
        answered('SELECT "email" FROM "customers"', question), answered(words=question)
    )

    await shop.model.plan(given(asked(question, policy=known_policy())))

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
        question = "how did the frobnicators do?"
        shop.server.will(Refused(500), answered(words=question))
        await shop.model.plan(given(asked(question)))

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


async def test_how_tables_join_is_told_before_what_values_a_question_may_mean(shop: World) -> None:
    question = "average amount of orders by region for each supplier"
    hits = [
        ValueHit(
            phrase="a word of the question",
            table=table.name,
            column="name",
            score=1.0,
            value=f"one of {number} long names that words of the question may mean",
        )
        for number, table in enumerate(ten_tables().tables * 2)
    ]

    async def lookup(phrases: Sequence[str]) -> Sequence[ValueHit]:
        return hits

    shop.server.will(answered(words=question))
    await shop.model.plan(given(asked(question), ten_tables(), lookup=lookup))

    told = shop.server.asked[0]["messages"][1]["content"]
    assert told.count(" refers to ") == len(ten_tables().relationships)
    assert told.count("may be the value") >= 3


async def test_of_wide_tables_every_column_is_named_before_one_is_described(shop: World) -> None:
    wide = [
        table.model_copy(
            update={
                "columns": tuple(
                    column.model_copy(update={"name": f"{column.name}_{n}"})
                    for n in range(2)
                    for column in table.columns
                )
            }
        )
        for table in ten_tables().tables
    ]
    catalogue = Catalogue(tables=tuple(wide), fingerprint="cd" * 32)
    shop.server.will(answered(words=""), Answered({"kind": "impossible", "reason": "none"}))

    await shop.model.plan(given(asked("orders by region"), catalogue))

    said, told = [str(message["content"]) for message in shop.server.asked[0]["messages"]]
    assert told.count('"supplier_id_1"') == len(wide)
    assert len((said + told).encode()) < PROMPT_BYTES
