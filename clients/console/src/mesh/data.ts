// What data a piece of work is about: the workspace's files, or a source that the mesh knows; and what is in it.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { DataSourceSchema } from "@gen/assay/common/v1/data_pb";
import type { Look } from "@gen/assay/common/v1/look_pb";
import { useState } from "preact/hooks";

import { files, jobs, sources } from "./calls";
import { type Loaded, useLoaded } from "./loading";
import { findWorkspace, workspace } from "./workspace";

export type Source = MessageInitShape<typeof DataSourceSchema>;

export interface Choice {
  readonly id: string;
  readonly words: string;
  readonly sources: readonly Source[];
  readonly sessionId: string;
}

export interface Data {
  readonly choices: Loaded<readonly Choice[]>;
  readonly chosen: Choice | undefined;
  readonly choose: (id: string) => void;
  readonly look: Loaded<Look | null>;
}

const FILES = "files:";

/** What there is to choose from, what is chosen (first of all `wanted`, a source's name), and a first look at it. */
export function useData(wanted = ""): Data {
  const [id, setId] = useState(wanted ? `source:${wanted}` : "");
  const choices = useLoaded(readChoices, []);
  const chosen = choices.value?.find((one) => one.id === id) ?? choices.value?.[0];
  const look = useLoaded<Look | null>(async (signal) => {
    if (!chosen) return null;
    return (await jobs.lookAtSources({ dataSources: [...chosen.sources], sessionId: chosen.sessionId }, { signal })).look ?? null;
  }, [chosen?.id, chosen?.sources.length]);
  return { choices, chosen, choose: setId, look };
}

async function readChoices(signal: AbortSignal): Promise<readonly Choice[]> {
  const session = await findWorkspace();
  const stored = session ? (await files.listFiles({ sessionId: session.sessionId }, { signal })).files : [];
  const known = (await sources.listSources({ pageSize: 100 }, { signal })).sources;
  const sessionId = workspace.value?.sessionId ?? "";
  const all: Choice[] = [];
  if (stored.length > 0) {
    const words = stored.length === 1 ? stored[0]!.originalName : `all ${stored.length} files in this workspace`;
    all.push({ id: FILES, words, sources: stored.map((file) => fileOf(file.fileId)), sessionId });
  }
  if (stored.length > 1) for (const file of stored) all.push({ id: `${FILES}${file.fileId}`, words: file.originalName, sources: [fileOf(file.fileId)], sessionId });
  for (const { name } of known) all.push({ id: `source:${name}`, words: `${name} (source)`, sources: [{ place: { case: "sourceName", value: name } }], sessionId: "" });
  return all;
}

function fileOf(fileId: string): Source {
  return { place: { case: "fileId", value: fileId } };
}
