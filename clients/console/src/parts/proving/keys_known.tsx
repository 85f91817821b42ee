// Keys that the reader knows from elsewhere: what is signed is held against these, not against what came with the proof.
import { useState } from "preact/hooks";

import type { Trust } from "../../proof/reading";

export const NO_KEYS: Trust = { logKey: "", witnessKeys: [] };

export function KeysKnown({ trust, use }: { trust: Trust; use: (trust: Trust) => void }) {
  const [log, setLog] = useState(trust.logKey);
  const [witnesses, setWitnesses] = useState(trust.witnessKeys.join("\n"));
  const given = (event: Event) => {
    event.preventDefault();
    use({ logKey: log.trim(), witnessKeys: witnesses.split("\n").map((line) => line.trim()).filter((line) => line !== "") });
  };
  return (
    <details class="card not-printed" open={trust.logKey !== ""}>
      <summary>Check against keys that you know</summary>
      <form class="stack" onSubmit={given} style={{ paddingTop: "12px" }}>
        <label class="field"><span>Key of the log</span>
          <input type="text" value={log} spellcheck={false} autocomplete="off" placeholder="name+hash+key, as `assay keys` prints it" onInput={(event) => setLog(event.currentTarget.value)} /></label>
        <label class="field"><span>Keys of witnesses, one a line</span>
          <textarea rows={2} value={witnesses} spellcheck={false} onInput={(event) => setWitnesses(event.currentTarget.value)} /></label>
        <p class="row"><button class="button first">Check again</button>
          {(trust.logKey || trust.witnessKeys.length > 0) && <button type="button" class="button" onClick={() => { setLog(""); setWitnesses(""); use(NO_KEYS); }}>Without keys</button>}</p>
      </form>
    </details>
  );
}
