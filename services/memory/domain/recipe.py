"""A recipe: a plan that worked, generalised so that it can be used again (seed 000, section 5)."""

from __future__ import annotations

import hashlib
import re
from datetime import datetime
from enum import StrEnum
from string import Formatter
from typing import Self

from pydantic import AwareDatetime, Field, JsonValue, model_validator

from services.memory.domain.values import Fingerprint, Frozen, Identifier, Tenant

TOP_RECIPES = 3
"""How many recipes a recall offers unless told otherwise (seed 000, FR-033)."""

FAILURES_TO_QUARANTINE = 3
"""Failures in a row after which a recipe is no longer offered."""

LONGEST_FAILURE = 500
"""Characters kept of why a recipe failed last."""

REMEMBERED_IDS = 64
"""How many merged ids, and how many outcome ids, a recipe keeps to recognise a repeated call."""

_PLACEHOLDER = re.compile(r"[a-z][a-z0-9_]*")


def placeholders(template: str) -> tuple[str, ...]:
    """Names in {braces}, each once, in order; a literal brace is written twice.

    Raises ValueError where braces do not match or hold anything but a name.
    """
    try:
        fields = [field for field in Formatter().parse(template) if field[1] is not None]
    except ValueError as error:
        raise ValueError(f"template braces: {error}; write a literal brace twice") from None
    names: dict[str, None] = {}
    for _, name, specification, conversion in fields:
        if name is None or not _PLACEHOLDER.fullmatch(name) or specification or conversion:
            raise ValueError(f"{{{name}}} is no placeholder; use lower-case letters, digits and _")
        names[name] = None
    return tuple(names)


def question_key(fingerprint: str, question: str) -> str:
    """Equal for one question about one schema, whatever its case, spaces and end mark."""
    plain = " ".join(question.split()).rstrip(" ?.!").casefold()
    return hashlib.sha256(f"{fingerprint}\n{plain}".encode("utf-8", "surrogatepass")).hexdigest()


class ParameterType(StrEnum):
    """What may be put in place of a placeholder."""

    TEXT = "text"
    VALUE = "value"  # a cell value of the parameter's column, such as a place
    NUMBER = "number"
    DATE = "date"
    TIME_RANGE = "time_range"
    TIME_GRAIN = "time_grain"
    TABLE = "table"
    COLUMN = "column"


class Parameter(Frozen):
    """One placeholder. `column` is where values come from; `example` is what it replaced."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    type: ParameterType
    column: str = ""
    example: str = ""


class Recipe(Frozen):
    """A successful analysis pattern of one tenant; or a plan remembered for one question.

    `intent_template` has a {placeholder} for everything that was generalised, at least one. Every
    placeholder is declared in `parameters`, which may hold more (a time range in the intent can be
    two dates in the plan). Where nothing could be generalised there is no template and this is no
    recipe: it is a remembered plan, which serves its `exact_question` again and is recalled for no
    other.
    `intent_embedding` is written by the store and is empty before, and in lists.
    `failure_count` counts failures since the last success, `last_failure` says why the last of
    them happened; `quarantined` recipes are never recalled. `merged_ids` names recipes that said
    the same and were folded into this one; `outcome_ids` names the outcomes counted last.
    """

    recipe_id: Identifier
    tenant: Tenant
    schema_fingerprint: Fingerprint
    intent_template: str = Field(default="", max_length=4_000)
    exact_question: str = Field(default="", max_length=4_000)
    intent_embedding: tuple[float, ...] = Field(default=(), repr=False)
    plan_structure: dict[str, JsonValue]
    tool_argument_templates: tuple[dict[str, JsonValue], ...] = ()
    parameters: tuple[Parameter, ...] = ()
    success_count: int = Field(default=1, ge=1)
    failure_count: int = Field(default=0, ge=0)
    quarantined: bool = False
    last_failure: str = Field(default="", max_length=LONGEST_FAILURE)
    created_at: AwareDatetime
    last_used_at: AwareDatetime
    merged_ids: tuple[Identifier, ...] = ()
    outcome_ids: tuple[Identifier, ...] = ()

    @model_validator(mode="after")
    def _check(self) -> Self:
        declared = [parameter.name for parameter in self.parameters]
        if twice := sorted({name for name in declared if declared.count(name) > 1}):
            raise ValueError(f"parameters declared twice: {', '.join(twice)}")
        if bool(self.intent_template) == bool(self.exact_question):
            raise ValueError("a recipe has an intent_template, a remembered plan an exact_question")
        names = placeholders(self.intent_template)
        if self.intent_template and not names:
            raise ValueError("intent_template has no {placeholder}; a recipe has at least one")
        if missing := [n for n in names if n not in declared]:
            raise ValueError(f"placeholders without a parameter: {', '.join(missing)}")
        subtasks = self.plan_structure.get("subtasks")
        if not isinstance(subtasks, list) or not subtasks:
            raise ValueError("plan_structure.subtasks must be a list of at least one subtask")
        if self.last_used_at < self.created_at:
            raise ValueError("last_used_at lies before created_at")
        return self

    @property
    def intent_text(self) -> str:
        """The template as words to embed: placeholders become their names."""
        if self.exact_question:
            return self.exact_question
        words = []
        for text, name, _, _ in Formatter().parse(self.intent_template):
            words += [text, (name or "").replace("_", " ")]
        return "".join(words)

    @property
    def meaning_key(self) -> str:
        """Equal for recipes with the same fingerprint and template, which are one recipe, whatever
        its case: so are questions matched."""
        if self.exact_question:
            return self.question_key
        text = f"{self.schema_fingerprint}\n{self.intent_template.casefold()}"
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def question_key(self) -> str:
        """The key of the question that it was learnt from."""
        if self.exact_question:
            return question_key(self.schema_fingerprint, self.exact_question)
        examples = {parameter.name: parameter.example for parameter in self.parameters}
        return question_key(self.schema_fingerprint, self.intent_template.format(**examples))

    def succeeded(self, at: datetime, outcome_id: str = "") -> Recipe:
        """This recipe after one more success; a quarantine stays, only a new plan lifts it."""
        return self._counting(
            outcome_id,
            success_count=self.success_count + 1,
            failure_count=0,
            last_failure=self.last_failure if self.quarantined else "",
            last_used_at=max(self.last_used_at, at),
        )

    def failed(self, outcome_id: str = "", why: str = "") -> Recipe:
        """This recipe after one more failure; the third in a row quarantines it."""
        failures = self.failure_count + 1
        return self._counting(
            outcome_id,
            failure_count=failures,
            last_failure=why[:LONGEST_FAILURE],
            quarantined=self.quarantined or failures >= FAILURES_TO_QUARANTINE,
        )

    def absorbing(self, newer: Recipe) -> Recipe:
        """This recipe after the same template and fingerprint succeeded again.

        The newer plan replaces the older: it is the one known to work on today's data. A
        quarantined recipe starts afresh with a different plan and stays in quarantine with the
        same one.
        """
        changed = newer.plan_structure != self.plan_structure
        afresh = self.quarantined and changed
        return self.model_copy(
            update={
                "plan_structure": newer.plan_structure,
                "tool_argument_templates": newer.tool_argument_templates,
                "parameters": newer.parameters,
                "success_count": 1 if afresh else self.success_count + 1,
                "failure_count": 0,
                "quarantined": self.quarantined and not changed,
                "last_failure": self.last_failure if self.quarantined and not changed else "",
                "last_used_at": max(self.last_used_at, newer.last_used_at),
                "merged_ids": (*self.merged_ids, newer.recipe_id)[-REMEMBERED_IDS:],
            }
        )

    def _counting(self, outcome_id: str, **update: object) -> Recipe:
        if outcome_id:
            update["outcome_ids"] = (*self.outcome_ids, outcome_id)[-REMEMBERED_IDS:]
        return self.model_copy(update=update)


class RecalledRecipe(Frozen):
    """A recipe offered for reuse.

    `similarity` is the cosine between its intent and the one asked about, from -1 to 1.
    `exact_fingerprint` is False for a weaker candidate: it means the same, but was learnt on
    data of another schema.
    """

    recipe: Recipe
    similarity: float
    exact_fingerprint: bool
