// Uploads: one call with many messages, which browsers cannot stream. Its whole body is handed over at once
// instead, as a Blob of enveloped messages; the browser reads the file from disk while it sends.
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { type File as Stored, FileService, UploadFileRequestSchema, UploadFileResponseSchema } from "@gen/assay/gateway/v1/file_service_pb";

import { noticed } from "./calls";

const PIECE_BYTES = 1 << 20;
const ENDED = 0b10;

/** Store a file in a session; tells how many bytes are on their way. Throws ConnectError. */
export async function upload(
  sessionId: string,
  file: File,
  sent: (bytes: number) => void,
  signal?: AbortSignal,
): Promise<Stored> {
  const head = create(UploadFileRequestSchema, {
    part: { case: "head", value: { sessionId, name: file.name, sizeBytes: BigInt(file.size) } },
  });
  const body: BlobPart[] = [enveloped(toBinary(UploadFileRequestSchema, head))];
  for (let from = 0; from < file.size; from += PIECE_BYTES) {
    const data = new Uint8Array(await file.slice(from, from + PIECE_BYTES).arrayBuffer());
    const piece = create(UploadFileRequestSchema, { part: { case: "chunk", value: { data } } });
    body.push(enveloped(toBinary(UploadFileRequestSchema, piece)));
    sent(Math.min(from + PIECE_BYTES, file.size));
  }
  const answer = await fetch(`/${FileService.typeName}/${FileService.method.uploadFile.name}`, {
    method: "POST",
    headers: { "content-type": "application/connect+proto", "connect-protocol-version": "1" },
    body: new Blob(body),
    signal: signal ?? null,
  });
  try {
    return read(new Uint8Array(await answer.arrayBuffer()));
  } catch (thrown) {
    noticed(thrown);
    throw thrown;
  }
}

/** One message with its five bytes before it (Connect protocol, streaming RPCs). */
export function enveloped(message: Uint8Array): Blob {
  const head = new DataView(new ArrayBuffer(5));
  head.setUint32(1, message.length);
  return new Blob([head.buffer, message as Uint8Array<ArrayBuffer>]);
}

function read(body: Uint8Array): Stored {
  let found: Stored | undefined;
  for (let at = 0; at + 5 <= body.length; ) {
    const view = new DataView(body.buffer, body.byteOffset + at, 5);
    const data = body.subarray(at + 5, at + 5 + view.getUint32(1));
    if ((view.getUint8(0) & ENDED) !== 0) refuse(data);
    else found = fromBinary(UploadFileResponseSchema, data).file;
    at += 5 + view.getUint32(1);
  }
  if (!found) throw new ConnectError("the upload was cut off", Code.Unavailable);
  return found;
}

/** Throws what the end of the stream tells, where that is an error. */
function refuse(data: Uint8Array): void {
  interface Detail { type: string; value: string }
  const end = JSON.parse(new TextDecoder().decode(data)) as { error?: { code: string; message?: string; details?: Detail[] } };
  if (!end.error) return;
  const name = end.error.code.replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase());
  const error = new ConnectError(end.error.message ?? "", Code[name as keyof typeof Code] ?? Code.Unknown);
  error.details = (end.error.details ?? []).map((one) => ({
    type: one.type,
    value: Uint8Array.from(atob(one.value), (letter) => letter.charCodeAt(0)),
  }));
  throw error;
}
