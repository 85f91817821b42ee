// Keys that the reader knows from elsewhere: signatures are checked against these, not against what came with the proof.
import { useState } from "preact/hooks";

import { wordsOf } from "../../proof/fault";
import { parseKey } from "../../proof/note";
import type { Trust } from "../../proof/reading";

export const NO_KEYS: Trust = { logKey: "", witnessKeys: [] };

export function KeysKnown({ trust, use }: { trust: Trust; use: (trust: Trust) => void }) {
  const [log, setLog] = useState(trust.logKey);
  const [witnesses, setWitnesses] = useState(trust.witnessKeys.join("\n"));
  const [wrong, setWrong] = useState("");
  async function given(event: Event): Promise<void> {
    event.preventDefault();
    const keys: Trust = { logKey: log.trim(), witnessKeys: witnesses.split("\n").map((line) => line.trim()).filter((line) => line !== "") };
    try {
      if (keys.logKey) await parseKey(keys.logKey, "log");
      for (const key of keys.witnessKeys) await parseKey(key, "witness");
      setWrong("");
      use(keys);
    } catch (thrown) {
      setWrong(wordsOf(thrown)); // a key that is none says nothing of the proof
    }
  }
  return (
    <details class="card not-printed" open={trust.logKey !== ""}>
      <summary>Check against keys you trust</summary>
      <form class="stack" onSubmit={(event) => void given(event)} style={{ paddingTop: "12px" }}>
        <label class="field"><span>Log key</span>
          <input type="text" value={log} spellcheck={false} autocomplete="off" placeholder="name+hash+key, from a source you trust" onInput={(event) => setLog(event.currentTarget.value)} /></label>
        <label class="field"><span>Witness keys, one per line</span>
          <textarea rows={2} value={witnesses} spellcheck={false} onInput={(event) => setWitnesses(event.currentTarget.value)} /></label>
        {wrong && <p class="note bad breaks" role="alert">This is not a key: {wrong}.</p>}
        <p class="row"><button class="button first">Check again</button>
          {(trust.logKey || trust.witnessKeys.length > 0) && <button type="button" class="button" onClick={() => { setLog(""); setWitnesses(""); setWrong(""); use(NO_KEYS); }}>Clear keys</button>}</p>
      </form>
    </details>
  );
}
