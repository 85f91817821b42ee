"""Streams to MCP servers that hold no more than they may: a server that floods is cut off.

The SDK bounds one event of a stream, not a line of a process or a plain answer; these do.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from mesh.errors import TOOL_RESULT_TOO_LARGE, TOOL_SERVER_UNREACHABLE, AssayError
from services.executor.domains.servers import Target, bracketed

if TYPE_CHECKING:
    import httpx2

_INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT")
"""Of this process's environment, what a server's command gets: none of it a secret."""
_GOING_SECONDS = 1.0
_MOST_STRANGE = 100
"""Lines that are no messages, after which whoever writes them is no server."""


class Amount:
    """Bytes that a server has sent, and whether they were too many."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.seen = 0

    def add(self, size: int) -> None:
        """Count. Raises AssayError(TOOL_RESULT_TOO_LARGE)."""
        self.seen += size
        if self.seen > self.most:
            raise self.error()

    @property
    def exceeded(self) -> bool:
        """Whether more came than may come."""
        return self.seen > self.most

    def error(self) -> AssayError:
        """What is said of it."""
        return AssayError(
            TOOL_RESULT_TOO_LARGE, f"the MCP server sent more than {self.most:,} bytes."
        )


@asynccontextmanager
async def http_streams(target: Target, amount: Amount) -> AsyncGenerator[Any]:
    """Streamable HTTP to a server; its host is what was checked, whatever its name becomes."""
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    client = httpx2.AsyncClient(
        headers={name: value.get_secret_value() for name, value in target.headers},
        transport=_bounded(target, amount),
        timeout=httpx2.Timeout(60.0),
        trust_env=False,
    )
    async with (
        client,
        streamable_http_client(
            target.url, http_client=client, max_sse_event_size=amount.most
        ) as streams,
    ):
        yield streams


def _bounded(target: Target, amount: Amount) -> httpx2.AsyncBaseTransport:
    import httpx2

    class Counted(httpx2.AsyncByteStream):
        """An answer's bytes, counted as they come."""

        def __init__(self, stream: Any) -> None:
            self._stream = stream

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for piece in self._stream:
                amount.add(len(piece))
                yield piece

        async def aclose(self) -> None:
            await self._stream.aclose()

    class Bounded(httpx2.AsyncHTTPTransport):
        """Goes to the addresses that were checked, and counts what comes."""

        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            if target.addresses:
                request.extensions = {**request.extensions, "sni_hostname": request.url.host}
                request.url = request.url.copy_with(host=bracketed(target.addresses[0]))
            # Unpacked bytes would be more than those counted.
            request.headers["accept-encoding"] = "identity"
            response = await super().handle_async_request(request)
            response.stream = Counted(response.stream)
            return response

    return Bounded(retries=0, trust_env=False)


@asynccontextmanager
async def process_streams(target: Target, amount: Amount) -> AsyncGenerator[Any]:
    """A server's own process, its lines in and out; the process and its children end with this.

    What it writes to its error stream is thrown away. Raises AssayError(TOOL_SERVER_UNREACHABLE).
    """
    import anyio

    given = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    given |= {name: value.get_secret_value() for name, value in target.environment}
    try:
        process = await asyncio.create_subprocess_exec(
            *target.command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=amount.most,
            env=given,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise AssayError(
            TOOL_SERVER_UNREACHABLE,
            f"the command of the MCP server {target.name} cannot be started "
            f"({type(error).__name__}).",
        ) from error
    content, reading = anyio.create_memory_object_stream[Any](0)
    writing, given_on = anyio.create_memory_object_stream[Any](0)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_read, process, content, amount)
            tasks.start_soon(_write, process, given_on)
            try:
                yield reading, writing
            finally:
                tasks.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await _ended(process, amount.exceeded)
        for stream in (content, reading, writing, given_on):
            stream.close()


async def _read(process: asyncio.subprocess.Process, value: Any, amount: Amount) -> None:
    """Hand on each line as a message, until the process ends or has sent too much."""
    import anyio
    from mcp.shared.message import SessionMessage
    from mcp.types import jsonrpc_message_adapter

    assert process.stdout is not None
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        async with value:
            strange = 0
            while strange < _MOST_STRANGE:
                try:
                    line = await process.stdout.readline()
                    amount.add(len(line))
                except (ValueError, AssayError):  # a line longer than the limit, or too many
                    amount.seen = max(amount.seen, amount.most + 1)
                    return
                if not line:
                    return
                try:
                    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                except ValueError:  # such as what a server prints beside the protocol
                    strange += 1
                else:
                    await value.send(SessionMessage(message))


async def _write(process: asyncio.subprocess.Process, given_on: Any) -> None:
    assert process.stdin is not None
    with suppress(OSError):
        async with given_on:
            async for each in given_on:
                text = each.message.model_dump_json(by_alias=True, exclude_unset=True)
                process.stdin.write(f"{text}\n".encode())
                await process.stdin.drain()


async def _ended(process: asyncio.subprocess.Process, full: bool) -> None:
    """Close its input, wait a second, then end it with all that it started; at once when `full`."""
    if process.stdin is not None:
        process.stdin.close()
    if not full:
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _GOING_SECONDS)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    assert process.stdout is not None
    # A process is over for asyncio once its streams are: what it still had to say is thrown away.
    with suppress(TimeoutError, ValueError):
        async with asyncio.timeout(_GOING_SECONDS):
            while await process.stdout.read(1 << 16):
                pass
    with suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), _GOING_SECONDS)
