"""A language model's endpoint on this machine, whose every answer a test has written beforehand.

It speaks as much of OpenAI's chat completions and of Anthropic's messages as the planner needs,
over real HTTP: what is slow, broken or cut off here is so on the wire.
"""

from __future__ import annotations

import asyncio
import json
import struct
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from socket import SO_LINGER, SOL_SOCKET
from typing import Any

from mesh.testing.model_streams import anthropic_events, openai_events


@dataclass(frozen=True)
class Answered:
    """A form that the model fills in, as a call of the tool `name`: without one, of the tool that
    it is offered.

    `arguments` may be a text, for JSON that is broken. `seconds` pass before it is sent.
    """

    arguments: Mapping[str, Any] | str
    name: str = ""
    input_tokens: int = 900
    output_tokens: int = 100
    seconds: float = 0.0


@dataclass(frozen=True)
class TextReply:
    """Words instead of a form."""

    text: str


@dataclass(frozen=True)
class Refused:
    """A status other than 200."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = '{"error": {"message": "scripted", "type": "scripted"}}'


@dataclass(frozen=True)
class Raw:
    """A body as it is, whatever it is."""

    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Hangs:
    """The request is read, and never answered."""


@dataclass(frozen=True)
class Resets:
    """The connection is reset in the middle of the answer."""


Turn = Answered | TextReply | Refused | Raw | Hangs | Resets
Script = Callable[[dict[str, Any]], Turn]


@dataclass
class ModelServer:
    """What runs: where it is, what it was asked so far, and what it answers next.

    `turns` are answered in order, the last one for ever; `script`, where it is set, answers
    instead, from the request. With `streams` it answers in pieces where that is asked for.
    """

    turns: list[Turn] = field(default_factory=list)
    script: Script | None = None
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    streams: bool = True
    address: str = ""
    _over: asyncio.Event = field(default_factory=asyncio.Event)
    _open: set[asyncio.StreamWriter] = field(default_factory=set)

    @property
    def base_url(self) -> str:
        """The address as OpenAI's clients want it."""
        return f"http://{self.address}/v1"

    def will(self, *turns: Turn) -> None:
        """Forget what was asked, and answer like this from now on."""
        self.turns = list(turns)
        self.script = None
        self.asked.clear()
        self.headers.clear()

    def hang_up(self) -> None:
        """Close every connection, answered or not."""
        self._over.set()
        for writer in self._open:
            writer.close()

    @property
    def prompts(self) -> list[str]:
        """Everything that each request said, as one text."""
        return [json.dumps(request, ensure_ascii=False) for request in self.asked]

    def _turn(self, request: dict[str, Any]) -> Turn:
        """What comes next, and the request where it belongs."""
        self.asked.append(request)
        if self.script is not None:
            return self.script(request)
        if not self.turns:
            return Refused(500)
        return _next(self.turns)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection's requests."""
        self._open.add(writer)
        try:
            while (head := await reader.readuntil(b"\r\n\r\n")) is not None:
                lines = head.decode("latin-1").split("\r\n")
                headers = {
                    name.strip().lower(): value.strip()
                    for name, _, value in (line.partition(":") for line in lines[1:] if line)
                }
                length = int(headers.get("content-length", "0"))
                request = json.loads(await reader.readexactly(length))
                self.headers.append(headers)
                turn = self._turn(request)
                if isinstance(turn, Answered) and not turn.name:
                    turn = replace(turn, name=_form(request))
                streamed = self.streams and bool(request.get("stream"))
                if not await self._answer(turn, lines[0], writer, streamed):
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            return  # the client has gone
        finally:
            self._open.discard(writer)
            writer.close()

    async def _answer(
        self, turn: Turn, line: str, writer: asyncio.StreamWriter, streamed: bool
    ) -> bool:
        """Whether the connection can go on."""
        if isinstance(turn, Hangs):
            await self._over.wait()
            return False
        if isinstance(turn, Resets):
            await _reset(writer)
            return False
        if isinstance(turn, Refused):
            _send(writer, turn.status, turn.body.encode(), turn.headers)
        elif isinstance(turn, Raw):
            kind = {"content-type": "text/event-stream"} if streamed else {}
            _send(writer, 200, turn.body, {**kind, **turn.headers})
        else:
            seconds = turn.seconds if isinstance(turn, Answered) else 0.0
            spoken = "anthropic" if "/messages" in line else "openai"
            body = _anthropic(turn) if spoken == "anthropic" else _openai(turn)
            if streamed:
                await _stream(writer, list(_EVENTS[spoken](body)), seconds)
            else:
                await asyncio.sleep(seconds)
                _send(writer, 200, json.dumps(body).encode(), {})
        await writer.drain()
        return True


@asynccontextmanager
async def model_server(*turns: Turn) -> AsyncIterator[ModelServer]:
    """An endpoint on a free port of the loopback address."""
    model = ModelServer(list(turns))
    server = await asyncio.start_server(model.serve, "127.0.0.1", 0, limit=2**24)
    host, port = server.sockets[0].getsockname()[:2]
    model.address = f"{host}:{port}"
    try:
        yield model
    finally:
        server.close()
        model.hang_up()
        await server.wait_closed()


def _next(turns: list[Turn]) -> Turn:
    return turns.pop(0) if len(turns) > 1 else turns[0]


def _form(request: dict[str, Any]) -> str:
    """The form that is asked for: the last tool's name, in either language, or a schema's; those
    before it only look something up."""
    for tool in reversed(request.get("tools", [])):
        return str(tool.get("function", tool)["name"])
    return str(request.get("response_format", {}).get("json_schema", {}).get("name", ""))


_EVENTS = {"openai": openai_events, "anthropic": anthropic_events}


async def _stream(writer: asyncio.StreamWriter, events: list[str], seconds: float) -> None:
    """Send events as they come, over so many seconds together."""
    head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked"
    writer.write(f"{head}\r\n\r\n".encode())
    for event in events:
        sent = event.encode()
        writer.write(b"%x\r\n%b\r\n" % (len(sent), sent))
        await writer.drain()
        if seconds:
            await asyncio.sleep(seconds / len(events))
    writer.write(b"0\r\n\r\n")


async def _reset(writer: asyncio.StreamWriter) -> None:
    """Begin an answer, and end the connection as a crashed peer does."""
    kind = b"content-type: text/event-stream"
    writer.write(b"HTTP/1.1 200 OK\r\n%b\r\ncontent-length: 1000\r\n\r\n{" % kind)
    await writer.drain()
    linger = struct.pack("ii", 1, 0)
    writer.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, linger)
    writer.transport.abort()


def _send(
    writer: asyncio.StreamWriter, status: int, body: bytes, headers: Mapping[str, str]
) -> None:
    every = {"content-type": "application/json", "content-length": str(len(body)), **headers}
    lines = [f"HTTP/1.1 {status} scripted", *(f"{name}: {v}" for name, v in every.items()), "", ""]
    writer.write("\r\n".join(lines).encode() + body)


def _arguments(turn: Answered) -> str:
    given = turn.arguments
    return given if isinstance(given, str) else json.dumps(given)


def _openai(turn: Answered | TextReply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": None}
    used = (10, 10)
    if isinstance(turn, TextReply):
        message["content"] = turn.text
    else:
        function = {"name": turn.name, "arguments": _arguments(turn)}
        message["tool_calls"] = [{"id": "call_1", "type": "function", "function": function}]
        used = (turn.input_tokens, turn.output_tokens)
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "scripted",
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": "stop" if isinstance(turn, TextReply) else "tool_calls",
            }
        ],
        "usage": {
            "prompt_tokens": used[0],
            "completion_tokens": used[1],
            "total_tokens": sum(used),
        },
    }


def _anthropic(turn: Answered | TextReply) -> dict[str, Any]:
    used = (10, 10)
    if isinstance(turn, TextReply):
        content: dict[str, Any] = {"type": "text", "text": turn.text}
    else:
        given = turn.arguments
        form = {"broken": given} if isinstance(given, str) else dict(given)
        content = {"type": "tool_use", "id": "toolu_1", "name": turn.name, "input": form}
        used = (turn.input_tokens, turn.output_tokens)
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": [content],
        "stop_reason": "end_turn" if isinstance(turn, TextReply) else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": used[0], "output_tokens": used[1]},
    }
