"""Why foreign code gave no result, as an error that people read and planners repair by."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from mesh.tool import ErrorCategory, ToolError
from services.executor.sandbox.inside.reply import Failure
from services.executor.sandbox.limits import SandboxLimits

_MEBIBYTE = 1 << 20


def unusable(message: str, printed: str = "") -> ToolError:
    """The code, or what it gave, cannot be used as it stands."""
    details = {"printed": printed} if printed else {}
    return ToolError(ErrorCategory.INVALID_ARGUMENTS, message, details=details)


def failed(
    failure: Failure, frames: Mapping[str, pa.Table], limits: SandboxLimits, printed: str
) -> ToolError:
    """An exception of the code's own, with the line it came from."""
    where = f" in line {failure.line}: {failure.source}" if failure.line else ""
    details: dict[str, Any] = {"error": failure.type, "line": failure.line}
    if printed:
        details["printed"] = printed
    if failure.type == "MemoryError" or failure.type.endswith("ArrayMemoryError"):
        limit = limits.memory_bytes // _MEBIBYTE
        return ToolError(
            ErrorCategory.RESOURCE_EXHAUSTED,
            f"the code needs more than its {limit:,} MiB of memory{where}",
            hint="Work on fewer rows or columns at once.",
            details={**details, "limit": limits.memory_bytes, "unit": "bytes"},
        )
    if failure.type == "ResultTooLarge":
        return ToolError(
            ErrorCategory.RESOURCE_EXHAUSTED,
            f"the result is larger than {limits.result_bytes // _MEBIBYTE:,} MiB",
            hint="Aggregate, or return fewer rows.",
            details={**details, "limit": limits.result_bytes, "unit": "bytes"},
        )
    columns = [name for table in frames.values() for name in table.column_names]
    if failure.type == "KeyError" and failure.key and failure.key not in columns:
        near = difflib.get_close_matches(failure.key, columns, 5, 0.5)
        return ToolError(
            ErrorCategory.MISSING_COLUMN,
            f"there is no {failure.key!r}{where}",
            hint=f"Near it are {', '.join(near)}." if near else "",
            details={**details, "column": failure.key, "candidates": near},
        )
    text = f"{failure.type}: {failure.message}" if failure.message else failure.type
    category = (
        ErrorCategory.TYPE_MISMATCH
        if failure.type.endswith("TypeError")
        else ErrorCategory.INVALID_ARGUMENTS
    )
    return ToolError(category, f"the code failed with {text}{where}", details=details)
