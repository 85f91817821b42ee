// What is looked at: a known source, or the workspace's files; and how each is read this time.
import { clone, create, type MessageInitShape } from "@bufbuild/protobuf";
import { type DataSource, type DataSourceSchema, ReadOptionsSchema, type Repair } from "@gen/assay/common/v1/data_pb";
import type { Look } from "@gen/assay/common/v1/look_pb";
import type { File } from "@gen/assay/gateway/v1/file_service_pb";
import type { Source } from "@gen/assay/gateway/v1/source_service_pb";

import { files, jobs, sources } from "../mesh/calls";
import { findWorkspace } from "../mesh/workspace";

export type SourceAsked = MessageInitShape<typeof DataSourceSchema>;

/** What there is to look at, without a look at it. */
export interface Data {
  /** The name in the address; empty for the workspace's files. */
  readonly name: string;
  readonly known: Source | null;
  readonly stored: readonly File[];
  readonly sessionId: string;
}

/** A repair chosen by the user, for the file or database that a doubt names. */
export interface Chosen {
  readonly source: string;
  readonly repair: Repair;
}

/** How the data is read this time. */
export interface Reading {
  readonly chosen: readonly Chosen[];
  readonly raw: boolean;
}

export const AS_EVER: Reading = { chosen: [], raw: false };

/** Throws ConnectError. */
export async function findData(name: string, signal: AbortSignal): Promise<Data> {
  const session = await findWorkspace();
  const sessionId = session?.sessionId ?? "";
  if (name) {
    const { source } = await sources.getSource({ name }, { signal });
    return { name, known: source!, stored: [], sessionId };
  }
  const stored: File[] = [];
  for (let pageToken = ""; sessionId; ) {
    const page = await files.listFiles({ sessionId, pageToken }, { signal });
    stored.push(...page.files);
    if (!(pageToken = page.nextPageToken)) break;
  }
  return { name, known: null, stored, sessionId };
}

export function hasData(data: Data): boolean {
  return data.known !== null || data.stored.length > 0;
}

/** The sources of a request; `model` goes with the last of them, for it may speak of all. */
export function sourcesOf(data: Data, reading: Reading, model = ""): SourceAsked[] {
  const asked: SourceAsked[] = data.known
    ? [{ place: { case: "sourceName", value: data.name }, ...read(reading, null, data.known.source) }]
    : data.stored.map((file) => ({ place: { case: "fileId" as const, value: file.fileId }, ...read(reading, file.originalName) }));
  const last = asked.at(-1);
  if (last && model) last.semanticModels = [{ name: MODEL, text: model }];
  return asked;
}

/** What errors call the model that is being written. */
export const MODEL = "model";

/** How one source is read: of one that is kept, what was kept holds besides. */
function read(reading: Reading, label: string | null, kept?: DataSource): Pick<SourceAsked, "readOptions"> {
  const repairs = reading.chosen.filter((one) => label === null || one.source === label).map((one) => one.repair);
  if (repairs.length === 0 && !reading.raw) return {};
  const readOptions = kept?.readOptions ? clone(ReadOptionsSchema, kept.readOptions) : create(ReadOptionsSchema);
  readOptions.repairs.push(...repairs);
  readOptions.raw = reading.raw;
  return { readOptions };
}

/** Throws ConnectError. */
export async function lookAt(data: Data, reading: Reading, signal: AbortSignal, model = "", propose = false): Promise<Look> {
  const request = { dataSources: sourcesOf(data, reading, model), sessionId: data.known ? "" : data.sessionId, propose };
  return (await jobs.lookAtSources(request, { signal })).look!;
}

export function same(one: Chosen, other: Chosen): boolean {
  const [a, b] = [one.repair, other.repair];
  return one.source === other.source && a.kind === b.kind && a.column === b.column && a.value === b.value;
}
