"""What identifies an effect in one graph: sets to adjust for, instruments, front doors."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import networkx as nx

MOST_FRONT = 2
"""Most mediators that are tried together for a front door, beside all of them."""
LONGEST_SHOWN = 6


@dataclass(frozen=True)
class Effect:
    """The effect of a treatment on an outcome in a directed acyclic graph.

    `observed` are the columns that may be adjusted for; hidden causes are nodes that are not.
    """

    graph: nx.DiGraph
    treatment: str
    outcome: str
    observed: frozenset[str]

    @cached_property
    def causal(self) -> set[str]:
        """Columns on directed paths from treatment to outcome, the outcome with them."""
        import networkx as nx

        after = nx.descendants(self.graph, self.treatment)
        before = nx.ancestors(self.graph, self.outcome) | {self.outcome}
        found: set[str] = after & before
        return found

    @cached_property
    def descendants(self) -> set[str]:
        """What the treatment has an effect on."""
        import networkx as nx

        found: set[str] = nx.descendants(self.graph, self.treatment)
        return found

    @cached_property
    def forbidden(self) -> set[str]:
        """What no adjustment may hold: treatment, outcome, and all that follows their paths."""
        import networkx as nx

        following = set().union(*(nx.descendants(self.graph, node) for node in self.causal))
        return following | self.causal | {self.treatment, self.outcome}

    @cached_property
    def backdoor_graph(self) -> nx.DiGraph:
        """The graph without the first edges of the causal paths (van der Zander et al. 2014)."""
        from dowhy.graph import get_proper_backdoor_graph

        return get_proper_backdoor_graph(self.graph, [self.treatment], [self.outcome])

    def adjusts(self, columns: Collection[str]) -> bool:
        """Whether adjusting for these gives the effect: the complete criterion.

        Shpitser, VanderWeele & Robins 2010; Perkovic et al. 2018.
        """
        import networkx as nx

        if set(columns) & self.forbidden or not set(columns) <= self.observed:
            return False
        ends = {self.treatment}, {self.outcome}
        return bool(nx.is_d_separator(self.backdoor_graph, *ends, set(columns)))

    def smallest(self) -> frozenset[str] | None:
        """A set from which nothing can be left out (by dowhy), or None where there is none."""
        from dowhy.causal_identifier.auto_identifier import (
            GeneralizedAdjustment,
            identify_generalized_adjustment_set,
        )

        found = identify_generalized_adjustment_set(
            self.graph,
            [self.treatment],
            [self.outcome],
            sorted(self.observed),
            GeneralizedAdjustment.GENERALIZED_ADJUSTMENT_DEFAULT,
        )
        sets = [frozenset(one.get_adjustment_variables()) for one in found]
        valid = [one for one in sets if self.adjusts(one)]
        return min(valid, key=lambda one: (len(one), sorted(one))) if valid else None

    def precise(self) -> frozenset[str] | None:
        """The set with the least asymptotic variance of linear regression, where it is observed.

        Parents of the causal paths that do not follow them (Henckel, Perkovic & Maathuis 2022).
        """
        parents = {p for node in self.causal for p in self.graph.predecessors(node)}
        wanted = frozenset(parents - self.forbidden)
        return wanted if self.adjusts(wanted) else None

    @cached_property
    def instruments(self) -> dict[str, frozenset[str]]:
        """Instruments, each with what it is one given (Brito & Pearl 2002); without, by dowhy."""
        import networkx as nx
        from dowhy.graph import get_instruments

        plain = set(get_instruments(self.graph, [self.treatment], [self.outcome])) & self.observed
        found: dict[str, frozenset[str]] = {name: frozenset() for name in sorted(plain)}
        if self.treatment not in nx.ancestors(self.graph, self.outcome):
            return {}
        cut = self.graph.copy()
        cut.remove_edges_from(list(self.graph.out_edges(self.treatment)))
        after = self.descendants
        allowed = self.observed - after - {self.treatment, self.outcome}
        for name in sorted(allowed - plain):
            given = nx.find_minimal_d_separator(
                cut, name, self.outcome, restricted=(allowed - {name}) | {name, self.outcome}
            )
            if given is None or name in given:
                continue
            moves = not nx.is_d_separator(self.graph, {name}, {self.treatment}, set(given))
            if moves and name in nx.ancestors(self.graph, self.treatment):
                found[name] = frozenset(given)
        return found

    def front_doors(self) -> list[frozenset[str]]:
        """Sets of mediators by which the effect can be put together (Pearl 1995, 3.3)."""
        between = sorted((self.causal & self.observed) - {self.outcome})
        tried = [
            frozenset(one)
            for size in range(1, MOST_FRONT + 1)
            for one in combinations(between, size)
        ]
        tried += [frozenset(between)] if len(between) > MOST_FRONT else []
        found: list[frozenset[str]] = []
        for one in tried:
            if self._front_door(one) and not any(other < one for other in found):
                found.append(one)
        return found

    def _front_door(self, middle: frozenset[str]) -> bool:
        import networkx as nx

        rest = self.graph.subgraph(set(self.graph) - middle)
        if nx.has_path(rest, self.treatment, self.outcome):
            return False
        before, after = self.graph.copy(), self.graph.copy()
        before.remove_edges_from(list(self.graph.out_edges(self.treatment)))
        after.remove_edges_from([edge for node in middle for edge in self.graph.out_edges(node)])
        return bool(
            nx.is_d_separator(before, {self.treatment}, set(middle), set())
            and nx.is_d_separator(after, set(middle), {self.outcome}, {self.treatment})
        )

    def open_path(self) -> str:
        """A path other than the causal ones that no adjustment closes, in words."""
        import networkx as nx
        from dowhy.graph import is_blocked

        graph: Any = self.backdoor_graph
        allowed = self.observed - self.forbidden
        for closed in (
            allowed & nx.ancestors(graph, self.treatment)
            | allowed & nx.ancestors(graph, self.outcome),
            allowed,
            frozenset[str](),
        ):
            paths = nx.all_simple_paths(
                graph.to_undirected(as_view=True), self.treatment, self.outcome, LONGEST_SHOWN
            )
            values = [path for path in paths if not is_blocked(graph, path, set(closed))]
            if values:
                return _drawn(graph, min(values, key=lambda path: (len(path), path)))
        return ""


def _drawn(graph: nx.DiGraph, path: list[str]) -> str:
    texts = [path[0]]
    for here, there in pairwise(path):
        texts.append(f"{'->' if graph.has_edge(here, there) else '<-'} {there}")
    return " ".join(texts)
