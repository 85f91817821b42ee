"""A language model from settings, put together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mesh.breaker import Breaker
from mesh.clock import Clock
from mesh.database import Database
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.instruments import BREAKER_STATE
from mesh.metrics import observe
from services.planner.adapters.llm.spending import SqlSpending
from services.planner.adapters.reasoner_llm import LanguageModel, Limits, ListTools
from services.planner.settings import LanguageModelSettings


@asynccontextmanager
async def language_model(
    settings: LanguageModelSettings, list_tools: ListTools, database: Database, clock: Clock
) -> AsyncIterator[LanguageModel]:
    """The model that the settings name, for as long as the block lasts.

    Raises AssayError(INVALID_ARGUMENT) when its libraries are not installed, or its key's file
    cannot be read.
    """
    try:
        from services.planner.adapters.llm.asking import Asker
        from services.planner.adapters.llm.endpoint import Endpoint
    except ImportError as error:
        raise AssayError(
            INVALID_ARGUMENT,
            f"ASSAY_LLM is {settings.llm}, but {error.name} is not installed",
            hint='Install it with pip install "assay[llm]", or unset ASSAY_LLM.',
        ) from error
    endpoint = Endpoint(settings)
    breaker = Breaker(settings.llm_failures, settings.llm_rest_seconds, clock)
    unwatch = observe(BREAKER_STATE, "planner", lambda: breaker.told("model"))
    try:
        asker = Asker(endpoint, settings, SqlSpending(database), breaker, clock)
        allowed = [name.strip() for name in settings.llm_tools.split(",") if name.strip()]
        yield LanguageModel(asker, list_tools, allowed, limits_of(settings))
    finally:
        unwatch()
        await endpoint.close()


def limits_of(settings: LanguageModelSettings) -> Limits:
    """What a model is told at most, and how often it may look something up."""
    return Limits(
        prompt_tokens=settings.llm_prompt_tokens,
        disclosure=settings.llm_disclosure,
        lookups=settings.llm_lookups if settings.llm_output == "tool" else 0,
    )
