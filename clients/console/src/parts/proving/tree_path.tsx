// The way from an entry to the signed root, drawn: the hashes on it, and the siblings that it is joined with.
import { hex } from "../../proof/bytes";
import type { Place } from "../../proof/reading";

const [UP, ASIDE, WIDE, HIGH] = [46, 40, 66, 22];

interface Node {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly kind: "leaf" | "path" | "sibling" | "root";
}

export function TreePath({ place, size, holds }: { place: Place; size: bigint; holds: boolean }) {
  const { nodes, lines } = drawn(place);
  const xs = nodes.map((node) => node.x);
  const [left, right, top] = [Math.min(...xs) - WIDE / 2 - 4, Math.max(...xs) + WIDE / 2 + 4, Math.min(...nodes.map((node) => node.y)) - HIGH];
  const words = `Leaf ${place.leafIndex} and ${place.steps.length} sibling ${place.steps.length === 1 ? "hash" : "hashes"} ${holds ? "lead" : "should lead"} to the root of ${size} leaves`;
  return (
    <figure class="tree-path">
      <svg viewBox={`${left} ${top} ${right - left} ${HIGH * 1.5 - top}`} role="img" aria-label={words}
        style={{ maxWidth: `${(right - left) * 1.15}px` }}>
        {lines.map(([from, to]) => <line x1={from.x} y1={from.y} x2={to.x} y2={to.y} class={from.kind === "sibling" ? "aside" : "way"} />)}
        {nodes.map((node) => (
          <g class={`node ${node.kind} ${holds ? "holds" : ""}`}>
            <rect x={node.x - WIDE / 2} y={node.y - HIGH / 2} width={WIDE} height={HIGH} rx="6" />
            <text x={node.x} y={node.y + 4} text-anchor="middle">{node.text}</text>
          </g>
        ))}
      </svg>
      <figcaption class="muted small">{words}.</figcaption>
    </figure>
  );
}

function drawn(place: Place): { nodes: Node[]; lines: (readonly [Node, Node])[] } {
  const short = (hash: Uint8Array) => hex(hash.subarray(0, 4));
  let here: Node = { x: 0, y: 0, text: short(place.leafHash), kind: place.steps.length === 0 ? "root" : "leaf" };
  const [nodes, lines] = [[here], [] as (readonly [Node, Node])[]];
  place.steps.forEach((step, at) => {
    const way = step.side === "right" ? 1 : -1;
    const sibling: Node = { x: here.x + 2 * ASIDE * way, y: here.y, text: short(step.sibling), kind: "sibling" };
    const last = at === place.steps.length - 1;
    const parent: Node = { x: here.x + ASIDE * way, y: here.y - UP, text: short(step.gives), kind: last ? "root" : "path" };
    nodes.push(sibling, parent);
    lines.push([here, parent], [sibling, parent]);
    here = parent;
  });
  return { nodes, lines };
}
