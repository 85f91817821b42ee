"""Domains: named bodies of data that questions of conversations are put to, kept by the gateway."""

from __future__ import annotations

from collections.abc import Mapping

from assay.gateway.v1 import domain_service_pb2 as pb
from assay.gateway.v1 import domain_service_pb2_grpc
from clients.python.calls import answered

APPROVALS = {
    pb.TOOL_APPROVAL_NEW: "not approved",
    pb.TOOL_APPROVAL_APPROVED: "approved",
    pb.TOOL_APPROVAL_CHANGED: "changed since it was approved",
    pb.TOOL_APPROVAL_MISSING: "not offered by the server",
}
"""Whether a tool may be called, in words."""


class Domains:
    """DomainService as methods; every one raises AssayError."""

    def __init__(self, stub: domain_service_pb2_grpc.DomainServiceStub) -> None:
        self._stub = stub

    async def add(self, domain: pb.Domain) -> pb.Domain:
        """Keep a domain; repeating it changes nothing."""
        request = pb.RegisterDomainRequest(domain=domain)
        return (await answered(self._stub.RegisterDomain(request))).domain

    async def get(self, name: str) -> pb.Domain:
        """One of the caller's domains, or of the operator's."""
        return (await answered(self._stub.GetDomain(pb.GetDomainRequest(name=name)))).domain

    async def all(self) -> list[pb.Domain]:
        """The domains that the caller may ask, by name."""
        found: list[pb.Domain] = []
        token = ""
        while True:
            request = pb.ListDomainsRequest(page_token=token)
            page = await answered(self._stub.ListDomains(request))
            found += page.domains
            token = page.next_page_token
            if not token:
                return found

    async def enable(self, name: str, enabled: bool = True) -> pb.Domain:
        """Have questions put to a domain, or none."""
        domain = await self.get(name)
        domain.enabled = enabled
        request = pb.UpdateDomainRequest(domain=domain)
        return (await answered(self._stub.UpdateDomain(request))).domain

    async def remove(self, name: str) -> None:
        """Forget a domain; its data stays where it is."""
        await answered(self._stub.RemoveDomain(pb.RemoveDomainRequest(name=name)))

    async def tools(self, name: str) -> list[pb.DomainTool]:
        """The tools of a domain as its server describes them now."""
        request = pb.ListDomainToolsRequest(name=name)
        return list((await answered(self._stub.ListDomainTools(request))).tools)

    async def approve(self, name: str, digests: Mapping[str, str]) -> list[pb.DomainTool]:
        """Let tools be called as they were looked at, each by its digest; all of the domain."""
        tools = [pb.ToolDigest(name=tool, digest=digest) for tool, digest in digests.items()]
        request = pb.ApproveDomainToolsRequest(name=name, tools=tools)
        return list((await answered(self._stub.ApproveDomainTools(request))).tools)

    async def route(self, question: str) -> pb.RouteQuestionResponse:
        """Which domains a question is about; none of them is asked."""
        request = pb.RouteQuestionRequest(question=question)
        return await answered(self._stub.RouteQuestion(request))


def made_of(domain: pb.Domain) -> str:
    """What a domain is made of, for people."""
    kind = domain.WhichOneof("made_of")
    if kind == "source_name":
        return f"source {domain.source_name}"
    if kind == "mcp_server":
        return f"MCP server {domain.mcp_server}: {', '.join(domain.mcp_tools)}"
    return f"files of session {domain.session_id[:8]}"
