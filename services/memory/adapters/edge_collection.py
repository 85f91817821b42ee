"""Collections of Qdrant's engine, each in a folder of its own: one owner at a time.

This runs in the process of `edge_child`, never in a service: the engine writes through maps of
sparse files, and the system kills whoever writes there when the disk is full. Vectors are lists of
numbers here, and a write is on the disk when it returns.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import qdrant_edge as edge

from mesh.errors import HOME_BUSY, INVALID_ARGUMENT, SERVICE_UNAVAILABLE, AssayError
from mesh.processes.failpoint import failpoint
from mesh.storage.files import building_folder, sweep
from services.memory.adapters.points import TENANT

# Every index takes megabytes of sparse file, and what has fewer points is looked through as fast.
_INDEXED_FROM = 1_000
# An owner that was just killed lets go when its process notices.
_BUSY_SECONDS, _BUSY_LOOK_SECONDS = 2.0, 0.05

Fields = Sequence[tuple[str, str]]
Row = tuple[dict[str, Any], list[float]]


class Collection:
    """The points in one folder. Each method is one of a vector store, on plain values."""

    def __init__(self, folder: Path, dimension: int, keywords: Sequence[str]) -> None:
        """Open the folder, or make it; `keywords` are the fields that are filtered on.

        Raises AssayError: HOME_BUSY while another process owns the folder, INVALID_ARGUMENT when
        its vectors have another dimension, SERVICE_UNAVAILABLE when it cannot be read.
        """
        # Cold: pages are read when they are asked for, not all of a sparse file when it is opened.
        vectors = edge.EdgeVectorParams(
            size=dimension, distance=edge.Distance.Cosine, memory=edge.Memory.Cold
        )
        if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
            # Its log would be two sparse files of 32 MiB; what is flushed needs none.
            _create(folder, edge.EdgeConfig(vectors=vectors, wal_enabled=False))
            failpoint("memory: collection, moved")
        self._lock = _owned(folder)
        try:
            self._shard = edge.EdgeShard.load(str(folder), edge.EdgeConfig(vectors=vectors))
        except Exception as error:  # qdrant_edge raises nothing narrower
            os.close(self._lock)
            raise _opening_error(folder, dimension, str(error)) from error
        self._keywords = (TENANT, *keywords)

    def open(self) -> None:
        """Nothing more: whoever asks for a collection opens it."""

    def upsert(self, rows: Sequence[tuple[str, list[float], dict[str, Any]]]) -> None:
        """Write points given as storage id, vector and payload."""
        points = [edge.Point(key, vector, payload) for key, vector, payload in rows]
        self._shard.update(edge.UpdateOperation.upsert_points(points))
        self._index()
        self._shard.flush()

    def search(
        self, equal: Fields, unlike: Fields, vector: list[float], limit: int
    ) -> list[tuple[dict[str, Any], list[float], float]]:
        """Payload, vector and similarity of the nearest points, best first."""
        request = edge.QueryRequest(
            limit=limit,
            query=edge.Query.Nearest(vector),
            filter=_filter(equal, unlike),
            with_payload=True,
            with_vector=True,
        )
        return [(*_row(hit), hit.score) for hit in self._shard.query(request)]

    def get(self, key: str) -> list[Row]:
        """The point of that storage id, if there is one."""
        return [_row(record) for record in self._shard.retrieve([key], True, True)]

    def scroll(
        self, equal: Fields, unlike: Fields, limit: int, after: str | None
    ) -> tuple[list[dict[str, Any]], str | None]:
        """Payloads of points in the order of their storage ids, and where to go on."""
        request = edge.ScrollRequest(
            offset=after,
            limit=limit,
            filter=_filter(equal, unlike),
            with_payload=True,
            with_vector=False,
        )
        found, following = self._shard.scroll(request)
        payloads = [dict(record.payload or {}) for record in found]
        return payloads, None if following is None else str(following)

    def delete(self, equal: Fields, unlike: Fields) -> int:
        """Delete the points that fit; returns how many there were."""
        chosen = _filter(equal, unlike)
        count = self._shard.count(edge.CountRequest(filter=chosen))
        if count:
            self._shard.update(edge.UpdateOperation.delete_points_by_filter(chosen))
            self._shard.flush()
        return count

    def count(self, equal: Fields, unlike: Fields) -> int:
        """How many points fit."""
        return self._shard.count(edge.CountRequest(filter=_filter(equal, unlike)))

    def close(self) -> None:
        """Flush to disk and give up the folder."""
        self._shard.flush()
        self._shard.close()
        os.close(self._lock)

    def _index(self) -> None:
        """Index the fields that are filtered on, once there is much to look through."""
        shard_info = self._shard.info()
        if shard_info.points_count < _INDEXED_FROM:
            return
        for key in self._keywords:
            if key not in shard_info.payload_schema:
                kind = edge.PayloadSchemaType.Keyword
                self._shard.update(edge.UpdateOperation.create_field_index(key, kind))
                failpoint("memory: collection, indexed")


def _row(record: Any) -> Row:
    return dict(record.payload or {}), list(record.vector)


def _filter(equal: Fields, unlike: Fields) -> edge.Filter:
    def condition(key: str, value: str) -> edge.ConditionType:
        return edge.FieldCondition(key=key, match=edge.MatchValue(value=value))

    return edge.Filter(
        must=[condition(key, value) for key, value in equal],
        must_not=[condition(key, value) for key, value in unlike],
    )


def _owned(folder: Path) -> int:
    """The folder, locked as long as this descriptor is open. Raises AssayError(HOME_BUSY)."""
    descriptor = os.open(folder, os.O_RDONLY)
    give_up = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return descriptor
        except BlockingIOError:
            if time.monotonic() > give_up:
                os.close(descriptor)
                raise AssayError(
                    HOME_BUSY, f"another process has memory in {folder} open"
                ) from None
        time.sleep(_BUSY_LOOK_SECONDS)


def _create(folder: Path, config: edge.EdgeConfig) -> None:
    """Make the collection aside and move it into place, so that no crash leaves half of one."""
    sweep(folder.parent)
    with building_folder(folder.parent) as rejected:
        edge.EdgeShard.create(str(rejected), config).close()
        failpoint("memory: collection, aside")
        try:
            rejected.rename(folder)
        except OSError:
            if not folder.exists():  # else another process was first, and its folder is as good
                raise


def _opening_error(folder: Path, dimension: int, problem: str) -> AssayError:
    if "vector size" in problem:
        return AssayError(
            INVALID_ARGUMENT,
            f"memory in {folder} was not made for vectors of {dimension} numbers",
            hint="Choose the embedder it was made with, or another folder.",
        )
    return AssayError(
        SERVICE_UNAVAILABLE,
        f"memory in {folder} is damaged and cannot be opened",
        hint="Move the folder away to start with an empty memory; nothing else is lost.",
        metadata={"problem": problem},
    )
