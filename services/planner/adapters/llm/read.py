"""How a language model reads a question."""

from __future__ import annotations

from dataclasses import dataclass

from services.planner.domain.model_use import ModelUse
from services.planner.domain.reader.proposed import Proposed


@dataclass(frozen=True)
class Read:
    """How a model reads a question: `proposed` where it is a reading; else that it takes a plan, or
    that the data cannot answer and the `reason`."""

    use: ModelUse
    proposed: Proposed | None = None
    reason: str = ""

    @property
    def impossible(self) -> bool:
        """Whether the model says that the data cannot answer."""
        return bool(self.reason)
