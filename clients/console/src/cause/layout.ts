// Where nodes and edges of a causal graph lie.
import * as dagre from "@dagrejs/dagre";
import type { CausalEdge, CausalGraph } from "@gen/assay/common/v1/causal_pb";

export interface Node {
  readonly name: string;
  readonly words: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Line {
  readonly edge: CausalEdge;
  readonly path: string;
  readonly x: number;
  readonly y: number;
}

export interface Layout {
  readonly nodes: readonly Node[];
  readonly lines: readonly Line[];
  readonly width: number;
  readonly height: number;
}

const HEIGHT = 36;
const MOST_LETTERS = 22;

export function layoutOf(graph: CausalGraph): Layout {
  const drawn = new dagre.graphlib.Graph();
  drawn.setGraph({ rankdir: "LR", nodesep: 26, ranksep: 90, marginx: 12, marginy: 12 });
  drawn.setDefaultEdgeLabel(() => ({}));
  const names = [...new Set([...graph.nodes, ...graph.edges.flatMap((edge) => [edge.source, edge.target])])];
  const bound = new Set(graph.edges.flatMap((edge) => [edge.source, edge.target]));
  const shown = names.filter((name) => bound.has(name) || name === graph.treatmentVariable || name === graph.outcomeVariable);
  for (const name of shown) drawn.setNode(name, { width: shortened(name).length * 8.2 + 30, height: HEIGHT });
  for (const edge of graph.edges) drawn.setEdge(edge.source, edge.target, { width: 40, height: 18, labelpos: "c" });
  dagre.layout(drawn);
  const size = drawn.graph() as { width?: number; height?: number };
  const nodes = shown.map((name) => {
    const { x, y, width, height } = drawn.node(name) as { x: number; y: number; width: number; height: number };
    return { name, words: shortened(name), x, y, width, height };
  });
  const lines = graph.edges.map((edge) => {
    const { points, x, y } = drawn.edge(edge.source, edge.target) as { points: { x: number; y: number }[]; x?: number; y?: number };
    const middle = points[Math.floor(points.length / 2)]!;
    return { edge, path: curve(points), x: x ?? middle.x, y: y ?? middle.y };
  });
  return { nodes, lines, width: size.width ?? 300, height: size.height ?? 100 };
}

/** Columns without an edge. */
export function untied(graph: CausalGraph): readonly string[] {
  const bound = new Set([...graph.edges.flatMap((edge) => [edge.source, edge.target]), graph.treatmentVariable, graph.outcomeVariable]);
  return graph.nodes.filter((name) => !bound.has(name));
}

function shortened(name: string): string {
  return name.length > MOST_LETTERS ? `${name.slice(0, MOST_LETTERS - 1)}…` : name;
}

/** Through the points, bent softly. */
function curve(points: readonly { x: number; y: number }[]): string {
  const [first, ...rest] = points;
  if (!first) return "";
  let path = `M${first.x},${first.y}`;
  for (let at = 0; at < rest.length - 1; at++) {
    const [here, next] = [rest[at]!, rest[at + 1]!];
    path += ` Q${here.x},${here.y} ${(here.x + next.x) / 2},${(here.y + next.y) / 2}`;
  }
  const last = rest.at(-1);
  return last ? `${path} L${last.x},${last.y}` : path;
}
