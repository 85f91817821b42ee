"""A condition on rows, and several of them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.planner.domain.query.defining.terms import Term
from services.planner.domain.reader.instructions.ground import both, either


@dataclass(frozen=True)
class Condition:
    """What rows must hold: `value` is the one that a column has, where it is only that.

    `place` is where in the text it stood, `at` where in the sentence. A `flag` says what is counted
    of others. One that is `counted` is of rows that are counted, and not of those that the number
    it speaks of is of: "the median, and how many lie above it".
    """

    term: Term
    column: str
    text: str
    place: int
    value: str | None = None
    counted: bool = False
    flag: bool = False
    at: int = -1


def alternatives(found: Sequence[Condition]) -> tuple[list[Condition], list[Condition]]:
    """Conditions that name several values of one column, which are groups; and all others."""
    for column in dict.fromkeys(c.column for c in found if c.value is not None):
        same = [c for c in found if c.column == column and c.value is not None]
        if len({c.value for c in same}) > 1:
            first = {c.value: c for c in reversed(same)}
            groups = sorted(first.values(), key=lambda c: c.place)
            return groups, [c for c in found if c not in same]
    return [], list(dict.fromkeys(found))


def together(found: Sequence[Condition]) -> Term | None:
    """All conditions at once; of several values of one column any will do."""
    groups, others = alternatives(found)
    terms = [c.term for c in others]
    if groups:
        terms.append(either([c.term for c in groups]))
    return both(list(dict.fromkeys(terms)))


def describe_conditions(found: Sequence[Condition]) -> str:
    """The conditions in words; several values of one column are told as one or the other."""
    groups, others = alternatives(found)
    texts = list(dict.fromkeys(c.text for c in others))
    if groups:
        values = [str(c.value) for c in groups]
        texts.append(f"{groups[0].column} is {', '.join(values[:-1])} or {values[-1]}")
    return " and ".join(texts)
