// Performs the script of clients/conformance with this client: one line of JSON for each step, with what it
// gave. Whether that is right is judged by whoever started it. `node dist/conformance/main.js SCRIPT SETTINGS`
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

import { Code } from "@connectrpc/connect";

import { AssayClient, AssayError } from "../src/index.js";
import { type Given, verbs } from "./verbs.js";

interface Step {
  call: string;
  as?: string;
  via?: string;
  deadline?: number;
  with?: Given;
  save?: string;
}

interface Settings {
  targets: Record<string, string>;
  authority: string;
  tokens: Record<string, string>;
  fixtures: string;
}

// gRPC's names of statuses, which the script has, for those of the transport.
const statusName = (code: Code): string =>
  code === Code.Canceled ? "CANCELLED" : Code[code]!.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();

class Runner {
  readonly #clients = new Map<string, AssayClient>();
  readonly #input = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  saved: Given = {};

  constructor(readonly settings: Settings) {}

  async perform(step: Step): Promise<unknown> {
    try {
      const given = this.#filled(step.with ?? {}) as Given;
      const result = step.call === "outside" ? await this.#outside(given) : await this.#called(step, given);
      if (step.save !== undefined) {
        this.saved[step.save] = result;
      }
      return result;
    } catch (thrown) {
      if (!(thrown instanceof AssayError)) {
        return { broken: thrown instanceof Error ? thrown.stack : String(thrown) };
      }
      const { reason, code, retryable, rawMessage: message, remedy, fields } = thrown;
      return { error: { reason, status: statusName(code), retryable, message, remedy, fields } };
    }
  }

  async #called(step: Step, given: Given): Promise<unknown> {
    const verb = verbs[step.call];
    if (verb === undefined) {
      throw new Error(`no call is named ${step.call}`);
    }
    const options = step.deadline === undefined ? {} : { timeoutMs: step.deadline * 1000 };
    return verb(this.#client(step.as ?? "analyst", step.via ?? "direct"), given, options, this.settings.fixtures);
  }

  /** Has whoever started this do something to the mesh, and waits until it says what came of it. */
  async #outside(given: Given): Promise<unknown> {
    console.log(JSON.stringify({ outside: given }));
    return JSON.parse((await this.#input.next()).value as string);
  }

  /** The client of a caller and a way; it is kept, as programs do. */
  #client(caller: string, way: string): AssayClient {
    const name = `${caller}/${way}`;
    let client = this.#clients.get(name);
    if (client === undefined) {
      const token = this.settings.tokens[caller];
      client = new AssayClient(this.settings.targets[way]!, {
        ...(token ? { token } : {}),
        authorityFile: this.settings.authority,
      });
      this.#clients.set(name, client);
    }
    return client;
  }

  /** What earlier steps gave in place of "$name.path". */
  #filled(value: unknown): unknown {
    if (typeof value === "string" && value.startsWith("$")) {
      let found: unknown = this.saved;
      for (const part of value.slice(1).split(".")) {
        found = (found as Given | undefined)?.[part];
      }
      if (found === undefined) {
        throw new Error(`no step gave ${value}`);
      }
      return found;
    }
    if (Array.isArray(value)) {
      return value.map((one) => this.#filled(one));
    }
    if (value !== null && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.#filled(one)]));
    }
    return value;
  }

  close(): void {
    for (const client of this.#clients.values()) {
      client.close();
    }
  }
}

const [script, settings] = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, "utf-8")));
const runner = new Runner(settings as Settings);
for (const one of (script as { cases: { name: string; steps: Step[] }[] }).cases) {
  runner.saved = {};
  for (const [step, wanted] of one.steps.entries()) {
    console.log(JSON.stringify({ case: one.name, step, result: await runner.perform(wanted) }));
  }
}
runner.close();
process.exit(0); // standard input is still open
