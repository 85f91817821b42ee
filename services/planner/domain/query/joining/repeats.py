"""By which joins a row comes several times: what is added over such rows is added several times."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.query.filters import Relation
from services.planner.domain.query.joining.keys import key_of, unique


def led_from(start: str, relations: Iterable[Relation]) -> tuple[Relation, ...]:
    """The joins that are reached from a table, nearest first, each turned to lead away from it."""
    return _led_from(start, tuple(relations))


@lru_cache(maxsize=512)  # the sixty readings of a question share a few sets of joins
def _led_from(start: str, relations: tuple[Relation, ...]) -> tuple[Relation, ...]:
    reached, left, found = {start}, list(relations), list[Relation]()
    while step := next((r for r in left if {r.left.table, r.right.table} & reached), None):
        left.remove(step)
        found.append(step if step.left.table in reached else turned(step))
        reached |= {step.left.table, step.right.table}
    return tuple(found)


def turned(relation: Relation) -> Relation:
    """The same join, seen from its other table."""
    further = tuple((right, left) for left, right in relation.further)
    return relation.model_copy(
        update={
            "left": relation.right,
            "right": relation.left,
            "further": further,
            "fans_out": not relation.fans_out,
        }
    )


def repeating(
    table: str, relations: Iterable[Relation], catalogue: Catalogue
) -> tuple[Relation, ...]:
    """The joins by which one row of a table may come several times, leading away from it."""
    return tuple(r for r in led_from(table, relations) if _is_repeating(r, catalogue))


def beyond(table: str, relations: Iterable[Relation], catalogue: Catalogue) -> frozenset[str]:
    """The tables of which several rows may go with one of `table`."""
    found: set[str] = set()
    for step in led_from(table, relations):
        if step.left.table in found or _is_repeating(step, catalogue):
            found.add(step.right.table)
    return frozenset(found)


def _is_repeating(step: Relation, catalogue: Catalogue) -> bool:
    """Whether several rows of the right may go with one of the left: not where they are told apart
    by the very columns that refer."""
    if not step.fans_out:
        return False
    child = catalogue.table(step.right.table)
    if child is None:
        return True
    key, by = key_of(child), {step.right.column, *(there for _, there in step.further)}
    return not (unique(child, step.right.column) or (bool(key) and set(key) <= by))
