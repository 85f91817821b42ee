// What an answer says, as far as this page looks into it: each number and name in the words is its claim's or its cell's,
// and what is stated of cells is so where that is a matter of comparing them. The rest, it says, is `assay verify`'s.
import { spellings } from "./calling";
import { Beyond, count, Fault, quoted } from "./fault";
import { type Reading, soundFrame } from "./reading";
import { list, Malformed, text } from "./recorded";
import { type Assertion, assertionOf, Cells, NotThere, PIECES, statedFault } from "./stated";
import type { Outcome } from "./verify";

export async function checkWords(reading: Reading): Promise<Outcome> {
  const found = reading.recorded!;
  if (!found.answered) return { detail: "there is no answer to check" };
  const { words, assertions } = told(reading);
  const beyond = await findFrames(reading, assertions);
  const cells = new Cells(reading.frames, new Map(found.claims.map((claim) => [claim.claimId, claim])));
  const letters = Array.from(words); // places count code points
  const here = assertions.filter((one) => one.place === "text").sort((a, b) => a.start - b.start);
  const wrong = here.find((one) => !(one.start >= 0 && one.start < one.end && one.end <= letters.length));
  if (wrong) throw new Fault(`the text has no characters ${wrong.start} to ${wrong.end}`);
  const [pieces, stated] = [here.filter((one) => PIECES.has(one.kind)), here.filter((one) => !PIECES.has(one.kind))];
  const fault = (one: Assertion, why: string) => new Fault(`the text says ${quoted(letters.slice(one.start, one.end).join("").trim(), 100)}: ${why}`);
  pieces.slice(1).forEach((piece, at) => {
    if (piece.start < pieces[at]!.end) throw fault(piece, "two pieces stand over one another");
  });
  const unsure = tested(pieces, (piece) => pieceFault(piece, letters, cells), fault);
  const skipped = tested(stated, (one) => statedFault(one, pieces.filter((piece) => within(piece, one)), cells), fault);
  const alone = pieces.find((piece) => piece.kind === "number" && !stated.some((one) => within(piece, one)));
  if (alone) throw fault(alone, "nothing says what this is the number of");
  return outcome(reading, pieces.length - unsure, stated.length - skipped, stated.length, beyond);
}

function within(piece: Assertion, one: Assertion): boolean {
  return one.start <= piece.start && piece.end <= one.end;
}

/** Hold each against its cells; how many this page could not. */
function tested(
  all: readonly Assertion[], check: (one: Assertion) => string | null | undefined, fault: (one: Assertion, why: string) => Fault,
): number {
  let left = 0;
  for (const one of all) {
    try {
      const why = check(one);
      if (why) throw fault(one, why);
      if (why === undefined) left += 1;
    } catch (thrown) {
      if (thrown instanceof NotThere) throw fault(one, `no frame of the proof has what it names (${thrown.message})`);
      if (!(thrown instanceof Beyond)) throw thrown;
      left += 1;
    }
  }
  return left;
}

function pieceFault(piece: Assertion, letters: readonly string[], cells: Cells): string | null | undefined {
  const said = letters.slice(piece.start, piece.end).join("");
  if (piece.kind === "number") return cells.claims.get(piece.claimId)?.text === said ? null : "no claim prints this";
  if (piece.kind !== "name") return undefined;
  const cell = cells.cell(piece.frame, piece.rows[0] ?? -1, piece.columns[0] ?? "");
  if (spellings(cell).has(said)) return null;
  // A text may be told without its units, which only `assay verify` knows all of.
  return cell.is === "text" ? undefined : "its cell is called otherwise";
}

function told(reading: Reading): { words: string; assertions: Assertion[] } {
  try {
    const { end } = reading.recorded!;
    const assertions = list(end, "assertions").map(assertionOf);
    if (assertions.some((one) => one.place !== "text" && one.place !== "title")) {
      throw new Fault("an assertion is neither of the answer's text nor of its title");
    }
    return { words: text(end, "text"), assertions };
  } catch (thrown) {
    if (thrown instanceof Malformed) throw new Fault(`the chain records no sound assertions of the answer (${thrown.message})`);
    throw thrown;
  }
}

/** Read the frames that something is stated of; those that this page cannot read are told. */
async function findFrames(reading: Reading, assertions: readonly Assertion[]): Promise<string[]> {
  const beyond: string[] = [];
  const given = new Set([...reading.recorded!.calls.values()].map((call) => call.frameDigest));
  const named = new Set(assertions.flatMap((one) => [one.frame, one.ofFrame]).filter((digest) => digest !== ""));
  for (const digest of [...named].sort()) {
    if (!given.has(digest)) throw new Fault(`frame ${digest.slice(0, 8)}: something is stated of it, and no call gave it`);
    try {
      await soundFrame(reading, digest);
    } catch (thrown) {
      if (!(thrown instanceof Beyond)) throw thrown;
      beyond.push(`What is stated of frame ${digest.slice(0, 8)}: ${thrown.message}.`);
    }
  }
  return beyond;
}

function outcome(reading: Reading, pieces: number, stated: number, all: number, beyond: readonly string[]): Outcome {
  const reports = [...reading.recorded!.files.values()].filter((file) => file.artifactType === "report").length;
  return {
    detail: `${count(pieces, "number and name", "numbers and names")} match their cells, ${stated.toLocaleString("en-US")} of ${count(all, "statement")} confirmed by cells`,
    partly: "in part",
    trusted: [
      "That the words around the numbers state no more than is recorded: the wording of answers is checked by `assay verify`, not by this page.",
      ...(stated < all ? [`What ${count(all - stated, "statement")} of the answer ${all - stated === 1 ? "says" : "say"} of cells: of a kind that this page does not compute.`] : []),
      ...(reports > 0 ? ["That a report's text says what the answer does: its bytes are those that the chain records; its words are not read here."] : []),
      ...beyond,
    ],
  };
}
