"""A mesh with domains of data and of tools, and a conversation that is about none by itself."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from assay.common.v1 import data_pb2
from assay.gateway.v1 import audit_service_pb2 as audit_pb
from assay.gateway.v1 import conversation_service_pb2 as pb
from assay.gateway.v1 import domain_service_pb2 as domains_pb
from assay.gateway.v1 import source_service_pb2 as sources_pb
from mesh.ids import new_id
from mesh.testing.mcp_server import COMMAND
from mesh.testing.mesh import running_mesh
from services.__main__ import factories
from tests.mesh.support import Caller
from tests.mesh.test_conversations import Turn, said

SALES = """sale,product,region,amount,sold_on
1,Tea,North,10,2024-01-05
2,Milk,South,20,2024-02-05
3,Tea,South,30,2024-02-07
4,Bread,North,40,2024-03-09
"""
VISITS = """visit,harbour,region,skipper,came_on
1,Kiel,Baltic,Ida,2024-01-05
2,Oslo,Skagerrak,Bo,2024-02-05
3,Kiel,Baltic,Ida,2024-03-01
"""
SAYS: Mapping[str, tuple[str, Sequence[str]]] = {
    "trade": ("What is sold: amounts of products", ("Total amount by product",)),
    "harbours": ("Ships' visits to harbours", ("Visits of each skipper", "Visits by harbour")),
    "stock": ("Units of products in the warehouse", ("Stock levels: units in stock of products",)),
    "supply": ("Suppliers of products", ("Which supplier delivers a product",)),
    "remarks": ("Remarks of the staff in words", ("What the staff remarks on complaints",)),
}


class DomainTalk:
    """A conversation that names no sources."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self.conversation = ""

    async def say(self, words: str) -> Turn:
        request = pb.AskRequest(
            request_id=new_id(), conversation_id=self.conversation, content=words
        )
        turn = await said(self.caller, request)
        self.conversation = turn.asked.conversation.conversation_id
        return turn


def domain(name: str, **made_of: object) -> domains_pb.Domain:
    about, capabilities = SAYS[name]
    return domains_pb.Domain(
        name=name,
        display_name=name.capitalize(),
        description=about,
        capabilities=capabilities,
        enabled=True,
        **made_of,  # type: ignore[arg-type]  # fields of the message, by name
    )


async def data_domain(caller: Caller, name: str, text: str, folder: Path) -> None:
    """A domain of a file under a name."""
    file = folder / f"{name}.csv"
    file.write_text(text)
    source = data_pb2.DataSource(file_path=str(file))
    await caller.sources.AddSource(sources_pb.AddSourceRequest(name=name, source=source))
    wanted = domain(name, source_name=name)
    await caller.domains.RegisterDomain(domains_pb.RegisterDomainRequest(domain=wanted))


async def tool_domain(
    caller: Caller, name: str, server: str, *tools: str, approve: bool = True
) -> None:
    """A domain of tools of an MCP server."""
    wanted = domain(name, mcp_server=server, mcp_tools=tools)
    await caller.domains.RegisterDomain(domains_pb.RegisterDomainRequest(domain=wanted))
    if approve:
        await approved(caller, name)


async def approved(caller: Caller, name: str) -> None:
    """All tools of a domain as they are now."""
    listed = await caller.domains.ListDomainTools(domains_pb.ListDomainToolsRequest(name=name))
    digests = [domains_pb.ToolDigest(name=tool.name, digest=tool.digest) for tool in listed.tools]
    await caller.domains.ApproveDomainTools(
        domains_pb.ApproveDomainToolsRequest(name=name, tools=digests)
    )


async def verified(caller: Caller, job_id: str) -> None:
    """Every check of the job holds."""
    found = await caller.records.VerifyJob(audit_pb.VerifyJobRequest(job_id=job_id))
    assert found.checks and found.ok, found


@asynccontextmanager
async def world(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    servers: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
    command: Sequence[str] = COMMAND,
) -> AsyncIterator[Caller]:
    """A mesh that knows the MCP server "warehouse" over its streams, and others by URL."""
    named: dict[str, object] = {
        "warehouse": {"command": command, "environment": dict(environment or {})}
    }
    named |= {name: {"url": url} for name, url in (servers or {}).items()}
    monkeypatch.setenv("ASSAY_EXECUTOR_MCP_SERVERS", json.dumps(named))
    async with running_mesh(home, factories) as settings, Caller(settings, "ann") as caller:
        yield caller
