"""How well are causal graphs found? `python -m bench.causal.discovery [SEEDS [KIND …]]`

Erdős and Rényi's graphs of 5, 10 and 20 columns with two edges a column, 1,000 rows: linear and
normal, linear and not normal, and mixed with categories of two and three levels. For each method
and for their agreement: F1 of the skeleton; of directed edges the share that is right, and of the
true edges the share that is directed so; the structural Hamming distance between patterns. Beside
them causal-learn's PC as its documentation calls it. Then how often edges are true by the
confidence that they were told with, and predicted against processor seconds (a search uses one
thread, so these are what it takes on a machine with nothing else to do).
"""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np

from bench.causal.graphs import KINDS, Known, known
from bench.measure import arguments, keep, print_table
from mesh.tool import ToolError
from services.executor.causal.discovery import marks as graph
from services.executor.causal.discovery.effort import Effort
from services.executor.causal.discovery.knowledge import knowledge_of
from services.executor.causal.discovery.matrix import Matrix, read
from services.executor.causal.discovery.methods import METHODS, check_columns
from services.executor.causal.discovery.planning import plan_rows
from services.executor.causal.discovery.rows import frame_of
from services.executor.causal.discovery.stability import Found, discover
from services.executor.causal.discovery.trust import direction_trust
from services.planner.domain.causal.agreement import agreed as together

SIZES = (5, 10, 20)
ROWS = 1_000
SEEDS = 5
BOOTSTRAPS = 15
BINS = ((0.0, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 1.01))
PLAIN = "causal-learn PC"
Figures = dict[str, list[float]]


def main() -> None:
    """Run all and tell it."""
    given = arguments("causal.discovery", __doc__).parse_args()
    seeds = int(given.rest[0]) if given.rest else SEEDS
    scores: dict[tuple[str, str, int], Figures] = defaultdict(lambda: defaultdict(list))
    edges: dict[str, list[tuple[float, float, bool, bool]]] = defaultdict(list)
    times: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for kind in given.rest[1:] or KINDS:
        for columns in SIZES:
            for seed in range(seeds):
                one(known(seed, columns, ROWS, kind), (kind, columns), scores, edges, times)
                print(f"{kind} {columns} {seed}", flush=True)
    values = {
        "scores": _scores(scores),
        "calibration": _calibration(edges),
        "seconds": _seconds(times),
    }
    for name, rows in values.items():
        print_table(f"\n{name}", list(rows[0]), [list(row.values()) for row in rows])
    keep(values, given.json)


def one(data: Known, group: tuple[str, int], scores: Any, edges: Any, times: Any) -> None:
    """All methods on one graph."""
    matrix = read(data.table, None)
    nothing, _ = knowledge_of(matrix.names, {}, (), ())
    planned = {
        row["method"]: row
        for row in plan_rows(
            matrix, nothing, None, None, False, 3600.0, lambda most: Effort(most=most)
        )
    }
    found: dict[str, Found] = {}
    for name, method in METHODS.items():
        try:
            check_columns(name, matrix)
        except ToolError:
            continue
        began = time.process_time()
        result = discover(matrix, method, nothing, 0.05, BOOTSTRAPS, Effort(), 0)
        took = time.process_time() - began
        row = planned[name]
        if row["suits"]:
            runs = (BOOTSTRAPS + 8) / (row["bootstraps"] + 8)
            times[name].append((row["predicted_seconds"] * runs, took))
            found[name] = result
        _add(scores[name, *group], result.marks, data.truth)
        for edge in result.edges:
            joined, right = _true(edge.source, edge.target, edge.edge_type, edge.marks, data.truth)
            edges[name].append((edge.skeleton, edge.confidence, joined, right))
    marks, sure = agreed(matrix, found)
    _add(scores["agreement", *group], marks, data.truth)
    for i, j, kind in graph.edges(marks):
        joined, right = _true(i, j, kind, (0, 0), data.truth)
        edges["agreement"].append((sure[i, j], sure[i, j], joined, right))
    _add(scores[PLAIN, *group], plain(data.codes), data.truth)


def agreed(matrix: Matrix, found: Mapping[str, Found]) -> tuple[graph.Marks, np.ndarray]:
    """Edges that the pipeline lets stand by agreement of methods, and the support of each."""
    rows = {
        name: frame_of(matrix.names, one, direction_trust(name, matrix, one.marks)).to_pylist()
        for name, one in found.items()
    }
    place = {name: i for i, name in enumerate(matrix.names)}
    marks = np.full((len(place), len(place)), graph.NONE, dtype=np.int8)
    sure = np.zeros(marks.shape)
    for edge in together(rows, matrix.names, None, None).edges:
        i, j = place[edge.source], place[edge.target]
        ends = graph.ARROW if edge.edge_type == "bidirected" else graph.TAIL
        marks[i, j] = marks[j, i] = ends
        if edge.edge_type == "directed":
            graph.orient(marks, i, j)
        sure[i, j] = sure[j, i] = edge.confidence
    return marks, sure


def plain(values: np.ndarray) -> graph.Marks:
    """causal-learn's PC with its defaults, categories as their codes."""
    from causallearn.search.ConstraintBased.PC import pc

    return graph.from_library(pc(values, show_progress=False).G.graph)


def _true(i: int, j: int, kind: str, ends: tuple[int, int], truth: np.ndarray) -> tuple[bool, bool]:
    """Whether the pair is joined in truth, and whether the edge is right as told."""
    joined = bool(truth[i, j] or truth[j, i])
    if kind == "undirected":
        return joined, joined
    if kind == "partial":
        against = ends[1] == graph.ARROW and truth[j, i]
        return joined, joined and not against
    return joined, kind == "directed" and bool(truth[i, j])


def _add(figures: Figures, marks: graph.Marks, truth: np.ndarray) -> None:
    skeleton, real = marks != graph.NONE, truth | truth.T
    figures["skeleton_f1"].append(
        _f1(int((skeleton & real).sum()), int(skeleton.sum()), int(real.sum()))
    )
    pointed = graph.directed(marks)
    right = int((pointed & truth).sum())
    if pointed.any():
        figures["direction_right"].append(right / int(pointed.sum()))
    figures["direction_found"].append(right / max(int(truth.sum()), 1))
    if not (marks == graph.CIRCLE).any():
        whole = not graph.undirected(marks).any() and not graph.has_cycle(pointed)
        mine = graph.pattern(pointed) if whole else marks
        differ = (mine != graph.pattern(truth)) | (mine.T != graph.pattern(truth).T)
        figures["shd"].append(int(np.triu(differ, 1).sum()))


def _f1(hits: int, number: int, real: int) -> float:
    return 2 * hits / (number + real) if number + real else 1.0


def _scores(scores: dict[tuple[str, str, int], Figures]) -> list[dict[str, Any]]:
    rows = []
    for (name, kind, columns), figures in sorted(
        scores.items(), key=lambda item: (item[0][1:], item[0][0])
    ):
        means = {
            key: round(statistics.mean(figures[key]), 2) if figures.get(key) else ""
            for key in ("skeleton_f1", "direction_right", "direction_found", "shd")
        }
        rows.append({"data": kind, "columns": columns, "method": name, **means})
    return rows


def _calibration(edges: dict[str, list[tuple[float, float, bool, bool]]]) -> list[dict[str, Any]]:
    rows = []
    for name, parts in edges.items():
        for low, high in BINS:
            joined = [real for skeleton, _, real, _ in parts if low <= skeleton < high]
            right = [good for _, confidence, _, good in parts if low <= confidence < high]
            rows.append(
                {
                    "method": name,
                    "from": low,
                    "to": min(high, 1.0),
                    "edges": len(joined),
                    "joined": _share(joined),
                    "as_told": len(right),
                    "right": _share(right),
                }
            )
    return rows


def _share(values: list[bool]) -> float | str:
    return round(statistics.mean(values), 3) if values else ""


def _seconds(times: dict[str, list[tuple[float, float]]]) -> list[dict[str, Any]]:
    rows = []
    for name, pairs in times.items():
        ratios = sorted(real / predicted for predicted, real in pairs)
        rows.append(
            {
                "method": name,
                "runs": len(pairs),
                "predicted": round(sum(p for p, _ in pairs), 1),
                "real": round(sum(r for _, r in pairs), 1),
                "median_ratio": round(statistics.median(ratios), 2),
                "worst_ratio": round(ratios[-1], 2),
            }
        )
    return rows


if __name__ == "__main__":
    main()
