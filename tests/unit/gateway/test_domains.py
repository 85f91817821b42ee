"""Domains are registered by the rules of seed 003, and tools are called as they were approved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from assay.gateway.v1 import domain_service_pb2 as pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from mesh.ids import new_id
from tests.unit.gateway.conftest import Mesh

Refused = Callable[..., Any]


def stock(name: str = "stock", **changed: Any) -> pb.Domain:
    given: dict[str, Any] = {
        "display_name": "Stock",
        "description": "What lies on the shelves",
        "mcp_tools": ["levels"],
        "mcp_server": "warehouse",
        "enabled": True,
    }
    return pb.Domain(name=name, **(given | changed))


async def registered(mesh: Mesh, domain: pb.Domain) -> pb.Domain:
    request = pb.RegisterDomainRequest(domain=domain)
    return (await mesh.ann.domains.RegisterDomain(request)).domain


async def tools(mesh: Mesh, name: str = "stock") -> dict[str, pb.DomainTool]:
    answer = await mesh.ann.domains.ListDomainTools(pb.ListDomainToolsRequest(name=name))
    return {tool.name: tool for tool in answer.tools}


async def approve(mesh: Mesh, digest: str, tool: str = "levels") -> None:
    named = pb.ToolDigest(name=tool, digest=digest)
    request = pb.ApproveDomainToolsRequest(name="stock", tools=[named])
    await mesh.ann.domains.ApproveDomainTools(request)


@pytest.fixture
def offering(mesh: Mesh) -> dict[str, str]:
    """The tools of the server "warehouse", with their digests; tests change them."""
    offered = {"levels": "a" * 64, "orders": "b" * 64}
    mesh.peers.executor.mcp["warehouse"] = offered
    return offered


async def test_a_domain_is_kept_shown_changed_and_forgotten(
    mesh: Mesh, offering: dict[str, str], refused: Refused
) -> None:
    made = await registered(mesh, stock(capabilities=["Units on hand"]))
    assert (made.mcp_server, list(made.capabilities)) == ("warehouse", ["Units on hand"])
    assert made.created_at.seconds > 0 and not made.configured
    assert await registered(mesh, stock(capabilities=["Units on hand"])) == made
    with refused("NAME_TAKEN"):
        await registered(mesh, stock())

    offering.clear()  # to disable it, its server is not needed
    changed = stock(enabled=False, capabilities=["Units on hand"])
    updated = await mesh.ann.domains.UpdateDomain(pb.UpdateDomainRequest(domain=changed))
    assert not updated.domain.enabled
    assert (await mesh.ann.domains.GetDomain(pb.GetDomainRequest(name="stock"))) == (
        pb.GetDomainResponse(domain=updated.domain)
    )
    await mesh.ann.domains.RemoveDomain(pb.RemoveDomainRequest(name="stock"))
    with refused("NOT_FOUND"):
        await mesh.ann.domains.GetDomain(pb.GetDomainRequest(name="stock"))


@pytest.mark.parametrize(
    ("broken", "field"),
    [
        (stock("Stock"), "domain.name"),
        (stock("stock-levels"), "domain.name"),
        (stock("s" * 64), "domain.name"),
        (stock(display_name=" "), "display_name"),
        (stock(description="", capabilities=[]), "description"),
        (stock(description="x" * 2_001), "description"),
        (stock(capabilities=["x", "x"]), "capabilities"),
        (stock(capabilities=["x" * 201]), "capabilities"),
        (stock(mcp_tools=[]), "mcp_tools"),
        (stock(mcp_tools=["nothing_of_the_kind"]), "mcp_tools"),
        (stock(related_domains=["stock"]), "related_domains"),
        (stock(related_domains=["nowhere"]), "related_domains"),
        (stock(mcp_server=""), "domain.made_of"),
        (pb.Domain(name="stock", display_name="x", description="x"), "domain.made_of"),
    ],
)
async def test_what_breaks_a_rule_is_refused(
    mesh: Mesh, offering: dict[str, str], refused: Refused, broken: pb.Domain, field: str
) -> None:
    with refused("INVALID_ARGUMENT") as error:
        await registered(mesh, broken)
    assert field in error.fields


async def test_what_it_is_made_of_has_to_be_there(mesh: Mesh, refused: Refused) -> None:
    with refused("NOT_FOUND"):
        await registered(mesh, stock())
    places: tuple[dict[str, Any], ...] = ({"session_id": new_id()}, {"source_name": "shop"})
    for made_of in places:
        with refused("NOT_FOUND"):
            await registered(
                mesh, pb.Domain(name="x", display_name="x", description="x", **made_of)
            )
    create = sessions_pb.CreateSessionRequest(request_id=new_id())
    session = (await mesh.ann.sessions.CreateSession(create)).session.session_id
    of_files = pb.Domain(name="x", display_name="x", description="x", session_id=session)
    assert (await registered(mesh, of_files)).session_id == session
    with refused("INVALID_ARGUMENT"):
        await tools(mesh, "x")


async def test_a_related_domain_is_not_forgotten(
    mesh: Mesh, offering: dict[str, str], refused: Refused
) -> None:
    await registered(mesh, stock())
    await registered(mesh, stock("orders", related_domains=["stock"]))
    with refused("DOMAIN_REFERRED_TO"):
        await mesh.ann.domains.RemoveDomain(pb.RemoveDomainRequest(name="stock"))


async def test_a_tool_is_approved_as_it_was_looked_at_and_until_it_changes(
    mesh: Mesh, offering: dict[str, str], refused: Refused
) -> None:
    await registered(mesh, stock())
    assert {name: tool.approval for name, tool in (await tools(mesh)).items()} == {
        "levels": pb.TOOL_APPROVAL_NEW
    }
    await approve(mesh, "a" * 64)
    assert (await tools(mesh))["levels"].approval == pb.TOOL_APPROVAL_APPROVED

    offering["levels"] = "c" * 64
    changed = (await tools(mesh))["levels"]
    assert changed.approval == pb.TOOL_APPROVAL_CHANGED
    assert (changed.digest, changed.approved_digest) == ("c" * 64, "a" * 64)
    with refused("TOOL_CHANGED"):
        await approve(mesh, "a" * 64)
    with refused("NOT_FOUND"):
        await approve(mesh, "b" * 64, "orders")
    await approve(mesh, "c" * 64)
    assert (await tools(mesh))["levels"].approval == pb.TOOL_APPROVAL_APPROVED

    del offering["levels"]
    assert (await tools(mesh))["levels"].approval == pb.TOOL_APPROVAL_MISSING


async def test_pages_go_by_name(mesh: Mesh, offering: dict[str, str], refused: Refused) -> None:
    for name in ("c", "a", "b"):
        await registered(mesh, stock(name))
    first = await mesh.ann.domains.ListDomains(pb.ListDomainsRequest(page_size=2))
    rest = await mesh.ann.domains.ListDomains(
        pb.ListDomainsRequest(page_size=2, page_token=first.next_page_token)
    )
    assert [d.name for d in first.domains] == ["a", "b"]
    assert [d.name for d in rest.domains] == ["c"] and not rest.next_page_token
    with refused("INVALID_ARGUMENT"):
        await mesh.ann.domains.ListDomains(pb.ListDomainsRequest(page_token="nonsense"))
    assert not (await mesh.bob.domains.ListDomains(pb.ListDomainsRequest())).domains


async def test_only_enabled_domains_are_compared_with_a_question(
    mesh: Mesh, offering: dict[str, str]
) -> None:
    await registered(mesh, stock("away", enabled=False))
    await registered(mesh, stock("here"))

    answer = await mesh.ann.domains.RouteQuestion(pb.RouteQuestionRequest(question="what is on?"))

    assert list(answer.decision.identified_domains) == ["here"] and not answer.notes
