"""How tables connect: the cheapest tree of relationships from the table that is counted.

An edge costs more where the relationship was inferred, where a row of the left may match several of
the right, and where the referring column does not name what it refers to; it costs less where the
question speaks of the role that the column names ("destroyed by", "ship via").
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.lexicon.synonyms import synonyms
from services.planner.domain.query.intent import Field, Relation
from services.planner.domain.query.joining.keys import key_of, unique
from services.planner.domain.query.joining.references import Reference, references_of
from services.planner.domain.query.joining.roles import list_unstated_roles, with_ways

__all__ = ["JoinGraph", "JoinTree", "graph_of", "key_of", "unique"]

_FAN_OUT_COST = 0.7
_ROLE_GAIN = 0.5
_LEAST_COST = 0.2
_HUB_COST = 1.5
_SLACK = 0.15


@dataclass(frozen=True, slots=True)
class _Edge:
    left: Field
    right: Field
    cost: float
    fans_out: bool
    further: tuple[tuple[str, str], ...] = ()

    @property
    def relation(self) -> Relation:
        """The edge as one step of a join."""
        return Relation(
            left=self.left, right=self.right, fans_out=self.fans_out, further=self.further
        )


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


@lru_cache(maxsize=16)
def graph_of(catalogue: Catalogue) -> JoinGraph:
    """The relationships of a catalogue whatever is asked, built once for equal content."""
    return JoinGraph(catalogue)


class JoinGraph:
    """Relationships of a catalogue as a graph; names say which columns refer where none is known.

    `said` are the stems of the question: of two references to the same table the one whose role
    is spoken of is meant.
    """

    def __init__(self, catalogue: Catalogue, texts: Sequence[str] = ()) -> None:
        self._edges: dict[str, list[_Edge]] = defaultdict(list)
        self._trees: dict[tuple[str, frozenset[str]], JoinTree] = {}
        self._from: dict[str, list[tuple[str, Sequence[_Edge]]]] = {}
        self._mentioned = frozenset(texts).union(*(synonyms(word) for word in texts))
        known = references_of(catalogue)
        self._keys = known.keys
        self._references = with_ways(known.all)
        for reference in self._references:
            self._refer(reference)

    def _refer(self, reference: Reference) -> None:
        child, parent, cost = reference.child, reference.parent, reference.cost
        if reference.spoken & self._mentioned:
            cost = max(_LEAST_COST, cost - _ROLE_GAIN)
        further = reference.further
        back = tuple((there, here) for here, there in further)
        self._edges[child.table].append(_Edge(child, parent, cost, False, further))
        self._edges[parent.table].append(_Edge(parent, child, cost + _FAN_OUT_COST, True, back))

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
                relations.append(edge.relation)
                reached.add(edge.right.table)
                cost += edge.cost
            wanted -= reached
        return JoinTree(tuple(relations), cost, frozenset(wanted))

    def _nearest(self, reached: set[str], wanted: set[str]) -> Sequence[_Edge] | None:
        """The cheapest path to a wanted table."""
        if len(reached) > 1:
            return next((path for table, path in self._paths(reached) if table in wanted), None)
        [base] = reached
        if base not in self._from:
            self._from[base] = list(self._paths(reached))
        return next((path for table, path in self._from[base] if table in wanted), None)

    def _paths(self, reached: set[str]) -> Iterator[tuple[str, Sequence[_Edge]]]:
        """Paths from what is reached to every other table, the cheapest first.

        Going up to a shared parent and down again pairs rows that have nothing else in common, so
        that turn costs extra; a table is therefore visited once by each direction.
        """
        queue: list[tuple[float, str, int, tuple[_Edge, ...]]] = []
        for count, table in enumerate(sorted(reached)):
            heapq.heappush(queue, (0.0, table, count, ()))
        count = len(queue)
        done: set[tuple[str, bool]] = set()
        while queue:
            cost, table, _, path = heapq.heappop(queue)
            climbed = bool(path) and not path[-1].fans_out
            if (table, climbed) in done:
                continue
            done.add((table, climbed))
            yield table, path
            passed = {edge.right.table for edge in path}
            for edge in self._edges.get(table, ()):
                other = edge.right.table
                if other in reached or other in passed or (other, not edge.fans_out) in done:
                    continue
                count += 1
                turn = _HUB_COST if climbed and edge.fans_out else 0.0
                heapq.heappush(queue, (cost + edge.cost + turn, other, count, (*path, edge)))

    def direct(self, left: str, right: str) -> Relation | None:
        """The best single relationship between two tables, seen from `left`."""
        found = [edge for edge in self._edges.get(left, ()) if edge.right.table == right]
        if not found:
            return None
        return min(found, key=lambda e: e.cost).relation

    def every_direct(self, left: str, right: str) -> list[Relation]:
        """The relationships between two tables, seen from `left`, that no word told apart."""
        found = sorted(
            (e for e in self._edges.get(left, ()) if e.right.table == right), key=lambda e: e.cost
        )
        return [e.relation for e in found if e.cost < found[0].cost + _ROLE_GAIN - _SLACK]

    def list_unstated_roles(self, relations: Iterable[Relation]) -> list[str]:
        """Which of these joins might have gone by another column as well, for people."""
        return list_unstated_roles(relations, self._references, self._mentioned)

    def role_words(self, relations: Iterable[Relation]) -> frozenset[str]:
        """The stems said that tell which of several columns these joins go by."""
        ends = [{relation.left, relation.right} for relation in relations]
        taken = (r for r in self._references if {r.child, r.parent} in ends)
        return frozenset[str]().union(*(r.spoken for r in taken)) & self._mentioned

    def is_a(self, entity: str, kind: str) -> bool:
        """Whether each row of `thing` is also a row of `kind`: a professor is an employee."""
        return any(
            edge.right.table == kind and not edge.fans_out and edge.left in self._keys
            for edge in self._edges.get(entity, ())
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
