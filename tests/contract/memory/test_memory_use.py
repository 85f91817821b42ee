"""What memory does, on every vector store: recall, merge, quarantine, forget."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio

from mesh.errors import NOT_FOUND, AssayError
from services.memory.adapters.embedder_hashed import HashedEmbedder
from services.memory.app import Memory
from services.memory.domain.document import MemoryDocument
from services.memory.domain.recipe import Parameter, ParameterType, Recipe, placeholders
from services.memory.ports import Vectors
from services.memory.shelf import DOCUMENT_KEYWORDS, RECIPE_KEYWORDS
from tests.contract.memory.stores import Open

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant"),
]

START = datetime(2026, 1, 1, tzinfo=UTC)
FINGERPRINT, OTHER_FINGERPRINT = "a" * 64, "b" * 64


@pytest_asyncio.fixture
async def memory(opened: Open) -> Memory:
    return Memory(
        await opened("recipes", 384, RECIPE_KEYWORDS),
        await opened("documents", 384, DOCUMENT_KEYWORDS),
        HashedEmbedder(),
        now=lambda: START + timedelta(days=30),
    )


def recipe(template: str = "revenue by {time_grain}", **changes: Any) -> Recipe:
    fields: dict[str, Any] = {
        "recipe_id": uuid4().hex,
        "tenant": "acme",
        "schema_fingerprint": FINGERPRINT,
        "intent_template": template,
        "plan_structure": {"subtasks": [{"task_id": "load", "tool_name": "sql.run"}]},
        "tool_argument_templates": ({"query": "SELECT {column} FROM orders"},),
        "parameters": tuple(
            Parameter(name=name, type=ParameterType.TEXT, example=name)
            for name in placeholders(template)
        ),
        "created_at": START,
        "last_used_at": START,
    }
    return Recipe(**{**fields, **changes})


def document(content: str, **changes: Any) -> MemoryDocument:
    fields: dict[str, Any] = {
        "document_id": uuid4().hex,
        "session_id": uuid4().hex,
        "tenant": "acme",
        "content": content,
        "created_at": START,
    }
    return MemoryDocument(**{**fields, **changes})


async def test_a_recipe_comes_back_as_it_was_stored(memory: Memory) -> None:
    plan = {"subtasks": [{"z": 2**70, "a": [1.5, None, "Größe 🧾"]}], "b": {}}
    stored = await memory.store_recipe(recipe(plan_structure=plan))
    read = await memory.get_recipe("acme", stored.recipe_id)
    assert read.model_dump(exclude={"intent_embedding"}) == stored.model_dump(
        exclude={"intent_embedding"}
    )
    assert list(read.plan_structure) == ["subtasks", "b"]
    assert read.intent_embedding == pytest.approx(stored.intent_embedding, abs=1e-6)
    assert len(read.intent_embedding) == 384


async def test_recipes_of_the_same_schema_come_first_nearest_leading(memory: Memory) -> None:
    asked = "revenue by month and category"
    close = recipe("revenue by {month} and category", schema_fingerprint=OTHER_FINGERPRINT)
    unrelated = recipe("list the {employees}", schema_fingerprint=OTHER_FINGERPRINT)
    exact = [recipe("count {customers} per country"), recipe("revenue by {month}")]
    for one in (close, unrelated, *exact):
        await memory.store_recipe(one)
    found = await memory.recall_recipes("acme", FINGERPRINT, asked, limit=5)
    assert [(r.recipe.intent_template, r.exact_fingerprint) for r in found] == [
        ("revenue by {month}", True),
        ("count {customers} per country", True),
        ("revenue by {month} and category", False),
    ]
    assert found[0].similarity > found[1].similarity
    assert found[2].similarity == pytest.approx(1.0, abs=1e-5)


async def test_the_very_question_finds_its_own_recipe_and_embeds_nothing(opened: Open) -> None:
    class Counting(HashedEmbedder):
        made = 0

        async def embed(self, texts: Sequence[str]) -> Vectors:
            self.made += 1
            return await super().embed(texts)

    embedder = Counting()
    memory = Memory(
        await opened("recipes", 384, RECIPE_KEYWORDS),
        await opened("documents", 384, DOCUMENT_KEYWORDS),
        embedder,
    )
    year = Parameter(name="year", type=ParameterType.NUMBER, example="2024")
    learnt = await memory.store_recipe(recipe("revenue in {year}", parameters=(year,)))
    await memory.store_recipe(recipe("revenue by {month}"))

    embedder.made = 0
    (found,) = await memory.recall_recipes("acme", FINGERPRINT, " Revenue  in 2024? ")
    assert (found.recipe.recipe_id, found.similarity, found.exact_fingerprint) == (
        learnt.recipe_id,
        1.0,
        True,
    )
    assert embedder.made == 0
    for tenant, fingerprint, question, others in (
        ("acme", FINGERPRINT, "revenue in 2025", 2),
        ("acme", OTHER_FINGERPRINT, "revenue in 2024", 2),
        ("other", FINGERPRINT, "revenue in 2024", 0),
    ):
        searched = await memory.recall_recipes(tenant, fingerprint, question)
        assert len(searched) == others, (tenant, fingerprint, question)
    for _ in range(3):
        await memory.record_outcome("acme", learnt.recipe_id, succeeded=False)
    in_quarantine = await memory.recall_recipes("acme", FINGERPRINT, "revenue in 2024")
    assert learnt.recipe_id not in [one.recipe.recipe_id for one in in_quarantine]


async def test_a_remembered_plan_is_recalled_for_its_own_question_alone(memory: Memory) -> None:
    kept = recipe("", exact_question="how many sales are there")
    await memory.store_recipe(kept)
    again = recipe("", exact_question="How many sales are there?")
    assert (await memory.store_recipe(again)).recipe_id == kept.recipe_id, "it is one plan"
    (found,) = await memory.recall_recipes("acme", FINGERPRINT, "how many  sales are there?")
    assert (found.recipe.recipe_id, found.recipe.success_count) == (kept.recipe_id, 2)
    for fingerprint, question in (
        (FINGERPRINT, "how many sales are there in Texas"),
        (OTHER_FINGERPRINT, "how many sales are there"),
    ):
        assert await memory.recall_recipes("acme", fingerprint, question) == []
    for number in range(3):
        await memory.record_outcome("acme", kept.recipe_id, False, f"{number:032x}", "it broke")
    assert await memory.recall_recipes("acme", FINGERPRINT, "how many sales are there") == []


async def test_three_are_offered_unless_asked_otherwise(memory: Memory) -> None:
    for i in range(5):
        await memory.store_recipe(recipe(f"revenue of {{region}} {i}"))
    assert len(await memory.recall_recipes("acme", FINGERPRINT, "revenue of region")) == 3
    assert len(await memory.recall_recipes("acme", FINGERPRINT, "revenue of region", 1)) == 1


async def test_an_empty_memory_recalls_nothing(memory: Memory) -> None:
    assert await memory.recall_recipes("acme", FINGERPRINT, "anything") == []
    assert await memory.search_documents("acme", "anything") == []
    assert await memory.list_recipes("acme") == []
    assert await memory.forget("acme", uuid4().hex) == 0


async def test_storing_a_recipe_again_changes_nothing(memory: Memory) -> None:
    first = await memory.store_recipe(recipe())
    again = await memory.store_recipe(recipe(recipe_id=first.recipe_id, success_count=9))
    assert again.success_count == first.success_count == 1
    assert len(await memory.list_recipes("acme")) == 1


async def test_one_meaning_is_one_recipe_and_counts_up_once_a_store(memory: Memory) -> None:
    first = await memory.store_recipe(recipe())
    second = recipe()
    for _ in range(2):
        merged = await memory.store_recipe(second)
        assert (merged.recipe_id, merged.success_count) == (first.recipe_id, 2)
    assert (await memory.get_recipe("acme", second.recipe_id)).recipe_id == first.recipe_id
    assert len(await memory.list_recipes("acme")) == 1


async def test_stores_at_one_moment_lose_no_count(memory: Memory) -> None:
    await asyncio.gather(*(memory.store_recipe(recipe()) for _ in range(20)))
    (only,) = await memory.list_recipes("acme")
    assert only.success_count == 20


async def test_three_failures_in_a_row_quarantine(memory: Memory) -> None:
    stored = await memory.store_recipe(recipe())
    for succeeded in (False, False, True, False, False):
        counted = await memory.record_outcome("acme", stored.recipe_id, succeeded)
        assert not counted.quarantined
    assert await memory.recall_recipes("acme", FINGERPRINT, "revenue by month")
    counted = await memory.record_outcome("acme", stored.recipe_id, succeeded=False)
    assert counted.quarantined
    assert counted.success_count == 2
    assert counted.last_used_at == START + timedelta(days=30)
    assert await memory.recall_recipes("acme", FINGERPRINT, "revenue by month") == []
    assert await memory.recall_recipes("acme", OTHER_FINGERPRINT, "revenue by time grain") == []
    assert (await memory.list_recipes("acme"))[0].quarantined


async def test_an_outcome_told_twice_counts_once(memory: Memory) -> None:
    stored = await memory.store_recipe(recipe())
    job = uuid4().hex
    for _ in range(3):
        counted = await memory.record_outcome("acme", stored.recipe_id, False, outcome_id=job)
    assert counted.failure_count == 1


async def test_another_tenants_recipe_is_not_found(memory: Memory) -> None:
    stored = await memory.store_recipe(recipe())
    assert await memory.recall_recipes("bolt", FINGERPRINT, "revenue by month") == []
    for attempt in (
        memory.get_recipe("bolt", stored.recipe_id),
        memory.delete_recipe("bolt", stored.recipe_id),
        memory.record_outcome("bolt", stored.recipe_id, succeeded=False),
    ):
        with pytest.raises(AssayError) as refused:
            await attempt
        assert refused.value.reason is NOT_FOUND
    await memory.store_recipe(recipe(recipe_id=stored.recipe_id, tenant="bolt"))
    assert (await memory.get_recipe("acme", stored.recipe_id)).tenant == "acme"


async def test_a_deleted_recipe_is_gone(memory: Memory) -> None:
    stored = await memory.store_recipe(recipe())
    await memory.delete_recipe("acme", stored.recipe_id)
    with pytest.raises(AssayError):
        await memory.get_recipe("acme", stored.recipe_id)


async def test_recipes_are_listed_last_used_first(memory: Memory) -> None:
    for day, name in enumerate(("oldest", "middle", "newest")):
        used = START + timedelta(days=day)
        await memory.store_recipe(recipe(f"{{{name}}}", last_used_at=used))
    listed = [r.intent_template for r in await memory.list_recipes("acme")]
    assert listed == ["{newest}", "{middle}", "{oldest}"]
    [newest] = await memory.list_recipes("acme", 1)
    after = (newest.last_used_at, newest.recipe_id)
    assert [r.intent_template for r in await memory.list_recipes("acme", 1, after)] == ["{middle}"]


async def test_documents_are_found_by_content_within_a_session_or_all(memory: Memory) -> None:
    churn = document("Customers left after the price increase in March.", metadata={"n": 2**70})
    stock = document("Warehouse stock fell because a supplier was late.")
    for one in (churn, stock):
        await memory.store_document(one)
    found = await memory.search_documents("acme", "why did customers leave after the increase?")
    assert [f.document.document_id for f in found] == [churn.document_id, stock.document_id]
    assert found[0].document.metadata == {"n": 2**70}
    (only,) = await memory.search_documents("acme", "customers", session_id=stock.session_id)
    assert only.document.document_id == stock.document_id
    assert await memory.search_documents("bolt", "customers") == []


async def test_forgetting_a_session_deletes_its_documents_and_no_others(memory: Memory) -> None:
    session = uuid4().hex
    for i in range(3):
        await memory.store_document(document(f"finding {i}", session_id=session))
    await memory.store_document(document("finding of another session"))
    assert await memory.forget("bolt", session) == 0
    assert await memory.forget("acme", session) == 3
    assert await memory.search_documents("acme", "finding", session_id=session) == []
    assert len(await memory.search_documents("acme", "finding")) == 1
