"""Qdrant as a server or a cluster, for memories that outgrow one machine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from mesh.errors import INVALID_ARGUMENT, SERVICE_UNAVAILABLE, AssayError
from services.memory.adapters.points import (
    TENANT,
    required,
    restored_entry,
    restored_point,
    storage_id,
    stored_payload,
)
from services.memory.ports import EVERYTHING, Hit, Page, Point, Vector, Where

if TYPE_CHECKING:
    from qdrant_client import AsyncQdrantClient, models


class ServedVectorStore:
    """A collection on a server, made when it is first reached and not there.

    It closes the client it was given. Every method also raises AssayError(INVALID_ARGUMENT) when
    the collection has vectors of another dimension.
    """

    def __init__(
        self,
        client: AsyncQdrantClient,
        collection: str,
        dimension: int,
        keywords: Sequence[str] = (),
    ) -> None:
        self._client = client
        self._collection = collection
        self._dimension = dimension
        self._keywords = tuple(keywords)
        self._opening = asyncio.Lock()
        self._opened = False

    @classmethod
    def at(
        cls,
        url: str,
        collection: str,
        dimension: int,
        keywords: Sequence[str] = (),
        *,
        api_key: str | None = None,
        timeout_seconds: int = 5,
    ) -> ServedVectorStore:
        """The collection on the server at `url`, which may be away until it is first used."""
        from qdrant_client import AsyncQdrantClient

        # The client's own version check would block the event loop.
        client = AsyncQdrantClient(
            url=url, api_key=api_key, timeout=timeout_seconds, check_compatibility=False
        )
        return cls(client, collection, dimension, keywords)

    async def open(self) -> None:
        """Make the collection and its indexes, as far as they are missing.

        Raises AssayError: SERVICE_UNAVAILABLE when the server does not answer in time,
        INVALID_ARGUMENT when the collection has vectors of another dimension.
        """
        async with self._using():
            return

    @asynccontextmanager
    async def _using(self) -> AsyncIterator[None]:
        async with _translated(self._collection):
            if not self._opened:
                async with self._opening:
                    await _ensure(self._client, self._collection, self._dimension, self._keywords)
                    self._opened = True
            try:
                yield
            except Exception:
                self._opened = False  # it may have lost the collection
                raise

    async def upsert(self, tenant: str, points: Sequence[Point]) -> None:
        """Write points; applied on the server when this returns."""
        from qdrant_client import models

        rows = [
            models.PointStruct(
                id=storage_id(tenant, point.point_id),
                vector=point.vector.tolist(),
                payload=stored_payload(tenant, point),
            )
            for point in points
        ]
        async with self._using():
            await self._client.upsert(self._collection, rows, wait=True)

    async def search(self, tenant: str, where: Where, vector: Vector, limit: int) -> list[Hit]:
        """The tenant's nearest points, best first."""
        async with self._using():
            found = await self._client.query_points(
                self._collection,
                query=vector.tolist(),
                query_filter=_filter(tenant, where),
                limit=limit,
                with_payload=True,
                with_vectors=True,
            )
        return [Hit(restored_point(hit.payload, hit.vector), hit.score) for hit in found.points]

    async def get(self, tenant: str, point_id: str) -> Point | None:
        """The tenant's point of that id, or None."""
        key = storage_id(tenant, point_id)
        async with self._using():
            found = await self._client.retrieve(
                self._collection, [key], with_payload=True, with_vectors=True
            )
        return next((restored_point(r.payload, r.vector) for r in found), None)

    async def scroll(self, tenant: str, where: Where, limit: int, after: str | None = None) -> Page:
        """The tenant's points in the order of their storage ids."""
        async with self._using():
            found, following = await self._client.scroll(
                self._collection,
                scroll_filter=_filter(tenant, where),
                limit=limit,
                offset=after,
                with_payload=True,
                with_vectors=False,
            )
        points = tuple(restored_entry(record.payload) for record in found)
        return Page(points, None if following is None else str(following))

    async def delete(self, tenant: str, where: Where) -> int:
        """Delete the tenant's points that fit; returns how many there were just before."""
        from qdrant_client import models

        chosen = _filter(tenant, where)
        async with self._using():
            count = await self._client.count(self._collection, count_filter=chosen, exact=True)
            if count.count:
                await self._client.delete(
                    self._collection, models.FilterSelector(filter=chosen), wait=True
                )
        return count.count

    async def count(self, tenant: str, where: Where = EVERYTHING) -> int:
        """How many of the tenant's points fit."""
        async with self._using():
            found = await self._client.count(
                self._collection, count_filter=_filter(tenant, where), exact=True
            )
        return found.count

    async def close(self) -> None:
        """Close the client's connections."""
        await self._client.close()


async def _ensure(
    client: AsyncQdrantClient, collection: str, dimension: int, keywords: Sequence[str]
) -> None:
    from qdrant_client import models

    if not await client.collection_exists(collection):
        await client.create_collection(
            collection,
            vectors_config=models.VectorParams(size=dimension, distance=models.Distance.COSINE),
        )
    information = await client.get_collection(collection)
    vectors = information.config.params.vectors
    size = vectors.size if isinstance(vectors, models.VectorParams) else None
    if size != dimension:
        raise AssayError(
            INVALID_ARGUMENT,
            f"collection {collection} was not made for vectors of {dimension} numbers "
            f"(it has {size})",
            hint="Choose the embedder it was made with, or another collection.",
        )
    for key in (TENANT, *keywords):
        if key not in information.payload_schema:
            kind = models.KeywordIndexParams(
                type=models.KeywordIndexType.KEYWORD, is_tenant=key == TENANT
            )
            await client.create_payload_index(collection, key, field_schema=kind, wait=True)


def _filter(tenant: str, where: Where) -> models.Filter:
    from qdrant_client import models

    def condition(key: str, value: str) -> models.Condition:
        return models.FieldCondition(key=key, match=models.MatchValue(value=value))

    return models.Filter(
        must=[
            condition(TENANT, required(tenant)),
            *(condition(key, value) for key, value in where.equal.items()),
        ],
        must_not=[condition(key, value) for key, value in where.unlike.items()],
    )


@asynccontextmanager
async def _translated(collection: str) -> AsyncIterator[None]:
    """Turn the client's errors into ours; the server's own words stay in the cause."""
    from qdrant_client.http.exceptions import ApiException

    try:
        yield
    except ApiException as error:
        raise AssayError(
            SERVICE_UNAVAILABLE,
            f"Qdrant did not serve collection {collection} ({type(error).__name__})",
            hint="Check that the Qdrant server runs, and its URL and key.",
            metadata={"collection": collection},
        ) from error
