"""What a decision takes of a model: tokens, money and time, counted request by request."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field

from mesh.telemetry.instruments import MODEL_COST, MODEL_SECONDS, MODEL_TOKENS
from mesh.telemetry.metrics import record
from services.planner.domain.model_use import ModelUse
from services.planner.settings import LanguageModelSettings

_MOST_REPORTED = 1_000_000_000  # more of one request than any endpoint takes


@dataclass
class Meter:
    """What one decision took so far, until when it may go on, and what ended its last request."""

    job_id: str
    purpose: str
    until: float
    use: ModelUse
    settling: set[asyncio.Task[None]] = field(default_factory=set)
    trouble: str = ""

    @property
    def seconds_left(self) -> float:
        """Seconds that the decision may still take."""
        return self.until - time.monotonic()

    def took(self, use: ModelUse) -> None:
        """Add what one request took."""
        costs = (self.use.cost, use.cost)
        self.use = self.use.model_copy(
            update={
                "requests": self.use.requests + 1,
                "input_tokens": self.use.input_tokens + use.input_tokens,
                "output_tokens": self.use.output_tokens + use.output_tokens,
                "cost": None if None in costs else sum(c or 0.0 for c in costs),
                "seconds": round(self.use.seconds + use.seconds, 3),
            }
        )


def counted(reported: int, estimated: int) -> int:
    """Tokens of a request: as its endpoint reports them, unless that cannot be."""
    return reported if 0 < reported <= _MOST_REPORTED else estimated


class Prices:
    """What tokens of one model cost."""

    def __init__(self, name: str, settings: LanguageModelSettings) -> None:
        self._name = name
        self._settings = settings

    def priced(self, asked: int, answered: int, seconds: float, requests: int) -> ModelUse:
        """What so many tokens are, in money too where their price is set."""
        prices = self._settings.llm_prices.get(self._name)
        cost = None if prices is None else (asked * prices[0] + answered * prices[1]) / 1e6
        return ModelUse(
            model=self._name,
            requests=requests,
            input_tokens=asked,
            output_tokens=answered,
            cost=cost,
            currency=self._settings.llm_currency if prices is not None else "",
            seconds=round(seconds, 3),
        )


def measured(use: ModelUse, named: dict[str, str]) -> None:
    """Record what an answered request took, of the model that is `named`."""
    record(MODEL_SECONDS, use.seconds, named)
    for kind, tokens in (("input", use.input_tokens), ("output", use.output_tokens)):
        record(MODEL_TOKENS, tokens, {**named, "gen_ai.token.type": kind})
    if use.cost is not None:
        asked = {key: named[key] for key in ("gen_ai.provider.name", "gen_ai.request.model")}
        record(MODEL_COST, use.cost, {**asked, "assay.currency": use.currency})


def taken(use: ModelUse) -> dict[str, int | float]:
    """What a request took, as attributes of its span."""
    numbers: dict[str, int | float] = {
        "gen_ai.usage.input_tokens": use.input_tokens,
        "gen_ai.usage.output_tokens": use.output_tokens,
    }
    return numbers if use.cost is None else {**numbers, "assay.cost": use.cost}
