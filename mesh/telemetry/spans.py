"""Every span of every service and every attribute of spans, declared once before they are used.

`mesh.telemetry.tracing.span` and the interceptors begin them; docs/telemetry.md lists them, which a
test holds against this table, and another holds all that a running mesh tells against it. No
attribute may hold what a caller wrote or what data holds; those of CONTENT do where the operator
asks for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from mesh.config import SERVICES
from mesh.telemetry.instruments import ERROR, SERVICE

ATTRIBUTES = {
    SERVICE: "which service it belongs to, as several may share a process",
    ERROR: "why it failed",
    "assay.job": "the job's id",
    "assay.decision": "what is decided: `plan` or `repair`",
    "assay.lookup": "what a model looked up before it answered: `find_values` and others",
    "assay.found": "how much it found, or why nothing",
    "assay.cost": "what the tokens cost, where the price is set",
    "gen_ai.operation.name": "`chat`",
    "gen_ai.provider.name": "`openai` or `anthropic`",
    "gen_ai.request.model": "the model's name",
    "gen_ai.usage.input_tokens": "tokens, as the endpoint counts them; estimated where it does not",
    "gen_ai.usage.output_tokens": "the same",
    "rpc.system.name": "as OpenTelemetry's conventions define it",
    "rpc.method": "the same",
    "rpc.response.status_code": "the same",
    "server.address": "which executor sends a frame, as its caller reaches it",
    "server.port": "the same",
    "gen_ai.input.messages": "prompts",
    "gen_ai.output": "answers",
}
CONTENT = frozenset({"gen_ai.input.messages", "gen_ai.output"})
"""Told only where ASSAY_LLM_TRACE_CONTENT is set: they hold what somebody asked."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A span. `name` ends with a space where more follows it, such as a tool's name; `services`
    begin it; `attributes` are those it may have besides the service and why it failed."""

    name: str
    services: tuple[str, ...]
    attributes: tuple[str, ...] = ()


RPC = Declared(
    "",
    (*SERVICES, "client", "grpc"),  # a command's, and gRPC's own: health and reflection
    (
        "rpc.system.name",
        "rpc.method",
        "rpc.response.status_code",
        "server.address",  # of transfers by Arrow Flight, of whose servers there are several
        "server.port",
    ),
)
"""A call between services, by gRPC or Flight, named <package>.<Service>/<Method>: both ends have
one."""

SPANS = (
    Declared("assay ", ("client",)),
    Declared("analysis", ("planner",), ("assay.job",)),
    Declared("investigation", ("planner",), ("assay.job",)),
    Declared("causal", ("planner",), ("assay.job",)),
    Declared("decide plan", ("planner",)),
    Declared("check plan", ("planner",)),
    Declared(
        "ask model",
        ("planner",),
        (
            *(name for name in ATTRIBUTES if name.startswith("gen_ai.")),
            "assay.cost",
            "assay.decision",
        ),
    ),
    Declared("look up for model", ("planner",), ("assay.lookup", "assay.found")),
    Declared("step ", ("planner",)),
    Declared("conclude", ("planner",)),
    Declared("open sources", ("executor",)),
    Declared("probe queries", ("executor",)),
    Declared("tool ", ("executor",)),
    Declared("query", ("executor",)),
    Declared("sandbox", ("executor",)),
    Declared("domain call", ("executor",)),
)


def declared(name: str) -> Declared | None:
    """What a span of that name is declared as; None for one that is not."""
    for each in SPANS:
        if name == each.name or (each.name.endswith(" ") and name.startswith(each.name)):
            return each
    return RPC if "/" in name and " " not in name else None
