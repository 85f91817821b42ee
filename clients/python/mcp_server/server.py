"""The MCP server: its tools listed and called, failures told in words.

Of one call nothing is left for the next but which session of the mesh its frames are in; what a
caller may is decided by the mesh, call by call.
"""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from clients.python.cli.screen import error_object
from clients.python.mcp_server.shapes import given_schema, short_schema
from clients.python.mcp_server.tools import TOOLS, OfferedTool, ToolContext
from clients.python.mcp_server.work import Progress, Tell
from clients.python.skill import INSTRUCTIONS
from mesh.errors import INTERNAL, INVALID_ARGUMENT, UNKNOWN_TOOL, AssayError
from mesh.text.harmless import harmless_line, harmless_value

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel import Server
    from mcp.types import CallToolResult, Tool

log = logging.getLogger("assay.mcp")

_OF_LINES = ("answer", "columns", "fix", "rows")
"""What keeps its lines: cells and names, statements, and an answer to several questions."""

ContextFactory = Callable[["Mapping[str, str]", Progress], AbstractAsyncContextManager[ToolContext]]
"""The context of one call, for the caller who sent these headers, or none."""


def made_server(open_context: ContextFactory) -> Server[Any]:
    """The server, for any transport."""
    from mcp.server.lowlevel import Server
    from mcp.types import ListToolsResult

    listed = ListToolsResult(tools=[described(tool) for tool in TOOLS])

    async def list_tools(context: Any, params: Any) -> ListToolsResult:
        return listed

    async def call_tool(context: ServerRequestContext[Any, Any], params: Any) -> CallToolResult:
        headers = getattr(context.request, "headers", None) or {}
        progress = Progress(_teller(context))
        return await _answered(
            lambda: _called(params.name, params.arguments or {}, open_context, headers, progress)
        )

    return Server(
        "assay",
        version=version("assay"),
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def described(tool: OfferedTool[Any]) -> Tool:
    """A tool as a client lists it."""
    from mcp.types import Tool, ToolAnnotations

    return Tool(
        name=tool.name,
        description=tool.description,
        input_schema=short_schema(tool.arguments),
        output_schema=given_schema(tool.gives),
        annotations=ToolAnnotations(read_only_hint=True) if tool.reads_only else None,
    )


def _teller(context: ServerRequestContext[Any, Any]) -> Tell:
    async def tell(percent: float, words: str) -> None:
        await context.session.report_progress(percent, 100.0, harmless_line(words))

    return tell


async def _called(
    name: str,
    arguments: dict[str, Any],
    open_context: ContextFactory,
    headers: Any,
    progress: Progress,
) -> tuple[dict[str, Any], bytes]:
    """What a tool gives, and its picture where it draws one. Raises AssayError."""
    tool = next((one for one in TOOLS if one.name == name), None)
    if tool is None:
        raise AssayError(UNKNOWN_TOOL, f"there is no tool {name[:100]!r}")
    try:
        given = tool.arguments.model_validate(arguments)
    except ValidationError as error:
        raise _malformed(error) from error
    async with open_context(headers, progress) as context:
        found = await tool.run(context, given)
        return found.object(), getattr(found, "picture", b"")


async def _answered(
    work: Callable[[], Awaitable[tuple[dict[str, Any], bytes]]],
) -> CallToolResult:
    """What a tool gives, or its failure as a client takes it: never an exception's own words.

    An agent prints it, so its texts are made harmless (`mesh.text.harmless`).
    """
    from mcp.types import CallToolResult, ImageContent, TextContent

    picture = b""
    try:
        (value, picture), failed = await work(), False
    except AssayError as error:
        value, failed = _failure(error), True
    except Exception:
        log.exception("a tool failed")
        value = _failure(AssayError(INTERNAL, "the tool failed; the log of the server says how"))
        failed = True
    value = told_value(value)
    text = json.dumps(value, ensure_ascii=False)
    content: list[Any] = [TextContent(type="text", text=text)]
    if picture:
        data = base64.b64encode(picture).decode("ascii")
        content.append(ImageContent(type="image", data=data, mime_type="image/png"))
    return CallToolResult(
        content=content,
        structured_content=value,
        is_error=failed,
    )


def told_value(value: Any, name: str = "") -> Any:
    """An answer as a model is told it: what a terminal would obey is shown as a sign, and nothing
    that a cell or a name holds begins a line among Assay's own. Cells alone keep their lines."""
    if isinstance(value, list) and name not in _OF_LINES:
        return [told_value(one, name) for one in value]
    if isinstance(value, dict):
        return {harmless_line(key): told_value(one, key) for key, one in value.items()}
    if isinstance(value, str) and name not in _OF_LINES:
        return harmless_line(value)
    return harmless_value(value)


def _failure(error: AssayError) -> dict[str, Any]:
    values = error_object(error)
    values["hint"] = error.remedy  # not in words of the command line
    values["job"] = error.metadata.get("job")
    return {
        key: values[key] for key in ("reason", "message", "hint", "fields", "job") if values[key]
    }


def _malformed(error: ValidationError) -> AssayError:
    """Which arguments are wrong and how; what they held is not said again."""
    fields = {
        ".".join(map(str, one["loc"])) or "arguments": one["msg"]
        for one in error.errors(include_url=False, include_input=False)
    }
    sentence = "; ".join(f"{name}: {text}" for name, text in fields.items())
    return AssayError(
        INVALID_ARGUMENT, sentence[:1_000], hint="Mend them as the tool's schema says."
    )
