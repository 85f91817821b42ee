"""A chart that the author of a statement asks for: what it needs, and what is drawn."""

from __future__ import annotations

import pytest

from assay.common.v1 import proposals_pb2 as pb
from mesh.errors import INVALID_ARGUMENT, AssayError
from services.planner.contract.requested_charts import requested_chart_from, requested_chart_to
from services.planner.domain.statements.requested_chart import RequestedChart

LINES = RequestedChart(kind="line", x="month", y="revenue", series="region")


@pytest.mark.parametrize(
    ("chart", "problem"),
    [
        (RequestedChart(kind="bar", y="n"), "needs x"),
        (RequestedChart(kind="bar", x="c"), "needs y: the number"),
        (RequestedChart(kind="histogram", x="n", y="m"), "neither y nor series"),
        (RequestedChart(kind="heatmap", x="c", y="n"), "needs series"),
        (LINES, ""),
        (RequestedChart(kind="histogram", x="n"), ""),
        (RequestedChart(), ""),
    ],
)
def test_what_it_lacks_is_told_in_words(chart: RequestedChart, problem: str) -> None:
    assert problem in chart.problem and bool(problem) == bool(chart.problem)


def test_the_contract_says_the_same() -> None:
    message = requested_chart_to(LINES)
    assert message is not None and requested_chart_from(message) == LINES
    assert requested_chart_to(RequestedChart()) is None
    for odd in (pb.RequestedChart(x="c"), pb.RequestedChart(kind=pb.CHART_KIND_BAR, x="c")):
        with pytest.raises(AssayError) as refused:
            requested_chart_from(odd)
        assert refused.value.reason is INVALID_ARGUMENT
        assert "analysis.chart" in refused.value.fields


def test_rows_are_drawn_and_never_added_up() -> None:
    assert LINES.arguments() == {
        "type": "multi_line",
        "x_col": "month",
        "y_col": "revenue",
        "series_col": "region",
        "title": "Revenue by month and region",
        "additive": False,
    }
    points = RequestedChart(kind="scatter", x="a", y="b", title="Two numbers").arguments()
    assert points["each_row"] and points["title"] == "Two numbers"
    assert RequestedChart(kind="pie", x="c", y="n").arguments()["additive"]
    assert "y_col" not in RequestedChart(kind="histogram", x="n").arguments()
