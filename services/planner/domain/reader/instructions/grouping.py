"""Figures of groups: a statistic, or a test, of each group that is known or spoken of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from services.planner.domain.query.defining.terms import Term
from services.planner.domain.reader.instructions.analysis import Difference, Number, Tested
from services.planner.domain.reader.instructions.condition import Condition
from services.planner.domain.reader.instructions.ground import (
    Ground,
    UnreadableError,
    both,
    compared,
)
from services.planner.domain.reader.instructions.numbers import group_words
from services.planner.domain.reader.instructions.offers import Offer
from services.planner.domain.reader.instructions.results import offers_of, run_of
from services.planner.domain.reader.instructions.tests import Parameters, TestWish

_MOST = 12


def of_groups(by: str, offers: Sequence[Offer], ground: Ground, *, named: bool) -> list[Offer]:
    """The numbers of each group by name; nothing where there are names for none of them."""
    conditions = _groups(by, ground, named=named)
    made: list[Offer] = []
    for offer in offers:
        if not isinstance(offer.source, Number):
            continue
        own: list[Offer] = []
        for group in conditions:
            source = _within(offer.source, group.term)
            about = offer.about | group_words(group)
            shared = offer.source.statistic == "share"
            label = _describe_group(offer.label, group, of_all=shared)
            own.append(replace(offer, source=source, label=label, about=about))
        if len(own) == 2 and all(isinstance(o.source, Number) for o in own):
            own.append(_difference(own[0], own[1]))
        made += own
    return made


def _describe_group(label: str, group: Condition, *, of_all: bool) -> str:
    if of_all:
        return f"{label} of those where {group.text}"
    return f"{label} {'and' if ' where ' in label else 'where'} {group.text}"


def _within(number: Number, term: Term) -> Number:
    if number.statistic == "share":
        return number.model_copy(update={"among": _and(number.among, term)})
    return number.model_copy(update={"where": _and(number.where, term)})


def _and(one: Term | None, other: Term) -> Term | None:
    return both([other] if one is None else [one, other])


def _difference(one: Offer, other: Offer) -> Offer:
    assert isinstance(one.source, Number)
    assert isinstance(other.source, Number)
    return Offer(
        Difference(first=one.source, second=other.source),
        f"{one.label} less {other.label}",
        frozenset({"difference"}),
        one.about & other.about,
        asked=False,
    )


def _groups(by: str, ground: Ground, *, named: bool) -> list[Condition]:
    """The groups that are known and few, or of which the names of figures speak."""
    column = ground.column(by)
    known = ground.labels.get(by) or ground.spoken.get(by) or ()
    if not known and 0 < column.distinct <= min(_MOST, len(column.samples)):
        known = tuple(sorted(column.samples)) if not named or column.distinct == 2 else ()
    return [
        Condition(
            compared(ground.reference(by), "==", ground.constant(by, value)),
            by,
            f"{by} is {plain(value)}",
            0,
            plain(value),
        )
        for value in known
    ]


def plain(value: str) -> str:
    """A value as a name may tell it: "1.0" is 1."""
    return value.removesuffix(".0") if re.fullmatch(r"-?\d+\.0", value) else value


def tests_of_groups(wish: TestWish, ground: Ground, parameters: Parameters) -> list[Offer]:
    """A test within each group of a column. Raises UnreadableError where they are not known."""
    groups = _groups(wish.each, ground, named=False)
    if not groups:
        raise UnreadableError(f"{wish.each} has too many values for a test of each.")
    return of_conditions(wish, groups, ground, parameters)


def of_conditions(
    wish: TestWish, groups: Sequence[Condition], ground: Ground, parameters: Parameters
) -> list[Offer]:
    """A test of the rows of each group, and of two groups how far their first numbers differ."""
    made: list[Offer] = []
    firsts: list[Offer] = []
    for group in groups:
        one = replace(
            wish,
            each="",
            where=_and(wish.where, group.term),
            where_text=" and ".join(t for t in (wish.where_text, group.text) if t),
        )
        own = offers_of(run_of(one, ground, parameters), one, frozenset())
        own = [replace(offer, about=offer.about | group_words(group)) for offer in own]
        own = [replace(o, asked=place == 0) for place, o in enumerate(own)]
        firsts.append(own[0])
        made += own
    if len(firsts) == 2:
        one_source, other_source = firsts[0].source, firsts[1].source
        if isinstance(one_source, Tested) and isinstance(other_source, Tested):
            made.append(
                Offer(
                    Difference(first=one_source, second=other_source),
                    f"{firsts[0].label} less that {groups[1].text}",
                    frozenset({"difference"}),
                    asked=False,
                )
            )
    return made
