"""The methods of ExecutorService about MCP servers."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import TYPE_CHECKING, Any

from grpc import aio

from assay.executor.v1 import executor_service_pb2 as pb
from assay.executor.v1 import executor_service_pb2_grpc
from mesh.errors import NOT_FOUND, AssayError

if TYPE_CHECKING:
    from services.executor.domains.asking import DomainTools

Context = aio.ServicerContext[Any, Any]
_MOST_SECONDS = 50.0


class DomainMethods(executor_service_pb2_grpc.ExecutorServiceServicer):
    """Which tools there are at servers elsewhere. They are called by the tool domain.call."""

    _domains: DomainTools | None

    async def ListDomainTools(
        self, request: pb.ListDomainToolsRequest, context: Context
    ) -> pb.ListDomainToolsResponse:
        """What a server offers now; it is asked no longer than the caller waits."""
        if self._domains is None:
            raise AssayError(NOT_FOUND, "this executor asks no MCP servers")
        left, gone = context.time_remaining(), threading.Event()
        seconds = _MOST_SECONDS if left is None else min(left, _MOST_SECONDS)
        try:
            offered = await asyncio.to_thread(self._domains.tools, request.server, seconds, gone)
        finally:
            gone.set()
        return pb.ListDomainToolsResponse(
            tools=[
                pb.OfferedTool(
                    name=tool.name,
                    description=tool.description,
                    input_schema_json=json.dumps(tool.input_schema, ensure_ascii=False),
                    digest=tool.digest,
                )
                for tool in offered
            ]
        )
