// What a question is about: the files of this workspace, or a source with a name.
import { sources } from "../mesh/calls";
import { useLoaded } from "../mesh/loading";

export function About({ source, choose }: { source: string; choose: (source: string) => void }) {
  const known = useLoaded(async (signal) => (await sources.listSources({ pageSize: 100 }, { signal })).sources.map((one) => one.name), []);
  const names = known.value ?? [];
  if (names.length === 0) return null;
  return (
    <label class="row"><span>Source</span>
      <select value={source} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">files in this workspace</option>
        {names.map((name) => <option value={name}>{name}</option>)}
      </select>
    </label>
  );
}
