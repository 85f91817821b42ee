// An exported session (clients/python/session_export.py): a folder with a list of its files, and a bundle of every job.
import { Members } from "./bundle";
import { type Bytes, sha256Hex, textOf } from "./bytes";
import { count, type Finding } from "./fault";
import { member, parse } from "./json";
import type { Trust } from "./reading";
import { begun, findings } from "./verify";

const CONTENTS = "contents.json";
const FORMAT = "assay-session/1";
const OF_BUNDLE = /^jobs\/([^/]+)\/proof\/(.+)$/;

export interface Session {
  readonly files: ReadonlyMap<string, Bytes>;
  /** The bundle of every job, by its id. */
  readonly jobs: ReadonlyMap<string, Members>;
}

/** The session in a folder's files; null where they are none. */
export function sessionIn(files: ReadonlyMap<string, Bytes>): Session | null {
  if (!files.has(CONTENTS)) return null;
  const jobs = new Map<string, Map<string, Bytes>>();
  for (const [name, content] of files) {
    const [, job, inside] = OF_BUNDLE.exec(name) ?? [];
    if (job && inside) jobs.set(job, (jobs.get(job) ?? new Map<string, Bytes>()).set(inside, content));
  }
  return { files, jobs: new Map([...jobs].sort().map(([job, members]) => [job, new Members(members)])) };
}

/** The session's files, then every job's proof; nothing follows the first that is off. */
export async function* sessionFindings(session: Session, trust: Trust): AsyncGenerator<Finding> {
  const contents = await contentsOf(session.files);
  yield contents;
  if (contents.verdict === "wrong") return;
  for (const [job, bundle] of session.jobs) {
    const finding = await ofJob(job, bundle, trust);
    yield finding;
    if (finding.verdict === "wrong") return;
  }
}

/** Whether the folder holds what its list says, and nothing else. */
async function contentsOf(files: ReadonlyMap<string, Bytes>): Promise<Finding> {
  const finding = (detail: string, ok = false): Finding => ({ name: "contents", verdict: ok ? "ok" : "wrong", short: "", detail, trusted: [] });
  const text = textOf(files.get(CONTENTS)!);
  let told;
  try {
    told = text === null ? null : parse(text);
  } catch {
    return finding(`${CONTENTS} cannot be read`);
  }
  if (told === null || member(told, "format") !== FORMAT) return finding(`${CONTENTS} is not of the format ${FORMAT}`);
  const listed = member(told, "files");
  if (!(listed instanceof Map)) return finding(`${CONTENTS} cannot be read: it lists no files`);
  for (const [name, one] of listed) {
    const content = files.get(name);
    if (!content || (await sha256Hex(content)) !== member(one, "sha256")) return finding(`${name} is gone or has other bytes than listed`);
  }
  for (const name of files.keys()) {
    const [, , inside] = OF_BUNDLE.exec(name) ?? [];
    const ofBundle = inside !== undefined && inside !== "manifest.json";
    if (!listed.has(name) && name !== CONTENTS && !ofBundle) return finding(`${name} is not in ${CONTENTS}`);
  }
  return finding(`${count(listed.size, "file")} match their hashes`, true);
}

async function ofJob(job: string, bundle: Members, trust: Trust): Promise<Finding> {
  const found: Finding[] = [];
  for await (const one of findings(begun(bundle, trust))) found.push(one);
  const name = `job ${job.slice(0, 8)}`;
  const wrong = found.find((one) => one.verdict === "wrong");
  if (wrong) return { name, verdict: "wrong", short: "", detail: `${wrong.name}: ${wrong.detail}`, trusted: [] };
  const whole = found.every((one) => one.verdict === "ok");
  const detail = `${count(found.length, "check")} of its proof, ${found[0]!.detail}`;
  return { name, verdict: whole ? "ok" : "trust", short: whole ? "" : "in part", detail, trusted: [] };
}
