"""`assay domain check`: whether domains can be asked now, and which a question would be put to."""

from __future__ import annotations

from typing import Any

from assay.common.v1.routing_pb2 import RoutingOutcome
from assay.gateway.v1.domain_service_pb2 import TOOL_APPROVAL_APPROVED, Domain
from clients.python.cli.connection import Place, connected
from clients.python.cli.domain_commands import show_tool, tool_object
from clients.python.cli.screen import Screen
from clients.python.cli.words import count
from clients.python.client import AssayClient
from clients.python.domains import made_of
from clients.python.question import Question
from mesh.errors import AssayError, ExitCode

_OUTCOMES = {
    RoutingOutcome.ROUTING_OUTCOME_ROUTED: "put to",
    RoutingOutcome.ROUTING_OUTCOME_UNCLEAR: "asked back: which of",
    RoutingOutcome.ROUTING_OUTCOME_OUT_OF_SCOPE: "out of scope; nearest",
}


async def check_domains(screen: Screen, place: Place, name: str) -> int:
    """Look at what a domain, or each of all, is made of; the exit code says whether all can be
    asked."""
    async with connected(place, screen) as client:
        domains = [await client.domains.get(name)] if name else await client.domains.all()
        found = [await _checked(screen, client, domain) for domain in domains]
    if screen.as_json:
        screen.object({"domains": found})
    elif not found:
        screen.show("no domains yet: add one, assay domain add NAME --source NAME")
    return ExitCode.ANSWERED if all(one["ok"] for one in found) else ExitCode.COULD_NOT_ANSWER


async def _checked(screen: Screen, client: AssayClient, domain: Domain) -> dict[str, Any]:
    values: dict[str, Any] = {"domain": domain.name, "enabled": domain.enabled, "ok": True}
    state = "" if domain.enabled else " · disabled"
    screen.row("domain", f"{domain.name} · {made_of(domain)}{state}")
    try:
        if domain.mcp_server:
            await _tools(screen, client, domain, values)
        elif domain.source_name:
            look = await client.look(Question(text="look", on=(domain.source_name,)))
            values["tables"] = [table.name for table in look.tables]
            screen.row("data", f"{count(len(look.tables), 'table')}, readable")
    except AssayError as error:
        values |= {"ok": False, "error": {"reason": error.reason.code, "message": error.message}}
        screen.row("error", f"{error.reason.code} · {error.message}", "red")
        screen.row("", error.remedy)
    return values


async def _tools(screen: Screen, client: AssayClient, domain: Domain, told: dict[str, Any]) -> None:
    tools = await client.domains.tools(domain.name)
    told["tools"] = [tool_object(tool) for tool in tools]
    open_ = [tool.name for tool in tools if tool.approval != TOOL_APPROVAL_APPROVED]
    told["ok"] = not open_
    for tool in tools:
        show_tool(screen, tool)
    if open_:
        screen.line("approve", f"assay domain approve {domain.name} {' '.join(open_)}")


async def check_question(screen: Screen, place: Place, question: str) -> int:
    """Show which domains a question would be put to; none is asked."""
    async with connected(place, screen) as client:
        routed = await client.domains.route(question)
    decision = routed.decision
    near = [other.domain for other in decision.alternatives]
    names = list(decision.identified_domains) or near
    if screen.as_json:
        screen.object(
            {
                "question": question,
                "outcome": RoutingOutcome.Name(decision.outcome).removeprefix("ROUTING_OUTCOME_"),
                "identified": list(decision.identified_domains),
                "alternatives": near,
                "confidence": round(decision.confidence, 4),
                "because": decision.reasoning,
                "notes": list(routed.notes),
            }
        )
        return ExitCode.ANSWERED
    screen.row("routing", f"{_OUTCOMES[decision.outcome]} {', '.join(names)}")
    screen.row("confidence", f"{decision.confidence:.2f}")
    screen.row("because", decision.reasoning)
    for note in routed.notes:
        screen.row("note", note)
    return ExitCode.ANSWERED
