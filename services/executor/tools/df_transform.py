"""df.transform: typed operations on frames of earlier steps."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator

from mesh.tool import ToolArguments, ToolContext, ToolResult, tool
from services.executor.transforming.flat import steps_of_flat
from services.executor.transforming.steps import Step


class TransformArguments(ToolArguments):
    """Steps applied in order to the frame of task `input`.

    `input` may be left out where there is one frame that no join names. Seed 000's flat form
    {"operation", "columns", "aggregation"} is accepted and becomes one step: aggregate groups by
    all columns but the last, which it aggregates.
    """

    input: str | None = Field(default=None, min_length=1)
    steps: tuple[Step, ...] = Field(min_length=1, max_length=100)

    @model_validator(mode="before")
    @classmethod
    def _accept_flat_form(cls, given: Any) -> Any:
        flat = isinstance(given, dict) and "operation" in given and "steps" not in given
        return steps_of_flat(given) if flat else given


@tool("df.transform", TransformArguments, needs=("services.executor.transforming.run",))
def df_transform(arguments: TransformArguments, context: ToolContext) -> ToolResult:
    """Reshape the frames of earlier steps.

    Select, filter, derive, aggregate, join, pivot, window, sort, limit and resample, one after the
    other. The same input and steps always give the same rows in the same order. Times are
    computed in UTC; sums of integers stay integers.
    """
    from services.executor.transforming.run import transform

    return transform(arguments.input, arguments.steps, context)
