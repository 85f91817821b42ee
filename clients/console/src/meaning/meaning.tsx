// What the data means: a semantic model as a form and as YAML, in step; and the definitions that people decided on.
import type { Look } from "@gen/assay/common/v1/look_pb";
import { useState } from "preact/hooks";

import { AS_EVER, type Data, lookAt, type Reading } from "../look/asking";
import { optionOf } from "../look/words";
import { useLoaded } from "../mesh/loading";
import { InTrouble, Waiting } from "../parts/states";
import { Definitions } from "./definitions";
import { draftKey, ModelEditor } from "./model_editor";
import { textsAt, treeOf } from "./tree";
import { put } from "./writing";

export interface MeaningProps {
  readonly data: Data;
  readonly look: Look;
  readonly reading: Reading;
  /** Whether the repairs that were chosen are to be written down. */
  readonly keep: boolean;
  /** Look again: what the data means has changed. */
  readonly again: () => void;
}

export function Meaning({ data, look, reading, keep, again }: MeaningProps) {
  const [proposals, setProposals] = useState(0);
  const begun = useLoaded(async (signal) => {
    const stored = data.known?.source?.semanticModels[0]?.text;
    const base = stored || (await lookAt(data, AS_EVER, signal, "", true)).proposal;
    return { base, stored: Boolean(stored), text: withRepairs(sessionStorage.getItem(draftKey(data)) ?? base, keep ? reading : AS_EVER) };
  }, []);
  return (
    <>
      {begun.loading && <Waiting>Drafting a model from the data…</Waiting>}
      <InTrouble trouble={begun.trouble} again={begun.again} />
      {begun.value && <ModelEditor key={begun.value.base} data={data} look={look} {...begun.value} again={again} proposed={() => setProposals((count) => count + 1)} />}
      <Definitions data={data} proposals={proposals} again={again} />
    </>
  );
}

/** The text with the repairs that were chosen, by the names of their files. */
function withRepairs(text: string, reading: Reading): string {
  for (const { source, repair } of reading.chosen) {
    const known = textsAt(treeOf(text), ["repairs", source]);
    const option = optionOf(repair);
    if (!known.includes(option)) text = put(treeOf(text), ["repairs", source], [...known, option]);
  }
  return text;
}
