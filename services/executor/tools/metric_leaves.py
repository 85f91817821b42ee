"""metric.leaves: leaves with a real and a predicted value, as a cube that metric.search takes."""

from __future__ import annotations

from datetime import date, datetime
from typing import Self

from pydantic import Field, model_validator

from mesh.tool import ToolArguments, ToolContext, ToolResult, tool
from services.executor.metric.arguments import CUBE_COLUMNS


class MetricLeavesArguments(ToolArguments):
    """Where the leaves are (one SELECT, or the frame of step `input`), and what their columns are.

    A leaf is a row: values of `dimensions`, and the metric as it is (`real`) and as it was forecast
    (`predicted`). Of a ratio both are numerators, and the denominators are named too.
    """

    relation: str | None = Field(default=None, min_length=1, max_length=50_000)
    params: list[str | int | float | bool | date | datetime | None] = Field(
        default_factory=list, max_length=1_000
    )
    input: str | None = Field(default=None, min_length=1)
    dimensions: list[str] = Field(min_length=1, max_length=50)
    real: str = Field(min_length=1)
    predicted: str = Field(min_length=1)
    real_denominator: str | None = None
    predicted_denominator: str | None = None

    @model_validator(mode="after")
    def _both_denominators(self) -> Self:
        if (self.real_denominator is None) != (self.predicted_denominator is None):
            raise ValueError("a ratio has a denominator of the real and of the predicted value")
        if len(set(self.dimensions)) < len(self.dimensions):
            raise ValueError("a dimension is named twice")
        if taken := CUBE_COLUMNS & set(self.dimensions):
            raise ValueError(f"a cube has a column {min(taken)}: no dimension can be called so")
        return self

    @property
    def measures(self) -> list[tuple[str, str | None]]:
        """Numerator and denominator of the forecast, then of what is real."""
        return [
            (self.predicted, self.predicted_denominator),
            (self.real, self.real_denominator),
        ]


@tool("metric.leaves", MetricLeavesArguments)
def metric_leaves(arguments: MetricLeavesArguments, context: ToolContext) -> ToolResult:
    """Make a cube of leaves with real and predicted values, for metric.search, metric.change and
    metric.contribution: a forecast stands for the baseline period.

    The frame has the dimensions, bucket ("predicted" or "real"), numerator, denominator, rows and
    squares. Rows of the same leaf are added up; a leaf without any value is left out, and told.
    """
    from services.executor.metric.leaves import leaves_of

    frame, notes = leaves_of(
        context,
        arguments.relation,
        arguments.params,
        arguments.input,
        arguments.dimensions,
        arguments.measures,
    )
    count = frame.num_rows // 2
    return ToolResult(frame=frame, summary=f"{count:,} leaves", notes=tuple(notes))
