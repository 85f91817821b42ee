"""A tool context for tests: frames in, no sources, nothing else reachable."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from mesh.tool import DomainReply, ErrorCategory, PythonRun, ToolError

Query = Callable[[str, list[Any], int, float], pa.Table]


def _no_sources(sql: str, parameters: list[Any], row_limit: int, seconds: float) -> pa.Table:
    raise ToolError(ErrorCategory.INTERNAL, f"this test context has no sources to run {sql!r} on")


Python = Callable[[str, Mapping[str, pa.Table]], PythonRun]


def _no_sandbox(code: str, frames: Mapping[str, pa.Table]) -> PythonRun:
    raise ToolError(ErrorCategory.INTERNAL, f"this test context has no sandbox to run {code!r} in")


Domain = Callable[[str, str, Mapping[str, Any], str, float], DomainReply]


def _no_domains(
    server: str, tool: str, arguments: Mapping[str, Any], digest: str, seconds: float
) -> DomainReply:
    raise ToolError(ErrorCategory.INTERNAL, f"this test context has no MCP server {server!r}")


@dataclass
class FakeToolContext:
    """Implements `mesh.tool.ToolContext`; what a tool reports is kept in `messages`.

    `answer_query` stands in for the request's sources, `answer_python` for the sandbox,
    `answer_domain` for MCP servers.
    """

    inputs: Mapping[str, pa.Table] = field(default_factory=dict)
    row_limit: int = 200_000
    seconds_left: float = 30.0
    cancelled: threading.Event = field(default_factory=threading.Event)
    answer_query: Query = _no_sources
    answer_python: Python = _no_sandbox
    answer_domain: Domain = _no_domains
    messages: list[tuple[str, float | None]] = field(default_factory=list)

    def query(self, sql: str, parameters: list[Any], row_limit: int, seconds: float) -> pa.Table:
        """What `answer_query` gives."""
        return self.answer_query(sql, parameters, row_limit, seconds)

    def run_python(self, code: str, frames: Mapping[str, pa.Table]) -> PythonRun:
        """What `answer_python` gives."""
        return self.answer_python(code, frames)

    def call_domain(
        self, server: str, tool: str, arguments: Mapping[str, Any], digest: str, seconds: float
    ) -> DomainReply:
        """What `answer_domain` gives."""
        return self.answer_domain(server, tool, arguments, digest, seconds)

    def progress(self, message: str, fraction: float | None = None) -> None:
        """Keep the message."""
        self.messages.append((message, fraction))
