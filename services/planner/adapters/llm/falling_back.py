"""Two models as one: the second is asked where the first gives nothing that may be used."""

from __future__ import annotations

import logging
import time
from dataclasses import replace

from services.planner.adapters.llm.ask import Ask, Asks, FormT, NoAnswerError
from services.planner.domain.model_use import ModelUse, total_use

log = logging.getLogger("assay.planner")

_SHARE = 0.6
"""Of the time of a decision, the first may take so much: the second needs some to answer in."""


class FallingBack:
    """Asks the first; where that is away, over its quota, slow or of no use, the second, once."""

    def __init__(self, first: Asks, second: Asks, most_seconds: float) -> None:
        self._first = first
        self._second = second
        self._most_seconds = most_seconds

    @property
    def name(self) -> str:
        """The model that is asked first."""
        return self._first.name

    async def ask(self, wanted: Ask[FormT]) -> tuple[FormT, ModelUse]:
        """A form without problems, and what both took. Raises NoAnswerError."""
        seconds = min(wanted.seconds, self._most_seconds)
        until = time.monotonic() + seconds
        try:
            return await self._first.ask(replace(wanted, seconds=_SHARE * seconds))
        except NoAnswerError as error:
            failed = error
        log.warning("model %s gave nothing, %s is asked", self._first.name, self._second.name)
        why = f"{self._first.name} gave nothing: {failed.why}"
        try:
            left = until - time.monotonic()
            form, use = await self._second.ask(replace(wanted, seconds=left))
        except NoAnswerError as error:
            text = f"{why}; {self._second.name} neither: {error.why}"
            raise NoAnswerError(text, _both(failed.use, error.use)) from None
        return form, _both(failed.use, use).model_copy(update={"fell_back": why})


def _both(first: ModelUse, second: ModelUse) -> ModelUse:
    """What both took; the last that was asked stands last."""
    return total_use((first, second)) or second
