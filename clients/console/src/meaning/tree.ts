// The YAML of a semantic model as a tree that knows where everything stands in the text.
import { yamlLanguage } from "@codemirror/lang-yaml";

type SyntaxNode = ReturnType<typeof yamlLanguage.parser.parse>["topNode"];

export type Node = MapNode | ListNode | TextNode;
export interface Entry { readonly key: string; readonly from: number; readonly keyEnd: number; readonly to: number; readonly value: Node | null }
export interface MapNode { readonly kind: "map"; readonly flow: boolean; readonly from: number; readonly to: number; readonly entries: readonly Entry[] }
export interface ListNode { readonly kind: "list"; readonly flow: boolean; readonly from: number; readonly to: number; readonly items: readonly (Node | null)[] }
export interface TextNode { readonly kind: "text"; readonly from: number; readonly to: number; readonly text: string }

export interface Tree {
  readonly text: string;
  /** Null where nothing is written but remarks. */
  readonly root: MapNode | null;
  /** Where the text stops being YAML; -1 where it does not. */
  readonly broken: number;
}

/** The model in a text. Numbers and words alike are texts, as the mesh reads them. */
export function treeOf(text: string): Tree {
  const parsed = yamlLanguage.parser.parse(text);
  let broken = -1;
  parsed.iterate({ enter: (node) => { if (node.type.isError && broken < 0) broken = node.from; } });
  const document = parsed.topNode.getChild("Document");
  const content = document && (document.getChild("BlockMapping") ?? document.getChild("FlowMapping"));
  const root = content ? (nodeOf(content, text) as MapNode) : null;
  if (!content && document && /[^\s#]/.test(text.replace(/#.*/g, "")) && broken < 0) broken = 0;
  return { text, root, broken };
}

function nodeOf(node: SyntaxNode, text: string): Node | null {
  const { from, to, name } = node;
  switch (name) {
    case "BlockMapping":
    case "FlowMapping":
      return { kind: "map", flow: name === "FlowMapping", from, to, entries: node.getChildren("Pair").map((pair) => entryOf(pair, text)) };
    case "BlockSequence":
    case "FlowSequence":
      return { kind: "list", flow: name === "FlowSequence", from, to, items: node.getChildren("Item").map((item) => (item.firstChild ? nodeOf(item.firstChild, text) : null)) };
    case "Literal":
    case "QuotedLiteral":
    case "BlockLiteral":
      return { kind: "text", from, to, text: read(name, text.slice(from, to)) };
    default:
      return null;
  }
}

function entryOf(pair: SyntaxNode, text: string): Entry {
  const key = pair.getChild("Key");
  const name = key?.firstChild ?? null;
  let value: Node | null = null;
  let end = key?.to ?? pair.from;
  for (let child = pair.firstChild; child; child = child.nextSibling) {
    if (child.name === ":") end = child.to;
    else if (child.name !== "Key" && child.name !== "Comment") value = nodeOf(child, text) ?? value;
  }
  return { key: name ? read(name.name, text.slice(name.from, name.to)) : "", from: pair.from, keyEnd: end, to: Math.max(pair.to, end), value };
}

function read(name: string, written: string): string {
  if (name === "BlockLiteral") return written.split("\n").slice(1).map((line) => line.trim()).join("\n").trim();
  if (name === "Literal") return written.replace(/\s*\n\s*/g, " ").trim();
  const inner = written.slice(1, -1);
  return written.startsWith("'") ? inner.replaceAll("''", "'") : unescaped(inner);
}

function unescaped(inner: string): string {
  try {
    return JSON.parse(`"${inner.replace(/\s*\n\s*/g, " ")}"`) as string;
  } catch {
    return inner;
  }
}

export type Path = readonly string[];

/** The node at a path; undefined where there is none. */
export function at(tree: Tree, path: Path): Node | null | undefined {
  let node: Node | null | undefined = tree.root;
  for (const key of path) {
    if (node?.kind !== "map") return undefined;
    const entry: Entry | undefined = node.entries.find((one) => one.key === key);
    if (!entry) return undefined;
    node = entry.value;
  }
  return node;
}

export function textAt(tree: Tree, path: Path): string {
  const node = at(tree, path);
  return node?.kind === "text" ? node.text : "";
}

/** A list's texts; one text alone counts as a list of it. */
export function textsAt(tree: Tree, path: Path): string[] {
  const node = at(tree, path);
  if (node?.kind === "text") return [node.text];
  return node?.kind === "list" ? node.items.flatMap((one) => (one?.kind === "text" ? [one.text] : [])) : [];
}

export function keysAt(tree: Tree, path: Path): string[] {
  const node = path.length === 0 ? tree.root : at(tree, path);
  return node?.kind === "map" ? node.entries.map((one) => one.key) : [];
}

/** A value without its places. */
export type Plain = string | readonly Plain[] | ReadonlyMap<string, Plain>;

export function plainOf(node: Node | null | undefined): Plain {
  if (!node) return "";
  if (node.kind === "text") return node.text;
  if (node.kind === "list") return node.items.map(plainOf);
  return new Map(node.entries.map((one) => [one.key, plainOf(one.value)]));
}

/** The keys that lead to what stands at a place of the text. */
export function pathAt(tree: Tree, place: number): string[] {
  const path: string[] = [];
  for (let map: MapNode | null = tree.root; map; ) {
    const entry: Entry | undefined = map.entries.find((one) => one.from <= place && place <= one.to);
    if (!entry) break;
    path.push(entry.key);
    map = entry.value?.kind === "map" ? entry.value : null;
  }
  return path;
}
