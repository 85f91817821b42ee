"""What memory refuses, and what happens when the embedder changes."""

from __future__ import annotations

import zlib
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest

from mesh.errors import INVALID_ARGUMENT, AssayError
from services.memory.adapters.edge_process import EdgeProcess
from services.memory.adapters.embedder_hashed import HashedEmbedder
from services.memory.adapters.qdrant_edge import EdgeVectorStore
from services.memory.app import Memory
from services.memory.domain.document import MemoryDocument
from services.memory.domain.recipe import Parameter, ParameterType, Recipe
from services.memory.ports import Embedder, Vectors
from services.memory.shelf import DOCUMENT_KEYWORDS, RECIPE_KEYWORDS

pytestmark = pytest.mark.asyncio

NOW = datetime(2026, 1, 1, tzinfo=UTC)
FINGERPRINT = "a" * 64


class SeededEmbedder:
    """Another embedder: each text has a random direction of its own, equal texts the same."""

    name = "seeded"
    dimension = 384
    same_meaning = 0.5
    by_meaning = True

    async def embed(self, texts: Sequence[str]) -> Vectors:
        rows = [np.random.default_rng(zlib.crc32(t.encode())).normal(size=384) for t in texts]
        vectors = np.array(rows, dtype=np.float32)
        unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


async def open_memory(
    folder: Path, embedder: Embedder
) -> tuple[Memory, Callable[[], Awaitable[None]]]:
    process = EdgeProcess()
    recipes = EdgeVectorStore(process, folder / "recipes", 384, RECIPE_KEYWORDS)
    documents = EdgeVectorStore(process, folder / "documents", 384, DOCUMENT_KEYWORDS)
    return Memory(recipes, documents, embedder), process.close


def recipe(template: str, *parameters: Parameter) -> Recipe:
    return Recipe(
        recipe_id=uuid4().hex,
        tenant="acme",
        schema_fingerprint=FINGERPRINT,
        intent_template=template,
        parameters=parameters,
        plan_structure={"subtasks": [{"task_id": "load"}]},
        created_at=NOW,
        last_used_at=NOW,
    )


def document(content: str, session_id: str) -> MemoryDocument:
    return MemoryDocument(
        document_id=uuid4().hex,
        session_id=session_id,
        tenant="acme",
        content=content,
        created_at=NOW,
    )


async def test_what_another_embedder_wrote_is_embedded_again_a_bounded_number_a_call(
    tmp_path: Path,
) -> None:
    memory, close = await open_memory(tmp_path, HashedEmbedder())
    questions = [f"question part {i}" for i in range(70)]
    templates = [f"question {{part_{i}}}" for i in range(70)]
    for i, template in enumerate(templates):
        part = Parameter(name=f"part_{i}", type=ParameterType.VALUE, example="x")
        await memory.store_recipe(recipe(template, part))
    await close()

    memory, close = await open_memory(tmp_path, SeededEmbedder())
    first = await memory.recall_recipes("acme", FINGERPRINT, questions[0], limit=50)
    assert len(first) == 50
    found = [
        (await memory.recall_recipes("acme", FINGERPRINT, question, limit=1))[0]
        for question in questions
    ]
    assert [one.recipe.intent_template for one in found] == templates
    assert [one.similarity for one in found] == pytest.approx([1.0] * 70, abs=1e-5)
    assert len(await memory.list_recipes("acme")) == 70
    await close()


async def test_a_count_made_under_another_embedder_embeds_again(tmp_path: Path) -> None:
    memory, close = await open_memory(tmp_path, HashedEmbedder())
    stored = await memory.store_recipe(
        recipe("revenue by {month}", Parameter(name="month", type=ParameterType.TEXT))
    )
    await close()
    memory, close = await open_memory(tmp_path, SeededEmbedder())
    counted = await memory.record_outcome("acme", stored.recipe_id, succeeded=True)
    expected = (await SeededEmbedder().embed(["revenue by month"]))[0]
    assert counted.intent_embedding == pytest.approx(expected, abs=1e-5)
    await close()


async def test_forgetting_reaches_documents_of_another_embedder(tmp_path: Path) -> None:
    memory, close = await open_memory(tmp_path, HashedEmbedder())
    session = uuid4().hex
    for i in range(9):
        await memory.store_document(document(f"finding {i}", session))
    await close()
    memory, close = await open_memory(tmp_path, SeededEmbedder())
    assert await memory.forget("acme", session) == 9
    await close()


async def test_a_long_document_is_found_by_what_stands_at_its_end(tmp_path: Path) -> None:
    memory, close = await open_memory(tmp_path, HashedEmbedder())
    filler = "The weather was mild and nothing else happened. " * 60
    ending = "Churn of premium customers rose after the price increase. " * 20
    wanted = await memory.store_document(document(f"{filler}\n\n{ending}", uuid4().hex))
    await memory.store_document(document(filler, uuid4().hex))
    found = await memory.search_documents("acme", "churn of premium customers")
    assert found[0].document.document_id == wanted.document_id
    await close()


@pytest.mark.parametrize(
    ("field", "call"),
    [
        ("tenant", lambda m: m.recall_recipes("", FINGERPRINT, "revenue")),
        ("fingerprint", lambda m: m.recall_recipes("acme", "abc", "revenue")),
        ("intent", lambda m: m.recall_recipes("acme", FINGERPRINT, "  ")),
        ("intent", lambda m: m.recall_recipes("acme", FINGERPRINT, "x" * 2_001)),
        ("limit", lambda m: m.recall_recipes("acme", FINGERPRINT, "revenue", 0)),
        ("limit", lambda m: m.recall_recipes("acme", FINGERPRINT, "revenue", 51)),
        ("recipe_id", lambda m: m.get_recipe("acme", "recipe-1")),
        ("outcome_id", lambda m: m.record_outcome("acme", uuid4().hex, True, "job-1")),
        ("query", lambda m: m.search_documents("acme", "")),
        ("session_id", lambda m: m.search_documents("acme", "revenue", session_id="s")),
        ("session_id", lambda m: m.forget("acme", "")),
        ("tenant", lambda m: m.forget("", uuid4().hex)),
        ("tenant", lambda m: m.list_recipes("")),
    ],
)
async def test_a_malformed_argument_is_named(
    tmp_path: Path, field: str, call: Callable[[Memory], Awaitable[object]]
) -> None:
    memory, close = await open_memory(tmp_path, HashedEmbedder())
    with pytest.raises(AssayError) as refused:
        await call(memory)
    assert refused.value.reason is INVALID_ARGUMENT
    assert list(refused.value.fields) == [field]
    await close()


async def test_short_texts_become_vectors_only_where_meaning_is_known(tmp_path: Path) -> None:
    memory, close = await open_memory(tmp_path / "seeded", SeededEmbedder())
    name, vectors = await memory.embed_texts(["staff", "employees"])
    assert (name, vectors is not None and vectors.shape) == ("seeded", (2, 384))
    for wrong in ([], ["x"] * 65, [" "], ["x" * 201]):
        with pytest.raises(AssayError) as refused:
            await memory.embed_texts(wrong)
        assert refused.value.reason is INVALID_ARGUMENT
    await close()
    spelling, close = await open_memory(tmp_path / "hashed", HashedEmbedder())
    assert await spelling.embed_texts(["staff"]) == (HashedEmbedder.name, None)
    await close()


async def test_nothing_is_embedded_to_find_that_there_are_no_recipes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(self: HashedEmbedder, texts: Sequence[str]) -> Vectors:
        raise AssertionError("the embedder was used")

    monkeypatch.setattr(HashedEmbedder, "embed", never)
    memory, close = await open_memory(tmp_path, HashedEmbedder())
    assert await memory.recall_recipes("acme", FINGERPRINT, "revenue by month") == []
    await close()
