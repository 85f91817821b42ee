"""The picture of a graph: what stands where, what is told apart, and that nothing overlaps."""

from __future__ import annotations

import io
from itertools import combinations

import numpy as np
import pytest

from mesh.tool import ToolError
from services.executor.causal.discovery.orientations import EdgeType, GraphEdge
from services.executor.causal.drawing.graph import BOX_HEIGHT, _Drawing, draw_graph
from services.executor.plotting import measure, style


def graph(seed: int, size: int) -> tuple[list[str], list[GraphEdge]]:
    random = np.random.default_rng(seed)
    words = ("income_of_household", "v", "number of children", "region", "price $", "a_b")
    nodes = [f"{words[k % len(words)]}_{k}" for k in range(size)]
    kinds: tuple[EdgeType, ...] = (
        "directed",
        "directed",
        "undirected",
        "bidirected",
        "partial",
    )
    edges = [
        GraphEdge(
            source=nodes[i],
            target=nodes[j],
            edge_type=kinds[int(random.integers(5))],
            confidence=float(random.random()),
        )
        for i, j in combinations(range(size), 2)
        if random.random() < 2.5 / (size - 1)
    ]
    return nodes, edges


def drawing(nodes: list[str], edges: list[GraphEdge], **tiers: int) -> _Drawing:
    made = _Drawing(nodes, edges, tiers, "Title", "")
    made.key(set(), None, None)
    made.lay()
    return made


@pytest.mark.parametrize("size", [3, 8, 20])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_boxes_lie_on_the_sheet_apart_from_each_other_and_from_passing_lines(
    seed: int, size: int
) -> None:
    made = drawing(*graph(seed, size))
    boxes = {name: made.centre(name) for name in made.labels}
    for x, y in boxes.values():
        assert x - made.box / 2 >= 0 and x + made.box / 2 <= made.sheet.width
        assert y - BOX_HEIGHT / 2 >= made.sheet.top - 0.01
        assert y + BOX_HEIGHT / 2 < made.sheet.height - made.sheet.bottom
    for (ax, ay), (bx, by) in combinations(boxes.values(), 2):
        assert abs(ay - by) > BOX_HEIGHT or abs(ax - bx) >= made.box
    for lane in (item for row in made.layout.rows for item in row if not isinstance(item, str)):
        x, y = made.centre(lane)
        assert all(abs(y - by) > 1 or abs(x - bx) > made.box / 2 for bx, by in boxes.values())


@pytest.mark.parametrize("size", [3, 20])
def test_labels_fit_their_boxes_and_differ(size: int) -> None:
    made = drawing(*graph(1, size))
    lines = [line for label in made.labels.values() for line in label.split("\n")]
    assert all(measure.width(line, style.TICK_SIZE, bold=True) <= made.box for line in lines)
    assert len(set(made.labels.values())) == size


def test_causes_stand_above_effects_and_tiers_above_later_ones() -> None:
    edges = [GraphEdge(source="a", target="b"), GraphEdge(source="b", target="c")]
    row = drawing(["c", "b", "a"], edges).layout.row_of
    assert row["a"] < row["b"] < row["c"]
    row = drawing(["x", "y"], [], x=1, y=0).layout.row_of
    assert row["y"] < row["x"]


def test_edges_in_a_circle_are_drawn_too() -> None:
    edges = [GraphEdge(source=a, target=b) for a, b in ("ab", "bc", "ca")]
    assert draw_graph(["a", "b", "c"], edges, None, None, "Circle", "").startswith(b"\x89PNG")


def test_each_kind_of_edge_has_its_line_and_its_ends_and_stability_its_width() -> None:
    from matplotlib.patches import Circle, PathPatch, Polygon

    looks = {}
    for kind in ("directed", "undirected", "bidirected", "partial"):
        edge = GraphEdge(source="a", target="b", edge_type=kind, confidence=1.0)
        made = drawing(["a", "b"], [edge])
        before = len(made.sheet.axes.patches)
        made.edge(0)
        new = made.sheet.axes.patches[before:]
        heads, circles = (sum(isinstance(p, kind_of) for p in new) for kind_of in (Polygon, Circle))
        line = next(p for p in new if isinstance(p, PathPatch))
        looks[kind] = (
            heads,
            circles,
            line.get_linestyle(),
            line.get_edgecolor(),
            line.get_linewidth(),
        )
    assert [look[:2] for look in looks.values()] == [(1, 0), (0, 0), (2, 0), (1, 1)]
    assert len({str(look[2:4]) for look in looks.values()}) == 4
    thin = drawing(["a", "b"], [GraphEdge(source="a", target="b", confidence=0.1)])
    thin.edge(0)
    assert thin.sheet.axes.patches[-1].get_linewidth() < looks["directed"][4]


def test_equal_graphs_give_equal_pictures_with_treatment_and_outcome_marked() -> None:
    from PIL import Image

    nodes, edges = graph(4, 6)
    first, again = (
        draw_graph(nodes, edges, nodes[0], nodes[5], "Graph", "of $x$") for _ in range(2)
    )
    assert first == again
    counted = Image.open(io.BytesIO(first)).convert("RGB").getcolors(2**24)
    assert counted is not None
    colours = {colour for _, colour in counted}
    assert {(0x00, 0x72, 0xB2), (0xB8, 0x42, 0x0F)} <= colours


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(ToolError, match="more than can be read"):
        draw_graph([f"n{k}" for k in range(41)], [], None, None, "", "")
    with pytest.raises(ToolError, match='"q", which is no column'):
        draw_graph(["a"], [GraphEdge(source="a", target="q")], None, None, "", "")
