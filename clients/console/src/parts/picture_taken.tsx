// A chart's picture to take along: copied where the browser lets a page write to the clipboard, saved anywhere.
import { useState } from "preact/hooks";

import type { Picture } from "../charts/drawing";
import { save } from "../mesh/saving";

type Kind = "PNG" | "SVG";
const FILES: Readonly<Record<Kind, string>> = { PNG: "image/png", SVG: "image/svg+xml" };

export function PictureTaken({ picture }: { picture: Picture }) {
  const [told, setTold] = useState("");
  const [offered, setOffered] = useState<Kind | null>(null);

  async function take(kind: Kind, how: (kind: Kind, drawn: Picture) => Promise<string>): Promise<void> {
    setOffered(null);
    try {
      setTold(await how(kind, picture));
    } catch (thrown) {
      setOffered(kind);
      setTold(refusal(thrown, kind));
    }
  }

  return (
    <figcaption class="not-printed">
      <details class="small">
        <summary>Copy or save</summary>
        <div class="row under">
          <button type="button" class="button little" onClick={() => void take("PNG", copy)}>Copy picture</button>
          <button type="button" class="button little" onClick={() => void take("SVG", copy)}>Copy SVG</button>
          <button type="button" class="button little" onClick={() => void take("PNG", store)}>Save as PNG</button>
          <button type="button" class="button little" onClick={() => void take("SVG", store)}>Save as SVG</button>
          <span class="small muted" role="status">{told}</span>
          {offered && <button type="button" class="button little first" onClick={() => void take(offered, store)}>Save it instead</button>}
        </div>
      </details>
    </figcaption>
  );
}

/** The file of a chart; a picture in points stands on the colour of its card. */
async function fileOf(kind: Kind, drawn: Picture): Promise<Blob> {
  if (kind === "SVG") return new Blob([await drawn.svg()], { type: FILES.SVG });
  return drawn.png(getComputedStyle(document.documentElement).getPropertyValue("--surface").trim() || "white");
}

async function copy(kind: Kind, drawn: Picture): Promise<string> {
  if (kind === "SVG") {
    await navigator.clipboard.writeText(await drawn.svg()); // editors take an SVG as its text
    return "The SVG is on the clipboard.";
  }
  // The promise goes in, so that the click still counts as the reason when the picture is ready (Clipboard API).
  await navigator.clipboard.write([new ClipboardItem({ [FILES.PNG]: fileOf(kind, drawn) })]);
  return "The picture is on the clipboard.";
}

async function store(kind: Kind, drawn: Picture): Promise<string> {
  save(await fileOf(kind, drawn), `chart.${kind.toLowerCase()}`);
  return "";
}

function refusal(thrown: unknown, kind: Kind): string {
  const refused = thrown instanceof DOMException && thrown.name === "NotAllowedError";
  if (refused) return "This browser does not let the page write to the clipboard.";
  if (!isSecureContext) return "Browsers copy only from pages that come over HTTPS or from this machine.";
  return `The ${kind} could not be copied.`;
}
