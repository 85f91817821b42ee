"""What each part of a question was meant as, from the SQL that was meant."""

from __future__ import annotations

from collections.abc import Sequence

from bench.reading.gold import GoldCondition, GoldParts
from services.planner.domain.query.defining.terms import references
from services.planner.domain.query.kinds import Aggregate, Operator
from services.planner.domain.reader.chart.pieces import Proposal, Role
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.choice.shape import NO, YES
from services.planner.domain.reader.links.schema import Place

_ROLES = {
    "shown": Role.SHOWN,
    "grouped": Role.GROUPED,
    "avg": Role.AVERAGE,
    "sum": Role.SUM,
    "min": Role.MINIMUM,
    "max": Role.MAXIMUM,
    "count distinct": Role.DISTINCT,
    "grouped not shown": Role.SPLIT,
    "ordered": Role.ORDERED,
    "filtered": Role.FILTERED,
}
_SETS = {
    "no": NO,
    "intersect": "both",
    "except": "except",
    "not in": "without",
    "in": "among",
    "union": "union",
}
_AGGREGATES = {
    "avg": Aggregate.AVERAGE,
    "sum": Aggregate.SUM,
    "min": Aggregate.MINIMUM,
    "max": Aggregate.MAXIMUM,
    "count distinct": Aggregate.COUNT_DISTINCT,
}
_OPERATORS = {
    Operator.NOT_EQUAL: ("!=",),
    Operator.CONTAINS: ("like",),
    Operator.STARTS_WITH: ("like",),
    Operator.ENDS_WITH: ("like",),
    Operator.NOT_CONTAINS: ("not like",),
    Operator.IS_NULL: ("is null",),
    Operator.NOT_NULL: ("is not null",),
}
_CLOSE = 0.25


def role_labels(scene: Scene, gold: GoldParts) -> list[Role]:
    """The role of each mention; of several mentions of a column only the best count."""
    best: dict[int, float] = {}
    for mention in scene.mentions:
        best[mention.place.index] = max(best.get(mention.place.index, 0), mention.coverage)
    found: list[Role] = []
    for mention in scene.mentions:
        roles = _roles_of(mention.place, gold)
        role = next((_ROLES[r] for r in _ROLES if r in roles), Role.UNUSED)
        good = mention.coverage >= best[mention.place.index] - _CLOSE
        found.append(role if good else Role.UNUSED)
    return found


def _roles_of(place: Place, gold: GoldParts) -> frozenset[str]:
    """The roles of a column; of one that is worked out those that all of its columns share."""
    names = [(place.table.name, place.column.name)]
    if place.definition is not None:
        names = [(r.table, r.column) for r in references(place.definition.term)]
    known = {tuple(column): roles for column, roles in gold.roles.items()}
    found = [known.get(name, frozenset[str]()) for name in names]
    return frozenset.intersection(*found) if found else frozenset()


def condition_labels(proposals: Sequence[Proposal], gold: GoldParts) -> list[str]:
    """Whether each proposed condition was meant."""
    return [YES if any(_same(p, c) for c in gold.conditions) else NO for p in proposals]


def _same(one: Proposal, intended: GoldCondition) -> bool:
    if one.place is None:
        if intended.aggregate != "counted":
            return False
    elif intended.column is None or tuple(intended.column) != (
        one.place.table.name,
        one.place.column.name,
    ):
        return False
    if (one.aggregate is not None) != (intended.aggregate not in ("", "counted")) and one.place:
        return False
    if one.aggregate is not None and _AGGREGATES.get(intended.aggregate) is not one.aggregate:
        return False
    return _same_test(one, intended)


def _same_test(one: Proposal, intended: GoldCondition) -> bool:
    if one.than_average:
        return intended.values == ("<avg>",) and intended.operator == str(one.operator)
    texts = _OPERATORS.get(one.operator, (str(one.operator),))
    values = [_plain(v) for v in one.values]
    theirs = [_plain(v) for v in intended.values]
    if one.operator is Operator.IN and intended.operator in ("=", "in"):
        return bool({*theirs} & {*values})
    if one.operator is Operator.EQUAL and intended.operator == "in":
        return values[0] in theirs
    if one.place is not None and one.place.time and values and theirs:
        years = {value[:4] for value in values} & {value[:4] for value in theirs}
        same = intended.operator in (*texts, "like", "=") or one.operator is Operator.BETWEEN
        return bool(years) and same
    return intended.operator in texts and values == theirs


def _plain(value: object) -> str:
    text = str(value).strip().strip("%").lower()
    try:
        return f"{float(text):g}"
    except ValueError:
        return text


def shape_labels(gold: GoldParts) -> dict[str, str]:
    """The choice of each head."""
    shape = gold.shape
    measured = {role for roles in gold.roles.values() for role in roles}
    order = {"no": NO, "asc": "rising", "desc": "falling"}[shape.order]

    def yes(held: bool) -> str:
        return YES if held else NO

    return {
        "count": yes(shape.counts),
        "count kinds": yes("count distinct" in measured),
        "average": yes("avg" in measured),
        "sum": yes("sum" in measured),
        "minimum": yes("min" in measured),
        "maximum": yes("max" in measured),
        "group": yes(shape.group),
        "having": yes(shape.having),
        "order": order,
        "order by count": yes(shape.by_count),
        "limit": {"no": NO, "1": "one", "n": "few"}[shape.limit],
        "distinct": yes(shape.distinct),
        "set": _SETS[shape.set_operation],
        "conditions": str(min(2, shape.conditions)),
        "shown": str(max(1, min(3, shape.shown))),
        "or": yes(shape.any_or),
    }
