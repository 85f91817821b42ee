"""DomainService: translates between the contract and the use cases of domains."""

from __future__ import annotations

from typing import Any

from grpc import aio

from assay.gateway.v1 import domain_service_pb2 as pb
from assay.gateway.v1 import domain_service_pb2_grpc
from gateway.domain.data_domain import Approval, DataDomain, DomainTool, MadeOf, domain_name
from gateway.domain.known_source import source_name
from gateway.domains.app import Domains
from gateway.domains.routing import QuestionRouting
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.ids import parse_id
from mesh.paging import page_size

Context = aio.ServicerContext[Any, Any]

_APPROVALS = {
    Approval.NEW: pb.TOOL_APPROVAL_NEW,
    Approval.APPROVED: pb.TOOL_APPROVAL_APPROVED,
    Approval.CHANGED: pb.TOOL_APPROVAL_CHANGED,
    Approval.MISSING: pb.TOOL_APPROVAL_MISSING,
}


class DomainServicer(domain_service_pb2_grpc.DomainServiceServicer):
    """Serves assay.gateway.v1.DomainService."""

    def __init__(self, domains: Domains, routing: QuestionRouting) -> None:
        self._domains = domains
        self._routing = routing

    async def RegisterDomain(
        self, request: pb.RegisterDomainRequest, context: Context
    ) -> pb.RegisterDomainResponse:
        """Keep a domain."""
        known = await self._domains.register(_domain(request.domain))
        return pb.RegisterDomainResponse(domain=_message(known))

    async def GetDomain(
        self, request: pb.GetDomainRequest, context: Context
    ) -> pb.GetDomainResponse:
        """One domain."""
        known = await self._domains.get(domain_name(request.name))
        return pb.GetDomainResponse(domain=_message(known))

    async def ListDomains(
        self, request: pb.ListDomainsRequest, context: Context
    ) -> pb.ListDomainsResponse:
        """Domains by name."""
        size = page_size(request.page_size, 100, 100)
        page, token = await self._domains.page(size, request.page_token)
        return pb.ListDomainsResponse(domains=map(_message, page), next_page_token=token)

    async def UpdateDomain(
        self, request: pb.UpdateDomainRequest, context: Context
    ) -> pb.UpdateDomainResponse:
        """Change a domain."""
        known = await self._domains.update(_domain(request.domain))
        return pb.UpdateDomainResponse(domain=_message(known))

    async def RemoveDomain(
        self, request: pb.RemoveDomainRequest, context: Context
    ) -> pb.RemoveDomainResponse:
        """Forget a domain."""
        await self._domains.remove(domain_name(request.name))
        return pb.RemoveDomainResponse()

    async def ListDomainTools(
        self, request: pb.ListDomainToolsRequest, context: Context
    ) -> pb.ListDomainToolsResponse:
        """A domain's tools as they are now."""
        tools = await self._domains.tools(domain_name(request.name))
        return pb.ListDomainToolsResponse(tools=map(_tool, tools))

    async def ApproveDomainTools(
        self, request: pb.ApproveDomainToolsRequest, context: Context
    ) -> pb.ApproveDomainToolsResponse:
        """Let tools be called."""
        digests = {tool.name: tool.digest for tool in request.tools}
        tools = await self._domains.approve(domain_name(request.name), digests)
        return pb.ApproveDomainToolsResponse(tools=map(_tool, tools))

    async def RouteQuestion(
        self, request: pb.RouteQuestionRequest, context: Context
    ) -> pb.RouteQuestionResponse:
        """Which domains a question is about."""
        return await self._routing.route(request.question, await self._domains.all())


def _domain(message: pb.Domain) -> DataDomain:
    """What was sent; when and by whom is not taken from it. Raises AssayError."""
    domain_name(message.name, "domain.name")
    made_of, place = _place(message)
    return DataDomain(
        tenant="",
        name=message.name,
        display_name=message.display_name,
        description=message.description,
        capabilities=tuple(message.capabilities),
        mcp_tools=tuple(message.mcp_tools),
        related_domains=tuple(message.related_domains),
        enabled=message.enabled,
        made_of=made_of,
        place=place,
    )


def _place(message: pb.Domain) -> tuple[MadeOf, str]:
    kind = message.WhichOneof("made_of")
    if kind == "session_id":
        return MadeOf.SESSION, parse_id(message.session_id, "domain.session_id")
    if kind == "source_name":
        return MadeOf.SOURCE, source_name(message.source_name, "domain.source_name")
    if kind == "mcp_server" and 0 < len(message.mcp_server) <= 2_000:
        return MadeOf.SERVER, message.mcp_server
    raise AssayError(
        INVALID_ARGUMENT,
        "a domain is made of a session's files, a source, or an MCP server",
        fields={"domain.made_of": "session_id, source_name or mcp_server"},
    )


def _message(domain: DataDomain) -> pb.Domain:
    message = pb.Domain(
        name=domain.name,
        display_name=domain.display_name,
        description=domain.description,
        capabilities=domain.capabilities,
        mcp_tools=domain.mcp_tools,
        related_domains=domain.related_domains,
        enabled=domain.enabled,
        configured=domain.configured,
    )
    setattr(message, domain.made_of.value, domain.place)
    if domain.created_at is not None:
        message.created_at.FromDatetime(domain.created_at)
    if domain.updated_at is not None:
        message.updated_at.FromDatetime(domain.updated_at)
    return message


def _tool(tool: DomainTool) -> pb.DomainTool:
    offered = tool.offered
    return pb.DomainTool(
        name=tool.name,
        description=offered.description if offered else "",
        input_schema_json=offered.input_schema if offered else "",
        digest=offered.digest if offered else "",
        approval=_APPROVALS[tool.approval],
        approved_digest=tool.approved_digest,
    )
