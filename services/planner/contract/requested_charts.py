"""Charts that the author of a statement asks for."""

from __future__ import annotations

from pydantic import ValidationError

from assay.common.v1 import proposals_pb2 as pb
from mesh.errors import INVALID_ARGUMENT, AssayError
from services.planner.domain.statements.requested_chart import LONGEST, Kind, RequestedChart

_KINDS: dict[int, Kind] = {
    pb.ChartKind.CHART_KIND_UNSPECIFIED: "",
    pb.ChartKind.CHART_KIND_BAR: "bar",
    pb.ChartKind.CHART_KIND_LINE: "line",
    pb.ChartKind.CHART_KIND_AREA: "area",
    pb.ChartKind.CHART_KIND_SCATTER: "scatter",
    pb.ChartKind.CHART_KIND_HISTOGRAM: "histogram",
    pb.ChartKind.CHART_KIND_BOX: "box",
    pb.ChartKind.CHART_KIND_HEATMAP: "heatmap",
    pb.ChartKind.CHART_KIND_PIE: "pie",
}
_VALUES = {kind: value for value, kind in _KINDS.items()}


def requested_chart_from(message: pb.RequestedChart) -> RequestedChart:
    """A chart as the domain knows it. Raises AssayError(INVALID_ARGUMENT) for one that is none."""
    try:
        found = RequestedChart(
            kind=_KINDS.get(message.kind, ""),
            x=message.x,
            y=message.y,
            series=message.series,
            title=message.title,
        )
    except ValidationError as error:
        most = f"names of at most {LONGEST} characters"
        raise AssayError(
            INVALID_ARGUMENT, "the chart is not one", fields={"analysis.chart": most}
        ) from error
    if not found.kind and found != RequestedChart():
        why = f"say its kind: {', '.join(filter(None, _VALUES))}"
        raise AssayError(INVALID_ARGUMENT, "the chart is not one", fields={"analysis.chart": why})
    if found.problem:
        raise AssayError(INVALID_ARGUMENT, found.problem, fields={"analysis.chart": found.problem})
    return found


def requested_chart_to(chart: RequestedChart) -> pb.RequestedChart | None:
    """The same for the contract; None where none is asked for."""
    if not chart.kind:
        return None
    return pb.RequestedChart(
        kind=pb.ChartKind.ValueType(_VALUES[chart.kind]),
        x=chart.x,
        y=chart.y,
        series=chart.series,
        title=chart.title,
    )
