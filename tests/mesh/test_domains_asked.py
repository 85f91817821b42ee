"""Domains are registered, looked at, approved, and questions routed to them, through the mesh."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
import pytest_asyncio

from assay.common.v1 import data_pb2, routing_pb2
from assay.gateway.v1 import domain_service_pb2 as domains_pb
from assay.gateway.v1 import source_service_pb2 as sources_pb
from assay.planner.v1 import planner_service_pb2 as planner_pb
from mesh.config import MeshSettings
from mesh.ids import new_id
from mesh.testing.mcp_server import COMMAND, served_over_http
from tests.mesh import shared
from tests.mesh.support import Caller

pytest.importorskip("mcp")
pytestmark = shared.ON_ONE_LOOP


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def knowing() -> AsyncIterator[MeshSettings]:
    """A mesh that knows of two servers of tools."""
    with served_over_http() as url:
        named = {"warehouse": {"command": COMMAND}, "trade": {"url": url}}
        given = {"ASSAY_EXECUTOR_MCP_SERVERS": json.dumps(named)}
        async with shared.settled_mesh(given) as settings:
            yield settings


@pytest_asyncio.fixture(loop_scope="session")
async def caller(knowing: MeshSettings) -> AsyncIterator[Caller]:
    async with Caller(knowing, f"ann-{new_id()[:8]}") as caller:
        yield caller


async def test_a_domain_is_registered_looked_at_and_approved_through_the_gateway(
    caller: Caller,
) -> None:
    domain = domains_pb.Domain(
        name="stock",
        display_name="Stock",
        description="What lies on the shelves",
        mcp_server="trade",
        mcp_tools=["stock_levels"],
        enabled=True,
    )
    await caller.domains.RegisterDomain(domains_pb.RegisterDomainRequest(domain=domain))
    listed = await caller.domains.ListDomainTools(domains_pb.ListDomainToolsRequest(name="stock"))
    (tool,) = listed.tools
    assert tool.approval == domains_pb.TOOL_APPROVAL_NEW
    assert "question" in tool.input_schema_json

    approved = await caller.domains.ApproveDomainTools(
        domains_pb.ApproveDomainToolsRequest(
            name="stock",
            tools=[domains_pb.ToolDigest(name=tool.name, digest=tool.digest)],
        )
    )
    assert approved.tools[0].approval == domains_pb.TOOL_APPROVAL_APPROVED


async def test_a_question_is_routed_by_what_domains_say_and_hold(caller: Caller) -> None:
    sales = planner_pb.RoutableDomain(
        name="sales", display_name="Sales", capabilities=["Revenue by region"]
    )
    cities = planner_pb.RoutableDomain(
        name="cities",
        display_name="Cities",
        tables=[planner_pb.RoutableTable(name="city", columns=["mayor"], values=["New Haven"])],
    )

    async def routed(question: str) -> routing_pb2.DomainRoutingDecision:
        request = planner_pb.RouteQuestionRequest(question=question, domains=[sales, cities])
        return (await caller.planner.RouteQuestion(request)).decision

    assert list((await routed("revenue by region")).identified_domains) == ["sales"]
    assert list((await routed("Who is mayor of New Haven?")).identified_domains) == ["cities"]
    strange = await routed("Who wrote Hamlet?")
    assert strange.outcome == routing_pb2.ROUTING_OUTCOME_OUT_OF_SCOPE
    assert strange.clarification_needed and not strange.identified_domains
    with pytest.raises(grpc.RpcError):
        await routed(" ")


async def test_registered_domains_are_told_apart_by_their_data(
    caller: Caller, sales: Path, tmp_path: Path
) -> None:
    gone = tmp_path / "gone.csv"
    gone.write_text("ship,captain\nArgo,Jason\n")
    for name, path in (("sold", sales), ("gone", gone)):
        source = data_pb2.DataSource(file_path=str(path))
        await caller.sources.AddSource(sources_pb.AddSourceRequest(name=name, source=source))
    gone.unlink()
    for name, source_name in (("trade", "sold"), ("voyages", "gone")):
        domain = domains_pb.Domain(
            name=name, display_name=name, description="x", source_name=source_name, enabled=True
        )
        await caller.domains.RegisterDomain(domains_pb.RegisterDomainRequest(domain=domain))

    request = domains_pb.RouteQuestionRequest(question="total quantity of each product")
    answer = await caller.domains.RouteQuestion(request)

    assert list(answer.decision.identified_domains) == ["trade"]
    assert "its data has quantity, product" in answer.decision.reasoning
    assert [note for note in answer.notes if "The data of voyages was not looked at" in note]
