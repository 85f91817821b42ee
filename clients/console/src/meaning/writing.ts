// Edits to a semantic model's text that keep everything else in it: comments, order and layout.
import { type Entry, type MapNode, type Path, type Plain, type Tree } from "./tree";

/** Tables, their names and what they are made of have lines of their own; what is deeper stands in one line. */
const BLOCK_DEPTH = 3;
const PLAIN = /^[\p{L}_][\p{L}\p{N}_ .()*/+%€$-]*$/u;
const TAKEN = /^null$/i; // the mesh reads all else as it is written: NO is Norway

/** The text with a value at a path; what leads there is added where it is missing. */
export function put(tree: Tree, path: Path, value: Plain): string {
  const { text, root } = tree;
  if (!root) return `${text}${text && !text.endsWith("\n") ? "\n" : ""}${block(nested(path, value), 0, 0)}`;
  let map: MapNode = root;
  for (let depth = 0; ; depth++) {
    const found: Entry | undefined = map.entries.find((one) => one.key === path[depth]);
    if (!found) return inserted(text, map, depth, path[depth]!, nestedValue(path.slice(depth + 1), value));
    if (depth === path.length - 1) return replaced(text, map, found, depth, value);
    if (found.value?.kind !== "map") return replaced(text, map, found, depth, nestedValue(path.slice(depth + 1), value));
    map = found.value;
  }
}

/** The text without the value at a path; parents that become empty are removed too. */
export function without(tree: Tree, path: Path): string {
  const line: { map: MapNode; entry: Entry }[] = [];
  let map: MapNode | null = tree.root;
  for (const key of path) {
    const entry: Entry | undefined = map?.entries.find((one) => one.key === key);
    if (!map || !entry) return tree.text;
    line.push({ map, entry });
    map = entry.value?.kind === "map" ? entry.value : null;
  }
  let last = line.pop()!;
  while (last.map.entries.length === 1 && line.length > 2) last = line.pop()!;
  if (last.map.entries.length === 1 && !last.map.flow && line.length > 0) { // a mapping must not be left empty in block form
    last = line.pop()!;
  }
  return cut(tree.text, last.map, last.entry);
}

/** The text with another key at a path. */
export function renamed(tree: Tree, path: Path, key: string): string {
  let map: MapNode | null = tree.root;
  for (const [depth, name] of path.entries()) {
    const entry: Entry | undefined = map?.entries.find((one) => one.key === name);
    if (!entry) return tree.text;
    if (depth === path.length - 1) return `${tree.text.slice(0, entry.from)}${scalar(key)}:${tree.text.slice(entry.keyEnd)}`;
    map = entry.value?.kind === "map" ? entry.value : null;
  }
  return tree.text;
}

function inserted(text: string, map: MapNode, depth: number, key: string, value: Plain): string {
  const last = map.entries.at(-1);
  if (map.flow) {
    const place = last ? last.to : map.from + 1;
    return `${text.slice(0, place)}${last ? ", " : ""}${scalar(key)}: ${flow(value)}${text.slice(place)}`;
  }
  const indent = columnOf(text, map.entries[0]!.from);
  const place = lineEnd(text, last!.to);
  return `${text.slice(0, place)}\n${block(new Map([[key, value]]), indent, depth).trimEnd()}${text.slice(place)}`;
}

function replaced(text: string, map: MapNode, entry: Entry, depth: number, value: Plain): string {
  const indent = columnOf(text, entry.from);
  const inFlow = map.flow || depth >= BLOCK_DEPTH || !isBlock(value);
  const to = entry.value ? entry.value.to : entry.keyEnd;
  if (inFlow) return `${text.slice(0, entry.keyEnd)} ${flow(value)}${text.slice(to)}`;
  const written = block(new Map([[entry.key, value]]), indent, depth).trimEnd();
  const lines = written.slice(written.indexOf("\n"));
  if (entry.value) return `${text.slice(0, entry.keyEnd)}${lines}${text.slice(to)}`;
  const end = lineEnd(text, entry.keyEnd); // behind a remark on the key's line
  return `${text.slice(0, end)}${lines}${text.slice(end)}`;
}

function cut(text: string, map: MapNode, entry: Entry): string {
  if (map.flow) {
    const place = map.entries.indexOf(entry);
    const next = map.entries[place + 1];
    if (next) return text.slice(0, entry.from) + text.slice(next.from);
    return text.slice(0, place > 0 ? map.entries[place - 1]!.to : entry.from) + text.slice(entry.to);
  }
  const start = text.lastIndexOf("\n", entry.from - 1) + 1;
  const end = lineEnd(text, entry.to);
  return text.slice(0, start) + text.slice(Math.min(text.length, end + 1));
}

function columnOf(text: string, place: number): number {
  return place - (text.lastIndexOf("\n", place - 1) + 1);
}

function lineEnd(text: string, place: number): number {
  const found = text.indexOf("\n", place);
  return found < 0 ? text.length : found;
}

function nested(path: Path, value: Plain): ReadonlyMap<string, Plain> {
  return new Map([[path[0]!, nestedValue(path.slice(1), value)]]);
}

function nestedValue(path: Path, value: Plain): Plain {
  return path.length === 0 ? value : nested(path, value);
}

function isMap(value: Plain): value is ReadonlyMap<string, Plain> {
  return value instanceof Map;
}

/** Whether it is written in lines of its own: mappings, and lists of mappings. */
function isBlock(value: Plain): boolean {
  return (isMap(value) && value.size > 0) || (Array.isArray(value) && value.some((one: Plain) => isMap(one)));
}

/** A mapping as lines; `depth` is how deep in the model its keys are. */
export function block(map: ReadonlyMap<string, Plain>, indent: number, depth: number): string {
  const margin = " ".repeat(indent);
  return [...map].map(([key, value]) => {
    const head = `${margin}${scalar(key)}:`;
    if (depth >= BLOCK_DEPTH || !isBlock(value)) return `${head} ${flow(value)}\n`;
    if (isMap(value)) return `${head}\n${block(value, indent + 2, depth + 1)}`;
    return `${head}\n${(value as readonly Plain[]).map((one) => `${margin}  - ${flow(one)}\n`).join("")}`;
  }).join("");
}

function flow(value: Plain): string {
  if (typeof value === "string") return scalar(value);
  if (isMap(value)) return `{${[...value].map(([key, one]) => `${scalar(key)}: ${flow(one)}`).join(", ")}}`;
  return `[${value.map(flow).join(", ")}]`;
}

/** Plain where that is unambiguous, else in quotes. */
function scalar(text: string): string {
  return PLAIN.test(text) && !TAKEN.test(text) && text === text.trim() && !text.includes("  ") ? text : escaped(JSON.stringify(text));
}

/** With invisible characters, such as those that change the direction of text, as escapes. */
export function escaped(text: string): string {
  return text.replace(/[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
