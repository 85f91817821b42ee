// A bundle into the page: dropped or chosen, an archive or the folder that it was exported as. It never leaves the browser.
import { useRef, useState } from "preact/hooks";

import { Members, type Bundle } from "../../proof/bundle";
import type { Bytes } from "../../proof/bytes";
import { wordsOf } from "../../proof/fault";
import { type Session, sessionIn } from "../../proof/session";
import { openZip } from "../../proof/zip";
import { Icon } from "../icons";
import { Waiting } from "../states";

export interface Dropped {
  readonly name: string;
  /** One of the two. */
  readonly bundle: Bundle | null;
  readonly session: Session | null;
}

export function BundleDrop({ take }: { take: (dropped: Dropped) => void }) {
  const [input, folder] = [useRef<HTMLInputElement>(null), useRef<HTMLInputElement>(null)];
  const [over, setOver] = useState(false);
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState("");

  async function read(open: () => Promise<Dropped | null>): Promise<void> {
    setWrong("");
    setBusy(true);
    try {
      const dropped = await open();
      if (dropped) take(dropped);
    } catch (thrown) {
      setWrong(wordsOf(thrown));
    }
    setBusy(false);
  }

  return (
    <div class={`drop ${over ? "over" : ""}`} onDragOver={(event) => { event.preventDefault(); setOver(true); }} onDragLeave={() => setOver(false)}
      onDrop={(event) => { event.preventDefault(); setOver(false); void read(given(event.dataTransfer)); }}>
      {busy ? <Waiting>Reading the bundle…</Waiting> : (
        <>
          <Icon name="file" />
          <p><strong>Drop a bundle here</strong> or</p>
          <div class="row">
            <button type="button" class="button" onClick={() => input.current?.click()}>Choose a .zip</button>
            <button type="button" class="button" onClick={() => folder.current?.click()}>Choose a folder</button>
          </div>
          <p class="muted small">The output of <code>assay export</code> or <code>assay session export</code>. It is read in this browser and never uploaded.</p>
        </>
      )}
      <input ref={input} type="file" accept=".zip" hidden aria-label="Bundle as a .zip archive"
        onChange={(event) => { const [file] = Array.from(event.currentTarget.files ?? []); event.currentTarget.value = ""; if (file) void read(() => fromArchive(file)); }} />
      <input ref={folder} type="file" hidden aria-label="Bundle as a folder" {...{ webkitdirectory: true }}
        onChange={(event) => { const files = Array.from(event.currentTarget.files ?? []); event.currentTarget.value = ""; void read(() => fromFiles(files.map((file) => [file.webkitRelativePath, file]))); }} />
      {wrong && <div class="note bad" role="alert"><p class="breaks"><strong>This is not a bundle that can be checked:</strong> {wrong}.</p></div>}
    </div>
  );
}

async function fromArchive(file: File): Promise<Dropped> {
  return { name: file.name, bundle: openZip(file.name, new Uint8Array(await file.arrayBuffer())), session: null };
}

/** A folder's files by their places below it. */
async function fromFiles(files: readonly (readonly [string, File])[]): Promise<Dropped | null> {
  const [first] = files;
  if (!first) return null;
  const members = new Map<string, Bytes>();
  for (const [path, file] of files) members.set(path.slice(path.indexOf("/") + 1), new Uint8Array(await file.arrayBuffer()));
  const session = sessionIn(members);
  return { name: first[0].slice(0, first[0].indexOf("/")), bundle: session ? null : new Members(members), session };
}

/** What was dropped, taken hold of at once: it is gone when the event is over. */
function given(dropped: DataTransfer | null): () => Promise<Dropped | null> {
  const entries = Array.from(dropped?.items ?? []).flatMap((item) => item.webkitGetAsEntry() ?? []);
  const [file, more] = Array.from(dropped?.files ?? []);
  return () => (entries.length === 0 && file && !more ? fromArchive(file) : fromEntries(entries));
}

async function fromEntries(entries: readonly FileSystemEntry[]): Promise<Dropped | null> {
  const [first] = entries;
  if (!first || entries.length > 1) throw new Error("drop one archive or one folder");
  if (first.isFile) return fromArchive(await fileOf(first as FileSystemFileEntry));
  const files: [string, File][] = [];
  const waiting: FileSystemEntry[] = [first];
  for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
    if (entry.isFile) files.push([entry.fullPath.slice(1), await fileOf(entry as FileSystemFileEntry)]);
    else waiting.push(...(await inside(entry as FileSystemDirectoryEntry)));
  }
  return fromFiles(files);
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** All that a folder holds: a reader gives it in parts. */
async function inside(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const [reader, found] = [folder.createReader(), [] as FileSystemEntry[]];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) return found;
    found.push(...part);
  }
}
