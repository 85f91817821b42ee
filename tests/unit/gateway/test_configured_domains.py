"""The operator's domains are there for whom they are meant, and are changed in the file alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.gateway.v1 import domain_service_pb2 as pb
from gateway.adapters.domain_file import configured_domains
from mesh.errors import INVALID_ARGUMENT, AssayError
from tests.unit.gateway.conftest import Mesh

WAREHOUSE = """
domains:
  - name: warehouse
    display_name: Warehouse
    description: What lies on the shelves
    mcp_server: warehouse
    mcp_tools: [levels]
    tenants: [ann]
  - name: trade
    display_name: Trade
    capabilities: [Revenue by region]
    source_name: shop
    related_domains: [warehouse]
"""


@pytest.fixture
def limits(tmp_path: Path) -> dict[str, object]:
    path = tmp_path / "domains.yaml"
    path.write_text(WAREHOUSE)
    return {"gateway_domains": path}


def test_the_operators_file_holds_domains_for_all_or_some(tmp_path: Path) -> None:
    path = tmp_path / "domains.yaml"
    path.write_text(WAREHOUSE)

    (warehouse, some), (trade, everybody) = configured_domains(path)

    assert (warehouse.name, warehouse.place, some) == ("warehouse", "warehouse", ("ann",))
    assert (trade.related_domains, everybody) == (("warehouse",), ())
    assert trade.configured and configured_domains(None) == []


@pytest.mark.parametrize(
    "text",
    [
        "domains: [",
        "domains: 5",
        "other: []",
        "!!python/object/apply:os.system ['true']",
        WAREHOUSE.replace("related_domains: [warehouse]", "related_domains: [nowhere]"),
        WAREHOUSE.replace("name: trade", "name: warehouse"),
        WAREHOUSE.replace("name: trade", "name: Trade"),
        WAREHOUSE.replace("source_name: shop", "command: rm"),
        WAREHOUSE.replace("mcp_tools: [levels]", "mcp_tools: []"),
    ],
)
def test_a_file_that_breaks_a_rule_starts_no_gateway(tmp_path: Path, text: str) -> None:
    path = tmp_path / "domains.yaml"
    path.write_text(text)

    with pytest.raises(AssayError) as raised:
        configured_domains(path)
    assert raised.value.reason is INVALID_ARGUMENT
    assert "ASSAY_GATEWAY_DOMAINS" in raised.value.fields


async def test_the_operators_domains_are_there_and_stay_as_they_are(
    mesh: Mesh, refused: Callable[..., Any]
) -> None:
    anns = (await mesh.ann.domains.ListDomains(pb.ListDomainsRequest())).domains
    bobs = (await mesh.bob.domains.ListDomains(pb.ListDomainsRequest())).domains
    assert [domain.name for domain in anns] == ["trade", "warehouse"]
    assert [domain.name for domain in bobs] == ["trade"]
    assert all(domain.configured for domain in anns)

    mesh.peers.executor.mcp["warehouse"] = {"levels": "a" * 64}
    wanted = pb.ListDomainToolsRequest(name="warehouse")
    (tool,) = (await mesh.ann.domains.ListDomainTools(wanted)).tools
    assert tool.approval == pb.TOOL_APPROVAL_NEW
    taken = pb.Domain(name="trade", display_name="x", description="x", source_name="shop")
    with refused("NAME_TAKEN"):
        await mesh.ann.domains.RegisterDomain(pb.RegisterDomainRequest(domain=taken))
    with refused("NAME_TAKEN"):
        await mesh.ann.domains.UpdateDomain(pb.UpdateDomainRequest(domain=taken))
    with refused("NAME_TAKEN"):
        await mesh.ann.domains.RemoveDomain(pb.RemoveDomainRequest(name="trade"))
    with refused("NOT_FOUND"):
        await mesh.bob.domains.ListDomainTools(wanted)
