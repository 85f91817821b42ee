"""An endpoint that speaks OpenAI's or Anthropic's language, made from settings; Google's speaks
OpenAI's too.

Imports the model libraries: only where a model is configured is this module imported.
"""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator, Callable
from contextvars import ContextVar

import httpx2
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelMessage, ModelResponse, PartEndEvent
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles import InlineDefsJsonSchemaTransformer
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings

from mesh.errors import INVALID_ARGUMENT, AssayError
from services.planner.adapters.llm.describing import BYTES_A_TOKEN
from services.planner.adapters.llm.troubles import causes
from services.planner.settings import ModelPlace

_MOST_BYTES, _MOST_STREAMED_BYTES = 4 * 2**20, 16 * 2**20
_CONNECT_SECONDS = 5.0
_KEYS = {
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "google": "GEMINI_API_KEY",
}
_PLACES = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "google": "https://generativelanguage.googleapis.com/v1beta/openai",
}
_GOOGLES = OpenAIModelProfile(
    json_schema_transformer=InlineDefsJsonSchemaTransformer,
    openai_supports_strict_tool_definition=False,
)
"""Google's models read schemas without references alone."""

_NO_KEY = "no-key-is-set"  # endpoints of one's own often want none, the libraries always do


_asked_to_stream: ContextVar[bool] = ContextVar("_asked_to_stream", default=False)


class _NotStreamedError(httpx2.ReadError):
    """What was to come in pieces comes as a whole."""


class _Bounded(httpx2.AsyncByteStream):
    """An answer's bytes, up to a limit: an endpoint cannot fill the memory."""

    def __init__(self, stream: httpx2.AsyncByteStream, most: int) -> None:
        self._stream = stream
        self._most = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        seen = 0
        async for piece in self._stream:
            seen += len(piece)
            if seen > self._most:
                raise httpx2.ReadError(f"the answer is longer than {self._most:,} bytes")
            yield piece

    async def aclose(self) -> None:
        """Let go of the connection."""
        await self._stream.aclose()


async def _bound(response: httpx2.Response) -> None:
    if response.headers.get("content-encoding", "identity") != "identity":
        raise httpx2.ReadError("the answer is compressed, which was not asked for")
    streamed = response.headers.get("content-type", "").startswith("text/event-stream")
    if _asked_to_stream.get() and response.status_code == httpx2.codes.OK and not streamed:
        raise _NotStreamedError("the answer comes as a whole")
    if isinstance(response.stream, httpx2.AsyncByteStream):
        most = _MOST_STREAMED_BYTES if streamed else _MOST_BYTES
        response.stream = _Bounded(response.stream, most)


_EVENTS_A_TOKEN, _MORE_EVENTS = 2, 1_000
"""An endpoint that sends more pieces than it may send tokens would keep the planner busy."""

_NO_STREAM = (400, 422, 501)
Exchange = tuple[list[ModelMessage], ModelSettings | None, ModelRequestParameters]
"""Messages and settings of one request, as pydantic-ai hands them to a model."""


async def _in_pieces(
    model: Model, request: Exchange, heard: Callable[[int], None]
) -> ModelResponse:
    asked = request[1] or {}
    most_events = _EVENTS_A_TOKEN * asked.get("max_tokens", 0) + _MORE_EVENTS
    async with model.request_stream(*request) as stream:
        length = events = 0
        async for event in stream:
            events += 1
            if events > most_events:
                raise httpx2.ReadError(f"the answer comes in more than {most_events:,} pieces")
            length += _length(event)
            heard(int(length / BYTES_A_TOKEN))
        return stream.get()


def _length(event: object) -> int:
    """How many letters came with an event of a stream: text, reasoning or a part of a call."""
    value = getattr(event, "delta", None) or getattr(event, "part", None)
    if isinstance(event, PartEndEvent):
        return 0
    texts = (
        getattr(value, name, None) for name in ("content", "content_delta", "args", "args_delta")
    )
    return sum(len(text) for text in texts if isinstance(text, str))


class Endpoint:
    """A model and the connections to it. `name` is as configured: `openai:<model>`."""

    def __init__(self, place: ModelPlace, request_seconds: float) -> None:
        self._streams = True
        self.name = place.name
        family, _, model = place.name.partition(":")
        key = api_key(place) or _NO_KEY
        # Given always, so that no other variable of the environment chooses where prompts go.
        url = place.base_url or _PLACES[family]
        self._client = httpx2.AsyncClient(
            follow_redirects=False,
            timeout=httpx2.Timeout(request_seconds, connect=_CONNECT_SECONDS),
            headers={"accept-encoding": "identity"},
            event_hooks={"response": [_bound]},
        )
        self.model: Model
        # Tries again itself, within a job's time and budget: the libraries must not.
        if family in ("openai", "google"):
            openai = AsyncOpenAI(api_key=key, base_url=url, http_client=self._client, max_retries=0)
            profile = _GOOGLES if family == "google" else None
            self.model = OpenAIChatModel(
                model, provider=OpenAIProvider(openai_client=openai), profile=profile
            )
        else:
            anthropic = AsyncAnthropic(
                api_key=key, base_url=url, http_client=self._client, max_retries=0
            )
            provider = AnthropicProvider(anthropic_client=anthropic)
            self.model = AnthropicModel(model, provider=provider)

    async def ask(self, request: Exchange, heard: Callable[[int], None]) -> ModelResponse:
        """What the model answers; `heard` is told how many tokens came so far, about.

        An endpoint that cannot answer in pieces is asked once more, and never for pieces again.
        """
        if self._streams:
            token = _asked_to_stream.set(True)
            try:
                return await _in_pieces(self.model, request, heard)
            except Exception as error:
                refused = isinstance(error, ModelHTTPError) and error.status_code in _NO_STREAM
                whole = any(isinstance(cause, _NotStreamedError) for cause in causes(error))
                if not (refused or whole):
                    raise
            finally:
                _asked_to_stream.reset(token)
        answer = await self.model.request(*request)
        self._streams = False
        return answer

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()


def api_key(place: ModelPlace) -> str:
    """The key: as set, else from the file, else from the provider's own variable; or none.

    Raises AssayError(INVALID_ARGUMENT) for a file that cannot be read or is empty, and for what
    cannot be a key; where it came from is named, and it is not repeated.
    """
    variable = _KEYS[place.family]
    if given := place.key.get_secret_value():
        return _key(f"{place.variable}_KEY", given)
    if place.key_file is not None:
        file = f"{place.variable}_KEY_FILE: {place.key_file}"
        try:
            held = place.key_file.expanduser().read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            kind = type(error).__name__
            raise AssayError(INVALID_ARGUMENT, f"{file} cannot be read ({kind})") from None
        if not held.strip():
            raise AssayError(INVALID_ARGUMENT, f"{file} holds no key")
        return _key(file, held)
    return _key(variable, os.environ.get(variable, ""))


def _key(place: str, text: str) -> str:
    key = text.strip()
    if key and not re.fullmatch(r"[!-~]+", key):
        raise AssayError(
            INVALID_ARGUMENT,
            f"{place} is no key: it holds a space, a line break or a letter that no key has",
        )
    return key
