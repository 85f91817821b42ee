"""What memory does: keep recipes and documents, and recall those that fit.

Writes that read first (merging, counting) wait for each other inside one process. Two processes
on one Qdrant server that change one recipe in the same instant may lose one count or keep two
recipes of one meaning; nothing else depends on either.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from mesh.errors import INVALID_ARGUMENT, NOT_FOUND, AssayError
from mesh.faults import faults_of
from services.memory.domain.document import MemoryDocument, RecalledDocument
from services.memory.domain.recipe import TOP_RECIPES, RecalledRecipe, Recipe, question_key
from services.memory.domain.values import Fingerprint, Identifier, Tenant
from services.memory.ports import Embedder, Vector, Vectors, VectorStore, Where
from services.memory.shelf import OFFERED, QUARANTINED, DocumentShelf, RecipeShelf

MOST_RESULTS = 50
_KEPT_QUERIES = 512
LONGEST_QUERY = 2_000
MOST_TEXTS = 64
LONGEST_TEXT = 200

V = TypeVar("V")

_TENANT: TypeAdapter[str] = TypeAdapter(Tenant)
_IDENTIFIER: TypeAdapter[str] = TypeAdapter(Identifier)
_FINGERPRINT: TypeAdapter[str] = TypeAdapter(Fingerprint)


class Memory:
    """The use cases of the memory service.

    Every method raises AssayError: INVALID_ARGUMENT for a malformed argument, NOT_FOUND for an
    id that is not the tenant's, SERVICE_UNAVAILABLE when the vector store is away.
    """

    def __init__(
        self,
        recipes: VectorStore,
        documents: VectorStore,
        embedder: Embedder,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._embedder = embedder
        self._recipes = RecipeShelf(recipes, embedder)
        self._documents = DocumentShelf(documents, embedder)
        self._now = now
        # Questions are repeated, and embedding one is most of what a recall takes.
        self._asked: OrderedDict[tuple[str, str], Vector] = OrderedDict()

    async def warm(self) -> None:
        """Load the embedder now rather than in the first request."""
        await self._embedder.embed(["warm"])

    async def store_recipe(self, recipe: Recipe) -> Recipe:
        """Remember a plan that worked; returns the recipe as it is now remembered.

        Storing an id again changes nothing. Storing the template and fingerprint of a known
        recipe under another id folds into that one, whose success count rises.
        """
        async with self._recipes.changing:
            if known := await self._known_recipe(recipe.tenant, recipe.recipe_id):
                return known
            alike = Where({"meaning_key": recipe.meaning_key})
            if same := await self._recipes.first(recipe.tenant, alike):
                return await self._recipes.put(same.absorbing(recipe))
            return await self._recipes.put(recipe)

    async def recall_recipes(
        self, tenant: str, fingerprint: str, intent: str, limit: int = TOP_RECIPES
    ) -> list[RecalledRecipe]:
        """Recipes worth adapting, the likeliest first, at most `limit`.

        Those learnt from this very question on the same schemas come alone: nothing has to be
        embedded or searched for them. Else those of the same schemas come first, ranked by
        cosine, and places left over go to recipes of other schemas that mean the same, marked as
        not exact. Quarantined recipes are never among them.
        """
        tenant = _checked(_TENANT, "tenant", tenant)
        fingerprint = _checked(_FINGERPRINT, "fingerprint", fingerprint)
        limit = _limit(limit)
        if learnt := await self._learnt_from(tenant, fingerprint, intent):
            return [
                RecalledRecipe(recipe=recipe, similarity=1.0, exact_fingerprint=True)
                for recipe in learnt[:limit]
            ]
        _check_query("intent", intent)
        if await self._recipes.first(tenant, Where({"standing": OFFERED})) is None:
            return []  # and no model was loaded for nothing
        vector = await self._query_vector("intent", intent)
        same = Where({"schema_fingerprint": fingerprint, "standing": OFFERED})
        other = Where({"standing": OFFERED}, unlike={"schema_fingerprint": fingerprint})
        exact = await self._recipes.nearest(tenant, same, vector, limit)
        weaker = (
            await self._recipes.nearest(tenant, other, vector, limit - len(exact))
            if len(exact) < limit
            else []
        )
        return [
            RecalledRecipe(recipe=recipe, similarity=similarity, exact_fingerprint=True)
            for recipe, similarity in exact
        ] + [
            RecalledRecipe(recipe=recipe, similarity=similarity, exact_fingerprint=False)
            for recipe, similarity in weaker
            if similarity >= self._embedder.same_meaning
        ]

    async def record_outcome(
        self, tenant: str, recipe_id: str, succeeded: bool, outcome_id: str = "", why: str = ""
    ) -> Recipe:
        """Count one reuse of a recipe; returns the recipe with its new counts.

        A success is a use and forgives earlier failures; the third failure in a row quarantines.
        An `outcome_id` (the job's, say) makes the call safe to repeat. `why` it failed is kept
        for people.
        """
        tenant = _checked(_TENANT, "tenant", tenant)
        if outcome_id:
            outcome_id = _checked(_IDENTIFIER, "outcome_id", outcome_id)
        async with self._recipes.changing:
            recipe = await self.get_recipe(tenant, recipe_id)
            if outcome_id and outcome_id in recipe.outcome_ids:
                return recipe
            counted = (
                recipe.succeeded(self._now(), outcome_id)
                if succeeded
                else recipe.failed(outcome_id, why)
            )
            return await self._recipes.put(counted)

    async def get_recipe(self, tenant: str, recipe_id: str) -> Recipe:
        """The recipe of that id, or the one it was folded into."""
        tenant = _checked(_TENANT, "tenant", tenant)
        recipe_id = _checked(_IDENTIFIER, "recipe_id", recipe_id)
        recipe = await self._known_recipe(tenant, recipe_id)
        if recipe is None:
            raise _not_found("recipe", recipe_id)
        return recipe

    async def list_recipes(
        self, tenant: str, limit: int = 100, after: tuple[datetime, str] | None = None
    ) -> list[Recipe]:
        """The tenant's recipes, quarantined ones too, last used first, without embeddings.

        Only those that follow the one last used at `after`, with that id, if it is given.
        """
        tenant = _checked(_TENANT, "tenant", tenant)
        recipes = await self._recipes.every(tenant)
        recipes.sort(key=lambda recipe: (recipe.last_used_at, recipe.recipe_id), reverse=True)
        if after is not None:
            recipes = [r for r in recipes if (r.last_used_at, r.recipe_id) < after]
        return recipes[: max(limit, 0)]

    async def delete_recipe(self, tenant: str, recipe_id: str) -> None:
        """Forget a recipe, and with it those that were folded into it."""
        async with self._recipes.changing:
            recipe = await self.get_recipe(tenant, recipe_id)
            await self._recipes.delete(recipe.tenant, Where({"recipe_id": recipe.recipe_id}))

    async def store_document(self, document: MemoryDocument) -> MemoryDocument:
        """Remember a document, replacing the one of its id."""
        async with self._documents.changing:
            return await self._documents.put(document)

    async def search_documents(
        self, tenant: str, query: str, limit: int = 5, session_id: str = ""
    ) -> list[RecalledDocument]:
        """The tenant's documents nearest to a query, of one session or of all; best first."""
        tenant = _checked(_TENANT, "tenant", tenant)
        equal: dict[str, str] = {}
        if session_id:
            equal["session_id"] = _checked(_IDENTIFIER, "session_id", session_id)
        vector = await self._query_vector("query", query)
        found = await self._documents.nearest(tenant, Where(equal), vector, _limit(limit))
        return [
            RecalledDocument(document=document, similarity=similarity)
            for document, similarity in found
        ]

    async def forget(self, tenant: str, session_id: str) -> int:
        """Delete all documents of a session; returns how many there were."""
        tenant = _checked(_TENANT, "tenant", tenant)
        session_id = _checked(_IDENTIFIER, "session_id", session_id)
        async with self._documents.changing:
            return await self._documents.delete(tenant, Where({"session_id": session_id}))

    async def embed_texts(self, texts: Sequence[str]) -> tuple[str, Vectors | None]:
        """The embedder's name and a vector for each short text; none where it knows no meaning.

        Nothing is kept: who asks keeps what it wants to ask about again.
        """
        if not 1 <= len(texts) <= MOST_TEXTS:
            raise _invalid("texts", f"are {len(texts):,}; send from 1 to {MOST_TEXTS}")
        if any(not text.strip() or len(text) > LONGEST_TEXT for text in texts):
            raise _invalid("texts", f"must each have from 1 to {LONGEST_TEXT} characters")
        if not self._embedder.by_meaning:
            return self._embedder.name, None
        return self._embedder.name, await self._embedder.embed(texts)

    async def _learnt_from(self, tenant: str, fingerprint: str, question: str) -> list[Recipe]:
        """Recipes that this question left, last used first."""
        key = question_key(fingerprint, question)
        usable = Where({"question_key": key}, unlike={"standing": QUARANTINED})
        recipes = await self._recipes.some(tenant, usable)
        return sorted(recipes, key=lambda recipe: recipe.last_used_at, reverse=True)

    async def _known_recipe(self, tenant: str, recipe_id: str) -> Recipe | None:
        if known := await self._recipes.get(tenant, recipe_id):
            return known
        into = await self._recipes.first(tenant, Where({"merged_ids": recipe_id}))
        return into and await self._recipes.get(tenant, into.recipe_id)

    async def _query_vector(self, field: str, text: str) -> Vector:
        _check_query(field, text)
        key = (self._embedder.name, text)
        if (known := self._asked.get(key)) is not None:
            self._asked.move_to_end(key)
            return known
        vectors = await self._embedder.embed([text])
        vector: Vector = vectors[0]
        self._asked[key] = vector
        if len(self._asked) > _KEPT_QUERIES:
            self._asked.popitem(last=False)
        return vector


def _checked(adapter: TypeAdapter[V], field: str, value: V) -> V:
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        raise _invalid(field, next(iter(faults_of(error, field).values()))) from None


def _check_query(field: str, text: str) -> None:
    if not text.strip():
        raise _invalid(field, "is empty; say what to look for")
    if len(text) > LONGEST_QUERY:
        raise _invalid(field, f"has {len(text):,} characters; at most {LONGEST_QUERY:,} fit")


def _limit(limit: int) -> int:
    if not 1 <= limit <= MOST_RESULTS:
        raise _invalid("limit", f"is {limit}; choose from 1 to {MOST_RESULTS}")
    return limit


def _invalid(field: str, problem: str) -> AssayError:
    return AssayError(INVALID_ARGUMENT, f"{field} {problem}", fields={field: problem})


def _not_found(kind: str, item_id: str) -> AssayError:
    return AssayError(
        NOT_FOUND, f"there is no {kind} {item_id}, or it is not yours", metadata={kind: item_id}
    )
