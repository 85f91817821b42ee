"""The first rows, or groups, of each: ranks within partitions, in SQL that every engine has."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from services.planner.domain.query.intent import Intent, Order, TopOfEach

_FROM = "ranked"


def first_of_each(
    select: exp.Select,
    intent: Intent,
    top: TopOfEach,
    partition: Sequence[exp.Expr],
    content: exp.Expr,
) -> exp.Select:
    """The rows of `select` that come first by `worth` within each `partition`, ties kept.

    A window cannot be a condition, and QUALIFY is not everywhere: so the ranks are a column of a
    query within, and are left out of the answer.
    """
    labels = [d.label for d in intent.dimensions] + [m.label for m in intent.measures if m.shown]
    place, value = _free("place within", labels), _free("ranked by", labels)
    falling = exp.Ordered(this=content, desc=top.by.descending, nulls_first=False)
    rank = exp.Window(
        this=exp.Anonymous(this="RANK", expressions=[]),
        partition_by=list(partition),
        order=exp.Order(expressions=[falling]),
    )
    ranked = select.select(
        exp.alias_(content.copy(), value, quoted=True), exp.alias_(rank, place, quoted=True)
    )
    kept = exp.select(*(exp.alias_(_plain(label), label, quoted=True) for label in labels))
    kept = kept.from_(ranked.subquery(_FROM)).where(
        exp.LTE(this=_plain(place), expression=exp.Literal.number(top.most)),
        exp.Not(this=exp.Is(this=_plain(value), expression=exp.Null())),
    )
    for label, descending in _sorted_by(intent, top, place):
        kept = kept.order_by(
            exp.Ordered(this=_plain(label), desc=descending, nulls_first=False), copy=False
        )
    return kept


def _sorted_by(intent: Intent, top: TopOfEach, place: str) -> list[tuple[str, bool]]:
    """As the intent says of what is shown; else group by group, the first of each before others."""
    pairs = [(_label(intent, order), order.descending) for order in intent.order]
    if pairs and all(label is not None for label, _ in pairs):
        return [(label, descending) for label, descending in pairs if label is not None]
    return [*((intent.dimensions[at].label, False) for at in top.within), (place, False)]


def _label(intent: Intent, order: Order) -> str | None:
    if order.target == "dimension":
        return intent.dimensions[order.index].label
    if order.target == "measure" and intent.measures[order.index].shown:
        return intent.measures[order.index].label
    return None


def _free(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _plain(label: str) -> exp.Column:
    return exp.column(label, quoted=True)
