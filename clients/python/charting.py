"""A chart of the rows of a statement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mesh.errors import INVALID_ARGUMENT, AssayError

if TYPE_CHECKING:
    from assay.common.v1.proposals_pb2 import RequestedChart

KINDS = ("bar", "line", "area", "scatter", "histogram", "box", "heatmap", "pie")


@dataclass(frozen=True, slots=True)
class Charting:
    """What is drawn, in names of the statement's columns: docs/queries.md."""

    kind: str
    x: str
    y: str = ""
    series: str = ""
    title: str = ""

    def message(self) -> RequestedChart:
        """In the contract's words. Raises AssayError(INVALID_ARGUMENT) for a kind that is none."""
        # Here, because the contract's code takes its time, and few draw anything so.
        from assay.common.v1.proposals_pb2 import ChartKind, RequestedChart

        if self.kind not in KINDS:
            raise AssayError(
                INVALID_ARGUMENT,
                f"there is no chart of kind {self.kind!r}",
                hint=f"The kinds are {', '.join(KINDS[:-1])} and {KINDS[-1]}.",
            )
        return RequestedChart(
            kind=ChartKind.Value(f"CHART_KIND_{self.kind.upper()}"),
            x=self.x,
            y=self.y,
            series=self.series,
            title=self.title,
        )
