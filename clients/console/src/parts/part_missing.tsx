// A page is loaded when it is first gone to: what is told where it cannot be, since the mesh is away or was renewed meanwhile.
import { signal } from "@preact/signals";

const missing = signal(false);

/** Notice parts of the console that do not come (an event of Vite's loader). */
export function watchForMissingParts(): void {
  addEventListener("vite:preloadError", () => { missing.value = true; });
}

export function PartMissing() {
  if (!missing.value) return null;
  return (
    <div class="note bad" role="alert">
      <p><strong>The next page could not be loaded.</strong></p>
      <p>The mesh is away, or was renewed since this page was opened.</p>
      <p class="row"><button type="button" class="button little" onClick={() => location.reload()}>Load it again</button></p>
    </div>
  );
}
