"""Tool causal.draw: the charts of a causal study."""

from __future__ import annotations

from mesh.tool import ToolContext, ToolFile, ToolResult, tool
from services.executor.causal.drawing.arguments import CausalDrawArguments


@tool("causal.draw", CausalDrawArguments)
def causal_draw(arguments: CausalDrawArguments, context: ToolContext) -> ToolResult:
    """Draw one chart of a causal study (PNG).

    The kinds are forest (estimates with their intervals, the chosen one strong, rejected ones
    pale), heterogeneity (the same by group), overlap and balance (of the frame of causal.overlap),
    contour (of the frame of causal.sensitivity with method omitted_variable) and graph (nodes and
    edges, treatment and outcome marked).
    """
    from services.executor.causal.drawing.build import picture
    from services.executor.plotting.text import slug

    content = picture(arguments, context)
    file = ToolFile(
        name=f"{slug(arguments.kind + ' ' + arguments.title)}.png",
        kind="chart",
        media_type="image/png",
        content=content,
        metadata={"chart_type": arguments.kind, "title": arguments.title},
    )
    return ToolResult(files=(file,), summary=f"a chart of the kind {arguments.kind}")
