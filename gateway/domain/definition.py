"""What data means, as somebody proposes it and a person decides: parts of semantic models.

A definition's text was read and held against its data by the planner before it is kept. Here it is
only taken apart and put together: as texts alone, for that is how a model's values are written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

import yaml

MOST_MODEL_BYTES = 16 * 1024
MOST_WORDS = 2_000
MOST_APPROVED = 100
"""Of the same sources: more would make every question slow."""
_Part = dict[str, Any]


class DefinitionState(StrEnum):
    """How a definition stands."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    RETIRED = "retired"


NEXT = {
    DefinitionState.APPROVED: DefinitionState.PENDING,
    DefinitionState.REJECTED: DefinitionState.PENDING,
    DefinitionState.RETIRED: DefinitionState.APPROVED,
}
"""What each decision takes for granted."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What a definition would change in an earlier job; `frame` is its name in its session."""

    job_id: str
    frame: str
    change: str


@dataclass(frozen=True, slots=True)
class Decision:
    """Who decided last, when and why; `version` is the sources' that it made, 0 for none."""

    by: str
    at: datetime
    reason: str = ""
    version: int = 0


@dataclass(frozen=True, slots=True)
class Definition:
    """A part of a semantic model (`model`, YAML) of some sources.

    `sources` are the contract's messages as JSON, for people; by their `places`, sorted digests,
    they are known again. It goes for requests that name all of them.
    """

    tenant: str
    definition_id: str
    places: tuple[str, ...]
    sources: tuple[str, ...]
    model: str
    evidence: str
    proposed_by: str
    proposed_at: datetime
    facts: tuple[str, ...] = ()
    effects: tuple[Effect, ...] = ()
    state: DefinitionState = DefinitionState.PENDING
    decision: Decision | None = None

    @property
    def subjects(self) -> tuple[str, ...]:
        """What it says something about, in words."""
        return tuple(subjects_of(parse_part(self.model)))


def parse_part(text: str) -> _Part:
    """A model's mappings and texts, as they are written; nothing for a model that says nothing."""
    found = yaml.load(text, Loader=yaml.BaseLoader)
    return found if isinstance(found, dict) else {}


def subjects_of(part: Mapping[str, Any]) -> Iterator[str]:
    """What a part of a model says something about, each once."""
    for name, table in _items(part.get("tables")):
        for metric, _ in _items(table.get("metrics")):
            yield f"metric {metric} of {name}"
        for join in _list(table.get("joins")):
            yield f"join of {name} with {join.get('to', '')}"
        for join in _list(table.get("no_joins")):
            yield f"no join of {name} with {join.get('to', '')}"
        for column, said in _items(table.get("columns")):
            for value, _ in _items(said.get("values")):
                yield f"value {value} of {name}.{column}"
            yield from (f"{key} of {name}.{column}" for key in said if key != "values")
        plain = ("metrics", "joins", "no_joins", "columns")
        yield from (f"{key} of {name}" for key in table if key not in plain)
    for file, _ in (part.get("repairs") or {}).items():
        yield f"repairs of {file}"
    yield from (key.replace("_", " ") for key in part if key not in ("tables", "repairs"))


def _items(part: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The entries of a mapping; what says nothing is an empty one."""
    if isinstance(part, dict):
        for name, value in part.items():
            yield name, value if isinstance(value, dict) else {}


def _list(part: Any) -> list[Mapping[str, Any]]:
    return [one for one in part if isinstance(one, dict)] if isinstance(part, list) else []
