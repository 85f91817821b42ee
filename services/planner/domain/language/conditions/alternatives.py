"""Conditions that are said beside each other: all of them, or any of them."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.language.scene import Scene
from services.planner.domain.query.intent import Against, Condition, Filter, Group, Operator

Placed = Condition | Against
_CLAUSES = frozenset(["who", "that", "which", "whose", "with", ",", "."])
_LISTING = frozenset(["and", "or", "nor", ",", "not", "from", "in", "the"])


def combined(scene: Scene, placed: Sequence[tuple[int, Placed]]) -> list[Filter]:
    """Neighbouring conditions become alternatives where "or", or one column, ties them."""
    groups: list[list[tuple[int, Placed]]] = []
    for position, condition in _denied_together(scene, placed):
        if groups:
            before, last = groups[-1][-1]
            words = scene.words(before, position)
            same = (
                isinstance(last, Condition)
                and isinstance(condition, Condition)
                and last.field == condition.field
                and Operator.EQUAL == condition.operator == last.operator
            )
            if "or" in words or same:
                groups[-1].append((position, condition))
                continue
        groups.append([(position, condition)])
    filters: list[Filter] = []
    for place, group in enumerate(groups):
        wanted = _as_filter(scene, group)
        if filters and _bound_by_and(scene, groups[place - 1], group):
            first = _as_filter(scene, group[:1])
            both = Group(connective="and", members=(filters.pop(), first))
            wanted = Group(connective="or", members=(both, _as_filter(scene, group[1:])))
        filters.append(wanted)
    return filters


def _bound_by_and(
    scene: Scene, before: Sequence[tuple[int, Placed]], group: Sequence[tuple[int, Placed]]
) -> bool:
    """ "A and B or C" in one clause, each of another column: "and" binds closer than "or"."""
    conditions = [c for _, c in (*before, *group) if isinstance(c, Condition)]
    apart = len({c.field for c in conditions}) == len(before) + len(group)
    words = scene.words(before[-1][0], group[0][0])
    return len(before) == 1 < len(group) and apart and "and" in words and not _CLAUSES & set(words)


def _denied_together(
    scene: Scene, placed: Sequence[tuple[int, Placed]]
) -> list[tuple[int, Placed]]:
    """ "Except USA and Germany" denies both: the negation goes on to values listed after it."""
    told: list[tuple[int, Placed]] = []
    for position, condition in placed:
        if told and _goes_on(scene, told[-1], (position, condition)):
            condition = condition.model_copy(update={"operator": Operator.NOT_EQUAL})
        told.append((position, condition))
    return told


def _goes_on(scene: Scene, denied: tuple[int, Placed], listed: tuple[int, Placed]) -> bool:
    (before, one), (position, other) = denied, listed
    if not isinstance(one, Condition) or not isinstance(other, Condition):
        return False
    value = scene.starting(before)
    gap = scene.words(scene.mentions[value].last, position) if value is not None else ["?"]
    operators = (one.operator, other.operator) == (Operator.NOT_EQUAL, Operator.EQUAL)
    return operators and one.field == other.field and bool(gap) and set(gap) <= _LISTING


def _all_denied(group: Sequence[Placed]) -> bool:
    """Whether one column is denied several values: it has none of them."""
    denied = all(isinstance(c, Condition) and c.operator is Operator.NOT_EQUAL for c in group)
    return denied and len({c.field for c in group}) == 1


def _as_filter(scene: Scene, group: Sequence[tuple[int, Placed]]) -> Filter:
    members = [member for _, member in group]
    if len(members) == 1:
        return members[0]
    if _all_denied(members):
        return Group(connective="and", members=tuple(members))
    conditions = [member for member in members if isinstance(member, Condition)]
    if len(conditions) < len(members):
        return Group(connective="or", members=tuple(members))
    first = conditions[0]
    same = all(c.field == first.field and c.operator is Operator.EQUAL for c in conditions)
    if same and all(c.values for c in conditions):
        words = scene.words(group[0][0] - 2, group[-1][0])
        values = tuple(dict.fromkeys(c.values[0] for c in conditions))
        if len(values) == 1:
            return first
        if len({isinstance(value, str) for value in values}) > 1:
            return Group(connective="or", members=tuple(conditions))
        if "and" in words and "or" not in words:
            return Group(connective="and", members=tuple(dict.fromkeys(conditions)))
        return Condition(field=first.field, operator=Operator.IN, values=values)
    return Group(connective="or", members=tuple(conditions))
