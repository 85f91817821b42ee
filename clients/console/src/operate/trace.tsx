// The trace of a job as a timeline: each span a bar, inside the one that it is part of.
import type { Span } from "@gen/assay/gateway/v1/job_service_pb";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { useEffect, useRef, useState } from "preact/hooks";

import { jobs } from "../mesh/calls";
import { useLoaded } from "../mesh/loading";
import { told } from "../words/numbers";
import { Part } from "./part";

interface Bar {
  readonly span: Span;
  readonly depth: number;
  readonly from: number;
  readonly took: number;
  readonly within: number;
}

const FIRST = 200;
const SMALL = 0.01;

export function Trace({ jobId, close }: { jobId: string; close: () => void }) {
  const loaded = useLoaded(async (signal) => barsOf((await jobs.getTrace({ jobId }, { signal })).spans), [jobId]);
  const [chosen, setFolded] = useState<ReadonlySet<string> | null>(null);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (loaded.value) place.current?.scrollIntoView({ block: "start" });
  }, [loaded.value]);
  // Very short spans are folded at first.
  const folded = chosen ?? new Set(loaded.value?.bars.filter((bar) => bar.within > 0 && bar.took < loaded.value!.whole * SMALL).map((bar) => bar.span.spanId));
  const [most, setMost] = useState(FIRST);
  const toggle = (id: string) => setFolded(new Set(folded.has(id) ? [...folded].filter((one) => one !== id) : [...folded, id]));
  return (
    <div ref={place}><Part title={`Trace of ${jobId.slice(0, 8)}`} means="Spans recorded on the gateway's machine." loaded={loaded} none={({ bars }) => (bars.length === 0 ? "No spans were recorded here." : null)}
      beside={<button type="button" class="button little" onClick={close}>Close</button>}>
      {({ bars, whole }) => {
        const shown = unfolded(bars, folded);
        return (
          <>
            <p class="small muted">{told(bars.length)} spans over {milliseconds(whole)}</p>
            <ol class="trace">
              {shown.slice(0, most).map((bar) => <Line key={bar.span.spanId} bar={bar} whole={whole} folded={folded.has(bar.span.spanId)} toggle={toggle} />)}
            </ol>
            {shown.length > most && <p><button type="button" class="button little" onClick={() => setMost(most + 1000)}>Show {told(Math.min(shown.length - most, 1000))} more</button></p>}
          </>
        );
      }}
    </Part></div>
  );
}

function Line({ bar, whole, folded, toggle }: { bar: Bar; whole: number; folded: boolean; toggle: (id: string) => void }) {
  const { span } = bar;
  const name = span.name.split("/").slice(-2).join("/").replace(/^assay\.\w+\.v1\./, "");
  return (
    <li class={span.error ? "failed" : undefined}>
      <div class="named" style={{ paddingInlineStart: `${Math.min(bar.depth, 12) * 12}px` }}>
        {bar.within > 0 ? <button type="button" class="fold" aria-expanded={!folded} aria-label={`${name}: child spans`} onClick={() => toggle(span.spanId)}>{folded ? "▸" : "▾"}</button> : <span class="fold" />}
        <details class="whole"><summary><span class="breaks">{name}</span> <span class="muted small">{span.service}</span></summary>
          {span.error && <p class="breaks small">{span.error}</p>}
          <pre class="code small">{attributes(span.attributesJson)}</pre></details>
      </div>
      <div class="time" aria-hidden="true"><i class={`of-${span.service.replace(/\W/g, "")}`} style={{ insetInlineStart: `${(bar.from / whole) * 100}%`, width: `${Math.max((bar.took / whole) * 100, 0.25)}%` }} /></div>
      <span class="number small right">{milliseconds(bar.took)}</span>
    </li>
  );
}

function barsOf(spans: readonly Span[]): { bars: readonly Bar[]; whole: number } {
  const known = new Set(spans.map((span) => span.spanId));
  const children = new Map<string, Span[]>();
  for (const span of spans) {
    const parent = known.has(span.parentSpanId) ? span.parentSpanId : "";
    children.set(parent, [...(children.get(parent) ?? []), span]);
  }
  const begins = Math.min(...spans.map((span) => at(span.startedAt)));
  const ends = Math.max(...spans.map((span) => at(span.endedAt)));
  const bars: Bar[] = [];
  const walk = (parent: string, depth: number) => {
    for (const span of (children.get(parent) ?? []).sort((a, b) => at(a.startedAt) - at(b.startedAt))) {
      bars.push({ span, depth, from: at(span.startedAt) - begins, took: Math.max(at(span.endedAt) - at(span.startedAt), 0), within: children.get(span.spanId)?.length ?? 0 });
      walk(span.spanId, depth + 1);
    }
  };
  walk("", 0);
  return { bars, whole: Math.max(ends - begins, 0.001) };
}

function unfolded(bars: readonly Bar[], folded: ReadonlySet<string>): readonly Bar[] {
  const shown: Bar[] = [];
  let hiddenBelow = Number.POSITIVE_INFINITY;
  for (const bar of bars) {
    if (bar.depth > hiddenBelow) continue;
    hiddenBelow = folded.has(bar.span.spanId) ? bar.depth : Number.POSITIVE_INFINITY;
    shown.push(bar);
  }
  return shown;
}

function at(time: Timestamp | undefined): number {
  return time ? Number(time.seconds) * 1000 + time.nanos / 1e6 : 0;
}

function milliseconds(value: number): string {
  return value < 1 ? `${value.toFixed(2)} ms` : value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(2)} s`;
}

function attributes(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json || "{}"), null, 2);
  } catch {
    return json;
  }
}
