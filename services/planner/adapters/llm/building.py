"""A language model from settings, put together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

from mesh.clock import Clock
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.storage.database import Database
from mesh.telemetry.instruments import BREAKER_STATE
from mesh.telemetry.metrics import observe
from mesh.transport.breaker import Breaker
from services.planner.adapters.llm.falling_back import FallingBack
from services.planner.adapters.llm.spending import SqlSpending
from services.planner.adapters.reasoner_llm import LanguageModel, Limits, ListTools
from services.planner.domain.thinking import Thinking
from services.planner.settings import LanguageModelSettings


@asynccontextmanager
async def language_model(
    settings: LanguageModelSettings,
    list_tools: ListTools,
    database: Database,
    clock: Clock,
    thinking: Thinking | None = None,
) -> AsyncIterator[LanguageModel]:
    """The model that the settings name, for as long as the block lasts; `thinking` is told how far
    it is.

    Raises AssayError(INVALID_ARGUMENT) when its libraries are not installed, or its key's file
    cannot be read.
    """
    try:
        from services.planner.adapters.llm.asking import MOST_TRIES, Asker
        from services.planner.adapters.llm.endpoint import Endpoint
    except ImportError as error:
        raise AssayError(
            INVALID_ARGUMENT,
            f"ASSAY_LLM is {settings.llm}, but {error.name} is not installed",
            hint='Install it with pip install "assay[llm]", or unset ASSAY_LLM.',
        ) from error
    async with AsyncExitStack() as stack:
        askers, known_thinking = [], thinking or Thinking(clock.monotonic)
        for peer, place in zip(("model", "fallback model"), settings.places, strict=False):
            endpoint = Endpoint(place, settings.llm_request_seconds)
            stack.push_async_callback(endpoint.close)
            breaker = Breaker(settings.llm_failures, settings.llm_rest_seconds, clock)
            known_partial = partial(breaker.list_states, peer)
            stack.callback(observe(BREAKER_STATE, "planner", known_partial))
            spending, tries = SqlSpending(database), 1 if settings.llm_fallback else MOST_TRIES
            askers.append(
                Asker(endpoint, settings, spending, breaker, clock, known_thinking, tries)
            )
        both = FallingBack(askers[0], askers[1], settings.llm_seconds) if askers[1:] else askers[0]
        allowed = [name.strip() for name in settings.llm_tools.split(",") if name.strip()]
        yield LanguageModel(both, list_tools, allowed, limits_of(settings))


def limits_of(settings: LanguageModelSettings) -> Limits:
    """What a model is told at most, and how often it may look something up."""
    return Limits(
        prompt_tokens=settings.llm_prompt_tokens,
        disclosure=settings.llm_disclosure,
        lookups=settings.llm_lookups if settings.llm_output == "tool" else 0,
    )
