// Names and frequent values of the workspace's data, for completing a question.
import { signal } from "@preact/signals";
import type { Look } from "@gen/assay/common/v1/look_pb";

import { files, jobs, sources } from "./calls";
import { findWorkspace } from "./workspace";

export interface Word {
  readonly text: string;
  readonly about: string;
}

/** Empty until data was looked at. */
export const vocabulary = signal<readonly Word[]>([]);
let known = "";

const MOST_WORDS = 5000;
const MOST_OFFERED = 7;

/** Look at the workspace's data, or the only known source's; once for the same files. */
export async function learnWords(): Promise<void> {
  const session = await findWorkspace();
  const stored = session ? (await files.listFiles({ sessionId: session.sessionId })).files : [];
  const places = stored.map((file) => ({ place: { case: "fileId" as const, value: file.fileId } }));
  const named = (await sources.listSources({ pageSize: 2 })).sources;
  const about = [...stored.map((file) => file.fileId), ...named.map((source) => source.name)].join();
  if (about === known || (places.length === 0 && named.length !== 1)) return;
  const { look } = await jobs.lookAtSources({ dataSources: places, sessionId: session?.sessionId ?? "" });
  known = about;
  vocabulary.value = look ? wordsOf(look) : [];
}

function wordsOf(look: Look): Word[] {
  const words = new Map<string, Word>();
  const add = (text: string, about: string) => {
    if (text.length > 1 && text.length <= 60 && words.size < MOST_WORDS && !words.has(text.toLowerCase())) words.set(text.toLowerCase(), { text, about });
  };
  for (const table of look.tables) {
    add(table.name, "table");
    for (const column of table.columns) {
      add(column.name, column.formula ? "metric" : `column of ${table.name}`);
      for (const synonym of column.synonyms) add(synonym, `is ${column.name}`);
      if (!/^[\d.,:+-]+/.test(column.samples[0] ?? "")) for (const value of column.samples) add(value, `value of ${column.name}`);
    }
  }
  return [...words.values()];
}

/** What could be meant by the last word of these; none while it says too little. */
export function completions(text: string): readonly Word[] {
  const begun = /(\S{2,})$/.exec(text)?.[1]?.toLowerCase();
  if (!begun) return [];
  const fits = (word: Word) => word.text.toLowerCase().startsWith(begun) && word.text.toLowerCase() !== begun;
  return vocabulary.value.filter(fits).slice(0, MOST_OFFERED);
}

/** The text with its last word completed. */
export function completed(text: string, word: Word): string {
  return `${text.replace(/\S+$/, "")}${word.text} `;
}
