"""Qdrant's engine in this process, on a folder of its own: no server, one owner at a time.

Calls block, so one thread of the store's own makes them, in order. A write is in the write-ahead
log when it returns and survives `kill -9`; a power cut may take what the system had not yet
written to disk.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from mesh.errors import HOME_BUSY, INVALID_ARGUMENT, SERVICE_UNAVAILABLE, AssayError
from mesh.failpoint import failpoint
from services.memory.adapters.points import (
    TENANT,
    required,
    restored_point,
    storage_id,
    stored_payload,
)
from services.memory.ports import EVERYTHING, Hit, Page, Point, Vector, Where

if TYPE_CHECKING:
    import qdrant_edge

R = TypeVar("R")


class EdgeVectorStore:
    """A collection in a folder. Open it with `open`; close it to let another process have it."""

    def __init__(self, folder: Path, thread: ThreadPoolExecutor, shard: qdrant_edge.EdgeShard):
        self._folder = folder
        self._thread = thread
        self._shard: qdrant_edge.EdgeShard | None = shard

    @classmethod
    async def open(
        cls, folder: Path, dimension: int, keywords: Sequence[str] = ()
    ) -> EdgeVectorStore:
        """Open the collection in `folder`, or make it; `keywords` are the fields filtered on.

        Raises AssayError: HOME_BUSY while another process owns the folder, INVALID_ARGUMENT when
        its vectors have another dimension, SERVICE_UNAVAILABLE when it cannot be read.
        """
        thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"qdrant-{folder.name}")
        loop = asyncio.get_running_loop()
        try:
            shard = await loop.run_in_executor(thread, _open_shard, folder, dimension, keywords)
        except BaseException:
            thread.shutdown(wait=False)
            raise
        return cls(folder, thread, shard)

    async def upsert(self, tenant: str, points: Sequence[Point]) -> None:
        """Write points; in the write-ahead log when this returns."""
        import qdrant_edge as edge

        rows = [
            edge.Point(
                storage_id(tenant, point.point_id),
                point.vector.tolist(),
                stored_payload(tenant, point),
            )
            for point in points
        ]
        await self._run(lambda shard: shard.update(edge.UpdateOperation.upsert_points(rows)))

    async def search(self, tenant: str, where: Where, vector: Vector, limit: int) -> list[Hit]:
        """The tenant's nearest points, best first."""
        import qdrant_edge as edge

        request = edge.QueryRequest(
            limit=limit,
            query=edge.Query.Nearest(vector.tolist()),
            filter=_filter(tenant, where),
            with_payload=True,
            with_vector=True,
        )
        found = await self._run(lambda shard: shard.query(request))
        return [Hit(restored_point(hit.payload, hit.vector), hit.score) for hit in found]

    async def get(self, tenant: str, point_id: str) -> Point | None:
        """The tenant's point of that id, or None."""
        key = storage_id(tenant, point_id)
        found = await self._run(lambda shard: shard.retrieve([key], True, True))
        return next((restored_point(r.payload, r.vector) for r in found), None)

    async def scroll(self, tenant: str, where: Where, limit: int, after: str | None = None) -> Page:
        """The tenant's points in the order of their storage ids."""
        import qdrant_edge as edge

        request = edge.ScrollRequest(
            offset=after,
            limit=limit,
            filter=_filter(tenant, where),
            with_payload=True,
            with_vector=True,
        )
        found, following = await self._run(lambda shard: shard.scroll(request))
        points = tuple(restored_point(record.payload, record.vector) for record in found)
        return Page(points, None if following is None else str(following))

    async def delete(self, tenant: str, where: Where) -> int:
        """Delete the tenant's points that fit; returns how many there were."""
        import qdrant_edge as edge

        chosen = _filter(tenant, where)

        def count_and_delete(shard: edge.EdgeShard) -> int:
            count = shard.count(edge.CountRequest(filter=chosen))
            if count:
                shard.update(edge.UpdateOperation.delete_points_by_filter(chosen))
            return count

        return await self._run(count_and_delete)

    async def count(self, tenant: str, where: Where = EVERYTHING) -> int:
        """How many of the tenant's points fit."""
        import qdrant_edge as edge

        request = edge.CountRequest(filter=_filter(tenant, where))
        return await self._run(lambda shard: shard.count(request))

    async def optimize(self) -> None:
        """Rebuild segments and indexes: maintenance, during which every other call waits."""
        await self._run(lambda shard: shard.optimize())

    async def close(self) -> None:
        """Flush to disk and give up the folder."""
        shard, self._shard = self._shard, None
        if shard is None:
            return

        def flush_and_close() -> None:
            shard.flush()
            shard.close()

        await asyncio.get_running_loop().run_in_executor(self._thread, flush_and_close)
        self._thread.shutdown(wait=False)

    async def _run(self, call: Callable[[qdrant_edge.EdgeShard], R]) -> R:
        shard = self._shard
        if shard is None:
            raise AssayError(SERVICE_UNAVAILABLE, f"memory in {self._folder} is closed")
        return await asyncio.get_running_loop().run_in_executor(self._thread, call, shard)


def _filter(tenant: str, where: Where) -> qdrant_edge.Filter:
    import qdrant_edge as edge

    def condition(key: str, value: str) -> edge.ConditionType:
        return edge.FieldCondition(key=key, match=edge.MatchValue(value=value))

    return edge.Filter(
        must=[
            condition(TENANT, required(tenant)),
            *(condition(key, value) for key, value in where.equal.items()),
        ],
        must_not=[condition(key, value) for key, value in where.unlike.items()],
    )


def _open_shard(folder: Path, dimension: int, keywords: Sequence[str]) -> qdrant_edge.EdgeShard:
    import qdrant_edge as edge

    vectors = edge.EdgeVectorParams(size=dimension, distance=edge.Distance.Cosine)
    config = edge.EdgeConfig(vectors=vectors)
    if not folder.exists():
        _create(folder, config)
        failpoint("memory: collection, moved")
    try:
        shard = edge.EdgeShard.load(str(folder), config)
    except Exception as error:  # qdrant_edge raises nothing narrower
        raise _opening_error(folder, dimension, str(error)) from error
    indexed = shard.info().payload_schema
    for key in (TENANT, *keywords):
        if key not in indexed:
            kind = edge.PayloadSchemaType.Keyword
            shard.update(edge.UpdateOperation.create_field_index(key, kind))
            failpoint("memory: collection, indexed")
    return shard


def _create(folder: Path, config: qdrant_edge.EdgeConfig) -> None:
    """Make the collection aside and move it into place, so that no crash leaves half of one."""
    import qdrant_edge as edge

    folder.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        edge.EdgeShard.create(str(aside), config).close()
        failpoint("memory: collection, aside")
        try:
            aside.rename(folder)
        except OSError:
            if not folder.exists():  # else another process was first, and its folder is as good
                raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _opening_error(folder: Path, dimension: int, problem: str) -> AssayError:
    if "WouldBlock" in problem:
        return AssayError(HOME_BUSY, f"another process has memory in {folder} open")
    if "vector size" in problem:
        return AssayError(
            INVALID_ARGUMENT,
            f"memory in {folder} was not made for vectors of {dimension} numbers: {problem}",
            hint="Choose the embedder it was made with, or another folder.",
        )
    return AssayError(
        SERVICE_UNAVAILABLE,
        f"memory in {folder} cannot be opened: {problem}",
        hint="Move the folder away to start with an empty memory; nothing else is lost.",
    )
