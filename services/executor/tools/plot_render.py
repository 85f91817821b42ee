"""Tool plot.render: a frame as a chart that people can read and trust."""

from __future__ import annotations

import pyarrow as pa

from mesh.tool import ErrorCategory, ToolContext, ToolError, ToolFile, ToolResult, tool
from services.executor.plotting.arguments import ChartType, PlotArguments
from services.executor.plotting.build import build_chart
from services.executor.plotting.request import read_request
from services.executor.plotting.text import slug

ALONE = "No chart is drawn: a single number has nothing to be compared with."


@tool("plot.render", PlotArguments, needs=("matplotlib.figure", "matplotlib.backends.backend_agg"))
def plot_render(arguments: PlotArguments, context: ToolContext) -> ToolResult:
    """Draw a frame of an earlier step as a chart (PNG).

    The kinds are bar, grouped_bar, stacked_bar, line, multi_line, area, pie, scatter, histogram,
    box, heatmap and waterfall. Values should be aggregated already, one row for each point drawn;
    histogram, box and scatter take single rows. A kind that would mislead is replaced and a note
    says why. A heatmap has x_col as columns, series_col as rows and y_col as values. A single row
    gives no chart: it comes back as it is, with a note that says so.
    """
    task_id, table = _input(arguments, context)
    if table.num_rows == 1 and arguments.type is not ChartType.HEATMAP:
        request = read_request(table, arguments)  # what is wrong with them is told all the same
        if arguments.y_col is not None:
            request.measure()
        return ToolResult(frame=table, summary="no chart of one row", notes=(ALONE,))
    chart = build_chart(table, arguments)
    if context.cancelled.is_set():
        raise ToolError(ErrorCategory.CANCELLED, "The chart was cancelled before it was drawn.")
    words = chart.words
    canvas = chart.figure.canvas
    width, height = canvas.get_width_height()
    file = ToolFile(
        name=f"{slug(_stem(arguments.file_name) or words.title)}.png",
        kind="chart",
        media_type="image/png",
        content=chart.png(),
        metadata={
            "chart_type": str(chart.kind),
            "asked_type": str(arguments.type),
            "title": words.title,
            "x_label": words.x_label,
            "y_label": words.y_label,
            "input": task_id,
            "rows": table.num_rows,
            "width": width,
            "height": height,
        },
    )
    kind = str(chart.kind).replace("_", " ")
    return ToolResult(
        files=(file,), summary=f"{kind} chart of {table.num_rows:,} rows", notes=chart.notes
    )


def _input(arguments: PlotArguments, context: ToolContext) -> tuple[str, pa.Table]:
    names = sorted(context.inputs)
    name = arguments.input or (names[0] if len(names) == 1 else None)
    if name is not None and name in context.inputs:
        return name, context.inputs[name]
    problem = f"There is no input {name!r}" if name else "It is not said which input to draw"
    there = f"the inputs are {', '.join(names)}" if names else "no earlier step gave a frame"
    raise ToolError(
        ErrorCategory.INVALID_ARGUMENTS,
        f"{problem}; {there}.",
        hint="Set input to the task id of a step this one depends on.",
        details={"field": "input", "candidates": names},
    )


def _stem(file_name: str | None) -> str:
    return (file_name or "").removesuffix(".png")
