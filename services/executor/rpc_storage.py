"""The method of ExecutorService about how much is stored."""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

from grpc import aio

from assay.common.v1 import operation_pb2
from assay.executor.v1 import executor_service_pb2 as pb
from assay.executor.v1 import executor_service_pb2_grpc
from mesh.context import current
from services.executor.domain.stored_item import StoredKind, StoredUse
from services.executor.ports import StorageFigures

Context = aio.ServicerContext[Any, Any]
_KINDS = {
    StoredKind.FRAME: operation_pb2.STORAGE_KIND_FRAME,
    StoredKind.ARTIFACT: operation_pb2.STORAGE_KIND_ARTIFACT,
    StoredKind.CALL: operation_pb2.STORAGE_KIND_CALL,
    StoredKind.SOURCE: operation_pb2.STORAGE_KIND_UPLOAD,
}


class Keeping(NamedTuple):
    """How long things stay, in seconds: what nobody needs, and a source as it was read, 0 for
    ever."""

    grace: float
    source: float


class StorageMethods(executor_service_pb2_grpc.ExecutorServiceServicer):
    """A part of the servicer; it changes nothing."""

    _figures: StorageFigures
    _keeping: Keeping

    async def GetStorage(
        self, request: pb.GetStorageRequest, context: Context
    ) -> pb.GetStorageResponse:
        """By sort, the tenant's and everybody's."""
        own = await asyncio.to_thread(self._figures.of, current().tenant)
        whole = await asyncio.to_thread(self._figures.whole)
        told = pb.GetStorageResponse(uses=map(_use, own), whole=map(_use, whole))
        told.grace.FromMilliseconds(round(self._keeping.grace * 1000))
        if self._keeping.source:
            told.source_keeps.FromMilliseconds(round(self._keeping.source * 1000))
        return told


def _use(use: StoredUse) -> operation_pb2.StorageUse:
    message = operation_pb2.StorageUse(
        kind=_KINDS[use.kind],
        service="executor",
        items=use.items,
        bytes=use.bytes,
        going_items=use.going_items,
        going_bytes=use.going_bytes,
    )
    if use.goes_at is not None:
        message.goes_at.FromMilliseconds(round(use.goes_at * 1000))
    return message
