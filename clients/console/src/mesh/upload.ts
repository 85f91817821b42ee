// Uploads: one call with many messages, which browsers cannot stream. Its whole body is handed over at once
// instead, as a Blob of pieces of the file, each behind the bytes that make it a message; the browser reads the file
// from disk while it sends, however large it is.
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { Code, ConnectError } from "@connectrpc/connect";
import { FileChunkSchema } from "@gen/assay/common/v1/data_pb";
import { type File as Stored, FileService, UploadFileRequestSchema, UploadFileResponseSchema } from "@gen/assay/gateway/v1/file_service_pb";

import { noticed } from "./calls";

const PIECE_BYTES = 1 << 20;
const ENDED = 0b10;

/** Store a file in a session; tells how many bytes were sent. Throws ConnectError. */
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
    const piece = file.slice(from, from + PIECE_BYTES);
    body.push(beforePiece(piece.size), piece);
  }
  const address = `/${FileService.typeName}/${FileService.method.uploadFile.name}`;
  const answer = await post(address, new Blob(body), (share) => sent(Math.round(share * file.size)), signal);
  try {
    return read(answer);
  } catch (thrown) {
    noticed(thrown);
    throw thrown;
  }
}

/** What a body is answered with. `fetch` would not tell how much of it was sent. */
function post(address: string, body: Blob, sent: (share: number) => void, signal?: AbortSignal): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", address);
    request.responseType = "arraybuffer";
    request.setRequestHeader("content-type", "application/connect+proto");
    request.setRequestHeader("connect-protocol-version", "1");
    request.upload.onprogress = ({ loaded, total }) => sent(total > 0 ? loaded / total : 1);
    request.onload = () => resolve(new Uint8Array(request.response as ArrayBuffer));
    request.onerror = () => reject(new ConnectError("the upload was cut off", Code.Unavailable));
    request.onabort = () => reject(new DOMException("the upload was stopped", "AbortError"));
    signal?.addEventListener("abort", () => request.abort(), { once: true });
    request.send(body);
  });
}

/** One message with its five bytes before it (Connect protocol, streaming RPCs). */
export function enveloped(message: Uint8Array): Blob {
  return new Blob([envelope(message.length), message as Uint8Array<ArrayBuffer>]);
}

function envelope(length: number): ArrayBuffer {
  const head = new DataView(new ArrayBuffer(5));
  head.setUint32(1, length);
  return head.buffer;
}

/** What stands before so many bytes of the file to make them a message: a chunk with these as its data. */
function beforePiece(size: number): Blob {
  const data = opening(FileChunkSchema.field.data.number, size);
  const chunk = opening(UploadFileRequestSchema.field.chunk.number, data.length + size);
  return new Blob([envelope(chunk.length + data.length + size), chunk, data]);
}

function opening(field: number, length: number): Uint8Array<ArrayBuffer> {
  return new BinaryWriter().tag(field, WireType.LengthDelimited).uint32(length).finish() as Uint8Array<ArrayBuffer>;
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
