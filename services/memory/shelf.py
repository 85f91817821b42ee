"""One kind of thing in one store under one embedder: the only way memory reaches its vectors.

Vectors of two embedders never meet. Every point carries the name of the embedder that made its
vector, and every search asks for the one in use, so what another embedder wrote is at worst not
found, never misranked. On a tenant's first searches such points are embedded again from their
text, a bounded number a call, until none is left. All processes on one Qdrant server should use
one embedder: two would take turns re-embedding.
"""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

from mesh.processes.failpoint import failpoint
from services.memory.domain.document import MemoryDocument
from services.memory.domain.recipe import Recipe, placeholders
from services.memory.ports import EVERYTHING, Embedder, Point, Vector, VectorStore, Where

EMBEDDER = "embedder"
"""Payload field that names the embedder of a point's vector."""

OFFERED, REMEMBERED, QUARANTINED = "offered", "remembered", "quarantined"
"""Values of a recipe's payload field `standing`; a remembered plan is for its question alone."""

RECIPE_KEYWORDS = (
    EMBEDDER,
    "recipe_id",
    "schema_fingerprint",
    "meaning_key",
    "question_key",
    "merged_ids",
    "standing",
)
DOCUMENT_KEYWORDS = (EMBEDDER, "document_id", "session_id")
"""Payload fields that are filtered on, which a store should index."""

_PAGE = 256
_FEW = 8

T = TypeVar("T", Recipe, MemoryDocument)


class Shelf(ABC, Generic[T]):
    """Items of one type. Whoever writes holds `changing`, from before reading what it changes."""

    name: str
    """What one item is called."""

    adopted_per_search: int
    """Most items of another embedder that one search embeds again."""

    def __init__(self, store: VectorStore, embedder: Embedder) -> None:
        self._store = store
        self._embedder = embedder
        self._adopted: set[str] = set()
        self.changing = asyncio.Lock()

    async def put(self, item: T) -> T:
        """Write an item, replacing the one of its id; returns it with its embedding.

        One whose text stays what it was keeps its vector: no model is loaded to count a use.
        """
        vector = await self._known_vector(item)
        if vector is None:
            vector = await self._vector(self._texts(item))
        payload = {**self._dump(item), EMBEDDER: self._embedder.name}
        failpoint(f"memory: {self.name}, unwritten")
        await self._store.upsert(item.tenant, [Point(self._id(item), payload, vector)])
        failpoint(f"memory: {self.name}, written")
        return self._load(payload, vector)

    async def get(self, tenant: str, item_id: str) -> T | None:
        """The item of that id, or None."""
        point = await self._store.get(tenant, item_id)
        return None if point is None else self._load(point.payload, point.vector)

    async def first(self, tenant: str, where: Where) -> T | None:
        """Some item that fits, without its embedding, or None."""
        page = await self._store.scroll(tenant, where, 1)
        return next((self._load(point.payload, None) for point in page.points), None)

    async def some(self, tenant: str, where: Where) -> list[T]:
        """Items that fit, without embeddings, in no particular order: all of few, some of many."""
        page = await self._store.scroll(tenant, where, _FEW)
        return [self._load(point.payload, None) for point in page.points]

    async def every(self, tenant: str, where: Where = EVERYTHING) -> list[T]:
        """All items that fit, without embeddings, in no particular order."""
        items: list[T] = []
        after: str | None = None
        while True:
            page = await self._store.scroll(tenant, where, _PAGE, after)
            items += [self._load(point.payload, None) for point in page.points]
            if page.next is None:
                return items
            after = page.next

    async def nearest(
        self, tenant: str, where: Where, vector: Vector, limit: int
    ) -> list[tuple[T, float]]:
        """Items that fit with their cosine to `vector`, best first."""
        await self._adopt(tenant)
        same_space = {**where.equal, EMBEDDER: self._embedder.name}
        hits = await self._store.search(tenant, Where(same_space, where.unlike), vector, limit)
        return [(self._load(h.point.payload, h.point.vector), h.similarity) for h in hits]

    async def delete(self, tenant: str, where: Where) -> int:
        """Delete what fits, whichever embedder wrote it; returns how many there were."""
        return await self._store.delete(tenant, where)

    async def _adopt(self, tenant: str) -> None:
        if tenant in self._adopted:
            return
        async with self.changing:
            foreign = Where(unlike={EMBEDDER: self._embedder.name})
            page = await self._store.scroll(tenant, foreign, self.adopted_per_search)
            for point in page.points:
                await self.put(self._load(point.payload, None))
            if page.next is None:
                self._adopted.add(tenant)

    async def _known_vector(self, item: T) -> Vector | None:
        """The vector of the item as it is stored, if this embedder made it of the same text."""
        point = await self._store.get(item.tenant, self._id(item))
        if point is None or point.payload.get(EMBEDDER) != self._embedder.name:
            return None
        same = self._texts(self._load(point.payload, None)) == self._texts(item)
        return point.vector if same else None

    async def _vector(self, texts: Sequence[str]) -> Vector:
        vectors = await self._embedder.embed(texts)
        mean: Vector = vectors.mean(axis=0)
        length = float(mean @ mean) ** 0.5
        unit: Vector = mean / length if length else vectors[0]
        return unit

    @abstractmethod
    def _id(self, item: T) -> str: ...

    @abstractmethod
    def _texts(self, item: T) -> Sequence[str]: ...

    @abstractmethod
    def _dump(self, item: T) -> dict[str, Any]: ...

    @abstractmethod
    def _load(self, payload: Mapping[str, Any], vector: Vector | None) -> T: ...


class RecipeShelf(Shelf[Recipe]):
    """Recipes, each embedded by its intent.

    The plan and its argument templates are kept as JSON text: a plan must come back exactly, and
    a payload rounds large integers.
    """

    name = "recipe"
    adopted_per_search = 64

    def _id(self, item: Recipe) -> str:
        return item.recipe_id

    def _texts(self, item: Recipe) -> Sequence[str]:
        return (item.intent_text,)

    def _dump(self, item: Recipe) -> dict[str, Any]:
        return {
            **item.model_dump(mode="json", exclude={"intent_embedding"}),
            "plan_structure": json.dumps(item.plan_structure),
            "tool_argument_templates": json.dumps(item.tool_argument_templates),
            "meaning_key": item.meaning_key,
            "question_key": item.question_key,
            "standing": _standing(item),
        }

    def _load(self, payload: Mapping[str, Any], vector: Vector | None) -> Recipe:
        fields = {name: payload[name] for name in Recipe.model_fields if name in payload}
        if not fields.get("exact_question") and not placeholders(fields["intent_template"]):
            # Kept before remembered plans were told from recipes.
            fields["exact_question"] = fields["intent_template"].format()
            fields["intent_template"] = ""
        fields["plan_structure"] = json.loads(payload["plan_structure"])
        fields["tool_argument_templates"] = json.loads(payload["tool_argument_templates"])
        return Recipe(**fields, intent_embedding=() if vector is None else vector.tolist())


def _standing(recipe: Recipe) -> str:
    if recipe.quarantined:
        return QUARANTINED
    return REMEMBERED if recipe.exact_question else OFFERED


class DocumentShelf(Shelf[MemoryDocument]):
    """Documents; the vector of one is the mean of its passages' vectors."""

    name = "document"
    adopted_per_search = 2

    def _id(self, item: MemoryDocument) -> str:
        return item.document_id

    def _texts(self, item: MemoryDocument) -> Sequence[str]:
        return item.passages

    def _dump(self, item: MemoryDocument) -> dict[str, Any]:
        return {
            **item.model_dump(mode="json", exclude={"embedding"}),
            "metadata": json.dumps(item.metadata),
        }

    def _load(self, payload: Mapping[str, Any], vector: Vector | None) -> MemoryDocument:
        fields = {name: payload[name] for name in MemoryDocument.model_fields if name in payload}
        fields["metadata"] = json.loads(payload["metadata"])
        return MemoryDocument(**fields, embedding=() if vector is None else vector.tolist())
