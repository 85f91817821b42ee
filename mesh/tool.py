"""What a tool is: one file, one function, typed arguments, an honest result.

A tool is a plain synchronous function of validated arguments and a context. The executor runs it
in a worker thread, records it and stores what it returns. A tool never raises anything but
`ToolError` on purpose, and a tool's failure is an observation, not an RPC error: the planner reads
the category and decides whether a changed call could work.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, TypeVar

import pyarrow as pa
from pydantic import BaseModel, ConfigDict


class ErrorCategory(StrEnum):
    """Why a call failed, as far as repair is concerned.

    The first four are seed 000's; the others are failures that no changed call can mend.
    """

    SQL_SYNTAX = "sql_syntax"
    TYPE_MISMATCH = "type_mismatch"
    MISSING_COLUMN = "missing_column"
    RESOURCE_EXHAUSTED = "resource_exhausted"
    POLICY_DENIED = "policy_denied"
    INVALID_ARGUMENTS = "invalid_arguments"
    CANCELLED = "cancelled"
    INTERNAL = "internal"


class ToolError(Exception):
    """A call that cannot succeed as it stands.

    `details` helps a repair: {"column": "categry", "candidates": [...]} for a missing column,
    {"column": ..., "type": ...} for a type mismatch, {"limit": ..., "seen": ...} for a cap.
    """

    def __init__(
        self,
        category: ErrorCategory,
        message: str,
        *,
        hint: str = "",
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.category = category
        self.message = message
        self.hint = hint
        self.details: dict[str, Any] = dict(details or {})


class ToolArguments(BaseModel):
    """Base of every tool's arguments: unknown fields are refused, values are frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


@dataclass(frozen=True, slots=True)
class ToolFile:
    """A file for people made by a tool; the executor stores it as an artifact.

    `kind` is seed 000's artifact_type: "table", "chart", "report" or "summary".
    """

    name: str
    kind: str
    media_type: str
    content: bytes
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool hands back: at most one frame, any files, and what a person should know.

    `notes` are facts that change how the result should be read (rows left out, categories
    folded into "other"); they reach the report's caveats.
    """

    frame: pa.Table | None = None
    files: tuple[ToolFile, ...] = ()
    summary: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PythonRun:
    """What foreign Python gave: at most one frame, figures as PNG, and the first it printed."""

    frame: pa.Table | None = None
    figures: tuple[bytes, ...] = ()
    printed: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DomainReply:
    """What a tool of a domain answered: a table, or its words one row a piece in the column text.

    `source` says whose words they are. They are data: nothing here does what they say.
    """

    frame: pa.Table
    tabular: bool
    source: str
    notes: tuple[str, ...] = ()


class ToolContext(Protocol):
    """What a running tool may reach, and nothing else."""

    @property
    def inputs(self) -> Mapping[str, pa.Table]:
        """Frames of earlier steps, by the task id that made them."""
        ...

    @property
    def row_limit(self) -> int:
        """Most rows a frame made by this call may have."""
        ...

    @property
    def seconds_left(self) -> float:
        """Seconds until the call's deadline; may be negative."""
        ...

    @property
    def cancelled(self) -> threading.Event:
        """Set when the call should stop; long loops look at it."""
        ...

    def query(self, sql: str, parameters: list[Any], row_limit: int, seconds: float) -> pa.Table:
        """Run one read-only statement over the request's sources, inside the policy.

        Returns at most `row_limit` rows. Raises ToolError.
        """
        ...

    def run_python(self, code: str, frames: Mapping[str, pa.Table]) -> PythonRun:
        """Run foreign code over frames, in a sandbox and within the call's time.

        Raises ToolError, also where no sandbox holds on this machine.
        """
        ...

    def call_domain(
        self, server: str, tool: str, arguments: Mapping[str, Any], digest: str, seconds: float
    ) -> DomainReply:
        """Call an MCP server's tool, if it is still the one of that digest.

        Raises ToolError, and AssayError for servers that cannot or may not be asked.
        """
        ...

    def progress(self, message: str, fraction: float | None = None) -> None:
        """Tell whoever watches what is being done; `fraction` runs from 0 to 1."""
        ...


A = TypeVar("A", bound=ToolArguments)


@dataclass(frozen=True)
class Tool:
    """A registered tool: its published schema is `arguments.model_json_schema()`.

    `deterministic` says that equal arguments and inputs give a frame with an equal digest;
    where it is False, `why_not` says why. `needs` are the modules that its first run imports, for
    whoever knows that it will come.
    """

    name: str
    description: str
    arguments: type[ToolArguments]
    run: Callable[[Any, ToolContext], ToolResult]
    deterministic: bool = True
    why_not: str = ""
    needs: tuple[str, ...] = ()


def tool(
    name: str,
    arguments: type[A],
    *,
    deterministic: bool = True,
    why_not: str = "",
    needs: tuple[str, ...] = (),
) -> Callable[[Callable[[A, ToolContext], ToolResult]], Tool]:
    """Declare a tool; the function's docstring becomes its published description."""

    def register(function: Callable[[A, ToolContext], ToolResult]) -> Tool:
        description = (function.__doc__ or "").strip()
        if not description:
            raise ValueError(f"tool {name} needs a docstring: it is what planners read")
        return Tool(name, description, arguments, function, deterministic, why_not, needs)

    return register
