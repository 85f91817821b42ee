"""Asking a model for a filled form: again when it is away, again when what it says is refused.

Every request is reserved in the budget before it is sent and settled when it came back, has a span
of its own, and ends within the time of the decision. Imports the model libraries.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any

from pydantic_ai import Agent, ModelRetry, NativeOutput, PromptedOutput, Tool, ToolOutput
from pydantic_ai.exceptions import AgentRunError, ModelQuotaExceededError
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import UsageLimits

from mesh.clock import Clock
from mesh.telemetry.instruments import ERROR, MODEL_SECONDS
from mesh.telemetry.metrics import record
from mesh.telemetry.tracing import failed, span
from mesh.transport.breaker import Breaker
from services.planner.adapters.llm.ask import Ask, FormT, NoAnswerError
from services.planner.adapters.llm.describing import tokens_in
from services.planner.adapters.llm.endpoint import Endpoint
from services.planner.adapters.llm.metering import Meter, Prices, counted, measured, taken
from services.planner.adapters.llm.spending import (
    Budget,
    BudgetSpentError,
    Reservation,
    Spending,
)
from services.planner.adapters.llm.troubles import (
    MAY_PASS,
    MOST_RETURNED,
    UNUSABLE,
    never_connected,
    readable,
    took_nothing,
    wait_seconds,
    why,
)
from services.planner.domain.model_use import ModelUse
from services.planner.domain.thinking import Thinking
from services.planner.settings import LanguageModelSettings

log = logging.getLogger("assay.planner")

MOST_TRIES = 4
"""How often one request is sent at most, while the endpoint is busy or away."""

_MOST_PROBLEMS, _LONGEST_PROBLEM = 20, 400
_FORM_TOKENS = 1_500  # what the form's own schema adds to a prompt, about


class Asker:
    """Asks one endpoint, within budgets."""

    def __init__(
        self,
        endpoint: Endpoint,
        settings: LanguageModelSettings,
        spending: Spending,
        breaker: Breaker,
        clock: Clock,
        thinking: Thinking,
        tries: int = MOST_TRIES,
    ) -> None:
        self.endpoint = endpoint
        self.thinking = thinking
        self._settings = settings
        self._spending = spending
        self._breaker = breaker
        self._clock = clock
        self._tries = tries
        self._price = Prices(endpoint.name, settings).priced

    @property
    def name(self) -> str:
        """The model as configured."""
        return self.endpoint.name

    async def ask(self, wanted: Ask[FormT]) -> tuple[FormT, ModelUse]:
        """A form without problems, and what it took. Raises NoAnswerError."""
        seconds = max(0.0, min(wanted.seconds, self._settings.llm_seconds))
        meter = Meter(
            wanted.job_id, wanted.purpose, time.monotonic() + seconds, self._price(0, 0, 0.0, 0)
        )
        if not self._breaker.admits():
            raise NoAnswerError("it failed several times and rests", meter.use)
        try:
            filled = await self._within(seconds, wanted, meter)
        except BudgetSpentError as spent:
            if not meter.trouble:
                raise NoAnswerError(str(spent), meter.use) from None
            self._breaker.failed()
            raise NoAnswerError(f"{meter.trouble}, and {spent}", meter.use) from None
        except (AgentRunError, TimeoutError) as error:
            self._breaker.failed()
            text = why(error, seconds)
            left = wanted.job_seconds
            if isinstance(error, TimeoutError) and left and left < self._settings.llm_seconds:
                text = f"{text}: the time limit of the job leaves no more"
            # Messages of providers may repeat parts of the prompt: only their kind is logged.
            log.warning("model %s, %s: %s", self.name, wanted.purpose, text)
            raise NoAnswerError(text, meter.use) from None
        self._breaker.succeeded()
        return filled, meter.use

    async def _within(self, seconds: float, wanted: Ask[FormT], meter: Meter) -> FormT:
        try:
            async with asyncio.timeout(seconds):
                return await self._converse(wanted, meter)
        finally:
            if meter.settling:
                await asyncio.shield(asyncio.wait(meter.settling))

    async def _converse(self, wanted: Ask[FormT], meter: Meter) -> FormT:
        offered = wanted.lookups.offered if wanted.lookups is not None else ()
        agent: Agent[object, FormT] = Agent(
            _MeteredModel(self, meter),
            tools=[
                Tool(one.call, takes_ctx=False, name=one.name, description=one.about)
                for one in offered
            ],
            output_type=_output(wanted, self._settings.llm_output),
            instructions=wanted.instructions,
            retries=MOST_RETURNED,
            name="planner",
        )

        @agent.output_validator
        async def checked(filled: FormT) -> FormT:
            problems = await asyncio.to_thread(_problems, wanted, filled)
            if not problems and wanted.judged is not None:
                problems = list(await wanted.judged(filled))[:_MOST_PROBLEMS]
            if problems:
                raise ModelRetry("This cannot be used:\n- " + "\n- ".join(problems))
            return filled

        result = await agent.run(
            wanted.prompt,
            model_settings=ModelSettings(max_tokens=self._settings.llm_answer_tokens),
            usage_limits=UsageLimits(
                request_limit=1 + MOST_RETURNED + (self._settings.llm_lookups if offered else 0)
            ),
        )
        return result.output

    async def request(
        self,
        send: Callable[[], Awaitable[ModelResponse]],
        messages: list[ModelMessage],
        meter: Meter,
    ) -> ModelResponse:
        """One exchange: tried again while the endpoint may come back and there is time."""
        text = ModelMessagesTypeAdapter.dump_json(messages).decode()
        for attempt in range(1, self._tries + 1):
            try:
                response = await self._once(send, text, meter)
                meter.trouble = UNUSABLE  # or no other request would follow
                return response
            except MAY_PASS as error:
                meter.trouble = why(error, self._settings.llm_request_seconds)
                wait = wait_seconds(error, attempt)
                last = attempt == self._tries or (attempt > 1 and never_connected(error))
                if isinstance(error, ModelQuotaExceededError) or last:
                    raise
                if wait >= meter.seconds_left:
                    raise
                await asyncio.sleep(wait)
        raise AssertionError("unreachable: the last try returns or raises")

    async def _once(
        self, send: Callable[[], Awaitable[ModelResponse]], text: str, meter: Meter
    ) -> ModelResponse:
        asked = tokens_in(text) + _FORM_TOKENS
        most = self._price(asked, self._settings.llm_answer_tokens, 0.0, 1)
        reserved = Reservation(meter.job_id, meter.purpose, self._clock.now(), most)
        request_id = await self._spending.reserve(reserved, self._budget)
        began = time.monotonic()
        with span("ask model", self._attributes(meter)) as value:
            if self._settings.llm_trace_content:
                value.set_attribute("gen_ai.input.messages", text)
            try:
                async with asyncio.timeout(self._settings.llm_request_seconds):
                    response, answer = await readable(send)
            except BaseException as error:
                seconds = time.monotonic() - began
                took = self._price(0, 0, seconds, 1) if took_nothing(error) else None
                meter.took(took or most.model_copy(update={"seconds": seconds}))
                outcome = type(error).__name__
                failed(value, outcome)
                record(MODEL_SECONDS, seconds, {**self._named, ERROR: outcome})
                # Beside the work, because that may be cancelled, more than once.
                settle = self._spending.settle(request_id, outcome[:40], took)
                meter.settling.add(asyncio.create_task(settle))
                raise
            # An endpoint that reports no use is taken to have used what was sent.
            took = self._price(
                counted(response.usage.input_tokens, asked),
                counted(response.usage.output_tokens, tokens_in(answer)),
                time.monotonic() - began,
                1,
            )
            meter.took(took)
            value.set_attributes(taken(took))
            measured(took, self._named)
            if self._settings.llm_trace_content:
                value.set_attribute("gen_ai.output", answer)
            await self._spending.settle(request_id, "answered", took)
            return response

    @property
    def _budget(self) -> Budget:
        s = self._settings
        return Budget(s.llm_job_tokens, s.llm_day_tokens, s.llm_job_cost, s.llm_day_cost)

    @property
    def _named(self) -> dict[str, str]:
        family, _, model = self.name.partition(":")
        return {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": family,
            "gen_ai.request.model": model,
        }

    def _attributes(self, meter: Meter) -> dict[str, str]:
        return {**self._named, "assay.decision": meter.purpose}


class _MeteredModel(WrapperModel):
    """The endpoint's model, of which every request is counted."""

    def __init__(self, asker: Asker, meter: Meter) -> None:
        super().__init__(asker.endpoint.model)
        self._asker = asker
        self._meter = meter

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        exchange = (messages, model_settings, model_request_parameters)

        async def send() -> ModelResponse:
            with self._asker.thinking.about(self._meter.job_id) as heard:
                return await self._asker.endpoint.ask(exchange, heard)

        return await self._asker.request(send, messages, self._meter)


def _problems(wanted: Ask[FormT], filled: FormT) -> list[str]:
    """What to tell the model of what it proposed; what cannot be checked is not believed."""
    try:
        problems = wanted.problems(filled)
    except Exception:
        log.exception("job %s: the model's %s cannot be checked", wanted.job_id, wanted.purpose)
        return ["it cannot be checked: make it simpler"]
    return [problem[:_LONGEST_PROBLEM] for problem in problems[:_MOST_PROBLEMS]]


def _output(wanted: Ask[FormT], how: str) -> Any:
    if how == "native":
        return NativeOutput(wanted.form, name=wanted.call)
    if how == "prompted":
        return PromptedOutput(wanted.form, name=wanted.call)
    return ToolOutput(wanted.form, name=wanted.call, description="Hand over the decision.")
