"""Statements that are run beside each other: whether what they give is one answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from mesh.errors import AssayError
from services.planner.domain.evidence import (
    PATIENT_LIMITS,
    Evidence,
    Outcome,
    ProbedQuery,
    ProbeLimits,
    ProbeState,
)
from services.planner.domain.proposals.comparing import MOST_ROWS, Rows, rows_of
from services.planner.domain.proposals.considered import Compared
from services.planner.domain.proposals.rewriting import compare_as_written
from services.planner.domain.proposals.separating import describe_difference
from services.planner.domain.statements.parsing import statement

LIMITS = PATIENT_LIMITS.model_copy(update={"glimpse": MOST_ROWS})
NOTHING, NOT_RUN = "finds nothing", "cannot be run"
UNANSWERED = "the data did not answer in time"


@dataclass(frozen=True, slots=True)
class Beside:
    """How what a statement gives compares with what the first gives: `told` is what it has
    otherwise, `back` what the first has otherwise than it."""

    compared: Compared
    note: str = ""
    back: str = ""
    outcome: Outcome | None = None

    @property
    def agrees(self) -> bool:
        """Whether it is one answer with the first."""
        return self.compared in ("same", "subset", "scaled")


async def beside(
    first: ProbedQuery,
    others: Sequence[ProbedQuery],
    evidence: Evidence | None,
    limits: ProbeLimits = LIMITS,
) -> tuple[Outcome | None, list[Beside]]:
    """What the first gives, and each of the others compared with that: by what they give and never
    by their text.

    One that cannot be run, or finds nothing where the first finds something, fails. Where the data
    do not answer nothing is compared.
    """
    unknown = [Beside("not_compared", UNANSWERED)] * len(others)
    if evidence is None:
        return None, unknown
    try:
        own, *outcomes = await evidence([first, *others], limits)
    except AssayError:
        return None, unknown
    ours = rows_of(own, _ordered_by(first.sql)) if own.state is ProbeState.OK else None
    return own, [
        _compared(own, ours, outcome, rows_of(outcome, _ordered_by(query.sql)))
        for query, outcome in zip(others, outcomes, strict=True)
    ]


def _compared(own: Outcome, ours: Rows | None, outcome: Outcome, theirs: Rows) -> Beside:
    if outcome.state is ProbeState.FAILED:
        return Beside("fails", f"{NOT_RUN}: {outcome.reason}", outcome=outcome)
    if ours is None or outcome.state is not ProbeState.OK:
        return Beside("not_compared", UNANSWERED, outcome=outcome)
    if _finds_nothing(outcome) and not _finds_nothing(own):
        return Beside("fails", NOTHING, outcome=outcome)
    found = compare_as_written(ours, theirs)
    apart, back = describe_difference(ours, theirs, found), describe_difference(theirs, ours, found)
    return Beside(found.kind, apart, back, outcome)


def _finds_nothing(outcome: Outcome) -> bool:
    """No row, or one that is empty."""
    empty = all(column.empty_share == 1 for column in outcome.columns)
    return outcome.rows == 0 or (outcome.rows == 1 and bool(outcome.columns) and empty)


def _ordered_by(text: str) -> int | None:
    """The place of the column that a statement is ordered by first, where it is one of its own."""
    tree = statement(text)
    order = tree.args.get("order") if isinstance(tree, exp.Select) else None
    if order is None or tree is None or not order.expressions:
        return None
    key = order.expressions[0].this
    if isinstance(key, exp.Literal) and not key.is_string:
        return int(key.name) - 1
    for place, item in enumerate(tree.expressions):
        same_name = isinstance(key, exp.Column) and key.name == item.alias_or_name
        if same_name or item.unalias() == key:
            return place
    return None
