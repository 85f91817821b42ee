"""What may go wrong with an endpoint: whether to try again, when, and what people are told.

Imports the model libraries.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Awaitable, Callable, Iterator

import httpx2
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelServerError,
    ModelUnavailableError,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
)
from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse

log = logging.getLogger("assay.planner")

MOST_RETURNED = 3
"""How often what a model proposed goes back to it with what is wrong."""

_FIRST_WAIT, _LONGEST_WAIT = 0.25, 4.0


UNUSABLE = "what it proposed could not be used"


class GarbledError(AgentRunError):
    """What came back is no answer of an endpoint."""


class RedirectedError(AgentRunError):
    """The endpoint wants the prompt sent elsewhere, where it is not sent."""


MAY_PASS = (
    ModelRateLimitError,
    ModelUnavailableError,
    ModelServerError,
    ModelConnectionError,
    GarbledError,
    TimeoutError,
)


async def readable(send: Callable[[], Awaitable[ModelResponse]]) -> tuple[ModelResponse, str]:
    """What comes back, and the same as JSON. Raises GarbledError for what is neither an answer nor
    a refusal, RedirectedError for a redirection."""
    try:
        response = await send()
        return response, ModelMessagesTypeAdapter.dump_json([response]).decode()
    except (ModelHTTPError, ModelConnectionError, TimeoutError):
        raise
    except Exception as error:  # the libraries check little: a wrong shape may raise anything
        if any(300 <= status < 400 for status in _statuses(error)):
            raise RedirectedError("the endpoint redirects") from None
        log.debug("a model's answer cannot be read: %s", type(error).__name__)
        raise GarbledError("what came back could not be read") from None


def took_nothing(error: BaseException) -> bool:
    """Whether a request cannot have been charged: it was refused, sent elsewhere or never sent.
    Whatever broke off later may have been charged in full."""
    return isinstance(error, ModelHTTPError | RedirectedError) or never_connected(error)


def never_connected(error: BaseException) -> bool:
    """Whether nobody was there to read the request."""
    return any(isinstance(e, httpx2.ConnectError | httpx2.ConnectTimeout) for e in causes(error))


def _statuses(error: BaseException) -> Iterator[int]:
    for cause in causes(error):
        if isinstance(status := getattr(cause, "status_code", None), int):
            yield status


def causes(error: BaseException) -> Iterator[BaseException]:
    """The error, and those it came from."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__


def wait_seconds(error: BaseException, attempt: int) -> float:
    """Seconds before the next try: what the endpoint asked for, else longer each time."""
    asked = error.retry_after if isinstance(error, ModelAPIError) else None
    if asked is not None:
        return max(0.0, asked)
    longest = min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** (attempt - 1))
    return random.uniform(longest / 2, longest)


_WORDS: tuple[tuple[type[BaseException], str], ...] = (
    (ModelRateLimitError, "it allows no more requests for now"),
    (ModelQuotaExceededError, "its account's quota is used up"),
    (ModelUnavailableError, "its server fails"),
    (ModelServerError, "its server fails"),
    (ModelConnectionError, "it cannot be reached"),
    (GarbledError, "what it sends cannot be read"),
    (
        RedirectedError,
        "its server sends elsewhere, which is not followed: check ASSAY_LLM_BASE_URL",
    ),
    (
        ModelAuthenticationError,
        "its server refuses the key, or wants one: check ASSAY_LLM_KEY",
    ),
    (
        ModelNotFoundError,
        "its server knows no such model or address: check ASSAY_LLM and ASSAY_LLM_BASE_URL",
    ),
    (
        ModelContextWindowExceededError,
        "the prompt is too long for it: lower ASSAY_LLM_PROMPT_TOKENS",
    ),
    (UnexpectedModelBehavior, f"{UNUSABLE}, {MOST_RETURNED} corrections included"),
    (UsageLimitExceeded, f"{UNUSABLE}, {MOST_RETURNED} corrections included"),
)


def why(error: BaseException, seconds: float) -> str:
    """What kept the model from answering, for people: nothing that it or its provider wrote."""
    if isinstance(error, TimeoutError):
        return f"it did not answer within {seconds:.0f} s"
    for kind, words in _WORDS:
        if isinstance(error, kind):
            return words
    if isinstance(error, ModelHTTPError):
        return f"its server refuses the request (status {error.status_code})"
    return "it failed"
