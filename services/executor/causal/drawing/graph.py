"""A causal graph as a picture: causes above effects, edges told apart, stability as width."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from mesh.tool import ErrorCategory, ToolError
from services.executor.causal.discovery.orientations import GraphEdge
from services.executor.causal.drawing.layers import MOST_A_ROW, Layout, lay_out
from services.executor.plotting import measure, style
from services.executor.plotting.sheet import MARGIN, Sheet
from services.executor.plotting.text import clean

MOST_NODES = 40
BOX_HEIGHT = 50.0
ROW_HEIGHT = 128.0
KEY_HEIGHT = 30.0
LANE = 26.0
HEAD = 11.0
CIRCLE = 5.0
THINNEST, THICKEST = 0.8, 3.6

TREATMENT, OUTCOME = "#0072B2", "#B8420F"
_LOOKS: dict[str, dict[str, Any]] = {
    "directed": {"color": "#3B3B3B", "linestyle": "-"},
    "undirected": {"color": "#8a8a8a", "linestyle": "-"},
    "bidirected": {"color": "#93407A", "linestyle": (0, (4, 1.8))},
    "partial": {"color": "#007A5A", "linestyle": (0, (1.3, 1.3))},
}
_NAMES = {
    "directed": "causes",
    "undirected": "direction open",
    "bidirected": "hidden common cause",
    "partial": "circle: left open",
}
Point = tuple[float, float]


def draw_graph(
    nodes: Sequence[str],
    edges: Sequence[GraphEdge],
    treatment: str | None,
    outcome: str | None,
    title: str,
    subtitle: str,
    *,
    tiers: Mapping[str, int] | None = None,
) -> bytes:
    """The graph as a PNG; an edge is as wide as its confidence. Raises ToolError.

    Rows follow the edges, and the tiers where these are given (0 on top).
    """
    _check(nodes, edges)
    drawing = _Drawing(nodes, edges, tiers or {}, clean(title), clean(subtitle))
    drawing.key({treatment, outcome} & set(nodes), treatment, outcome)
    drawing.lay()
    for number in sorted(range(len(edges)), key=lambda k: edges[k].confidence):
        drawing.edge(number)
    for name in nodes:
        fill = TREATMENT if name == treatment else OUTCOME if name == outcome else None
        drawing.node(name, fill)
    return drawing.png()


def _check(nodes: Sequence[str], edges: Sequence[GraphEdge]) -> None:
    strange = [end for edge in edges for end in (edge.source, edge.target) if end not in nodes]
    problem = (
        "it has no columns"
        if not nodes
        else f"{len(nodes)} columns are more than can be read"
        if len(nodes) > MOST_NODES
        else f'an edge names "{strange[0]}", which is no column of it'
        if strange
        else ""
    )
    if problem:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"The graph cannot be drawn: {problem}.",
            hint=f"Draw at most {MOST_NODES} columns, those nearest to treatment and outcome.",
            details={"limit": MOST_NODES, "seen": len(nodes)},
        )


@dataclass(frozen=True)
class _Ends:
    """How an edge ends at its source and target: "", "arrow" or "circle"."""

    source: str
    target: str

    @classmethod
    def of(cls, edge: GraphEdge) -> _Ends:
        if edge.edge_type == "partial":
            open_both = edge.note.startswith("o-o")
            return cls("circle", "circle" if open_both else "arrow")
        pointed = {"directed": ("", "arrow"), "bidirected": ("arrow", "arrow")}
        return cls(*pointed.get(edge.edge_type, ("", "")))


def _labels(nodes: Sequence[str], room: float) -> dict[str, str]:
    """Names as they are, on two lines where one is too short, cut in the middle at last."""
    size = style.TICK_SIZE
    found = {name: _two_lines(clean(name), size, room) for name in nodes}
    again = [name for name in nodes if list(found.values()).count(found[name]) > 1]
    found.update(
        zip(again, measure.wrap_distinct([clean(n) for n in again], size, room, 1), strict=True)
    )
    return found


def _two_lines(text: str, size: float, room: float) -> str:
    if measure.width(text, size, bold=True) <= room:
        return text
    breaks = [k + 1 for k, letter in enumerate(text) if letter in " _-./"]
    cut = min(breaks, key=lambda k: abs(k - len(text) / 2), default=len(text) // 2)
    lines = (text[:cut].rstrip(), text[cut:])
    return "\n".join(measure.fit(line, size, room, bold=True) for line in lines if line)


class _Drawing:
    """The sheet and the places on it, in pixels from the top left."""

    def __init__(
        self,
        nodes: Sequence[str],
        edges: Sequence[GraphEdge],
        tiers: Mapping[str, int],
        title: str,
        subtitle: str,
    ) -> None:
        self.edges = edges
        width = style.WIDTH_INCHES * style.DOTS_PER_INCH
        self.room = width - 2 * MARGIN
        self.box = min(self.room / min(MOST_A_ROW, max(len(nodes), 2)) - 46, 230.0)
        self.labels = _labels(nodes, self.box - 14)
        parts = [(e.source, e.target, e.edge_type in ("directed", "partial")) for e in edges]
        self.layout: Layout = lay_out(
            nodes, parts, tiers, (self.box + 34) / self.room, LANE / self.room
        )
        tall = (len(self.layout.rows) - 1) * ROW_HEIGHT + BOX_HEIGHT
        head = 2 * KEY_HEIGHT + 110 + self._tall(title, style.TITLE_SIZE, bold=True)
        head += self._tall(subtitle, style.SUBTITLE_SIZE, bold=False)
        footer = "A wider line stands in more of the resampled data"
        self.sheet = Sheet(title, subtitle, footer, (tall + head) / style.DOTS_PER_INCH)
        axes = self.sheet.axes
        axes.set_position((0, 0, 1, 1))
        axes.set_xlim(0, self.sheet.width)
        axes.set_ylim(self.sheet.height, 0)
        axes.axis("off")
        self.top = 0.0
        self.pen: Point = (0.0, 0.0)

    def _tall(self, text: str, size: float, *, bold: bool) -> float:
        return measure.height(size, len(measure.wrap(text, size, self.room, 2, bold=bold)))

    def key(self, marked: set[str | None], treatment: str | None, outcome: str | None) -> None:
        """One line that says what colours and lines mean, of those that are there."""
        self.pen = (MARGIN, self.sheet.top + 8)
        for name, fill, text in (
            (treatment, TREATMENT, "treatment"),
            (outcome, OUTCOME, "outcome"),
        ):
            if name in marked:
                x, y = self._room_for(30, text)
                self._rectangle(x, y - 8, 22, 16, fill)
        for kind in (k for k in _LOOKS if any(edge.edge_type == k for edge in self.edges)):
            sample = GraphEdge(source="a", target="b", edge_type=kind)  # type: ignore[arg-type]
            x, y = self._room_for(66, _NAMES[kind])
            self._line([(x, y), (x + 56, y)], _Ends.of(sample), kind, 0.5)
        self.sheet.top = self.pen[1] + KEY_HEIGHT

    def _room_for(self, mark: float, text: str) -> Point:
        """Write a word of the key behind room for its mark, on the next line where it must."""
        x, y = self.pen
        wide = mark + measure.width(text, style.TICK_SIZE)
        if x + wide > self.sheet.width - MARGIN:
            x, y = MARGIN, y + KEY_HEIGHT
        self.sheet.write(text, x + mark, y + 5, style.TICK_SIZE, va="baseline")
        self.pen = (x + wide + 26, y)
        return x, y

    def lay(self) -> None:
        """Begin the rows below the key."""
        self.top = self.sheet.top + BOX_HEIGHT / 2

    def centre(self, item: object) -> Point:
        """Of a node or a lane."""
        row = self.layout.row_of[item] if isinstance(item, str) else item[1]  # type: ignore[index]
        return MARGIN + self.layout.x[item] * self.room, self.top + row * ROW_HEIGHT

    def node(self, name: str, fill: str | None) -> None:
        """A box with the column's name."""
        x, y = self.centre(name)
        self._rectangle(x - self.box / 2, y - BOX_HEIGHT / 2, self.box, BOX_HEIGHT, fill)
        self.sheet.write(
            self.labels[name],
            x,
            y,
            style.TICK_SIZE,
            va="center",
            ha="center",
            color="white" if fill else style.INK,
            bold=bool(fill),
            zorder=6,
        )

    def _rectangle(self, x: float, y: float, w: float, h: float, fill: str | None) -> None:
        from matplotlib.patches import FancyBboxPatch

        self.sheet.axes.add_patch(
            FancyBboxPatch(
                (x, y),
                w,
                h,
                boxstyle="round,pad=0,rounding_size=7",
                linewidth=0.9,
                zorder=5,
                facecolor=fill or "white",
                edgecolor=fill or "#8a8a8a",
            )
        )

    def edge(self, number: int) -> None:
        """A line from box to box through its lanes, with its ends."""
        edge, ends = self.edges[number], _Ends.of(self.edges[number])
        if not self.layout.down[number]:
            ends = _Ends(ends.target, ends.source)
        top, bottom = self._top_and_bottom(number)
        points = [(self._port(top, number, below=True), self.centre(top)[1] + BOX_HEIGHT / 2)]
        for row in range(self.layout.row_of[top] + 1, self.layout.row_of[bottom]):
            x, y = self.centre((number, row))
            points += [(x, y - BOX_HEIGHT / 2), (x, y + BOX_HEIGHT / 2)]
        end = self._port(bottom, number, below=False)
        points.append((end, self.centre(bottom)[1] - BOX_HEIGHT / 2))
        self._line(points, ends, edge.edge_type, edge.confidence)

    def _top_and_bottom(self, number: int) -> tuple[str, str]:
        edge = self.edges[number]
        pair = edge.source, edge.target
        return pair if self.layout.down[number] else (pair[1], pair[0])

    def _port(self, name: str, number: int, *, below: bool) -> float:
        """Where an edge meets a box: side by side, in the order of where they go."""

        def next_x(k: int) -> float:
            top, bottom = self._top_and_bottom(k)
            step = 1 if below else -1
            row = self.layout.row_of[name] + step
            other = bottom if below else top
            return self.centre(other if self.layout.row_of[other] == row else (k, row))[0]

        mine = [k for k in range(len(self.edges)) if self._top_and_bottom(k)[not below] == name]
        mine.sort(key=lambda k: (next_x(k), k))
        gap = min(30.0, (self.box - 24) / max(len(mine) - 1, 1))
        return self.centre(name)[0] + (mine.index(number) - (len(mine) - 1) / 2) * gap

    def _line(self, points: list[Point], ends: _Ends, kind: str, confidence: float) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        look = _LOOKS[kind]
        width = THINNEST + (THICKEST - THINNEST) * confidence
        across = points[0][1] == points[-1][1]
        start = self._end(points[0], ends.source, (-1, 0) if across else (0, -1), kind, width)
        stop = self._end(points[-1], ends.target, (1, 0) if across else (0, 1), kind, width)
        points = [start, *points[1:-1], stop]
        path, codes = [points[0]], [Path.MOVETO]
        for (x0, y0), (x1, y1) in pairwise(points):
            middle = (y0 + y1) / 2
            path += [(x0, middle), (x1, middle), (x1, y1)]
            codes += [Path.CURVE4] * 3
        self.sheet.axes.add_patch(
            PathPatch(
                Path(path, codes),
                facecolor="none",
                edgecolor=look["color"],
                linewidth=width,
                linestyle=look["linestyle"],
                capstyle="butt",
                zorder=3,
            )
        )

    def _end(self, at: Point, kind: str, towards: Point, edge_type: str, width: float) -> Point:
        """Draw a line's end that points `towards`; where the line itself begins is given back."""
        from matplotlib.patches import Circle, Polygon

        colour, size = _LOOKS[edge_type]["color"], HEAD + 2.6 * width
        if kind == "arrow":
            back = at[0] - towards[0] * size, at[1] - towards[1] * size
            half = size * math.tan(math.radians(24))
            corners = [
                at,
                (back[0] + towards[1] * half, back[1] + towards[0] * half),
                (back[0] - towards[1] * half, back[1] - towards[0] * half),
            ]
            self.sheet.axes.add_patch(Polygon(corners, facecolor=colour, linewidth=0, zorder=4))
            return back
        if kind == "circle":
            middle = at[0] - towards[0] * CIRCLE, at[1] - towards[1] * CIRCLE
            self.sheet.axes.add_patch(
                Circle(middle, CIRCLE, facecolor="white", edgecolor=colour, linewidth=1.4, zorder=4)
            )
            return at[0] - towards[0] * 2 * CIRCLE, at[1] - towards[1] * 2 * CIRCLE
        return at

    def png(self) -> bytes:
        """The picture, the same bytes each time."""
        self.sheet.take_text_literally()
        buffer = io.BytesIO()
        canvas: Any = self.sheet.figure.canvas
        canvas.print_png(buffer, metadata={"Software": None})
        return buffer.getvalue()
