// Tables as Arrow, read from the pieces that ReadFrame sends.
import { RecordBatchReader, Table } from "apache-arrow";

import { artifacts } from "./calls";

/** The frame of a job with this digest. Throws ConnectError. */
export async function readFrame(jobId: string, digest: string, signal?: AbortSignal): Promise<Table> {
  let broken: unknown;
  async function* pieces(): AsyncGenerator<Uint8Array> {
    try {
      for await (const { chunk } of artifacts.readFrame({ jobId, digest }, signal ? { signal } : {})) yield chunk!.data;
    } catch (thrown) {
      broken = thrown; // the reader would say something else
    }
  }
  const reader = await RecordBatchReader.from(pieces());
  await reader.open();
  const { schema } = reader;
  const batches = [];
  for await (const batch of reader) if (batch.numRows > 0) batches.push(batch);
  if (broken !== undefined) throw broken;
  return batches.length > 0 ? new Table(batches) : new Table(schema);
}
