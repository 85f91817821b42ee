// Choosing what data a piece of work is about; a file that is dropped is chosen along.
import type { Data } from "../mesh/data";
import { Drop } from "./drop";
import { InTrouble, Waiting } from "./states";

export function PickData({ data }: { data: Data }) {
  const { choices, chosen, choose, look } = data;
  const none = choices.value?.length === 0;
  return (
    <fieldset class="stack">
      <legend class="legend">Data</legend>
      {choices.loading && !choices.value && <Waiting />}
      <InTrouble trouble={choices.trouble} again={choices.again} />
      {chosen && (
        <label class="field"><span>Source</span>
          <select value={chosen.id} onChange={(event) => choose(event.currentTarget.value)}>
            {choices.value!.map((one) => <option key={one.id} value={one.id}>{one.words}</option>)}
          </select>
        </label>
      )}
      {none ? <Drop stored={choices.again} /> : choices.value && (
        <details><summary>Add a file</summary><div class="under"><Drop stored={choices.again} /></div></details>
      )}
      {chosen && look.loading && <Waiting>Profiling the data…</Waiting>}
      <InTrouble trouble={look.trouble} again={look.again} />
    </fieldset>
  );
}
