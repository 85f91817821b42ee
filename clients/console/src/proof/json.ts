// JSON as the log hashes it. JavaScript's own reader loses whole numbers above 2^53, the difference between 1 and
// 1.0, and keys that stand twice; a hash over what it gives would be another. Whole numbers are bigint here, others
// number, objects maps.
export type Json = null | boolean | string | bigint | number | Json[] | JsonObject;
export type JsonObject = Map<string, Json>;

export class NotJson extends Error {}

const DEEPEST = 600;
const LONGEST_NUMBER = 4300; // digits that other readers take
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
const PLAIN_TEXT = /[^"\\\u0000-\u001f]*/y;
const BLANK = /[ \t\n\r]*/y;
const ESCAPES: Record<string, string> = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** The value of a JSON text. Of keys that stand twice the last counts, and is told to `twice`. Throws NotJson. */
export function parse(text: string, twice: (key: string) => void = () => undefined): Json {
  return new Reader(text, twice).whole();
}

class Reader {
  private at = 0;

  constructor(private readonly text: string, private readonly twice: (key: string) => void) {}

  whole(): Json {
    this.blank();
    const value = this.value(0);
    this.blank();
    if (this.at < this.text.length) throw this.wrong("something stands behind its end");
    return value;
  }

  private value(depth: number): Json {
    if (depth > DEEPEST) throw this.wrong("it is nested too deeply");
    const letter = this.text[this.at];
    if (letter === "{") return this.object(depth);
    if (letter === "[") return this.array(depth);
    if (letter === '"') return this.string();
    for (const [word, value] of [["null", null], ["true", true], ["false", false]] as const) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return value;
      }
    }
    return this.number();
  }

  private object(depth: number): JsonObject {
    const found: JsonObject = new Map();
    this.at += 1;
    this.blank();
    if (this.take("}")) return found;
    do {
      this.blank();
      if (this.text[this.at] !== '"') throw this.wrong("a key is missing");
      const key = this.string();
      this.blank();
      if (!this.take(":")) throw this.wrong("a colon is missing");
      this.blank();
      if (found.has(key)) this.twice(key);
      found.set(key, this.value(depth + 1));
      this.blank();
    } while (this.take(","));
    if (!this.take("}")) throw this.wrong("an object does not end");
    return found;
  }

  private array(depth: number): Json[] {
    const found: Json[] = [];
    this.at += 1;
    this.blank();
    if (this.take("]")) return found;
    do {
      this.blank();
      found.push(this.value(depth + 1));
      this.blank();
    } while (this.take(","));
    if (!this.take("]")) throw this.wrong("a list does not end");
    return found;
  }

  private string(): string {
    let found = "";
    this.at += 1;
    for (;;) {
      found += this.match(PLAIN_TEXT)![0];
      if (this.take('"')) return found;
      if (!this.take("\\")) throw this.wrong("a text does not end, or holds a control character");
      const letter = this.text[this.at++] ?? "";
      if (letter === "u") {
        const digits = this.text.slice(this.at, this.at + 4);
        if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw this.wrong("an escape is cut off");
        found += String.fromCharCode(parseInt(digits, 16));
        this.at += 4;
      } else {
        const known = ESCAPES[letter];
        if (known === undefined) throw this.wrong("there is no such escape");
        found += known;
      }
    }
  }

  private number(): bigint | number {
    const found = this.match(NUMBER);
    if (!found) throw this.wrong("a value is missing");
    const [digits, fraction, power] = found;
    if (digits.length > LONGEST_NUMBER) throw this.wrong("a number is too long");
    if (fraction === undefined && power === undefined) return BigInt(digits);
    const value = Number(digits);
    if (!Number.isFinite(value)) throw this.wrong("a number is too large");
    return value;
  }

  private blank(): void {
    this.match(BLANK);
  }

  private take(letter: string): boolean {
    if (this.text[this.at] !== letter) return false;
    this.at += 1;
    return true;
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at = pattern.lastIndex;
    return found;
  }

  private wrong(why: string): NotJson {
    return new NotJson(`${why} (character ${this.at.toLocaleString("en-US")})`);
  }
}

interface Spelling {
  readonly comma: string;
  readonly colon: string;
  readonly ascii: boolean;
  readonly indent: boolean;
}

const CHAIN: Spelling = { comma: ", ", colon: ": ", ascii: true, indent: false };
const LINE: Spelling = { comma: ",", colon: ":", ascii: true, indent: false };
const CANONICAL: Spelling = { comma: ",", colon: ":", ascii: false, indent: false };
const DOCUMENT: Spelling = { comma: ",", colon: ": ", ascii: false, indent: true };

/** What the chain hashes: keys sorted, ASCII, a space behind commas and colons. */
export const chainJson = (value: Json): string => spelled(value, CHAIN, 0);
/** What digests of frames are over: keys sorted, no spaces. */
export const canonicalJson = (value: Json): string => spelled(value, CANONICAL, 0);
/** A line of a bundle's proofs. */
export const lineJson = (value: Json): string => `${spelled(value, LINE, 0)}\n`;
/** A document of a bundle. */
export const documentJson = (value: Json): string => `${spelled(value, DOCUMENT, 0)}\n`;

function spelled(value: Json, how: Spelling, depth: number): string {
  if (value === null) return "null";
  switch (typeof value) {
    case "boolean":
    case "bigint":
      return String(value);
    case "number":
      return floatText(value);
    case "string":
      return textJson(value, how.ascii);
  }
  const [open, shut, parts] = Array.isArray(value)
    ? ["[", "]", value.map((one) => spelled(one, how, depth + 1))]
    : ["{", "}", sortedKeys(value).map((key) => `${textJson(key, how.ascii)}${how.colon}${spelled(value.get(key)!, how, depth + 1)}`)];
  if (parts.length === 0) return open + shut;
  if (!how.indent) return open + parts.join(how.comma) + shut;
  const inside = `\n${" ".repeat(depth + 1)}`;
  return `${open}${inside}${parts.join(`,${inside}`)}\n${" ".repeat(depth)}${shut}`;
}

/** Keys by their code points, which is another order than JavaScript's where there are letters beyond 16 bits. */
export function sortedKeys(value: JsonObject): string[] {
  return [...value.keys()].sort(byCodePoint);
}

export function byCodePoint(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) {
    if (one.charCodeAt(at) !== other.charCodeAt(at)) return place(one, at) - place(other, at);
  }
  return one.length - other.length;
}

/** Surrogates, which spell letters beyond 16 bits where they are pairs, above all others. */
function place(text: string, at: number): number {
  return text.codePointAt(low(text, at) ? at - 1 : at)!;
}

function low(text: string, at: number): boolean {
  return at > 0 && /[\udc00-\udfff]/.test(text[at]!) && /[\ud800-\udbff]/.test(text[at - 1]!);
}

const SHORT: Record<string, string> = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f", "\b": "\\b" };

function textJson(text: string, ascii: boolean): string {
  const odd = ascii ? /["\\]|[^ -~]/g : /["\\\u0000-\u001f]/g;
  return `"${text.replace(odd, (letter) => SHORT[letter] ?? `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`)}"`;
}

/** A floating point number as Python writes it: the shortest digits that read back the same, never as whole. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const [digits = "0", power = "0"] = Math.abs(value).toExponential().split("e");
  const [exponent, shown] = [Number(power), digits.replace(".", "")];
  if (exponent < -4 || exponent >= 16) {
    const wide = String(Math.abs(exponent)).padStart(2, "0");
    return `${sign}${digits}e${exponent < 0 ? "-" : "+"}${wide}`;
  }
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${shown}`;
  const whole = shown.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${sign}${whole}.${shown.slice(exponent + 1) || "0"}`;
}

/** The member of an object; undefined where there is none or it is no object. */
export function member(value: Json | undefined, key: string): Json | undefined {
  return value instanceof Map ? value.get(key) : undefined;
}

export function sameJson(one: Json, other: Json): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

/** Plain JavaScript as JSON; whole numbers must come as bigint. */
export function jsonOf(value: unknown): Json {
  if (Array.isArray(value)) return value.map(jsonOf);
  if (value instanceof Map || value === null || typeof value !== "object") return (value ?? null) as Json;
  return new Map(Object.entries(value).map(([key, one]) => [key, jsonOf(one)]));
}
