"""A chart of the rows of a statement, in names of its columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from pydantic import Field

from mesh.text.spelling import capitalised
from services.planner.domain.catalogue import Frozen

Kind = Literal["", "bar", "line", "area", "scatter", "histogram", "box", "heatmap", "pie"]
LONGEST = 200
_BY_SERIES = {"bar": "grouped_bar", "line": "multi_line"}
_OF_ROWS = ("scatter", "box")


class RequestedChart(Frozen):
    """What is drawn, as the contract's message of that name says; no chart without a `kind`."""

    kind: Kind = ""
    x: str = Field(default="", max_length=LONGEST)
    y: str = Field(default="", max_length=LONGEST)
    series: str = Field(default="", max_length=LONGEST)
    title: str = Field(default="", max_length=LONGEST)

    @property
    def problem(self) -> str:
        """What it lacks or cannot have, in words; empty where it can be drawn."""
        return next(self._problems(), "")

    def _problems(self) -> Iterator[str]:
        if not self.kind:
            return
        if not self.x:
            yield f"a chart of kind {self.kind} needs x: the column along which it is drawn"
        if self.kind == "histogram" and (self.y or self.series):
            yield "a histogram counts the values of x, and takes neither y nor series"
        if self.kind != "histogram" and not self.y:
            yield f"a chart of kind {self.kind} needs y: the number that is drawn"
        if self.kind == "heatmap" and not self.series:
            yield "a heat map needs series: the column of its rows"

    @property
    def words(self) -> tuple[str, ...]:
        """All that is written in it."""
        return tuple(filter(None, (self.x, self.y, self.series, self.title)))

    def arguments(self) -> dict[str, Any]:
        """Those of `plot.render`. Rows are never added up: each stands for itself."""
        by = [self.x, *([self.series] if self.series else [])]
        shown = f"{self.y} by {' and '.join(by)}" if self.y else f"spread of {self.x}"
        found: dict[str, Any] = {
            "type": _BY_SERIES.get(self.kind, self.kind) if self.series else self.kind,
            "x_col": self.x,
            "y_col": self.y,
            "series_col": self.series,
            "title": self.title or capitalised(shown),
        }
        values = {name: value for name, value in found.items() if value}
        if self.kind in _OF_ROWS:
            values["each_row"] = True
        return values | {"additive": self.kind == "pie"}
