// A proof while it is checked: findings as they come, and what was read on the way.
import { useEffect, useState } from "preact/hooks";

import type { Bundle } from "../../proof/bundle";
import type { Finding } from "../../proof/fault";
import { type Reading, type Trust } from "../../proof/reading";
import { begun, type Check, findings } from "../../proof/verify";

export interface Proof {
  readonly reading: Reading | null;
  readonly found: readonly Finding[];
  readonly done: boolean;
  /** What ended the checks without a finding: a call of the mesh that failed. */
  readonly broken: unknown;
}

const NOTHING: Proof = { reading: null, found: [], done: false, broken: null };

export function useProof(bundle: Bundle | null, trust: Trust, history: Check | null = null): Proof {
  const [proof, setProof] = useState<Proof>(NOTHING);
  useEffect(() => {
    let gone = false;
    setProof(NOTHING);
    if (!bundle) return;
    const reading = begun(bundle, trust);
    const list: Finding[] = [];
    const show = (more: Partial<Proof>) => !gone && setProof({ reading, found: [...list], done: false, broken: null, ...more });
    void (async () => {
      try {
        for await (const one of findings(reading, history)) {
          if (gone) return;
          list.push(one);
          show({});
          await new Promise((resolve) => setTimeout(resolve)); // so that each is seen as it comes
        }
        show({ done: true });
      } catch (broken) {
        show({ done: true, broken });
      }
    })();
    return () => {
      gone = true;
    };
  }, [bundle, trust.logKey, trust.witnessKeys.join("\n")]);
  return proof;
}

/** How a check ended, for whatever rests on it; undefined where it was not come to. */
export function verdictOf(proof: Proof, name: string): Finding["verdict"] | undefined {
  return proof.found.find((one) => one.name === name)?.verdict;
}
