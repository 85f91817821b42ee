"""Whether a changed reading is one that can be asked: each part of it stands beside the others."""

from __future__ import annotations

from collections.abc import Iterator

from services.planner.domain.query.intent import Filter, Group, Intent, Membership
from services.planner.domain.reader.fragments.fragment import EditError
from services.planner.domain.reader.fragments.parts import tables_of


def made_whole(intent: Intent, *, adds: bool) -> Intent:
    """The reading without values of single rows, where numbers of groups took their place.

    Raises EditError where parts cannot stand together: a number of groups beside the values of
    single rows, a condition on rows that are no longer read, or nothing to show.
    """
    made = tuple(m for m in intent.measures if m.aggregate is not None)
    if made and len(made) < len(intent.measures):
        if adds:
            raise EditError(
                "values of single rows are in sight, beside which no number of several can stand"
            )
        intent = intent.model_copy(update={"measures": made})
    if intent.limit and intent.measures and not intent.order:
        raise EditError("the first few rows are in sight, which are no groups with numbers")
    if not intent.dimensions and not any(measure.shown for measure in intent.measures):
        raise EditError("nothing would be left to show")
    if lost := set(_members(intent.filters)) - tables_of(intent):
        raise EditError(
            f"it would be about other rows than {', '.join(sorted(lost))}, on which the question "
            "before has a condition; ask it anew in one question"
        )
    return intent


def _members(filters: tuple[Filter, ...]) -> Iterator[str]:
    """The tables of which rows are kept by what is related to them."""
    for wanted in filters:
        if isinstance(wanted, Membership):
            yield wanted.table
        elif isinstance(wanted, Group):
            yield from _members(wanted.members)
