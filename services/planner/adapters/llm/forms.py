"""The forms a language model fills in: what it proposes, before anything of it is believed.

Field descriptions are part of the prompt: the model reads them. What the instructions say already
is not said in a form again.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from services.planner.domain.statements.column import Role
from services.planner.domain.statements.proposal import BindingKind

_NAME, _LONGEST_TEXT, _SENTENCE = 200, 400, 600
_NAMED_KEYS = ("title", "description", "additionalProperties")
_CHECKED_ANYWAY = ("default", "maxLength", "maxItems", "minimum", "maximum")


class Form(BaseModel):
    """Base of the forms: what is not asked for is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


def _lean(schema: dict[str, Any]) -> None:
    """Leave out of a schema what its names say, and limits that are checked when it is filled in:
    a prompt has better use for half of its tokens."""
    for key in _NAMED_KEYS:
        schema.pop(key, None)
    for part in schema["properties"].values():
        for key in ("title", *_CHECKED_ANYWAY):
            part.pop(key, None)


class Lean(Form):
    """A form whose schema is short."""

    model_config = ConfigDict(json_schema_extra=_lean)


class AnswerBinding(Lean):
    """Words of the question and what they became."""

    words: str = Field(max_length=_NAME)
    fragment: str = Field(default="", max_length=_SENTENCE)
    kind: BindingKind
    because: str = Field(default="", max_length=_LONGEST_TEXT)


class AnswerColumn(Lean):
    """A column of the result."""

    name: str = Field(max_length=_NAME)
    role: Role
    unit: str = Field(default="", max_length=40)
    additive: bool = False


class AnswerTest(Lean):
    """A statistical test over the rows."""

    test: str = Field(max_length=40)
    columns: tuple[str, ...] = Field(default=(), max_length=20)
    by: str = Field(default="", max_length=_NAME)
    predictors: tuple[str, ...] = Field(default=(), max_length=20)
    groups: tuple[str, ...] = Field(default=(), max_length=20)
    method: str = Field(default="", max_length=40, description="spearman or kendall, else empty")
    expected: float = Field(default=0.0, description="one_sample_t: the mean to test against")


class AnswerAlternative(Lean):
    """Another interpretation."""

    interpretation: str = Field(max_length=_SENTENCE)
    statement: str


class AnswerFurther(Lean):
    """A further result."""

    title: str = Field(max_length=_NAME)
    statement: str


class ProposedAnswer(Lean):
    """A statement that answers; or one question back; or why the data cannot answer."""

    kind: Literal["answer", "question", "impossible"]
    interpretation: str = Field(default="", max_length=_SENTENCE)
    statement: str = ""
    bindings: tuple[AnswerBinding, ...] = Field(default=(), max_length=40)
    columns: tuple[AnswerColumn, ...] = Field(default=(), max_length=60)
    grain: str = Field(default="", max_length=_LONGEST_TEXT)
    test: AnswerTest | None = None
    alternatives: tuple[AnswerAlternative, ...] = Field(default=(), max_length=2)
    assumptions: tuple[str, ...] = Field(default=(), max_length=5)
    sentences: tuple[str, ...] = Field(default=(), max_length=3)
    question: str = Field(default="", max_length=300)
    options: tuple[str, ...] = Field(default=(), max_length=4)
    reason: str = Field(default="", max_length=600, description="impossible: what the data lack")
    alone: bool = False
    further: tuple[AnswerFurther, ...] = Field(default=(), max_length=3)


class ProposedRepair(Form):
    """A changed call in place of one that failed; or that no change could work."""

    possible: bool
    arguments: dict[str, Any] = Field(
        default_factory=dict, description="all arguments, not only the changed ones"
    )
    reason: str = Field(default="", max_length=300, description="what was changed, and why")
