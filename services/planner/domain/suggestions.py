"""What a language model suggests to an investigation or a causal job: candidates, and doubts.

One form for both kinds of work. Whatever it names is tried by the same tools as what rules and
people name; nothing that it says is a finding, and nothing of it makes an answer surer
(docs/decisions/0100-a-model-suggests-in-one-form.md).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from mesh.policy import Policy
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.frozen import Frozen
from services.planner.domain.model_use import ModelUse

MOST_SUGGESTIONS = 12
Kind = Literal[
    "dimension", "hypothesis", "metric", "confounder", "after", "instrument", "backwards", "doubt"
]
OF_INVESTIGATIONS: tuple[Kind, ...] = ("dimension", "hypothesis")
OF_CAUSES: tuple[Kind, ...] = ("confounder", "after", "instrument", "backwards")
OF_DEBATES: tuple[Kind, ...] = ("doubt", "confounder", "after", "instrument")
OF_COLUMNS: frozenset[Kind] = frozenset(
    ("dimension", "hypothesis", "confounder", "after", "instrument")
)
"""Kinds that are about a column: without one they say nothing that could be tried."""
TOPICS = ("identification", "comparability", "agreement", "calibration", "robustness", "data")
"""What a doubt may be about, as a critique scores it."""


@dataclass(frozen=True)
class SuggestionsInput:
    """What a model is told, and which kinds of suggestions are asked for.

    `asked` is what is looked for, in our words; `context` what people wrote beside it. `catalogue`
    holds what it may name, within `policy`; `hidden` are columns that policy took away, spelt
    table.column. `metric_problems` says what is wrong with an SQL expression for a metric, where
    one is asked for.
    """

    job_id: str
    purpose: str
    asked: str
    catalogue: Catalogue
    policy: Policy
    wants: tuple[Kind, ...]
    context: str = ""
    hidden: tuple[str, ...] = ()
    seconds: float = 30.0
    metric_problems: Callable[[str], Awaitable[Sequence[str]]] | None = field(
        default=None, compare=False
    )


class Suggestion(Frozen):
    """One thing to try, or to doubt: a column with why, a metric's SQL, or words about a topic.

    `name` is what the column is called in the rows that are worked on; empty where it is not in
    them.
    """

    kind: Kind
    table: str = ""
    column: str = ""
    because: str = ""
    sql: str = ""
    topic: str = ""
    name: str = ""


class Suggestions(Frozen):
    """What a model suggested, or why it gave nothing (`failed`). `left_out` says what of it could
    not be used, and why; `disclosure` how much it was told; `fell_back` why another model was
    asked first in vain."""

    by: str
    suggestions: tuple[Suggestion, ...] = ()
    left_out: tuple[str, ...] = ()
    failed: str = ""
    disclosure: str = ""
    model_use: ModelUse | None = None

    def of(self, *kinds: Kind) -> tuple[Suggestion, ...]:
        """The suggestions of these kinds, in their order."""
        return tuple(one for one in self.suggestions if one.kind in kinds)

    @property
    def metric(self) -> str:
        """The SQL that a metric in words means; empty where it says none."""
        return next((one.sql for one in self.of("metric")), "")

    @property
    def columns(self) -> frozenset[tuple[str, str]]:
        """The columns that it names, each behind its table."""
        return frozenset((one.table, one.column) for one in self.suggestions if one.column)

    @property
    def fell_back(self) -> str:
        """Why the model that is asked first gave nothing, where another answered."""
        use = self.model_use
        return f"{use.fell_back}. {use.last} answered." if use and use.fell_back else ""

    def placed(self, names: Mapping[str, str]) -> Suggestions:
        """The same with the names that its columns have in the rows that are worked on, by
        "table.column"."""
        placed = tuple(
            one.model_copy(update={"name": names.get(f"{one.table}.{one.column}", "")})
            for one in self.suggestions
        )
        return self.model_copy(update={"suggestions": placed})

    @property
    def failure_note(self) -> str:
        """That it gave nothing, and who decided then; empty where it gave something."""
        if not self.failed:
            return ""
        return f"{self.by} gave nothing: {self.failed.rstrip('.')}. The built-in rules decided."
