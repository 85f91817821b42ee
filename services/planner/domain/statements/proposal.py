"""One value for whoever proposes an answer: a statement, what it means, and where each part of it
comes from (docs/decisions/0089-a-model-proposes-one-statement.md)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from services.planner.domain.catalogue import Frozen
from services.planner.domain.statements.column import LONGEST_NAME, ResultColumn
from services.planner.domain.statements.parsing import statement

MOST_STATEMENT = 10_000
"""Characters of a statement: what is longer takes seconds to check, and nobody reads it."""
MOST_ALTERNATIVES, MOST_COLUMNS, MOST_FURTHER = 2, 60, 3
_LONGEST_TEXT, _SENTENCE = 400, 600

BindingKind = Literal[
    "column",
    "value",
    "unit",
    "calendar",
    "formula",
    "metric",
    "grouping",
    "order",
    "limit",
    "assumption",
]
_QUOTES = str.maketrans("“”„‟‘’‚‛`´", "\"\"\"\"''''''")


class Binding(Frozen):
    """Words of the question and the fragment of the statement that they became. Only words that
    change nothing have no fragment: an assumption, for which `because` says why."""

    words: str = Field(min_length=1, max_length=LONGEST_NAME)
    fragment: str = Field(default="", max_length=_SENTENCE)
    kind: BindingKind
    because: str = Field(default="", max_length=_LONGEST_TEXT)


class AskedTest(Frozen):
    """A statistical test over the rows that the statement gives, as the tool `stats.test` takes it:
    names of the result's columns, and for a test of one sample the value that is expected."""

    test: str = Field(min_length=1, max_length=40)
    columns: tuple[str, ...] = Field(default=(), max_length=20)
    by: str = Field(default="", max_length=LONGEST_NAME)
    predictors: tuple[str, ...] = Field(default=(), max_length=20)
    groups: tuple[str, ...] = Field(default=(), max_length=20)
    method: str = Field(default="", max_length=40)
    expected: float = 0.0


class Alternative(Frozen):
    """Another interpretation that a careful reader could hold, with its statement."""

    interpretation: str = Field(min_length=1, max_length=_SENTENCE)
    statement: str = Field(min_length=1, max_length=MOST_STATEMENT)


class Further(Frozen):
    """A further result that the question asks for beside the answer, with its title."""

    title: str = Field(min_length=1, max_length=LONGEST_NAME)
    statement: str = Field(min_length=1, max_length=MOST_STATEMENT)


class Proposal(Frozen):
    """A statement that answers a question, one SELECT in DuckDB's dialect.

    `proposer` is rules, model:<id>, person, agent or recipe; `interpretation` one sentence in the
    words of the question; `grain` what one row of the result is. `sentences` tell the result by
    references to its cells, and hold only once these bear them out.
    """

    proposer: str = Field(min_length=1, max_length=LONGEST_NAME)
    interpretation: str = Field(max_length=_SENTENCE)
    statement: str = Field(max_length=MOST_STATEMENT)
    bindings: tuple[Binding, ...] = Field(default=(), max_length=40)
    columns: tuple[ResultColumn, ...] = Field(default=(), max_length=MOST_COLUMNS)
    grain: str = Field(default="", max_length=_LONGEST_TEXT)
    test: AskedTest | None = None
    alternatives: tuple[Alternative, ...] = Field(default=(), max_length=MOST_ALTERNATIVES)
    assumptions: tuple[str, ...] = Field(default=(), max_length=5)
    sentences: tuple[str, ...] = Field(default=(), max_length=3)
    further: tuple[Further, ...] = Field(default=(), max_length=MOST_FURTHER)

    @property
    def statements(self) -> tuple[str, ...]:
        """The statement that answers, and those of further results."""
        return (self.statement, *(one.statement for one in self.further))

    def problems(self, question: str) -> list[str]:
        """What is wrong with it as far as no data are needed to see that, in words."""
        return list(self._problems(question))

    def _problems(self, question: str) -> Iterator[str]:
        if statement(self.statement) is None:
            yield "the statement is not one SELECT of DuckDB's dialect"
        for part in self.further:
            if statement(part.statement) is None:
                yield f"the statement of {part.title[:60]!r} is not one SELECT of DuckDB's dialect"
        if not self.interpretation.strip():
            yield "interpretation must say how the question was read"
        sentence, written = _normalise(question), [bare_text(text) for text in self.statements]
        for one in self.bindings:
            if _normalise(one.words) not in sentence:
                yield f"the binding's words {one.words[:60]!r} are not in the question"
            if one.fragment.strip():
                fragment = bare_text(one.fragment)
                if not any(fragment in text for text in written):
                    yield f"the fragment {one.fragment[:60]!r} is not in the statement"
                elif fragment in written[:1] and len(self.bindings) > 1:
                    yield f"{one.words[:60]!r} is bound to the whole statement: name its part"
            elif one.kind != "assumption" or not one.because.strip():
                yield (
                    f"the binding of {one.words[:60]!r} has no fragment: name it, or make it an "
                    "assumption and say why"
                )


def _normalise(text: str) -> str:
    """Words as they are compared: whatever the case, the quotes and the spaces between them."""
    return " ".join(text.translate(_QUOTES).casefold().split())


def bare_text(text: str) -> str:
    """A part of a statement as it is compared: whatever the case, spaces and quotes of names."""
    return re.sub(r'[\s"]', "", text.translate(_QUOTES)).casefold()
