// What people ask for and do not get, or not for sure: by missing word, by reason, by check.
import { type Gap, GapKind } from "@gen/assay/common/v1/operation_pb";
import { useState } from "preact/hooks";

import { operation } from "../mesh/calls";
import { useLoaded } from "../mesh/loading";
import { count, moment, told } from "../words/numbers";
import { Part } from "./part";

const SECONDS_A_DAY = 86_400;
const TIMES: readonly (readonly [number, string])[] = [[1, "a day"], [7, "a week"], [30, "30 days"], [90, "90 days"], [366, "a year"]];
const KINDS: readonly (readonly [GapKind, string, string])[] = [
  [GapKind.WORD, "Unknown words", "Nothing in the data matches them. A definition or a semantic model can say what they mean."],
  [GapKind.REASON, "Why there was no answer", "By reason code."],
  [GapKind.CHECK, "Failed checks", "Doubts and errors that were shown before the number, by the code of the check."],
];

export function Gaps() {
  const [days, setDays] = useState(30);
  const loaded = useLoaded((signal) => operation.listGaps({ within: { seconds: BigInt(days * SECONDS_A_DAY) } }, { signal }), [days]);
  return (
    <>
      <Part title="Refusals and doubts" means="Of everyone in your tenant: jobs that were not answered, or answered as likely or doubtful." loaded={loaded}
        none={({ ended }) => (ended === 0n ? "No job ended in that time." : null)}
        beside={<label class="row small">Within<select class="narrow" value={days} onChange={(event) => setDays(Number(event.currentTarget.value))}>{TIMES.map(([one, name]) => <option value={one}>{name}</option>)}</select></label>}>
        {({ ended, refused, doubted }) => (
          <p>Of {count(ended, "job")} that ended, <strong>{told(refused)}</strong> {refused === 1n ? "was" : "were"} not answered and <strong>{told(doubted)}</strong> answered with doubt ({percent(refused + doubted, ended)}).</p>
        )}
      </Part>
      {loaded.value && loaded.value.ended > 0n && KINDS.map(([kind, title, means]) => <Group key={kind} title={title} means={means} gaps={loaded.value!.gaps.filter((gap) => gap.kind === kind)} />)}
    </>
  );
}

function Group({ title, means, gaps }: { title: string; means: string; gaps: readonly Gap[] }) {
  const most = Math.max(1, ...gaps.map((gap) => Number(gap.refused + gap.doubted)));
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      <p class="muted small">{means}</p>
      {gaps.length === 0 ? <p class="muted">None.</p> : (
        <ul class="gaps">
          {gaps.map((gap) => (
            <li key={gap.subject}><details class="whole">
              <summary><span class={`breaks ${gap.kind === GapKind.WORD ? "word" : "number"}`}>{gap.subject}</span>
                <span class="bars" aria-hidden="true"><i class="refused" style={{ width: `${(Number(gap.refused) / most) * 100}%` }} /><i class="doubted" style={{ width: `${(Number(gap.doubted) / most) * 100}%` }} /></span>
                <span class="small muted">{gap.refused > 0n && `${told(gap.refused)} not answered`}{gap.refused > 0n && gap.doubted > 0n && ", "}{gap.doubted > 0n && `${told(gap.doubted)} with doubt`}</span></summary>
              <ul class="stack tight under">{gap.examples.map((one) => (
                <li class="small breaks" key={one.jobId}><a href={`/answer/${one.jobId}`}>{one.question || "a statement"}</a> <span class="muted">{one.refused ? "not answered" : "with doubt"}, {one.askedBy && `${one.askedBy}, `}{moment(one.askedAt)}</span></li>))}
              </ul></details></li>
          ))}
        </ul>
      )}
    </section>
  );
}

function percent(part: bigint, whole: bigint): string {
  return `${told(Math.round((Number(part) / Number(whole)) * 1000) / 10)} %`;
}
