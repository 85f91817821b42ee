"""DuckDB's errors, told as tool errors that a repair can act on."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence

import duckdb

from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.database_words import in_words
from services.executor.engines.known import KnownTable, candidates
from services.executor.sources.partly import is_unread

log = logging.getLogger(__name__)
_MISSING = (
    re.compile(r'Referenced column "(?P<name>[^"]+)" not found'),
    re.compile(r'does not have a column named "(?P<name>[^"]+)"'),
    re.compile(r'column "(?P<name>[^"]+)" (?:does not exist|must appear|not found)', re.IGNORECASE),
    re.compile(r'Referenced table "(?P<table>[^"]+)" not found'),
    re.compile(r"Table with name (?P<table>.+?) does not exist"),
)
_UNGROUPED = re.compile(r'column "(?P<name>[^"]+)" must appear in the GROUP BY clause')
_VALUE = re.compile(r"Could not convert string '(?P<value>.*?)' to (?P<type>\w+)")
_CALL = re.compile(r"'(?P<function>\w+)\((?P<types>[^']*)\)'")
_KINDS = re.compile(r"values of type (?P<type>\w+)")


def as_tool_error(error: duckdb.Error, statement: str, tables: Sequence[KnownTable]) -> ToolError:
    """What went wrong, as a category with the particulars a repair needs."""
    message = _first_line(error)
    if is_unread(message):
        return ToolError(ErrorCategory.INTERNAL, f"{message.rpartition(': ')[2]}.")
    if isinstance(error, duckdb.InterruptException):
        return ToolError(ErrorCategory.CANCELLED, "the query was cancelled.")
    if isinstance(error, duckdb.OutOfMemoryException):
        return ToolError(
            ErrorCategory.RESOURCE_EXHAUSTED,
            "the query needs more memory than is allowed.",
            hint="Filter or aggregate before joining.",
            details={"limit": "memory"},
        )
    if isinstance(error, duckdb.ParserException):
        return ToolError(
            ErrorCategory.SQL_SYNTAX, f"{in_words(message) or 'the statement cannot be parsed'}."
        )
    if isinstance(error, (duckdb.BinderException, duckdb.CatalogException)):
        return _binding(message, statement, tables)
    if "prepared statement" in message and "parameter" in message:
        return ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            "the statement has more or fewer question marks than there are params.",
        )
    if isinstance(
        error,
        (
            duckdb.ConversionException,
            duckdb.InvalidInputException,
            duckdb.OutOfRangeException,
            duckdb.TypeMismatchException,
            duckdb.NotSupportedError,
        ),
    ):
        found = _VALUE.search(message)
        return ToolError(
            ErrorCategory.TYPE_MISMATCH,
            f"{in_words(message) or 'a value does not fit where it stands'}.",
            details={"type": found["type"]} if found else {},
        )
    if isinstance(error, duckdb.PermissionException):
        log.warning("DuckDB refuses: %s", message)
        return ToolError(
            ErrorCategory.POLICY_DENIED, "the database refuses what the statement does."
        )
    log.warning("DuckDB failed: %s", message)
    return ToolError(ErrorCategory.INTERNAL, "the database failed; its words are in the log.")


def _binding(message: str, statement: str, tables: Sequence[KnownTable]) -> ToolError:
    if ungrouped := _UNGROUPED.search(message):
        return ToolError(
            ErrorCategory.SQL_SYNTAX,
            f"column {ungrouped['name']} is neither grouped nor aggregated.",
            hint=f"Add {ungrouped['name']} to GROUP BY, or aggregate it.",
            details={"column": ungrouped["name"]},
        )
    for pattern in _MISSING:
        found = pattern.search(message)
        if found is None:
            continue
        groups = found.groupdict()
        if table := groups.get("table"):
            alike = candidates(table, [known.name for known in tables])
            return _missing("table", table, alike)
        name = groups["name"]
        alike = candidates(name, {column for known in tables for column in known.columns})
        return _missing("column", name, alike)
    if "No function matches" in message or "Cannot" in message or "type" in message.lower():
        return ToolError(
            ErrorCategory.TYPE_MISMATCH,
            f"{in_words(message) or 'values of types that do not fit stand together'}.",
            details=_culprit(message, statement, tables),
        )
    return ToolError(
        ErrorCategory.SQL_SYNTAX,
        f"{in_words(message) or 'the statement names or combines what cannot be'}.",
    )


def _culprit(message: str, statement: str, tables: Sequence[KnownTable]) -> dict[str, str]:
    """The column whose type does not fit, where the statement shows it plainly."""
    call = _CALL.search(message)
    if call is None:
        kinds = _KINDS.search(message)
        return {"type": kinds["type"]} if kinds else {}
    argument = re.search(
        rf'\b{call["function"]}\(\s*(?:DISTINCT\s+)?(?:"?\w+"?\.)?"?(?P<column>[^"().,]+?)"?\s*[,)]',
        statement,
        re.IGNORECASE,
    )
    columns = {column for table in tables for column in table.columns}
    found = {"call": f"{call['function']}({call['types']})", "type": call["types"].split(",")[0]}
    if argument and argument["column"] in columns:
        found["column"] = argument["column"]
    return found


def _missing(what: str, name: str, alike: list[str]) -> ToolError:
    hint = "Did you mean " + " or ".join(f'"{choice}"' for choice in alike) + "?" if alike else ""
    return ToolError(
        ErrorCategory.MISSING_COLUMN,
        f'there is no {what} "{name}".',
        hint=hint,
        details={what: name, "candidates": alike},
    )


def _first_line(error: duckdb.Error) -> str:
    line = str(error).splitlines()[0] if str(error) else type(error).__name__
    return re.sub(r"^[\w ]+ Error: ", "", line)
