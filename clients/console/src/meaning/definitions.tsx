// The tenant's definitions: pending first, then approved, then rejected and retired.
import { type Definition, DefinitionState } from "@gen/assay/gateway/v1/definition_service_pb";
import { useEffect, useRef, useState } from "preact/hooks";

import type { Data } from "../look/asking";
import { definitions } from "../mesh/calls";
import { useLoaded } from "../mesh/loading";
import { Pages, usePaged } from "../parts/paged";
import { InTrouble, Waiting } from "../parts/states";
import { count } from "../words/numbers";
import { DefinitionShown } from "./definition_shown";

const PAGE = 5;

export function Definitions({ data, proposals, again }: { data: Data; proposals: number; again: () => void }) {
  const [all, setAll] = useState(false);
  const known = useLoaded(async (signal) => {
    const found: Definition[] = [];
    for (let pageToken = ""; ; ) {
      const page = await definitions.listDefinitions({ pageToken }, { signal });
      found.push(...page.definitions);
      if (!(pageToken = page.nextPageToken) || found.length >= 1000) return found;
    }
  }, [proposals]);
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (proposals > 0) place.current?.scrollIntoView({ behavior: "smooth", block: "start" });
  }, [proposals]);
  const listed = known.value ?? [];
  const names = new Map(data.stored.map((one) => [one.fileId, one.originalName]));
  const ours = listed.filter((one) => isAbout(one, data));
  const shown = all ? listed : ours;
  const of = (...states: DefinitionState[]) => shown.filter((one) => states.includes(one.state));
  function changed(): void {
    known.again();
    again();
  }
  return (
    <section class="stack definitions" ref={place} aria-labelledby="definitions">
      <div class="row apart"><h2 id="definitions">Definitions</h2>
        {listed.length > ours.length && <button type="button" class="button little" aria-pressed={all} onClick={() => setAll(!all)}>{all ? "Only for this data" : `All ${listed.length} in the tenant`}</button>}</div>
      {known.loading && !known.value && <Waiting />}
      <InTrouble trouble={known.trouble} again={known.again} />
      {known.value && shown.length === 0 && <p class="muted">No definitions for this data yet.</p>}
      <Listed title="Pending" found={of(DefinitionState.PENDING)} names={names} changed={changed} />
      <Listed title="Approved" found={of(DefinitionState.APPROVED)} names={names} changed={changed} />
      <Past found={of(DefinitionState.REJECTED, DefinitionState.RETIRED)} names={names} changed={changed} />
    </section>
  );
}

interface ListedProps {
  readonly title: string;
  readonly found: readonly Definition[];
  readonly names: ReadonlyMap<string, string>;
  readonly changed: () => void;
}

function Listed({ title, found, names, changed }: ListedProps) {
  const paged = usePaged(found, PAGE, [found.length]);
  if (found.length === 0) return null;
  return (
    <div class="stack">
      {title && <h3>{title}</h3>}
      {paged.shown.map((one) => <DefinitionShown key={one.definitionId} definition={one} names={names} changed={changed} />)}
      <Pages paged={paged} of="definitions" />
    </div>
  );
}

function Past(props: Omit<ListedProps, "title">) {
  if (props.found.length === 0) return null;
  return <details><summary>{count(props.found.length, "definition")} rejected or retired</summary><div class="stack" style={{ paddingTop: "10px" }}><Listed title="" {...props} /></div></details>;
}

/** Databases are known by their address, files by their name. */
function isAbout(definition: Definition, data: Data): boolean {
  const here = data.known?.source?.place.value;
  const names = new Set(data.stored.map((one) => one.originalName));
  const ids = new Set<string>(data.stored.map((one) => one.fileId));
  return definition.sources.some(({ name, place }) => (data.known ? place.value === here : names.has(name) || (place.case === "fileId" && ids.has(place.value))));
}
