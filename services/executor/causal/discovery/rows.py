"""Found graphs as a frame, and in words."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from services.executor.causal.discovery.marks import ARROW, CIRCLE, TAIL
from services.executor.causal.discovery.stability import Edge, Found
from services.executor.causal.discovery.trust import FULL, Trust

SCHEMA = pa.schema(
    [
        ("source", pa.string()),
        ("target", pa.string()),
        ("edge_type", pa.string()),
        ("confidence", pa.float64()),
        ("skeleton_stability", pa.float64()),
        ("direction_stability", pa.float64()),
        ("in_order_stability", pa.float64()),
        ("in_alpha_stability", pa.float64()),
        ("direction_weight", pa.float64()),
        ("note", pa.string()),
    ]
)
_LEFT = {TAIL: "-", ARROW: "<", CIRCLE: "o"}
_RIGHT = {TAIL: "-", ARROW: ">", CIRCLE: "o"}


def frame_of(
    names: tuple[str, ...], found: Found, trust: Mapping[tuple[int, int], Trust]
) -> pa.Table:
    """A row for each edge, surest first; `trust` is that in the direction of directed ones."""
    edges = sorted(
        found.edges, key=lambda e: (-e.confidence, -e.skeleton, names[e.source], names[e.target])
    )
    rows = [
        {
            "source": names[edge.source],
            "target": names[edge.target],
            "edge_type": edge.edge_type,
            "confidence": round(edge.confidence, 6),
            "skeleton_stability": round(edge.skeleton, 6),
            "direction_stability": round(edge.direction, 6),
            "in_order_stability": round(edge.in_order, 6),
            "in_alpha_stability": round(edge.in_alpha, 6),
            "direction_weight": trust.get((edge.source, edge.target), FULL).weight,
            "note": _note(edge, trust.get((edge.source, edge.target), FULL)),
        }
        for edge in edges
    ]
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def _note(edge: Edge, trust: Trust) -> str:
    texts = []
    if edge.edge_type == "partial":
        left, right = edge.marks
        drawn = f"{_LEFT[left]}-{_RIGHT[right]}"
        meaning = {
            "o->": "the target does not cause the source; a cause, a hidden common cause or both",
            "o-o": "either may cause the other, or a hidden cause both",
        }.get(drawn, "some marks are left open by the data")
        texts.append(f"{drawn}: {meaning}")
    elif edge.edge_type == "bidirected":
        texts.append("neither causes the other: a hidden common cause")
    elif edge.edge_type == "undirected":
        texts.append("the data leave the direction open")
    if edge.skeleton < 0.5:
        texts.append("in fewer than half of the runs")
    elif edge.edge_type in ("directed", "bidirected") and edge.direction < 0.5:
        texts.append("directed so in fewer than half of the runs that have it")
    if trust.why:
        texts.append(trust.why)
    if edge.in_order < 1:
        texts.append("its direction changes with the order of the columns")
    return "; ".join(texts)
