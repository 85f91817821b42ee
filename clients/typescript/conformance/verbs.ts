// The calls that the script knows; clients/conformance/README.md says what each gives.
import { createHash } from "node:crypto";
import { join } from "node:path";

import { create } from "@bufbuild/protobuf";
import type { CallOptions } from "@connectrpc/connect";
import type { Table } from "apache-arrow";

import { ColumnDataType, type File } from "../gen/assay/gateway/v1/file_service_pb.js";
import { AnalysisRequestSchema, type AssayClient, type AnalysisRequest, newId } from "../src/index.js";
import { ofJob, ofTable } from "./shapes.js";

export type Given = Record<string, unknown>;

type Verb = (client: AssayClient, given: Given, options: CallOptions, fixtures: string) => Promise<unknown>;

const text = (given: Given, name: string): string => (given[name] as string | undefined) ?? "";
const number = (given: Given, name: string): number => (given[name] as number | undefined) ?? 0;

const toldFile = (file: File) => ({
  file: file.fileId,
  name: file.originalName,
  rows: Number(file.rowCount),
  duplicate: file.duplicate,
  sha256: file.contentHash,
  bytes: Number(file.sizeBytes),
});

/** What a step asks, of uploaded files. */
function question(given: Given): AnalysisRequest {
  const seconds = number(given, "timeout");
  const blocked = given["blocked"] as string[] | undefined;
  return create(AnalysisRequestSchema, {
    intent: text(given, "question"),
    statement: text(given, "statement"),
    assume: given["assume"] === true,
    dataSources: sources(given),
    ...(blocked ? { policy: { blockedPatterns: blocked } } : {}),
    ...(seconds > 0 ? { constraints: { timeout: { seconds: BigInt(seconds) } } } : {}),
  });
}

const sources = (given: Given) =>
  ((given["files"] as string[] | undefined) ?? []).map((value) => ({ place: { case: "fileId" as const, value } }));

export const verbs: Record<string, Verb> = {
  async id() {
    return { id: newId() };
  },

  async session(client, given, options) {
    const session = await client.openSession(text(given, "title"), options);
    return { session: session.sessionId, title: session.title };
  },

  async upload(client, given, options, fixtures) {
    const path = join(fixtures, text(given, "name"));
    return toldFile(await client.uploadFile(text(given, "session"), path, options));
  },

  async upload_made(client, given, options) {
    const content = Buffer.from(text(given, "head") + text(given, "line").repeat(number(given, "times")));
    const size = given["announced"] === true ? content.length : undefined;
    return toldFile(await client.upload(text(given, "session"), text(given, "name"), [content], size, options));
  },

  async preview(client, given, options) {
    const seen = await client.preview(text(given, "file"), options);
    return {
      tables: seen.tables.map((table) => ({
        rows: Number(table.rowCount),
        columns: table.columns.map((column) => `${column.name} ${ColumnDataType[column.dataType]}`),
        first: table.rows.map((row) => row.cells.map((cell) => cell.text ?? null)),
      })),
    };
  },

  async ask(client, given, options) {
    return ofJob(await client.ask(question(given), text(given, "session"), options));
  },

  async submit(client, given, options) {
    const work = { case: "analysis" as const, value: question(given) };
    const request = { requestId: text(given, "request"), sessionId: text(given, "session"), work };
    return { job: (await client.submit(request, options)).jobId };
  },

  async watch(client, given, options) {
    const sequences: number[] = [];
    let last = "";
    for await (const event of client.watch(text(given, "job"), number(given, "after"), options)) {
      sequences.push(Number(event.sequence));
      const kind = event.event.case ?? "";
      last = ["answer", "failure", "clarification"].includes(kind) ? kind : last;
    }
    return { sequences, last, end: sequences.at(-1) };
  },

  // Watches so many events and no more.
  async leave(client, given, options) {
    const sequences: number[] = [];
    for await (const event of client.watch(text(given, "job"), 0, options)) {
      sequences.push(Number(event.sequence));
      if (sequences.length === number(given, "events")) {
        break;
      }
    }
    return { sequences, last: sequences.at(-1) };
  },

  async job(client, given, options) {
    return ofJob(await client.job(text(given, "job"), options));
  },

  async cancel(client, given, options) {
    return { job: (await client.cancel(text(given, "job"), options)).jobId };
  },

  async answer(client, given, options) {
    const reply = { case: "optionId" as const, value: text(given, "option") };
    return { job: (await client.jobs.answerJob({ jobId: text(given, "job"), reply }, options)).job!.jobId };
  },

  async verify(client, given, options) {
    const { ok, checks } = await client.verify(text(given, "job"), options);
    return { ok, checks: Object.fromEntries(checks.map((check) => [check.name, check.ok])) };
  },

  // Fetches the artifact of a media type.
  async download(client, given, options) {
    const job = await client.job(text(given, "job"), options);
    const made = job.result.case === "answer" ? job.result.value.artifacts : [];
    const artifact = made.find((one) => one.mediaType === text(given, "type"));
    if (artifact === undefined) {
      return { missing: text(given, "type") };
    }
    const content = Buffer.from(await client.download(artifact, options));
    return { bytes: content.length, first: content.toString("utf-8").split("\n")[0]!.replace(/\r$/, "") };
  },

  // Fetches an uploaded file again.
  async file(client, given, options) {
    const digest = createHash("sha256");
    for await (const piece of client.downloadFile(text(given, "file"), options)) {
      digest.update(piece);
    }
    return { sha256: digest.digest("hex") };
  },

  async say(client, given, options) {
    const kinds: string[] = [];
    let [conversation, jobId] = ["", ""];
    const named = sources(given);
    const request = {
      conversationId: text(given, "conversation"),
      sessionId: text(given, "session"),
      content: text(given, "content"),
      ...(named.length > 0 ? { terms: { dataSources: named } } : {}),
    };
    for await (const { told } of client.say(request, options)) {
      if (told.case !== "event" && told.case !== undefined) {
        kinds.push(told.case);
      }
      if (told.case === "asked") {
        conversation = told.value.conversation!.conversationId;
      } else if (told.case === "response") {
        jobId = told.value.jobId;
      }
    }
    return { conversation, kinds, turn: ofJob(await client.job(jobId, options)) };
  },

  // The table of a job's answer or an Arrow file, with types and values as the script has them.
  async frame(client, given, options) {
    const table = ofTable(await tableOf(client, given, options));
    return given["brief"] === true ? { columns: table.columns, count: table.rows.length } : table;
  },
};

async function tableOf(client: AssayClient, given: Given, options: CallOptions): Promise<Table> {
  if (given["file"] !== undefined) {
    return client.readFileFrame(text(given, "file"), options);
  }
  const job = await client.job(text(given, "job"), options);
  const frame = job.result.case === "answer" ? job.result.value.table : undefined;
  return client.readFrame(job.jobId, frame!, options);
}
