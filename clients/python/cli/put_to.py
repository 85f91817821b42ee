"""Which domains a question was put to, and how sure that is, at the command line."""

from __future__ import annotations

from typing import Any

from assay.common.v1.conversation_pb2 import AgentResponse
from clients.python.cli.screen import Screen
from clients.python.client import AssayClient


async def show_domains(screen: Screen, client: AssayClient) -> None:
    """The domains that questions will be put to, before the first is asked."""
    if screen.as_json:
        return
    names = [domain.name for domain in await client.domains.all() if domain.enabled]
    if names:
        screen.remark(f"questions are put to {', '.join(names)}")


def show_routing(screen: Screen, response: AgentResponse) -> None:
    """One line: the domains, how probably they are meant, and the sources of the answer."""
    routing = response.routing
    if not response.HasField("routing") or response.HasField("clarification"):
        return
    if not routing.identified_domains:  # the person said which
        if response.sources:
            screen.row("domain", ", ".join(response.sources), "cyan")
        return
    names = " and ".join(routing.identified_domains)
    others = " or ".join(one.domain for one in routing.alternatives)
    maybe = f" · or else {others}" if routing.ambiguity_detected and others else ""
    cited = f" · {', '.join(response.sources)}" if response.sources else ""
    screen.row("domain", f"{names} ({routing.confidence:.2f}){maybe}{cited}", "cyan")


def routing_object(response: AgentResponse) -> dict[str, Any] | None:
    """The same for machines; None where no domain was asked for."""
    if not response.HasField("routing"):
        return None
    routing = response.routing
    return {
        "identified": list(routing.identified_domains),
        "confidence": round(routing.confidence, 4),
        "ambiguous": routing.ambiguity_detected,
        "clarification_needed": routing.clarification_needed,
        "alternatives": [one.domain for one in routing.alternatives],
        "because": routing.reasoning,
    }
