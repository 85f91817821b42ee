"""Calls of domains' tools: to a server that may be asked, with its answer within the policy."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from mesh.canonical import canonical_json
from mesh.context import current
from mesh.policy import MASK, Policy
from mesh.recognising.columns import digits_of, kinds
from mesh.tool import DomainReply, ErrorCategory, ToolError
from services.executor.domains.client import McpClient, OfferedTool
from services.executor.domains.results import frame_of
from services.executor.domains.servers import McpServers


@dataclass(frozen=True, slots=True)
class DomainTools:
    """The MCP servers of this executor, asked for the tenant of the running call."""

    servers: McpServers
    client: McpClient

    def tools(self, server: str, seconds: float, cancelled: threading.Event) -> list[OfferedTool]:
        """What a server offers now. Blocks. Raises AssayError."""
        target = self.servers.target(server, current().tenant)
        return self.client.tools(target, seconds, cancelled)

    def call(
        self,
        server: str,
        tool: str,
        arguments: Mapping[str, Any],
        digest: str,
        *,
        seconds: float,
        row_limit: int,
        cancelled: threading.Event,
        policy: Policy,
    ) -> DomainReply:
        """What a tool answers. Blocks. Raises AssayError; ToolError for what policy keeps here,
        and for answers that are too many rows."""
        if policy.blocked_patterns and policy.match(canonical_json(arguments).decode()):
            raise ToolError(
                ErrorCategory.POLICY_DENIED,
                "the arguments hold what the policy blocks, and are not sent to another server.",
            )
        target = self.servers.target(server, current().tenant)
        answer = self.client.call(target, tool, arguments, digest, seconds, cancelled)
        frame, tabular = frame_of(answer, row_limit)
        frame, notes = within(frame, tool, policy)
        return DomainReply(frame, tabular, f"{target.name}:{tool}", notes)


def within(frame: pa.Table, tool: str, policy: Policy) -> tuple[pa.Table, tuple[str, ...]]:
    """The frame without columns that are not allowed, and without what is blocked in its texts."""
    notes: list[str] = []
    kept = [name for name in frame.column_names if policy.column_allowed(tool, name)]
    if left_out := frame.num_columns - len(kept):
        notes.append(f"{left_out} columns of {tool} are left out by the policy.")
        if not kept:
            raise ToolError(
                ErrorCategory.POLICY_DENIED, f"the policy leaves no column of what {tool} gave."
            )
        frame = frame.select(kept)
    masked = 0
    if policy.blocked_patterns:
        for index, field in enumerate(frame.schema):
            texts = _texts(frame.column(index))
            different = list(dict.fromkeys(text for text in texts if text))
            digits = policy.blocked_digits(kinds(field.name, different), different)
            if not (digits or pa.types.is_string(field.type)):
                continue
            shown = [text and _shown(text, digits, policy) for text in texts]
            masked += sum(one != other for one, other in zip(texts, shown, strict=True))
            frame = frame.set_column(index, field.name, pa.array(shown, pa.string()))
    if masked:
        notes.append(f"{masked:,} cells of {tool} were masked by the policy.")
    return frame, tuple(notes)


def _texts(column: pa.ChunkedArray) -> list[str | None]:
    """The cells that can be searched, whole numbers as digits; none of other types."""
    if pa.types.is_string(column.type):
        texts: list[str | None] = column.to_pylist()
        return texts
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return [
            str(int(cell))
            if isinstance(cell, float) and cell.is_integer()
            else None
            if cell is None
            else str(cell)
            for cell in column.to_pylist()
        ]
    return []


def _shown(text: str, digits: Sequence[str], policy: Policy) -> str:
    """A cell without what is blocked in it; `digits` are blocked where it is plain digits."""
    return MASK if any(digits_of(kind, text) for kind in digits) else policy.masked(text)
