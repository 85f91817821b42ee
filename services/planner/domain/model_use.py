"""What asking a language model took: requests, tokens, money and time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from pydantic import Field

from services.planner.domain.catalogue import Frozen


class ModelUse(Frozen):
    """What one decision, or a whole job, took from a language model.

    `requests` counts what was sent, answered or not. `cost` is in `currency`, and None where the
    price of a model is not known: an unknown price is not stated as nothing. `seconds` is time
    spent waiting for the model. `fell_back` says why the model that is asked first gave nothing,
    where another was asked then; `model` names both.
    """

    model: str = ""
    requests: int = Field(default=0, ge=0)
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    cost: float | None = None
    currency: str = ""
    seconds: float = Field(default=0.0, ge=0)
    fell_back: str = ""

    @property
    def last(self) -> str:
        """The model that was asked last: of one decision, the one that answered."""
        return self.model.rpartition(", ")[2]

    @property
    def tokens(self) -> int:
        """Tokens in and out together."""
        return self.input_tokens + self.output_tokens


def total_use(uses: Iterable[ModelUse | None]) -> ModelUse | None:
    """What several decisions took together; None when none of them asked a model.

    The cost of all is known only where the cost of each is, and all are in one currency.
    """
    asked = [use for use in uses if use is not None and use.requests]
    if not asked:
        return None
    costs = [use.cost for use in asked if use.cost is not None]
    known = len(costs) == len(asked) and len({use.currency for use in asked}) == 1
    return ModelUse(
        model=", ".join(dict.fromkeys(name for use in asked for name in use.model.split(", "))),
        requests=sum(use.requests for use in asked),
        input_tokens=sum(use.input_tokens for use in asked),
        output_tokens=sum(use.output_tokens for use in asked),
        cost=round(sum(costs), 9) if known else None,
        currency=asked[0].currency if known else "",
        seconds=round(sum(use.seconds for use in asked), 3),
        fell_back=next((use.fell_back for use in asked if use.fell_back), ""),
    )


def took_of_model(use: ModelUse | None) -> str:
    """What a job took from a language model, in words; empty where none was asked."""
    if use is None or not use.requests:
        return ""
    parts = [f"{use.requests:,} {'request' if use.requests == 1 else 'requests'} to {use.model}"]
    parts.append(f"{use.input_tokens:,} tokens sent and {use.output_tokens:,} received")
    if use.cost is not None:
        parts.append(f"{use.cost:g} {use.currency}".rstrip())
    return ", ".join([*parts, f"{use.seconds:.1f} s of waiting"])


class _Recorded(Protocol):
    """A recorded decision, as far as this module reads it."""

    @property
    def decided(self) -> Mapping[str, Any]: ...


def use_of(decisions: Iterable[_Recorded]) -> ModelUse | None:
    """What a job's recorded decisions took together; None when none of them asked a model."""
    recorded = (decision.decided.get("model_use") for decision in decisions)
    return total_use(ModelUse.model_validate(use) for use in recorded if use)
