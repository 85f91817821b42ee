"""Whether what a model proposed may become a decision: everything is checked before anything runs.

The checks are for the model, which gets their words back. What passes is a plan like any other:
the planner validates it, the executor guards every statement, and the database has no way out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from services.planner.adapters.llm.numbers import Known
from services.planner.adapters.llm.queries import expression_problems, query_problems
from services.planner.adapters.llm.rehearsal import rehearse
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.tooling import ToolDescription

_SQL = "sql.run"
_LONGEST_TEXT = 10_000  # what is longer takes seconds to check, and nobody reads it
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True)
class Grounds:
    """What a proposal is held against: what the model was told, and nothing else."""

    request: AnalysisRequest
    catalogue: Catalogue
    tools: Mapping[str, ToolDescription]
    known: Known

    def call_problems(self, tool_name: str, arguments: Mapping[str, Any]) -> list[str]:
        """Everything that is wrong with one call, in words; empty when it may be made."""
        if unfit := unfit_texts(arguments):
            return unfit
        found = list(_arguments(arguments, self.tools[tool_name].arguments_schema))
        if tool_name != _SQL:
            return [*found, *self._numbers(arguments)]
        query, parameters = arguments.get("query"), arguments.get("params", [])
        if not isinstance(query, str) or not isinstance(parameters, list):
            return [*found, "query must be a text and params a list"]
        return found + self.tried(query, parameters)[0]

    def tried(self, query: str, parameters: Sequence[Any] = ()) -> tuple[list[str], dict[str, str]]:
        """What is wrong with a query, and the types of the columns that it gives, in order; none
        where it could not be read against the tables."""
        found = query_problems(query, self.catalogue, self.known)
        for value in parameters:
            found += [f"the number {n} is not known" for n in self.known.foreign(str(value))]
        if found:
            return found, {}
        types, why_not = rehearse(query, parameters, self.catalogue)
        return [f"the query cannot run: {why_not}"] if why_not else [], types

    def stated(self, texts: Iterable[str], written: Iterable[str] = ()) -> Iterator[str]:
        """Numbers in texts that are neither in the question nor among these, or parts of ISO dates
        among them."""
        also = list(written)
        for text in texts:
            for number in self.known.foreign(text, also):
                yield f"{text[:60]!r} states a number that is not in the question: {number}"

    def _numbers(self, arguments: Mapping[str, Any]) -> Iterator[str]:
        for key, value in _leaves(arguments):
            if key == "expression" and isinstance(value, str):
                yield from expression_problems(value, self.known)
            elif isinstance(value, bool) or value is None:
                continue
            elif isinstance(value, int | float):
                if not self.known.allows_literal(str(value)):
                    yield f"{key} is {value}, which is neither in the question nor in the data"
            else:
                for number in self.known.foreign(str(value)):
                    yield f"{key} states a number that is not in the question: {number}"


def _arguments(given: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[str]:
    """Arguments that a tool does not have, and those it cannot do without."""
    there = schema.get("properties", {})
    names = ", ".join(there)
    for name in given:
        if name not in there:
            yield f"there is no argument {name!r}; there are {names}"
    for name in schema.get("required", []):
        if name not in given:
            yield f"the argument {name!r} is missing"


def unfit_texts(node: Any) -> list[str]:
    """What no text of a proposal may be, before any of them is looked at more closely."""
    texts = [value for _, value in _leaves(node) if isinstance(value, str)]
    found = []
    if any(len(text) > _LONGEST_TEXT for text in texts):
        found.append(f"a text or query of it is longer than {_LONGEST_TEXT:,} characters")
    if any(_CONTROL.search(text) for text in texts):
        found.append("its texts hold control characters: leave them out")
    return found


def _leaves(node: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(node, Mapping):
        for name, value in node.items():
            yield from _leaves(value, str(name))
    elif isinstance(node, list | tuple):
        for value in node:
            yield from _leaves(value, key)
    else:
        yield key, node
