"""From what was asked to a picture."""

from __future__ import annotations

import pyarrow as pa

from mesh.tool import ToolContext
from services.executor.causal.drawing import (
    balance,
    contour,
    forest,
    graph,
    heterogeneity,
    overlap,
    paper,
)
from services.executor.causal.drawing.arguments import CausalDrawArguments

_OF_ESTIMATES = {"forest": forest.draw, "heterogeneity": heterogeneity.draw}
_OF_FRAMES = {"overlap": overlap.draw, "balance": balance.draw, "contour": contour.draw}


def picture(arguments: CausalDrawArguments, context: ToolContext) -> bytes:
    """The chart as PNG, the same bytes for the same arguments and frame. Raises ToolError."""
    title, subtitle = arguments.title, arguments.subtitle
    if arguments.kind in _OF_ESTIMATES:
        return paper.png(_OF_ESTIMATES[arguments.kind](arguments.estimates, title, subtitle))
    if arguments.kind in _OF_FRAMES:
        return paper.png(_OF_FRAMES[arguments.kind](_input(arguments, context), title, subtitle))
    return graph.draw_graph(
        arguments.nodes, arguments.edges, arguments.treatment, arguments.outcome, title, subtitle
    )


def _input(arguments: CausalDrawArguments, context: ToolContext) -> pa.Table:
    name = arguments.input
    if name is None or name not in context.inputs:
        raise paper.refused(
            f"There is no frame of a step {name!r}." if name else "It is not said what to draw.",
            "Set input to the task id of a step this one depends on.",
            field="input",
            candidates=sorted(context.inputs),
        )
    return context.inputs[name]
