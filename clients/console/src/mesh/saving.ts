// Saving the files of jobs.
import { type Artifact } from "@gen/assay/common/v1/analysis_pb";

import { artifacts } from "./calls";

/** The bytes of an artifact. Throws ConnectError. */
export async function readArtifact(artifact: Artifact, signal?: AbortSignal): Promise<Blob> {
  const pieces: BlobPart[] = [];
  const asked = { jobId: artifact.jobId, artifactId: artifact.artifactId };
  for await (const { chunk } of artifacts.downloadArtifact(asked, signal ? { signal } : {})) pieces.push(chunk!.data as Uint8Array<ArrayBuffer>);
  return new Blob(pieces, { type: artifact.mediaType });
}

/** Hand a file over to the browser. */
export function save(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function nameOf(artifact: Artifact): string {
  return artifact.contentRef.split("/").at(-1) || "file";
}
