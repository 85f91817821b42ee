// Files that a job made, each a button that saves it.
import type { Artifact } from "@gen/assay/common/v1/analysis_pb";
import { useState } from "preact/hooks";

import { type Trouble, troubleOf } from "../mesh/errors";
import { nameOf, readArtifact, save } from "../mesh/saving";
import { bytes } from "../words/numbers";
import { InTrouble } from "./states";

interface Props {
  readonly files: readonly Artifact[];
  readonly words?: (artifact: Artifact) => string;
}

export function SavedFiles({ files, words = nameOf }: Props) {
  const [under, setUnder] = useState("");
  const [trouble, setTrouble] = useState<Trouble | null>(null);

  async function take(file: Artifact): Promise<void> {
    setUnder(file.artifactId);
    setTrouble(null);
    try {
      save(await readArtifact(file), nameOf(file));
    } catch (thrown) {
      setTrouble(troubleOf(thrown));
    }
    setUnder("");
  }

  if (files.length === 0) return null;
  return (
    <div class="stack tight not-printed">
      <ul class="row" aria-label="Files">
        {files.map((file) => (
          <li key={file.artifactId}>
            <button type="button" class="button little" disabled={under !== ""} onClick={() => void take(file)}>
              {under === file.artifactId ? "Saving…" : <><span class="breaks">{words(file)}</span><span class="muted">{bytes(file.sizeBytes)}</span></>}
            </button>
          </li>
        ))}
      </ul>
      <InTrouble trouble={trouble} />
    </div>
  );
}
