// One turn: what was said, the steps while they run, and the answer, the question back or the refusal.
import type { Signal } from "@preact/signals";

import { isOpen, type Turn } from "../mesh/conversing";
import { count } from "../words/numbers";
import { Answered } from "./answered";
import { Steps } from "./steps";
import { InTrouble, Waiting } from "./states";

interface Body {
  readonly turn: Signal<Turn>;
  readonly say: ((words: string) => void) | null;
}

interface Props extends Body {
  /** What takes it back, where it can be now. */
  readonly takeBack: (() => void) | null;
  /** How many turns after it go with it. */
  readonly after: number;
}

export function TurnShown({ turn, say, takeBack, after }: Props) {
  return (
    <article class="turn" aria-busy={isOpen(turn.value)}>
      <div class="row apart">
        <h2 class="said">{turn.value.said}</h2>
        {takeBack && (
          <button type="button" class="button plain little not-printed" onClick={takeBack} title="The next question is understood as if this had not been asked">
            Take back{after > 0 && ` with ${count(after, "turn")} after it`}
          </button>
        )}
      </div>
      <TurnBody turn={turn} say={say} />
    </article>
  );
}

/** What came of a turn, or is under way. */
export function TurnBody({ turn, say }: Body) {
  const { understood, steps, response, job, trouble } = turn.value;
  return (
    <>
      {response === null && job === null && (trouble === null || understood || steps.length > 0) && (
        <div class="card" aria-live="polite">
          {understood ? <p class="breaks">{understood}</p> : trouble === null && <Waiting>Reading the question…</Waiting>}
          <Steps steps={steps} />
        </div>
      )}
      <InTrouble trouble={trouble} />
      {response?.edit && <p class="muted small breaks">changed: {response.edit}</p>}
      {job?.result.case === "answer" ? <Answered job={job} say={say} /> : response && <Told turn={turn.value} say={say} />}
      {say && response && response.suggestions.length > 0 && (
        <div class="questions" aria-label="Suggested follow-ups">
          {response.suggestions.map((words) => <button type="button" class="chip" onClick={() => say(words)}>{words}</button>)}
        </div>
      )}
    </>
  );
}

/** Without an answer of its own: a question back, a refusal, or words about an earlier job. */
function Told({ turn, say }: { turn: Turn; say: Body["say"] }) {
  const response = turn.response!;
  const options = response.clarification?.options ?? [];
  const failure = response.failure;
  return (
    <div class={`note ${failure ? "warn" : ""}`}>
      <p class="breaks">{response.answer}</p>
      {failure?.hint && <p class="breaks">{failure.hint}</p>}
      {failure && <p><code>{failure.reason}</code></p>}
      {options.length > 0 && (
        <ol class="stack tight">
          {options.map((option, at) => (
            <li class="row">
              <button type="button" class="button little" disabled={!say} onClick={() => say?.(String(at + 1))}>{at + 1}</button>
              <span class="breaks">{option.text}{option.glimpse && <span class="muted"> · {option.glimpse}</span>}</span>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
