// Tables out of the Arrow IPC streams that ReadFrame sends in pieces.
import { Code, type CallOptions, type Client } from "@connectrpc/connect";
import { type RecordBatch, RecordBatchReader, Table } from "apache-arrow";

import type { ArtifactService } from "../gen/assay/gateway/v1/artifact_service_pb.js";
import { patiently } from "./calling.js";
import { cancelling } from "./cancelling.js";
import { AssayError, Reason } from "./errors.js";

/** A frame of a job, or an Arrow file. */
export interface Wanted {
  readonly jobId?: string;
  readonly digest?: string;
  readonly fileId?: string;
}

/** The table, of so many rows where that is known. */
export async function readFrame(
  artifacts: Client<typeof ArtifactService>,
  delays: readonly number[],
  wanted: Wanted,
  rows: bigint | undefined,
  options: CallOptions,
): Promise<Table> {
  const arrived = new Arrived();
  for (let failures = 0; ; failures++) {
    const before = arrived.rows;
    try {
      await arrived.read(artifacts, { ...wanted, firstRow: BigInt(before) }, options);
      break;
    } catch (thrown) {
      const error = AssayError.of(thrown);
      if (error.code === Code.InvalidArgument && before > 0) {
        arrived.batches = []; // whoever serves now has the frame in other batches
        continue;
      }
      failures = arrived.rows > before ? 0 : failures;
      await patiently(error, delays, failures, options.signal);
    }
  }
  if (rows !== undefined && BigInt(arrived.rows) !== rows) {
    throw new AssayError(`frame ${wanted.digest} arrived with ${arrived.rows} rows instead of ${rows}.`, Code.DataLoss, {
      reason: Reason.VerificationFailed,
    });
  }
  return arrived.table();
}

/** What arrived of a frame, in whole batches. */
class Arrived {
  batches: RecordBatch[] = [];
  #schema: RecordBatch["schema"] | undefined;

  get rows(): number {
    return this.batches.reduce((sum, one) => sum + one.numRows, 0);
  }

  table(): Table {
    return this.batches.length > 0 ? new Table(this.batches) : new Table(this.#schema!);
  }

  async read(
    artifacts: Client<typeof ArtifactService>,
    request: Wanted & { firstRow: bigint },
    options: CallOptions,
  ): Promise<void> {
    let broken: unknown;
    async function* pieces(): AsyncGenerator<Uint8Array> {
      try {
        for await (const { chunk } of cancelling((more) => artifacts.readFrame(request, more), options)) {
          yield chunk!.data;
        }
      } catch (thrown) {
        broken = thrown; // the reader would say something else
        throw thrown;
      }
    }
    try {
      const reader = await RecordBatchReader.from(pieces());
      await reader.open();
      this.#schema = reader.schema;
      for await (const batch of reader) {
        if (batch.numRows > 0) {
          this.batches.push(batch);
        }
      }
    } catch (thrown) {
      if (broken !== undefined) {
        throw broken;
      }
      throw new AssayError(`the frame is no Arrow stream: ${String(thrown)}.`, Code.DataLoss, {
        reason: Reason.NotReadable,
        remedy: "Read it again.",
      }, thrown);
    }
    if (broken !== undefined) {
      throw broken;
    }
  }
}
