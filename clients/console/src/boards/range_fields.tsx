// Which number is watched, and between what it is expected to lie.
import { create } from "@bufbuild/protobuf";
import { type Range, RangeSchema } from "@gen/assay/gateway/v1/board_service_pb";

import type { Watchable } from "./numbers_of";

export interface RangeWords {
  readonly which: string;
  readonly low: string;
  readonly high: string;
}

export const NO_RANGE: RangeWords = { which: "", low: "", high: "" };

export function rangeWordsOf(range: Range | undefined): RangeWords {
  if (!range) return NO_RANGE;
  return {
    which: range.column || range.claim ? key({ column: range.column, claim: range.claim || 1 }) : "",
    low: range.low === undefined ? "" : String(range.low),
    high: range.high === undefined ? "" : String(range.high),
  };
}

/** As the mesh takes it. */
export function rangeOf(words: RangeWords): Range {
  const [column, claim] = words.which ? (JSON.parse(words.which) as [string, number]) : ["", 0];
  const range = create(RangeSchema, { column, claim });
  if (words.low.trim()) range.low = Number(words.low);
  if (words.high.trim()) range.high = Number(words.high);
  return range;
}

export function RangeFields({ numbers, words, change }: {
  readonly numbers: readonly Watchable[];
  readonly words: RangeWords;
  readonly change: (words: RangeWords) => void;
}) {
  return (
    <fieldset class="stack">
      <legend class="legend">Alert when the number is out of range</legend>
      {numbers.length > 1 && (
        <label class="field"><span>Number</span>
          <select value={words.which} onChange={(event) => change({ ...words, which: event.currentTarget.value })}>
            <option value="">first number of the answer</option>
            {numbers.map((one) => <option value={key(one)}>{`${one.text}, ${one.column}`}</option>)}
          </select>
        </label>
      )}
      <div class="two">
        <label class="field"><span>At least</span>
          <input type="number" step="any" value={words.low} placeholder="no limit" onInput={(event) => change({ ...words, low: event.currentTarget.value })} />
        </label>
        <label class="field"><span>At most</span>
          <input type="number" step="any" value={words.high} placeholder="no limit" onInput={(event) => change({ ...words, high: event.currentTarget.value })} />
        </label>
      </div>
    </fieldset>
  );
}

function key(one: { readonly column: string; readonly claim: number }): string {
  return JSON.stringify([one.column, one.claim]);
}
