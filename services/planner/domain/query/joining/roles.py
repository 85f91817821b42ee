"""Two references to one table, told apart by which way they go: from a port, and to a port."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from services.planner.domain.lexicon.normalise import readable, stem
from services.planner.domain.query.intent import Relation
from services.planner.domain.query.joining.references import Reference

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_WAYS = tuple(
    frozenset(stem(word) for word in line.split())
    for line in (
        "from origin orig departure depart departed departing dep source start starting leave "
        "leaving left outbound sender giver seller",
        "to into toward towards destination dest arrival arrive arrived arriving arr target end go "
        "goes going went fly flew flown reach inbound receiver recipient buyer",
    )
)


def with_ways(references: Sequence[Reference]) -> tuple[Reference, ...]:
    """With words of the way spoken too, where two references to one table go either way."""
    twins: dict[tuple[str, str], list[Reference]] = defaultdict(list)
    for one in references:
        twins[one.child.table, one.parent.table].append(one)
    return tuple(_apart(one, twins[one.child.table, one.parent.table]) for one in references)


def _apart(one: Reference, twins: Sequence[Reference]) -> Reference:
    """A reference with the words that tell it from its twins, by the way that it goes too."""
    ways = {_way(other.child.column) for other in twins}
    own = _way(one.child.column)
    if own is None or len(ways) < 2:
        return one
    shared = frozenset[str]().union(*(r.spoken for r in twins if r is not one))
    return replace(one, spoken=(one.spoken - shared) | _WAYS[own])


def _way(column: str) -> int | None:
    """Which way a referring column goes by its name; None where it tells neither."""
    words = {stem(word.lower()) for word in _WORD.findall(column)}
    found = [at for at, way in enumerate(_WAYS) if words & way]
    return found[0] if len(found) == 1 else None


def list_unstated_roles(
    relations: Iterable[Relation], references: Sequence[Reference], texts: frozenset[str]
) -> list[str]:
    """Which joins might have gone by another column as well: no word, or words of both, tell."""
    notes: list[str] = []
    for relation in relations:
        ends = {relation.left, relation.right}
        taken = next((r for r in references if {r.child, r.parent} == ends), None)
        if taken is None:
            continue
        others = [
            r
            for r in references
            if r.child.table == taken.child.table and r.parent == taken.parent and r is not taken
        ]
        own = taken.spoken & texts
        rivals = [r for r in others if not own - r.spoken or (r.spoken - taken.spoken) & texts]
        if rivals:
            by = " or ".join(f'"{readable(r.child.column)}"' for r in rivals)
            notes.append(
                f'{readable(taken.parent.table)} are those of "{readable(taken.child.column)}", '
                f"not of {by}"
            )
    return notes
