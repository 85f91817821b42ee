// Where names and values for completing a question come from: a look at the data. Apart from what offers them, so that the
// box for questions can be used before the contract's messages are loaded.
import type { Look } from "@gen/assay/common/v1/look_pb";

import { files, jobs, sources } from "./calls";
import { vocabulary, type Word } from "./vocabulary";
import { findWorkspace } from "./workspace";

const MOST_WORDS = 5000;
let known = "";

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
      for (const synonym of column.synonyms) add(synonym, `synonym of ${column.name}`);
      if (!/^[\d.,:+-]+/.test(column.samples[0] ?? "")) for (const value of column.samples) add(value, `value of ${column.name}`);
    }
  }
  return [...words.values()];
}
