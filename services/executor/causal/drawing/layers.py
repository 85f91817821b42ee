"""Where the columns of a graph stand: in rows, causes above effects, with lanes for long edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

MOST_A_ROW = 5
_SWEEPS = 12


@dataclass(frozen=True)
class Layout:
    """Rows of items, top to bottom; an item is a node's name or a lane (edge number, row).

    `x` is each item's centre from 0 to 1 across; `down[k]` is whether edge k runs down as told.
    """

    rows: list[list[object]]
    x: dict[object, float]
    row_of: dict[str, int]
    down: list[bool]


def lay_out(
    nodes: Sequence[str],
    edges: Sequence[tuple[str, str, bool]],
    tiers: Mapping[str, int],
    box: float,
    lane: float,
) -> Layout:
    """Rows by tiers and edges (Coffman & Graham 1972), few crossings (Sugiyama et al. 1981).

    An edge is (source, target, whether its direction says what comes first); `box` and `lane` are
    the room that a node and a passing edge take, as parts of the width.
    """
    before = _order(nodes, edges, tiers)
    row_of = _rows_of(nodes, before, tiers)
    down = [row_of[a] < row_of[b] for a, b, _ in edges]
    rows: list[list[object]] = [[] for _ in range(max(row_of.values()) + 1)]
    for name in nodes:
        rows[row_of[name]].append(name)
    chains: list[tuple[object, object]] = []
    for number, (a, b, _) in enumerate(edges):
        top, bottom = (a, b) if down[number] else (b, a)
        chain: list[object] = [top]
        for row in range(row_of[top] + 1, row_of[bottom]):
            rows[row].append((number, row))
            chain.append((number, row))
        chain.append(bottom)
        chains += pairwise(chain)
    x = _placed(rows, chains, box, lane)
    shift = 0.5 - (min(x.values()) + max(x.values())) / 2
    x = {item: place + shift for item, place in x.items()}
    return Layout(rows, x, row_of, down)


def _order(
    nodes: Sequence[str], edges: Sequence[tuple[str, str, bool]], tiers: Mapping[str, int]
) -> set[tuple[str, str]]:
    """Pairs (above, below), one for each edge, that never run in a circle."""
    import networkx as nx

    graph = nx.DiGraph()
    graph.add_nodes_from(nodes)
    for a, b, _ in sorted(edges, key=lambda edge: not edge[2]):
        turned = tiers.get(a, 0) > tiers.get(b, 0) or nx.has_path(graph, b, a)
        graph.add_edge(*((b, a) if turned else (a, b)))
        if not nx.is_directed_acyclic_graph(graph):
            graph.remove_edge(*((b, a) if turned else (a, b)))
            graph.add_edge(*((a, b) if turned else (b, a)))
    return set(graph.edges)


def _rows_of(
    nodes: Sequence[str], before: set[tuple[str, str]], tiers: Mapping[str, int]
) -> dict[str, int]:
    """Each node below all that come before it, in the first row with room; a later tier lower."""
    import networkx as nx

    graph = nx.DiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(before)
    place = {name: i for i, name in enumerate(nodes)}
    row_of: dict[str, int] = {}
    filled: dict[int, int] = {}
    floor, tier_now = 0, None
    ordered = list(
        nx.lexicographical_topological_sort(
            graph, key=lambda name: (tiers.get(name, 0), -_height(graph, name), place[name])
        )
    )
    for name in ordered:
        if tiers and tiers.get(name, 0) != tier_now:
            floor = max(row_of.values(), default=-1) + 1
            tier_now = tiers.get(name, 0)
        row = max((row_of[p] + 1 for p in graph.predecessors(name)), default=0)
        row = max(row, floor)
        while filled.get(row, 0) >= MOST_A_ROW:
            row += 1
        row_of[name] = row
        filled[row] = filled.get(row, 0) + 1
    return row_of


def _height(graph: object, name: str) -> int:
    import networkx as nx

    return len(nx.descendants(graph, name))


def _placed(
    rows: list[list[object]], chains: Sequence[tuple[object, object]], box: float, lane: float
) -> dict[object, float]:
    above: dict[object, list[object]] = {}
    below: dict[object, list[object]] = {}
    for top, bottom in chains:
        below.setdefault(top, []).append(bottom)
        above.setdefault(bottom, []).append(top)
    x: dict[object, float] = {}
    for row in rows:
        for place, item in enumerate(row):
            x[item] = (place + 0.5) / len(row)
    for sweep in range(_SWEEPS):
        towards, order = (above, rows) if sweep % 2 == 0 else (below, rows[::-1])
        for row in order:
            pull = {item: _mean([x[k] for k in towards.get(item, [])], x[item]) for item in row}
            row.sort(key=lambda item: (pull[item], x[item]))
            _separate(row, pull, x, box, lane)
    both = {item: above.get(item, []) + below.get(item, []) for item in x}
    for _ in range(4):
        for row in rows:
            pull = {item: _mean([x[k] for k in both[item]], 0.5) for item in row}
            _separate(row, pull, x, box, lane)
    return x


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _separate(
    row: Sequence[object],
    pull: Mapping[object, float],
    x: dict[object, float],
    box: float,
    lane: float,
) -> None:
    """Put a row's items as near to where they are pulled as their room and order allow."""
    from scipy.optimize import isotonic_regression

    room = [box if isinstance(item, str) else lane for item in row]
    middle = np.cumsum(room) - np.asarray(room) / 2
    total = sum(room)
    shrink = min(1.0, 1.0 / total)
    offset = middle * shrink
    wanted = np.array([pull[item] for item in row]) - offset
    places = isotonic_regression(wanted).x
    places = np.clip(places, 0.0, 1.0 - total * shrink) + offset
    for item, place in zip(row, places, strict=True):
        x[item] = float(place)
