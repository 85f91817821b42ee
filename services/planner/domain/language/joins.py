"""How tables connect: the cheapest tree of relationships from the table that is counted.

An edge costs more where the relationship was inferred, where a row of the left may match several of
the right, and where the referring column does not name what it refers to; it costs less where the
question speaks of the role that the column names ("destroyed by", "ship via").
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from services.planner.domain.catalogue import Catalogue, Relationship
from services.planner.domain.language.intent import Field, Relation
from services.planner.domain.language.keys import (
    guessed_references,
    key_of,
    names_table,
    spoken_words,
    unique,
)
from services.planner.domain.language.lexicon import synonyms_of

__all__ = ["JoinGraph", "JoinTree", "key_of", "unique"]

_FAN_OUT_COST = 0.7
_UNNAMED_COST = 0.8
_ROLE_GAIN = 0.5
_LEAST_COST = 0.2
_HUB_COST = 1.5
_WEAKER_TWIN = 0.75


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
    """Relationships of a catalogue as a graph; names say which columns refer where none is known.

    `said` are the stems of the question: of two references to the same table the one whose role
    is spoken of is meant.
    """

    def __init__(self, catalogue: Catalogue, said: Sequence[str] = ()) -> None:
        self._edges: dict[str, list[_Edge]] = defaultdict(list)
        self._trees: dict[tuple[str, frozenset[str]], JoinTree] = {}
        self._said = frozenset(said).union(*(synonyms_of(word) for word in said))
        known = {(link.from_table, link.from_column) for link in catalogue.relationships}
        self._keys = {
            Field(table=table.name, column=keys[0])
            for table in catalogue.tables
            if len(keys := key_of(table)) == 1
        }
        linked: set[frozenset[str]] = set()
        best: dict[frozenset[str], float] = defaultdict(float)
        for link in catalogue.relationships:
            pair = frozenset((link.from_table, link.to_table))
            best[pair] = max(best[pair], link.confidence)
        for link in catalogue.relationships:
            pair = frozenset((link.from_table, link.to_table))
            linked.add(pair)
            if link.confidence >= _WEAKER_TWIN * best[pair]:
                doubt = (1 - link.confidence) + (0.0 if link.declared else 0.1)
                self._refer(link, 1.0 + doubt)
        for guess in guessed_references(catalogue):
            pair = frozenset((guess.from_table, guess.to_table))
            if pair not in linked and (guess.from_table, guess.from_column) not in known:
                self._refer(guess, 1.0 + 2 * (1 - guess.confidence))

    def _refer(self, link: Relationship, cost: float) -> None:
        if link.from_table == link.to_table:
            return
        child = Field(table=link.from_table, column=link.from_column)
        parent = Field(table=link.to_table, column=link.to_column)
        if not names_table(link.from_column, link.to_table):
            cost += 0.0 if link.declared else _UNNAMED_COST
        if spoken_words(link.from_column) & self._said:
            cost = max(_LEAST_COST, cost - _ROLE_GAIN)
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
        """The cheapest path to a wanted table.

        Going up to a shared parent and down again pairs rows that have nothing else in common, so
        that turn costs extra; a table is therefore visited once by each direction.
        """
        queue: list[tuple[float, str, int, list[_Edge]]] = []
        count = 0
        for table in sorted(reached):
            heapq.heappush(queue, (0.0, table, count, []))
            count += 1
        done: set[tuple[str, bool]] = set()
        while queue:
            cost, table, _, path = heapq.heappop(queue)
            climbed = bool(path) and not path[-1].fans_out
            if (table, climbed) in done:
                continue
            done.add((table, climbed))
            if table in wanted:
                return path
            for edge in self._edges.get(table, ()):
                again = edge.right.table in reached or any(
                    edge.right.table == earlier.right.table for earlier in path
                )
                if again:
                    continue
                count += 1
                turn = _HUB_COST if climbed and edge.fans_out else 0.0
                heapq.heappush(
                    queue, (cost + edge.cost + turn, edge.right.table, count, [*path, edge])
                )
        return None

    def direct(self, left: str, right: str) -> Relation | None:
        """The best single relationship between two tables, seen from `left`."""
        found = [edge for edge in self._edges.get(left, ()) if edge.right.table == right]
        if not found:
            return None
        edge = min(found, key=lambda e: e.cost)
        return Relation(left=edge.left, right=edge.right, fans_out=edge.fans_out)

    def is_a(self, thing: str, kind: str) -> bool:
        """Whether each row of `thing` is also a row of `kind`: a professor is an employee."""
        return any(
            edge.right.table == kind and not edge.fans_out and edge.left in self._keys
            for edge in self._edges.get(thing, ())
        )

    def same_values(self, one: Field, other: Field) -> bool:
        """Whether two columns hold the same things: one refers to the other, or both to one."""
        parents = {self.parent_of(one) or one, self.parent_of(other) or other}
        return len(parents) == 1

    def parent_of(self, field: Field) -> Field | None:
        """The column that this one refers to, when it is a known foreign key."""
        for edge in self._edges.get(field.table, ()):
            if edge.left == field and not edge.fans_out:
                return edge.right
        return None
