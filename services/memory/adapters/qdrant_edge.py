"""Qdrant's engine without a server, in a process beside this one, on a folder.

The folder is made by the first write: what was never written to claims no room.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mesh.errors import SERVICE_UNAVAILABLE, AssayError
from services.memory.adapters.edge_process import EdgeProcess
from services.memory.adapters.points import (
    TENANT,
    required,
    restored_entry,
    restored_point,
    storage_id,
    stored_payload,
)
from services.memory.ports import EVERYTHING, Hit, Page, Point, Vector, Where

ROOM_BYTES = 64 << 20
"""Free bytes below which nothing is written, unless told otherwise."""


class EdgeVectorStore:
    """A collection in a folder, of vectors of `dimension` numbers.

    `keywords` are the fields that are filtered on. Every method also raises AssayError: HOME_BUSY
    while another process has the folder, INVALID_ARGUMENT when its vectors have another dimension,
    SERVICE_UNAVAILABLE when it is damaged; writes do so with less than `room_bytes` free.
    """

    def __init__(
        self,
        process: EdgeProcess,
        folder: Path,
        dimension: int,
        keywords: Sequence[str] = (),
        *,
        room_bytes: int = ROOM_BYTES,
    ) -> None:
        self._process = process
        self._folder = folder
        self._dimension = dimension
        self._keywords = list(keywords)
        self._room_bytes = room_bytes

    async def open(self) -> None:
        """Open the folder now, if there is one: whatever is wrong with it is told at once."""
        await self._read("open", nothing=None)

    async def upsert(self, tenant: str, points: Sequence[Point]) -> None:
        """Write points; on the disk when this returns."""
        rows = [
            [storage_id(tenant, p.point_id), p.vector.tolist(), stored_payload(tenant, p)]
            for p in points
        ]
        self._check_room()
        await self._call("upsert", rows)

    async def search(self, tenant: str, where: Where, vector: Vector, limit: int) -> list[Hit]:
        """The tenant's nearest points, best first."""
        chosen = _chosen(tenant, where)
        found = await self._read("search", *chosen, vector.tolist(), limit, nothing=[])
        return [Hit(restored_point(payload, vector), score) for payload, vector, score in found]

    async def get(self, tenant: str, point_id: str) -> Point | None:
        """The tenant's point of that id, or None."""
        found = await self._read("get", storage_id(tenant, point_id), nothing=[])
        return next((restored_point(payload, vector) for payload, vector in found), None)

    async def scroll(self, tenant: str, where: Where, limit: int, after: str | None = None) -> Page:
        """The tenant's points in the order of their storage ids."""
        chosen = _chosen(tenant, where)
        found, following = await self._read("scroll", *chosen, limit, after, nothing=([], None))
        return Page(tuple(map(restored_entry, found)), following)

    async def delete(self, tenant: str, where: Where) -> int:
        """Delete the tenant's points that fit; returns how many there were."""
        deleted: int = await self._read("delete", *_chosen(tenant, where), nothing=0)
        return deleted

    async def count(self, tenant: str, where: Where = EVERYTHING) -> int:
        """How many of the tenant's points fit."""
        counted: int = await self._read("count", *_chosen(tenant, where), nothing=0)
        return counted

    async def close(self) -> None:
        """Nothing: the process that holds the folder lets go of it when it is closed."""

    async def _read(self, method: str, *arguments: Any, nothing: Any) -> Any:
        """What a call gives; `nothing` where there is no folder to ask about."""
        return await self._call(method, *arguments) if self._folder.exists() else nothing

    async def _call(self, method: str, *arguments: Any) -> Any:
        return await self._process.call(
            {
                "folder": str(self._folder),
                "dimension": self._dimension,
                "keywords": self._keywords,
                "method": method,
                "arguments": arguments,
            }
        )

    def _check_room(self) -> None:
        place = next(p for p in (self._folder, *self._folder.parents) if p.exists())
        free = shutil.disk_usage(place).free
        if free < self._room_bytes:
            raise AssayError(
                SERVICE_UNAVAILABLE,
                f"the disk of {self._folder} has {free >> 20:,} MiB left; memory writes nothing "
                f"below {self._room_bytes >> 20:,}",
                hint="Make room there, or lower ASSAY_MEMORY_ROOM_BYTES.",
            )


def _chosen(tenant: str, where: Where) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Fields that are equal, the tenant always among them, and fields that are not."""
    return [(TENANT, required(tenant)), *where.equal.items()], [*where.unlike.items()]
