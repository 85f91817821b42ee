"""What the tools of discovery share in their arguments."""

from __future__ import annotations

import pyarrow as pa

from mesh.tool import ErrorCategory, ToolContext, ToolError

Pair = tuple[str, str]


def input_frame(name: str | None, context: ToolContext) -> pa.Table:
    """The frame of step `name`, or the only one. Raises ToolError."""
    if name is not None and name in context.inputs:
        return context.inputs[name]
    if name is None and len(context.inputs) == 1:
        return next(iter(context.inputs.values()))
    raise ToolError(
        ErrorCategory.INVALID_ARGUMENTS,
        "which step's frame holds the data is not said."
        if name is None
        else f"there is no frame of a step {name}.",
        hint="Name the step of the data as `input`.",
        details={"candidates": sorted(context.inputs)},
    )
