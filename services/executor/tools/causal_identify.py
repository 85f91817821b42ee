"""causal.identify: which estimands a causal graph identifies, and by which columns."""

from __future__ import annotations

from pydantic import Field

from mesh.tool import ToolArguments, ToolContext, ToolResult, tool
from services.executor.causal.discovery.orientations import GraphEdge


class IdentifyArguments(ToolArguments):
    """A graph with directed, undirected, bidirected (a hidden common cause) and partial edges.

    `latent` are nodes without data.
    """

    nodes: tuple[str, ...] = Field(min_length=2, max_length=200)
    edges: tuple[GraphEdge, ...] = Field(max_length=2000)
    treatment: str
    outcome: str
    latent: tuple[str, ...] = ()
    before: tuple[str, ...] = Field(
        default=(), max_length=200, description="columns known to have come before the treatment"
    )


@tool("causal.identify", IdentifyArguments)
def causal_identify(arguments: IdentifyArguments, context: ToolContext) -> ToolResult:
    """Say what identifies the effect of a treatment on an outcome in a causal graph.

    A row for each estimand: strategy (backdoor, instrument, frontdoor, or none and why), its
    variables, what an instrument is one given, what must stay out of an adjustment and why, and
    whether it holds in every graph that undirected and partial edges allow.
    """
    import pyarrow as pa

    from services.executor.causal.discovery.identification import SCHEMA, identify

    rows = identify(
        arguments.nodes,
        arguments.edges,
        arguments.treatment,
        arguments.outcome,
        arguments.latent,
        arguments.before,
    )
    good = [row["strategy"] for row in rows if row["identified"]]
    return ToolResult(
        frame=pa.Table.from_pylist(rows, schema=SCHEMA),
        summary=f"identified by {', '.join(dict.fromkeys(good))}" if good else "not identified",
        notes=() if good else (rows[0]["assumptions"],),
    )
