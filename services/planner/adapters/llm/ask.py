"""What may be asked of a model, and that it gave nothing that may be used."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from services.planner.adapters.llm.forms import Form
from services.planner.adapters.llm.looking_up import LookUps
from services.planner.domain.model_use import ModelUse

FormT = TypeVar("FormT", bound=Form)


@dataclass(frozen=True)
class Ask(Generic[FormT]):
    """A form to be filled in, which the model hands over by calling `call`: `problems` says what is
    wrong with a filled one, and `seconds` how long all of it may take. `judged` says what checks
    have against one without problems; `lookups` is what may be looked up before,
    and `job_seconds` what the job's own time limit leaves for it."""

    job_id: str
    purpose: str
    instructions: str
    prompt: str
    form: type[FormT]
    problems: Callable[[FormT], Sequence[str]]
    seconds: float
    call: str = "decide"
    judged: Callable[[FormT], Awaitable[Sequence[str]]] | None = None
    lookups: LookUps | None = None
    job_seconds: float | None = None


class NoAnswerError(Exception):
    """The model gave nothing that may be used; `why` is for people, `use` what it took."""

    def __init__(self, why: str, use: ModelUse) -> None:
        super().__init__(why)
        self.why = why
        self.use = use


class Asks(Protocol):
    """Whoever can ask a model."""

    @property
    def name(self) -> str:
        """The model as configured."""
        ...

    async def ask(self, wanted: Ask[FormT]) -> tuple[FormT, ModelUse]:
        """A form without problems, and what it took. Raises NoAnswerError."""
        ...
