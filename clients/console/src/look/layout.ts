// Where tables stand in the picture of joins. In a chunk of its own: only that picture needs it.
import { Graph, layout } from "@dagrejs/dagre";

export interface Box { readonly name: string; readonly x: number; readonly y: number; readonly width: number; readonly height: number }
export interface Line { readonly at: number; readonly points: readonly { x: number; y: number }[]; readonly label: { x: number; y: number } }
export interface Placed { readonly width: number; readonly height: number; readonly boxes: readonly Box[]; readonly lines: readonly Line[] }

export const BOX_WIDTH = 164;
export const BOX_HEIGHT = 46;

/** `edges` are pairs of names; an edge of a table to itself is a loop. */
export function placed(names: readonly string[], edges: readonly (readonly [string, string])[]): Placed {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: 26, ranksep: 52, edgesep: 14, marginx: 12, marginy: 28 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const name of names) graph.setNode(name, { width: BOX_WIDTH, height: BOX_HEIGHT });
  edges.forEach(([from, to], at) => from !== to && graph.setEdge(from, to, { width: 56, height: 18, labelpos: "c" }, String(at)));
  layout(graph);
  const whole = graph.graph() as { width?: number; height?: number };
  return {
    width: whole.width ?? 0,
    height: whole.height ?? 0,
    boxes: graph.nodes().map((name) => {
      const { x = 0, y = 0 } = graph.node(name) as { x?: number; y?: number };
      return { name, x: x - BOX_WIDTH / 2, y: y - BOX_HEIGHT / 2, width: BOX_WIDTH, height: BOX_HEIGHT };
    }),
    lines: [...edges.flatMap(([from, to], at) => (from === to ? [loop(graph.node(from) as { x: number; y: number }, at)] : [])), ...graph.edges().map((edge) => {
      const { points = [], x = 0, y = 0 } = graph.edge(edge) as { points?: { x: number; y: number }[]; x?: number; y?: number };
      return { at: Number(edge.name), points, label: { x, y } };
    })],
  };
}

/** A table that refers to itself: out above its right corner and in again. */
function loop({ x, y }: { x: number; y: number }, at: number): Line {
  const [right, top] = [x + BOX_WIDTH / 2, y - BOX_HEIGHT / 2];
  const points = [{ x: right - 64, y: top }, { x: right - 64, y: top - 18 }, { x: right + 24, y: top - 18 }, { x: right + 24, y: top + 12 }, { x: right, y: top + 12 }];
  return { at, points, label: { x: right - 20, y: top - 14 } };
}
