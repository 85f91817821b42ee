"""figures.collect: the figures that a question asked for, under the names it gave them."""

from __future__ import annotations

from mesh.tool import ToolContext, ToolResult, tool
from services.executor.statistics.figures import CollectArguments


@tool("figures.collect", CollectArguments)
def figures_collect(arguments: CollectArguments, context: ToolContext) -> ToolResult:
    """Gather figures from the frames of earlier steps, rounded and judged as was asked.

    The frame has a row for each figure: `about`, what the question calls it (else empty);
    `statistic`, the figure in plain words; `value`, the number rounded as asked (ties to even; null
    for a text); `text`, the same as it is to be told; `asked`, "@name[text]" where it has a name;
    and `exact`, the number as it was found.
    """
    from services.executor.statistics.collecting import collect

    return collect(arguments.figures, context)
