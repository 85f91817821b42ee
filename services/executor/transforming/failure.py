"""What DuckDB's errors mean to whoever wrote the step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.database_words import in_words

if TYPE_CHECKING:
    import duckdb


def tool_error(error: duckdb.Error) -> ToolError:
    """A DuckDB error as a ToolError, with the part of its message that helps."""
    import duckdb

    text = str(error).split("\n\n")[0].split("\nLINE")[0].strip()
    sentence = in_words(text) or "a value does not fit where it stands"
    if isinstance(error, duckdb.OutOfMemoryException):
        return ToolError(
            ErrorCategory.RESOURCE_EXHAUSTED,
            "the step needs more memory than there is",
            hint="Filter or aggregate first.",
        )
    if isinstance(error, duckdb.OutOfRangeException):
        return ToolError(
            ErrorCategory.TYPE_MISMATCH,
            sentence,
            hint="Cast to double first.",
        )
    if isinstance(
        error, duckdb.ConversionException | duckdb.BinderException | duckdb.InvalidInputException
    ):
        return ToolError(ErrorCategory.TYPE_MISMATCH, sentence)
    if isinstance(error, duckdb.NotSupportedError):
        return ToolError(ErrorCategory.TYPE_MISMATCH, sentence)
    return ToolError(ErrorCategory.INTERNAL, "the engine failed; its words are in the log")
