// Names and frequent values of the workspace's data, for completing a question.
import { signal } from "@preact/signals";

export interface Word {
  readonly text: string;
  readonly about: string;
}

/** Empty until data was looked at. */
export const vocabulary = signal<readonly Word[]>([]);

const MOST_OFFERED = 7;

/** What could be meant by the last word of these; none while it says too little. */
export function completions(text: string): readonly Word[] {
  const begun = /(\S{2,})$/.exec(text)?.[1]?.toLowerCase();
  if (!begun) return [];
  const fits = (word: Word) => word.text.toLowerCase().startsWith(begun) && word.text.toLowerCase() !== begun;
  return vocabulary.value.filter(fits).slice(0, MOST_OFFERED);
}

/** The text with its last word completed. */
export function completed(text: string, word: Word): string {
  return `${text.replace(/\S+$/, "")}${word.text} `;
}
