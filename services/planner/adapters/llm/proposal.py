"""The forms a language model fills in: what it proposes, before anything of it is believed.

Field descriptions are part of the prompt: the model reads them.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Form(BaseModel):
    """Base of the forms: what is not asked for is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class ProposedStep(Form):
    """One call of one tool."""

    task_id: str = Field(pattern=r"^[a-z][a-z0-9_]{0,30}$", description="such as load or chart")
    description: str = Field(max_length=160, description="what it does, in a few words")
    tool_name: str = Field(max_length=64, description="one of the tools listed")
    arguments: dict[str, Any] = Field(description="as the tool's schema says")
    dependencies: tuple[str, ...] = Field(
        default=(), max_length=12, description="task ids whose frames it works on"
    )


class Proposal(Form):
    """How a question is read and answered; or one question back; or why it cannot be answered."""

    kind: Literal["plan", "question", "impossible"]
    understood: str = Field(
        default="",
        max_length=400,
        description="plan: one line a person can correct, such as 'revenue = sum of quantity × "
        "price by month'. Never results: you have not seen any",
    )
    reason: str = Field(default="", max_length=600, description="why; for impossible: what lacks")
    assumptions: tuple[str, ...] = Field(
        default=(), max_length=5, description="plan: what the question left open, one line each"
    )
    steps: tuple[ProposedStep, ...] = Field(default=(), max_length=10, description="plan: in order")
    answer_step: str = Field(default="", description="plan: the task id whose frame answers")
    question: str = Field(default="", max_length=300, description="question: what is unclear")
    options: tuple[str, ...] = Field(
        default=(), max_length=4, description="question: two to four readings to choose from"
    )


class ProposedRepair(Form):
    """A changed call in place of one that failed; or that no change could work."""

    possible: bool
    arguments: dict[str, Any] = Field(
        default_factory=dict, description="all arguments, not only the changed ones"
    )
    reason: str = Field(default="", max_length=300, description="what was changed, and why")
