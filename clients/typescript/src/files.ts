// Files to a server and back.
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { basename } from "node:path";

import { create } from "@bufbuild/protobuf";
import { Code, type CallOptions, type Client } from "@connectrpc/connect";

import type { Artifact } from "../gen/assay/common/v1/analysis_pb.js";
import type { ArtifactService } from "../gen/assay/gateway/v1/artifact_service_pb.js";
import { type FileService, type UploadFileRequest, UploadFileRequestSchema } from "../gen/assay/gateway/v1/file_service_pb.js";
import { patiently } from "./calling.js";
import { cancelling } from "./cancelling.js";
import { AssayError, Reason } from "./errors.js";

const PIECE_BYTES = 512 * 1024;

/** A file of this machine as an upload. Rejects where it cannot be opened. */
export async function fileParts(sessionId: string, path: string): Promise<AsyncIterable<UploadFileRequest>> {
  const file = await open(path); // an error inside the stream would only say "cancelled"
  const { size } = await file.stat();
  const content = file.createReadStream({ highWaterMark: PIECE_BYTES }); // closes the file when it ends
  return uploadParts(sessionId, basename(path), content, size);
}

/** The head, then the pieces, each small enough to be sent. */
export async function* uploadParts(
  sessionId: string,
  name: string,
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  sizeBytes?: number,
): AsyncGenerator<UploadFileRequest, void> {
  const size = sizeBytes === undefined ? {} : { sizeBytes: BigInt(sizeBytes) };
  yield create(UploadFileRequestSchema, { part: { case: "head", value: { sessionId, name, ...size } } });
  for await (const given of content) {
    for (let start = 0; start < given.length; start += PIECE_BYTES) {
      const data = Uint8Array.from(given.subarray(start, start + PIECE_BYTES));
      yield create(UploadFileRequestSchema, { part: { case: "chunk", value: { data } } });
    }
  }
}

export async function* downloadFile(
  files: Client<typeof FileService>,
  delays: readonly number[],
  fileId: string,
  options: CallOptions,
): AsyncGenerator<Uint8Array, void> {
  let came = 0n;
  for (let failures = 0; ; failures++) {
    try {
      const request = { fileId, firstByte: came };
      for await (const { chunk } of cancelling((more) => files.downloadFile(request, more), options)) {
        came += BigInt(chunk!.data.length);
        failures = 0;
        yield chunk!.data;
      }
      return;
    } catch (thrown) {
      await patiently(AssayError.of(thrown), delays, failures, options.signal);
    }
  }
}

export async function download(
  artifacts: Client<typeof ArtifactService>,
  artifact: Artifact,
  options: CallOptions,
): Promise<Uint8Array> {
  const digest = createHash("sha256");
  const pieces: Uint8Array[] = [];
  const request = { jobId: artifact.jobId, artifactId: artifact.artifactId };
  for await (const { chunk } of cancelling((more) => artifacts.downloadArtifact(request, more), options)) {
    digest.update(chunk!.data);
    pieces.push(chunk!.data);
  }
  if (digest.digest("hex") !== artifact.contentHash) {
    throw new AssayError(`${artifact.contentRef} arrived with other bytes than its hash names.`, Code.DataLoss, {
      reason: Reason.VerificationFailed,
      remedy: "Download it again; if it stays so, the server's store was changed.",
    });
  }
  return Buffer.concat(pieces);
}
