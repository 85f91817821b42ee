"""How tables connect: the cheapest tree of relationships from the table that is counted."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from services.planner.domain.catalogue import Catalogue, DataType, Table
from services.planner.domain.language.intent import Field, Relation

_FAN_OUT_COST = 0.7
_GUESS_COST = 2.0


@dataclass(frozen=True, slots=True)
class _Edge:
    left: Field
    right: Field
    cost: float
    fans_out: bool


@dataclass(frozen=True, slots=True)
class JoinTree:
    """The joins that reach every wanted table, in order; `missing` could not be reached."""

    relations: tuple[Relation, ...]
    cost: float
    missing: frozenset[str]

    @property
    def fans_out(self) -> bool:
        """True when a row of the base may appear more than once."""
        return any(relation.fans_out for relation in self.relations)

    @property
    def tables(self) -> frozenset[str]:
        """Every table that the joins add."""
        return frozenset(relation.right.table for relation in self.relations)


class JoinGraph:
    """Relationships of a catalogue as a graph; where none is known, equally named keys serve."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._edges: dict[str, list[_Edge]] = defaultdict(list)
        self._trees: dict[tuple[str, frozenset[str]], JoinTree] = {}
        linked: set[frozenset[str]] = set()
        for known in catalogue.relationships:
            child = Field(table=known.from_table, column=known.from_column)
            parent = Field(table=known.to_table, column=known.to_column)
            doubt = (1 - known.confidence) + (0.0 if known.declared else 0.1)
            self._connect(child, parent, 1.0 + doubt)
            linked.add(frozenset((child.table, parent.table)))
        for child, parent in _same_named_keys(catalogue):
            if frozenset((child.table, parent.table)) not in linked:
                self._connect(child, parent, 1.0 + _GUESS_COST)

    def _connect(self, child: Field, parent: Field, cost: float) -> None:
        if child.table == parent.table:
            return
        self._edges[child.table].append(_Edge(child, parent, cost, fans_out=False))
        self._edges[parent.table].append(_Edge(parent, child, cost + _FAN_OUT_COST, fans_out=True))

    def tree(self, base: str, wanted: Iterable[str]) -> JoinTree:
        """Joins from `base` to all of `wanted`, nearest first; ties go by name."""
        key = (base, frozenset(wanted) - {base})
        if key not in self._trees:
            self._trees[key] = self._grow(base, set(key[1]))
        return self._trees[key]

    def _grow(self, base: str, wanted: set[str]) -> JoinTree:
        reached = {base}
        relations: list[Relation] = []
        cost = 0.0
        while wanted:
            path = self._nearest(reached, wanted)
            if path is None:
                break
            for edge in path:
                relations.append(Relation(left=edge.left, right=edge.right, fans_out=edge.fans_out))
                reached.add(edge.right.table)
                cost += edge.cost
            wanted -= reached
        return JoinTree(tuple(relations), cost, frozenset(wanted))

    def _nearest(self, reached: set[str], wanted: set[str]) -> list[_Edge] | None:
        queue: list[tuple[float, str, int, list[_Edge]]] = []
        count = 0
        for table in sorted(reached):
            heapq.heappush(queue, (0.0, table, count, []))
            count += 1
        done: set[str] = set()
        while queue:
            cost, table, _, path = heapq.heappop(queue)
            if table in done:
                continue
            done.add(table)
            if table in wanted:
                return path
            for edge in self._edges.get(table, ()):
                if edge.right.table not in done and edge.right.table not in reached:
                    count += 1
                    heapq.heappush(
                        queue, (cost + edge.cost, edge.right.table, count, [*path, edge])
                    )
        return None

    def direct(self, left: str, right: str) -> Relation | None:
        """The best single relationship between two tables, seen from `left`."""
        found = [edge for edge in self._edges.get(left, ()) if edge.right.table == right]
        if not found:
            return None
        edge = min(found, key=lambda e: e.cost)
        return Relation(left=edge.left, right=edge.right, fans_out=edge.fans_out)

    def parent_of(self, field: Field) -> Field | None:
        """The column that this one refers to, when it is a known foreign key."""
        for edge in self._edges.get(field.table, ()):
            if edge.left == field and not edge.fans_out:
                return edge.right
        return None


def unique(table: Table, column: str) -> bool:
    """True when the column's values tell the table's rows apart."""
    found = table.column(column)
    return table.primary_key == (column,) or (
        found is not None and table.rows > 0 and found.nulls == 0 and found.distinct >= table.rows
    )


def key_of(table: Table) -> tuple[str, ...]:
    """Columns that identify a row: the primary key, else the first unique column, else none."""
    if table.primary_key:
        return table.primary_key
    return next(((c.name,) for c in table.columns if unique(table, c.name)), ())


def _same_named_keys(catalogue: Catalogue) -> Iterable[tuple[Field, Field]]:
    places: dict[tuple[str, bool], list[tuple[Table, str]]] = defaultdict(list)
    for table in catalogue.tables:
        for column in table.columns:
            plain = column.name.lower().replace("_", "")
            if column.data_type in (DataType.INTEGER, DataType.STRING) and len(plain) > 2:
                places[plain, column.data_type is DataType.INTEGER].append((table, column.name))
    for (plain, _), found in sorted(places.items()):
        if plain in ("name", "rownames"):
            continue
        for parent, parent_column in found:
            if not unique(parent, parent_column):
                continue
            for child, child_column in found:
                if child is not parent and plain.endswith(("id", "code", "name", "num", "no")):
                    yield (
                        Field(table=child.name, column=child_column),
                        Field(table=parent.name, column=parent_column),
                    )
