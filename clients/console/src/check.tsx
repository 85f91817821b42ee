// The checker as a file: a bundle is dropped in, and checked with no server at all.
import { render } from "preact";
import { useState } from "preact/hooks";

import "./styles/base.css";
import "./styles/parts.css";
import "./styles/start_and_ask.css";
import "./styles/proof.css";
import { BundleDrop, type Dropped } from "./parts/proving/bundle_drop";
import { DroppedShown } from "./parts/proving/dropped_shown";

function Checker() {
  const [dropped, setDropped] = useState<Dropped | null>(null);
  return (
    <main class="page">
      <header>
        <div><h1>Check a bundle</h1>
          <p class="muted breaks">{dropped ? dropped.name : "An answer from Assay with its proof, checked by this file alone: it contacts no server, and cannot."}</p></div>
        {dropped && <div class="row not-printed"><button type="button" class="button" onClick={() => setDropped(null)}>Check another bundle</button></div>}
      </header>
      {dropped ? <DroppedShown dropped={dropped} /> : <BundleDrop take={setDropped} />}
    </main>
  );
}

const system = matchMedia("(prefers-color-scheme: dark)");
const follow = () => void (document.documentElement.dataset["theme"] = system.matches ? "dark" : "light");
system.addEventListener("change", follow);
follow();
const place = document.getElementById("app")!;
place.replaceChildren();
render(<Checker />, place);
