"""What the tools over a metric's cube share: the input frame, and its refusal in words."""

from __future__ import annotations

import pyarrow as pa

from mesh.tool import ErrorCategory, ToolContext, ToolError
from services.executor.metric.cube import BUCKET, NUMERATOR


def cube_frame(name: str | None, context: ToolContext) -> pa.Table:
    """The frame of step `name`, or the one that is a cube. Raises ToolError."""
    if name is not None:
        if name in context.inputs:
            return context.inputs[name]
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"there is no frame of a step {name}.",
            details={"candidates": sorted(context.inputs)},
        )
    cubes = [
        frame
        for _, frame in sorted(context.inputs.items())
        if {BUCKET, NUMERATOR} <= set(frame.column_names)
    ]
    if len(cubes) == 1 or len(context.inputs) == 1:
        return cubes[0] if cubes else next(iter(context.inputs.values()))
    raise ToolError(
        ErrorCategory.INVALID_ARGUMENTS,
        "which step's frame is the cube is not said."
        if cubes
        else "no input is a cube of a metric (columns bucket and numerator).",
        hint="Name the step of metric.cube as `input`.",
        details={"candidates": sorted(context.inputs)},
    )
