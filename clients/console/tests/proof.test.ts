// The checks of a proof against vectors that this project's Python code wrote (tests/console/proof_vectors.py).
// What counts most: nothing is told as checked where `assay verify` finds something off, and no good proof is called wrong.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { tableFromIPC } from "apache-arrow";

import { type Bytes, sha256Hex, unhex, utf8 } from "../src/proof/bytes";
import { spellings } from "../src/proof/calling";
import { cellText, columnCells } from "../src/proof/cells";
import { Beyond, Fault, type Finding } from "../src/proof/fault";
import { frameDigest } from "../src/proof/frame_digest";
import { canonicalJson, chainJson, documentJson, lineJson, NotJson, parse } from "../src/proof/json";
import { ProofError, verifyConsistency, verifyInclusion } from "../src/proof/merkle";
import { POINTS, shown } from "../src/proof/spelling";
import { sessionFindings, sessionIn } from "../src/proof/session";
import { begun, checkNames, findings } from "../src/proof/verify";
import { openZip } from "../src/proof/zip";

const FOLDER = process.env["PROOF_VECTORS"] ?? "";
const bytes = (name: string): Bytes => new Uint8Array(readFileSync(join(FOLDER, name)));
const vectors = <T>(name: string): T => JSON.parse(readFileSync(join(FOLDER, `${name}.json`), "utf8")) as T;

interface Judged { kind: string; first: string; index: string; size: string; proof: string[]; root: string; wrong: string | null }
interface Column { name: string; rows: { text: string; shown: string[]; called: string[] }[] }
interface Kept { name: string; file: string; log_key: string; witness_keys: string[]; encoding: boolean; checks: [string, boolean, string][] }

test("JSON is written again as Python writes it", () => {
  const { values, refused } = vectors<{ values: Record<string, string>[]; refused: string[] }>("json");
  for (const one of values) {
    const value = parse(one["text"]!);
    assert.equal(chainJson(value), one["chain"]);
    assert.equal(canonicalJson(value), one["canonical"]);
    assert.equal(documentJson(value), one["document"]);
    assert.equal(lineJson(value), one["line"]);
  }
  for (const text of refused) assert.throws(() => parse(text), NotJson, text.slice(0, 20));
});

test("a key that stands twice is told", () => {
  const twice: string[] = [];
  parse('{"a": 1, "b": {"a": 2, "a": 3}}', (key) => twice.push(key));
  assert.deepEqual(twice, ["a"]);
});

test("proofs of the tree hold, and none that was changed", async () => {
  const all = vectors<Judged[]>("merkle");
  assert.ok(all.some((one) => one.wrong === null) && all.some((one) => one.wrong !== null));
  for (const one of all) {
    const [first, root] = [unhex(one.first)!, unhex(one.root)!];
    const [index, size, proof] = [BigInt(one.index), BigInt(one.size), one.proof.map((hash) => unhex(hash)!)];
    const run = one.kind === "inclusion" ? verifyInclusion(first, index, size, proof, root) : verifyConsistency(index, size, proof, first, root);
    const found = await run.then(() => null, (thrown: unknown) => thrown);
    if (one.wrong === null) assert.equal(found, null, JSON.stringify(one));
    else assert.ok(found instanceof ProofError, JSON.stringify(one));
  }
});

test("cells are written, printed and called as Python does", () => {
  for (const { name, rows } of vectors<Column[]>("cells")) {
    const cells = columnCells(tableFromIPC(bytes(`cells-${name}.arrows`)), 0);
    assert.equal(cells.length, rows.length);
    cells.forEach((cell, at) => {
      const wanted = rows[at]!;
      const texts = [shown(cell), shown(cell, "EUR"), shown(cell, "", true), shown(cell, POINTS, true)].slice(0, wanted.shown.length);
      assert.equal(cellText(cell), wanted.text, name);
      assert.deepEqual(texts, wanted.shown, `${name} ${wanted.text}`);
      assert.deepEqual(new Set(spellings(cell)), new Set(wanted.called), `${name} ${wanted.text}`);
    });
  }
});

test("a frame has the digest that Python gives it, however it is laid out", async () => {
  for (const { file, digest, rows } of vectors<{ file: string; digest: string; rows: number }[]>("frames")) {
    const table = tableFromIPC(bytes(file));
    assert.equal(table.numRows, rows, file);
    assert.equal(await frameDigest(table), digest, file);
  }
});

test("a changed frame has another digest, or cannot be read", async () => {
  for (const { file, digest } of vectors<{ file: string; digest: string }[]>("frames").filter((one) => /int64|text|lists|structs/.test(one.file))) {
    const content = bytes(file);
    for (let at = 0; at < content.length; at += 97) {
      const changed = content.slice();
      changed[at]! ^= 1 << at % 8;
      // What lies in padding, under nulls or in flags of a schema is no part of the rows: it may stay equal, and nothing else.
      const found = await Promise.resolve().then(() => frameDigest(tableFromIPC(changed))).catch(() => "unread");
      if (found === digest) assert.deepEqual(rowsOf(changed), rowsOf(content), `${file} ${at}`);
    }
  }
});

function rowsOf(content: Bytes): string[] {
  return tableFromIPC(content).toArray().map((row) => String(row));
}

async function found(kept: Kept): Promise<Finding[]> {
  const list: Finding[] = [];
  try {
    const bundle = openZip("job.zip", bytes(kept.file));
    for await (const one of findings(begun(bundle, { logKey: kept.log_key, witnessKeys: kept.witness_keys }))) list.push(one);
  } catch (thrown) {
    if (!(thrown instanceof Fault || thrown instanceof Beyond)) throw thrown;
    list.push({ name: "bundle", verdict: "wrong", short: "", detail: thrown.message, trusted: [] });
  }
  return list;
}

const ORDER = ["bundle", ...checkNames("bundle")];

test("no bundle is told as good where Python finds something off, and none as wrong where it does not", async () => {
  let equal = 0;
  const all = vectors<Kept[]>("bundles");
  for (const kept of all) {
    const list = await found(kept);
    const says = `${kept.name} (${kept.file}): ${JSON.stringify(kept.checks.at(-1))} ${JSON.stringify(list.at(-1))}`;
    const wrong = kept.checks.find(([, ok]) => !ok);
    const ours = list.find((one) => one.verdict === "wrong");
    assert.equal(list.slice(0, -1).some((one) => one.verdict === "wrong"), false, `something follows what is wrong: ${says}`);
    if (!wrong) {
      assert.equal(ours, undefined, says);
      assert.deepEqual(list.map((one) => one.name), checkNames("bundle"));
      continue;
    }
    if (ours) {
      assert.ok(ORDER.indexOf(ours.name) <= ORDER.indexOf(wrong[0]) || wrong[0] === "bundle", says);
      if (ours.name === wrong[0] && ours.detail === wrong[2]) equal += 1;
      continue;
    }
    // Not found here: then it is told that this page did not look, at the check that would have found it.
    if (kept.encoding) assert.ok(list.at(-1)!.trusted.some((one) => one.includes("one encoding")), says);
    else assert.equal(list.find((one) => one.name === wrong[0])?.verdict, "trust", says);
  }
  console.log(`${all.length} bundles, ${equal} found in the very words of assay verify`);
});

test("a good bundle is told as `assay verify` tells it", async () => {
  for (const kept of vectors<Kept[]>("bundles").filter((one) => one.checks.every(([, ok]) => ok))) {
    const list = await found(kept);
    for (const [name, , detail] of kept.checks) {
      if (name !== "words") assert.equal(list.find((one) => one.name === name)?.detail, detail, kept.name);
    }
    assert.deepEqual(list.filter((one) => one.verdict === "trust").map((one) => one.name), ["words"], kept.name);
  }
});

test("a session's files and the proofs of its jobs are judged, and nothing follows what is off", async () => {
  const base = openZip("job.zip", bytes(vectors<Kept[]>("bundles")[0]!.file));
  const files = new Map<string, Bytes>([["report.md", utf8("words")]]);
  for (const name of base.names) files.set(`jobs/${"a".repeat(32)}/proof/${name}`, base.at(name));
  const listed = ["report.md", `jobs/${"a".repeat(32)}/proof/manifest.json`];
  const hashes = await Promise.all(listed.map(async (name) => `"${name}": {"sha256": "${await sha256Hex(files.get(name)!)}"}`));
  files.set("contents.json", utf8(`{"format": "assay-session/1", "files": {${hashes.join(", ")}}}`));
  const judged = async (change: (copy: Map<string, Bytes>) => void): Promise<string> => {
    const copy = new Map(files);
    change(copy);
    const found: string[] = [];
    for await (const one of sessionFindings(sessionIn(copy)!, { logKey: "", witnessKeys: [] })) found.push(`${one.name}: ${one.verdict}`);
    return found.join(", ");
  };
  const job = "job aaaaaaaa";
  assert.equal(sessionIn(new Map([["job.json", utf8("{}")]])), null);
  assert.equal(await judged(() => undefined), `contents: ok, ${job}: trust`);
  assert.equal(await judged((copy) => copy.set("report.md", utf8("other"))), "contents: wrong");
  assert.equal(await judged((copy) => copy.delete("report.md")), "contents: wrong");
  assert.equal(await judged((copy) => copy.set("more.md", utf8("more"))), "contents: wrong");
  assert.equal(await judged((copy) => copy.set("contents.json", utf8("{"))), "contents: wrong");
  assert.equal(await judged((copy) => copy.set(`jobs/${"a".repeat(32)}/proof/claims.json`, utf8("[]\n"))), `contents: ok, ${job}: wrong`);
  assert.equal(await judged((copy) => copy.set(`jobs/${"a".repeat(32)}/proof/more.txt`, utf8("more"))), `contents: ok, ${job}: wrong`);
});
