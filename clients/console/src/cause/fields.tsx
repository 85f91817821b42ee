// Fields of the form of a causal study.
interface ColumnProps {
  readonly name: string;
  readonly columns: readonly string[];
  readonly value: string;
  readonly change: (value: string) => void;
}

export function ColumnField({ name, columns, value, change }: ColumnProps) {
  return (
    <label class="field"><span>{name}</span>
      <select value={value} onChange={(event) => change(event.currentTarget.value)}>
        <option value="">automatic (shown with the result)</option>
        {columns.map((column) => <option key={column} value={column}>{column}</option>)}
        {value && !columns.includes(value) && <option value={value}>{value}</option>}
      </select></label>
  );
}

interface BeforeProps {
  readonly columns: readonly string[];
  readonly known: boolean;
  readonly setKnown: (known: boolean) => void;
  readonly chosen: readonly string[];
  readonly change: (chosen: readonly string[]) => void;
}

export function Before({ columns, known, setKnown, chosen, change }: BeforeProps) {
  return (
    <fieldset class="stack">
      <legend class="legend">Confounders (what may affect both)</legend>
      <div class="choices">
        <label class={`choice ${known ? "" : "on"}`}><input type="radio" name="known" checked={!known} onChange={() => setKnown(false)} />Discover confounders</label>
        <label class={`choice ${known ? "on" : ""}`}><input type="radio" name="known" checked={known} onChange={() => setKnown(true)} />I know what came before the treatment</label>
      </div>
      <p class="muted small">{known ? "These came before the treatment, and the outcome came after it. Order in time decides most of what data alone cannot."
        : "Causal discovery finds a graph, and the confounders in it. An effect is then conditional on an order in time that nobody stated."}</p>
      {known && (
        <ul class="row">
          {columns.map((name) => {
            const on = chosen.includes(name);
            return <li><label class={`choice ${on ? "on" : ""}`}><input type="checkbox" checked={on} onChange={() => change(on ? chosen.filter((one) => one !== name) : [...chosen, name])} /><span class="breaks">{name}</span></label></li>;
          })}
        </ul>
      )}
    </fieldset>
  );
}

interface LimitProps {
  readonly minutes: number;
  readonly setMinutes: (minutes: number) => void;
  readonly rows: number;
  readonly setRows: (rows: number) => void;
  readonly question: string;
  readonly setQuestion: (question: string) => void;
}

export function Limits({ minutes, setMinutes, rows, setRows, question, setQuestion }: LimitProps) {
  return (
    <details>
      <summary>Limits and question</summary>
      <div class="stack under">
        <div class="cards">
          <label class="field"><span>Time limit</span>
            <select value={minutes} onChange={(event) => setMinutes(Number(event.currentTarget.value))}>
              {[5, 15, 30, 60].map((one) => <option key={one} value={one}>{one} minutes</option>)}
            </select></label>
          <label class="field"><span>Maximum rows</span>
            <select value={rows} onChange={(event) => setRows(Number(event.currentTarget.value))}>
              <option value={0}>as many as fit</option>
              {[500, 2_000, 10_000, 100_000].map((one) => <option key={one} value={one}>{one.toLocaleString("en")}, sampled evenly if there are more</option>)}
            </select></label>
        </div>
        <label class="field"><span>The question in words</span>
          <input type="text" maxLength={5000} value={question} placeholder="does the promotion raise spending?" onInput={(event) => setQuestion(event.currentTarget.value)} /></label>
      </div>
    </details>
  );
}
