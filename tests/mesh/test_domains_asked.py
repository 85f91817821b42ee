"""Several domains are asked at once over real MCP servers, and their answers become one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path

import grpc
import pytest
import pytest_asyncio

from assay.common.v1 import data_pb2, routing_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.gateway.v1 import domain_service_pb2 as domains_pb
from assay.gateway.v1 import source_service_pb2 as sources_pb
from assay.planner.v1 import planner_service_pb2 as planner_pb
from mesh.clock import SystemClock
from mesh.ids import new_id
from mesh.testing.mcp_server import COMMAND, INJECTION, served_over_http
from mesh.testing.mesh import running_mesh
from services.__main__ import factories
from services.planner.adapters.executor import ExecutorTools
from services.planner.domain.analysis.request import AnalysisRequest
from services.planner.domain.routing.tool_call import CallStatus
from services.planner.routing.asking import DomainAnswer, DomainAsking, DomainQuestion
from tests.mesh.support import Caller

pytest.importorskip("mcp")


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with served_over_http() as url:
        named = {"warehouse": {"command": COMMAND}, "trade": {"url": url}}
        monkeypatch.setenv("ASSAY_EXECUTOR_MCP_SERVERS", json.dumps(named))
        yield


@pytest_asyncio.fixture
async def caller(home: Path, servers: None) -> AsyncIterator[Caller]:
    async with running_mesh(home, factories) as settings, Caller(settings, "ann") as caller:
        yield caller


async def digests(caller: Caller, server: str) -> dict[str, str]:
    request = executor_pb.ListDomainToolsRequest(server=server)
    offered = await caller.executor.ListDomainTools(request)
    return {tool.name: tool.digest for tool in offered.tools}


async def asked(
    caller: Caller, *questions: DomainQuestion, seconds: float = 40.0
) -> tuple[DomainAnswer, list[dict[str, object]]]:
    """The answer, and the rows of what was joined."""
    request = AnalysisRequest(
        request_id=new_id(), intent="what is in stock?", timestamp=datetime.now(UTC)
    )
    tools = ExecutorTools(caller.channel("executor"))
    try:
        asking = DomainAsking(tools, SystemClock(), call_seconds=seconds)
        answer = await asking.ask(request, new_id(), questions)
        rows = (await tools.read(answer.joined)).to_pylist() if answer.joined else []
        return answer, rows
    finally:
        await tools.close()


async def test_domains_are_asked_together_and_joined_by_what_both_have(caller: Caller) -> None:
    here, there = await asyncio.gather(digests(caller, "warehouse"), digests(caller, "trade"))
    stock = DomainQuestion(
        "stock", "warehouse", "stock_levels", here["stock_levels"], {"question": "how many?"}
    )
    suppliers = DomainQuestion("suppliers", "trade", "suppliers", there["suppliers"], {})
    words = DomainQuestion("remarks", "trade", "remarks", there["remarks"], {"question": "why?"})

    answer, rows = await asked(caller, stock, suppliers, words)

    assert [call.status for call in answer.tool_calls] == [CallStatus.COMPLETED] * 3
    assert not answer.partial_results
    assert answer.sources == ("stock.stock_levels", "suppliers.suppliers", "remarks.remarks")
    assert {(row["product"], row["units"], row["supplier"]) for row in rows} == {
        ("Tea", 12, "Assam Ltd"),
        ("Milk", 7, "Dairy Co"),
        ("Coffee", 0, None),
    }
    assert "stock and suppliers are joined by product." in answer.notes
    assert "1 row of stock has no partner in suppliers." in answer.notes
    # What the words order is not done: they are a file to cite, and called unchecked.
    assert len(answer.files) == 1 and not any(INJECTION in note for note in answer.notes)
    assert any("which were not checked" in note for note in answer.notes)


async def test_what_hangs_fails_or_changed_keeps_no_other_from_answering(caller: Caller) -> None:
    here = await digests(caller, "trade")
    answer, _ = await asked(
        caller,
        DomainQuestion("stock", "trade", "stock_levels", here["stock_levels"], {"question": "x"}),
        DomainQuestion("slow", "trade", "hangs", here["hangs"], {}),
        DomainQuestion("broken", "trade", "fails", here["fails"], {}),
        DomainQuestion("changed", "trade", "suppliers", "0" * 64, {}),
        DomainQuestion("nowhere", "elsewhere", "suppliers", "0" * 64, {}),
        seconds=15.0,
    )

    states = {call.domain: call.status for call in answer.tool_calls}
    assert states == {
        "stock": CallStatus.COMPLETED,
        "slow": CallStatus.TIMEOUT,
        "broken": CallStatus.FAILED,
        "changed": CallStatus.FAILED,
        "nowhere": CallStatus.FAILED,
    }
    assert answer.partial_results and list(answer.frames) == ["stock"] and answer.joined is None
    told = " ".join(answer.notes)
    assert "shelves are on fire" in told
    for domain in ("slow", "broken", "changed", "nowhere"):
        assert f"{domain} gave no answer" in told


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
