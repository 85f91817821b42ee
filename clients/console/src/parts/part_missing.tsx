// Pages are loaded on first use: the message where that fails, because the mesh cannot be reached or was updated.
import { signal } from "@preact/signals";

const missing = signal(false);

/** Notice parts of the console that fail to load (an event of Vite's loader). */
export function watchForMissingParts(): void {
  addEventListener("vite:preloadError", () => { missing.value = true; });
}

export function PartMissing() {
  if (!missing.value) return null;
  return (
    <div class="note bad" role="alert">
      <p><strong>The page could not be loaded.</strong></p>
      <p>The mesh cannot be reached, or was updated since this page was opened.</p>
      <p class="row"><button type="button" class="button little" onClick={() => location.reload()}>Reload</button></p>
    </div>
  );
}
