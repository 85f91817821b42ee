// The checker as a file: a bundle is dropped in, and checked with no server at all.
import { render } from "preact";
import { useState } from "preact/hooks";

import "./styles/base.css";
import "./styles/parts.css";
import "./styles/start_and_ask.css";
import "./styles/proof.css";
import { BundleDrop, type Dropped } from "./parts/proving/bundle_drop";
import { KeysKnown, NO_KEYS } from "./parts/proving/keys_known";
import { ProofShown } from "./parts/proving/proof_shown";
import { useProof } from "./parts/proving/use_proof";
import type { Trust } from "./proof/reading";

function Checker() {
  const [dropped, setDropped] = useState<Dropped | null>(null);
  const [trust, setTrust] = useState<Trust>(NO_KEYS);
  const proof = useProof(dropped?.bundle ?? null, trust);
  return (
    <main class="page">
      <header>
        <div><h1>Check a bundle</h1>
          <p class="muted breaks">{dropped ? dropped.name : "An answer of Assay with its proof, checked by this file alone: it asks no server, and may not."}</p></div>
        {dropped && <div class="row not-printed"><button type="button" class="button" onClick={() => setDropped(null)}>Another bundle</button></div>}
      </header>
      {dropped ? <><ProofShown key={dropped.name} proof={proof} /><KeysKnown trust={trust} use={setTrust} /></> : <BundleDrop take={setDropped} />}
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
