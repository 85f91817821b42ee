"""What may go wrong with an endpoint: whether to try again, when, and what people are told.

Imports the model libraries.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable

from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelConnectionError,
    ModelHTTPError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelServerError,
    ModelUnavailableError,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
)
from pydantic_ai.messages import ModelResponse

MOST_RETURNED = 3
"""How often what a model proposed goes back to it with what is wrong."""

_FIRST_WAIT, _LONGEST_WAIT = 0.25, 4.0


class GarbledError(AgentRunError):
    """What came back is no answer of an endpoint."""


MAY_PASS = (
    ModelRateLimitError,
    ModelUnavailableError,
    ModelServerError,
    ModelConnectionError,
    GarbledError,
    TimeoutError,
)


async def readable(send: Callable[[], Awaitable[ModelResponse]]) -> ModelResponse:
    """What comes back. Raises GarbledError for what is neither an answer nor a refusal."""
    try:
        return await send()
    except (ModelHTTPError, ModelConnectionError):
        raise
    except (ModelAPIError, UnexpectedModelBehavior):
        raise GarbledError("what came back could not be read") from None


def wait_seconds(error: BaseException, attempt: int) -> float:
    """Seconds before the next try: what the endpoint asked for, else longer each time."""
    asked = error.retry_after if isinstance(error, ModelAPIError) else None
    if asked is not None:
        return max(0.0, asked)
    longest = min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** (attempt - 1))
    return random.uniform(longest / 2, longest)


def why(error: BaseException, seconds: float) -> str:
    """What kept the model from answering, for people: nothing that it or its provider wrote."""
    if isinstance(error, TimeoutError):
        return f"it did not answer within {seconds:.0f} s"
    if isinstance(error, ModelRateLimitError):
        return "it allows no more requests for now"
    if isinstance(error, ModelQuotaExceededError):
        return "its account's quota is used up"
    if isinstance(error, ModelUnavailableError | ModelServerError):
        return "its server fails"
    if isinstance(error, ModelConnectionError):
        return "it cannot be reached"
    if isinstance(error, GarbledError):
        return "what it sends cannot be read"
    if isinstance(error, ModelAPIError):
        return "its server refuses the request"
    if isinstance(error, UnexpectedModelBehavior | UsageLimitExceeded):
        return f"what it proposed could not be used, {MOST_RETURNED} corrections included"
    return "it failed"
