"""Asking MCP servers: which tools they have, and one call of one of them.

What a server says is data. Its descriptions and results are never instructions to anybody here:
they are compared, shown and cited. Requests that a server makes of its client (sampling, roots,
elicitation) find nobody.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from mesh.canonical import canonical_json
from mesh.digest import sha256_hex
from mesh.errors import (
    CANCELLED,
    TOOL_CALL_FAILED,
    TOOL_CALL_TIMED_OUT,
    TOOL_CHANGED,
    TOOL_SERVER_UNREACHABLE,
    AssayError,
)
from services.executor.domains.servers import Target
from services.executor.domains.streams import Amount, http_streams, process_streams

if TYPE_CHECKING:
    from mcp.client import Client
    from mcp.types import CallToolResult, Tool

_MOST_TOOLS = 500
_MOST_PAGES = 50
_LOOK_SECONDS = 0.05
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool as its server describes it now; `digest` is over all that it says of itself."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    digest: str


class McpClient:
    """One connection a question: nothing of one call is left for the next.

    Bounds bytes and seconds. Does not bound what a server does elsewhere.
    """

    def __init__(self, most_bytes: int, seconds: float) -> None:
        self._most_bytes = most_bytes
        self._seconds = seconds

    def tools(
        self, target: Target, seconds: float, cancelled: threading.Event
    ) -> list[OfferedTool]:
        """The tools that a server offers now, by name. Blocks; not for a thread with a loop.

        Raises AssayError: TOOL_SERVER_UNREACHABLE, TOOL_RESULT_TOO_LARGE, TOOL_CALL_TIMED_OUT,
        CANCELLED.
        """
        return self._asked(target, _offered, seconds, cancelled)

    def call(
        self,
        target: Target,
        tool: str,
        arguments: Mapping[str, Any],
        digest: str,
        seconds: float,
        cancelled: threading.Event,
    ) -> CallToolResult:
        """What a tool answers, if it is still the one of that digest. Blocks, as `tools`.

        The tool is looked at in the same connection that calls it. Raises AssayError also:
        TOOL_CHANGED, and TOOL_CALL_FAILED with what the tool says of its failure.
        """

        async def work(client: Client) -> CallToolResult:
            offered = {each.name: each for each in await _offered(client)}
            if tool not in offered:
                raise AssayError(TOOL_CHANGED, f"{target.name} offers no tool {tool!r} any more.")
            if offered[tool].digest != digest:
                raise AssayError(
                    TOOL_CHANGED,
                    f"the tool {tool!r} of {target.name} is not described as when it was approved.",
                    metadata={"digest": offered[tool].digest},
                )
            return await client.call_tool(tool, dict(arguments))

        return self._asked(target, work, seconds, cancelled)

    def _asked(
        self,
        target: Target,
        work: Callable[[Client], Awaitable[T]],
        seconds: float,
        cancelled: threading.Event,
    ) -> T:
        amount = Amount(self._most_bytes)
        most = min(seconds, self._seconds)
        return asyncio.run(_within(target, work, amount, most, cancelled))


async def _within(
    target: Target,
    work: Callable[[Client], Awaitable[T]],
    amount: Amount,
    seconds: float,
    cancelled: threading.Event,
) -> T:
    """The work's result within a time, or why there is none."""
    asked = asyncio.ensure_future(_connected(target, work, amount))
    stopped = asyncio.ensure_future(_set(cancelled))
    try:
        done, _ = await asyncio.wait(
            (asked, stopped), timeout=max(0.0, seconds), return_when=asyncio.FIRST_COMPLETED
        )
        if asked in done:
            return asked.result()
        if stopped in done:
            raise AssayError(CANCELLED, "the call was cancelled.")
        raise AssayError(
            TOOL_CALL_TIMED_OUT, f"{target.name} did not answer within {seconds:.0f} s."
        )
    except BaseExceptionGroup as group:
        raise _build_error(target, amount, group) from None
    finally:
        for task in (asked, stopped):
            task.cancel()
        with suppress(BaseException):
            await asyncio.wait((asked, stopped), timeout=5.0)
            if asked.done() and not asked.cancelled():
                asked.exception()


async def _connected(target: Target, work: Callable[[Client], Awaitable[T]], amount: Amount) -> T:
    try:
        from mcp.client import Client
    except ImportError:
        raise AssayError(
            TOOL_SERVER_UNREACHABLE,
            "this executor cannot speak to MCP servers: the library mcp is not installed.",
            hint="Install assay[mcp] where the executor runs.",
        ) from None

    streams = http_streams if target.url else process_streams
    try:
        async with Client(streams(target, amount), cache=None) as client:
            return await work(client)
    except AssayError:
        raise
    except Exception as error:
        raise _build_error(target, amount, error) from error


async def _offered(client: Client) -> list[OfferedTool]:
    found: dict[str, OfferedTool] = {}
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page = await client.list_tools(cursor=cursor)
        for tool in page.tools:
            found[tool.name] = _described(tool)
        cursor = page.next_cursor
        if not cursor or len(found) >= _MOST_TOOLS:
            break
    return [found[name] for name in sorted(found)][:_MOST_TOOLS]


def _described(tool: Tool) -> OfferedTool:
    content = tool.model_dump(mode="json", by_alias=True, exclude_none=True)
    # Icons and private remarks of the protocol say nothing to anybody who decides.
    values = {key: value for key, value in content.items() if key not in ("icons", "_meta")}
    return OfferedTool(
        tool.name, tool.description or "", tool.input_schema, sha256_hex(canonical_json(values))
    )


def _build_error(target: Target, amount: Amount, error: BaseException) -> AssayError:
    """A failure in our words: of the server's own, no more than its message."""
    from mcp.shared.exceptions import MCPError
    from mcp.types import CONNECTION_CLOSED

    if amount.exceeded:
        return amount.error()
    for each in _leaves(error):
        if isinstance(each, AssayError):
            return each
    for each in _leaves(error):
        if isinstance(each, MCPError) and each.code == CONNECTION_CLOSED:
            return AssayError(
                TOOL_SERVER_UNREACHABLE, f"{target.name} ended before it had answered."
            )
        if isinstance(each, MCPError):
            return AssayError(TOOL_CALL_FAILED, f"{target.name} refused: {str(each)[:300]}")
    kind = type(next(_leaves(error))).__name__
    return AssayError(TOOL_SERVER_UNREACHABLE, f"{target.name} cannot be asked ({kind}).")


def _leaves(error: BaseException) -> Any:
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from _leaves(each)
    else:
        yield error


async def _set(event: threading.Event) -> None:
    """Ends when somebody in another thread says so."""
    while not event.is_set():  # noqa: ASYNC110 - it is set by another thread
        await asyncio.sleep(_LOOK_SECONDS)
