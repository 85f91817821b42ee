// The causal graph: an edge that is clicked can be required or forbidden, and the study run again with that.
import type { CausalEdge, CausalGraph } from "@gen/assay/common/v1/causal_pb";
import type { Job } from "@gen/assay/common/v1/job_pb";
import { useLocation } from "preact-iso";
import { useMemo, useRef, useState } from "preact/hooks";

import { type Trouble, troubleOf } from "../mesh/errors";
import { InTrouble } from "../parts/states";
import { EdgeDialog } from "./edge_dialog";
import { type Arrow, saidOf, studyAgain } from "./knowledge";
import { layoutOf, type Line, type Node, untied } from "./layout";

export function Graph({ job, graph, ended }: { job: Job; graph: CausalGraph; ended: boolean }) {
  const { route } = useLocation();
  const before = job.work.case === "causal" ? saidOf(job.work.value.knowledge) : [];
  const [arrows, setArrows] = useState<readonly Arrow[]>(before);
  const [open, setOpen] = useState<CausalEdge | "new" | null>(null);
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const place = useRef<HTMLDivElement>(null);
  const drawn = useMemo(() => layoutOf(graph), [graph]);
  const alone = untied(graph);
  const changed = wordsOf(arrows) !== wordsOf(before);

  async function again(): Promise<void> {
    setBusy(true);
    try {
      route(`/cause/${await studyAgain(job, arrows)}`);
    } catch (thrown) {
      setTrouble(troubleOf(thrown));
    }
    setBusy(false);
  }

  function say(source: string, target: string, said: Arrow["said"] | null): void {
    setArrows((all) => [...all.filter((one) => one.source !== source || one.target !== target), ...(said ? [{ source, target, said }] : [])]);
    setOpen(null);
  }

  return (
    <section class="card" aria-labelledby="the-graph">
      <div class="row apart"><h2 id="the-graph">Causal graph</h2><span class="chip muted">{graph.discoveryMethod || "from background knowledge"}</span></div>
      <p class="muted small breaks">{graph.interpretation}</p>
      <div class="graph" ref={place} tabIndex={0} role="group" aria-label={`Causal graph with ${graph.edges.length} edges`}>
        <svg viewBox={`0 0 ${drawn.width} ${drawn.height}`} width={drawn.width} height={drawn.height}>
          <defs>
            <marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerUnits="userSpaceOnUse" markerWidth="11" markerHeight="11" orient="auto-start-reverse"><path d="M0 0 10 5 0 10z" /></marker>
          </defs>
          {drawn.lines.map((line) => <Edge line={line} said={arrows.find((one) => one.source === line.edge.source && one.target === line.edge.target)?.said} open={() => setOpen(line.edge)} />)}
          {drawn.nodes.map((node) => <Vertex node={node} graph={graph} />)}
        </svg>
      </div>
      <p class="small muted">Each edge shows how often it was found in resampled data. Click one to require or forbid it.{" "}
        {alone.length > 0 && <span class="breaks">Not connected to any other: {alone.join(", ")}.</span>}</p>
      {arrows.length > 0 && (
        <ul class="row" aria-label="Background knowledge">
          {arrows.map((one) => (
            <li class={`chip ${one.said === "required" ? "good" : "bad"}`}><span class="breaks">{one.said}: {one.source} → {one.target}</span>
              {ended && <button type="button" class="off" aria-label={`Remove: ${one.said} ${one.source} to ${one.target}`} onClick={() => say(one.source, one.target, null)}>×</button>}</li>
          ))}
        </ul>
      )}
      <p class="row not-printed">
        <button type="button" class="button little" onClick={() => setOpen("new")}>Add an edge</button>
        {changed && <button type="button" class="button first little" disabled={busy} onClick={() => void again()}>{busy ? "Starting…" : "Run again with these edges"}</button>}
      </p>
      <InTrouble trouble={trouble} />
      <EdgeDialog open={open} columns={graph.nodes} said={arrows} say={say} close={() => setOpen(null)} />
    </section>
  );
}

function wordsOf(arrows: readonly Arrow[]): string {
  return arrows.map((one) => `${one.said}\n${one.source}\n${one.target}`).sort().join("\n\n");
}

function Edge({ line, said, open }: { line: Line; said: Arrow["said"] | undefined; open: () => void }) {
  const { edge } = line;
  const directed = edge.edgeType === "directed";
  const stability = `${Math.round(edge.confidence * 100)} %`;
  const verb = directed ? "causes" : edge.edgeType === "bidirected" ? "shares a hidden cause with" : "is associated with";
  const words = `${edge.source} ${verb} ${edge.target}, found in ${stability} of resampled data${said ? `, ${said}` : ""}`;
  return (
    <g class={`edge ${said ?? ""}`} role="button" tabindex={0} aria-label={words} onClick={open}
      onKeyDown={(event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); open(); } }}>
      <title>{words}</title>
      <path class="reach" d={line.path} />
      <path class="line" d={line.path} stroke-width={1 + 2 * edge.confidence} stroke-dasharray={directed ? undefined : "5 4"}
        marker-end={edge.edgeType === "undirected" ? undefined : "url(#arrow)"} marker-start={edge.edgeType === "bidirected" ? "url(#arrow)" : undefined} />
      <rect class="plate" x={line.x - 23} y={line.y - 10} width="46" height="20" rx="10" />
      <text x={line.x} y={line.y} dominant-baseline="central" text-anchor="middle">{stability}</text>
    </g>
  );
}

function Vertex({ node, graph }: { node: Node; graph: CausalGraph }) {
  const role = node.name === graph.treatmentVariable ? "treatment" : node.name === graph.outcomeVariable ? "outcome" : "";
  return (
    <g class={`vertex ${role}`}>
      <title>{node.name}{role && `, the ${role}`}</title>
      <rect x={node.x - node.width / 2} y={node.y - node.height / 2} width={node.width} height={node.height} rx="9" />
      <text x={node.x} y={node.y} dominant-baseline="central" text-anchor="middle">{node.words}</text>
      {role && <text class="role" x={node.x} y={node.y - node.height / 2 - 4} text-anchor="middle">{role}</text>}
    </g>
  );
}
