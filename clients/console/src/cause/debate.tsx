// The debate: what the defender says and the sceptic answers, dimension by dimension, and the scores.
import type { JsonObject } from "@bufbuild/protobuf";
import { numberOf, textOf } from "./structs";

interface Said {
  readonly dimension: string;
  readonly round: number;
  readonly score: number | null;
  readonly defender: string;
  readonly sceptic: string;
}

export function Debate({ history }: { history: readonly JsonObject[] }) {
  const said = history.map((one): Said => ({
    dimension: textOf(one["dimension"]), round: numberOf(one["iteration"]) ?? 0, score: numberOf(one["score"]), defender: textOf(one["defender"]), sceptic: textOf(one["sceptic"]),
  }));
  const rounds = [...new Set(said.map((one) => one.round))].sort((a, b) => b - a);
  if (rounds.length === 0) return null;
  return (
    <section class="card" aria-labelledby="debate">
      <h2 id="debate">Debate</h2>
      {rounds.map((round, at) => (
        <details open={at === 0} key={round}>
          <summary>{at === 0 ? "Last round" : `Round ${round + 1}`}</summary>
          <ul class="debate under">
            {said.filter((one) => one.round === round && one.dimension !== "verdict").map((one) => (
              <li key={one.dimension}>
                <div class="row apart"><h3 class="breaks">{capital(one.dimension)}</h3>{one.score !== null && <Score score={one.score} />}</div>
                <p class="defender"><span class="muted small">Defender</span><span class="breaks">{one.defender}</span></p>
                <p class="sceptic"><span class="muted small">Sceptic</span><span class="breaks">{one.sceptic}</span></p>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </section>
  );
}

function Score({ score }: { score: number }) {
  const whole = Math.round(score);
  const tone = whole >= 4 ? "good" : whole === 3 ? "warn" : "bad";
  return (
    <span class={`score ${tone}`} role="img" aria-label={`${score} of 5`}>
      {[1, 2, 3, 4, 5].map((one) => <i class={one <= whole ? "on" : undefined} />)}<span class="number" aria-hidden="true">{score}</span>
    </span>
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
