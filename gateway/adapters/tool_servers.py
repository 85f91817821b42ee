"""MCP servers as the executor sees them; implements `gateway.domains.ports.ToolServers`."""

from __future__ import annotations

from assay.executor.v1 import executor_service_pb2 as pb
from assay.executor.v1 import executor_service_pb2_grpc
from gateway.domain.data_domain import Offered
from mesh.transport.patience import patient


class ExecutorToolServers:
    """Asks the executor, which alone holds servers' secrets."""

    def __init__(self, executor: executor_service_pb2_grpc.ExecutorServiceStub) -> None:
        self._executor = executor

    async def tools(self, server: str) -> list[Offered]:
        """What a server offers now."""
        request = pb.ListDomainToolsRequest(server=server)
        answer = await patient("executor", self._executor.ListDomainTools, request)
        return [
            Offered(tool.name, tool.description, tool.input_schema_json, tool.digest)
            for tool in answer.tools
        ]
