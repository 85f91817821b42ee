// What was dropped in: one bundle with its proof, or a session whose jobs are checked one after another and opened singly.
import { useEffect, useState } from "preact/hooks";

import type { Finding } from "../../proof/fault";
import type { Trust } from "../../proof/reading";
import { type Session, sessionFindings } from "../../proof/session";
import { Waiting } from "../states";
import type { Dropped } from "./bundle_drop";
import { FindingLine } from "./findings_shown";
import { KeysKnown, NO_KEYS } from "./keys_known";
import { ProofShown } from "./proof_shown";
import { useProof } from "./use_proof";

export function DroppedShown({ dropped }: { dropped: Dropped }) {
  const [trust, setTrust] = useState<Trust>(NO_KEYS);
  const [job, setJob] = useState<string | null>(null);
  const bundle = dropped.bundle ?? (job === null ? null : (dropped.session?.jobs.get(job) ?? null));
  const proof = useProof(bundle, trust);
  return (
    <>
      {dropped.session && <SessionShown session={dropped.session} trust={trust} chosen={job} choose={setJob} />}
      {bundle && <ProofShown key={job ?? dropped.name} proof={proof} />}
      <KeysKnown trust={trust} use={setTrust} />
    </>
  );
}

interface Props {
  readonly session: Session;
  readonly trust: Trust;
  readonly chosen: string | null;
  readonly choose: (job: string) => void;
}

function SessionShown({ session, trust, chosen, choose }: Props) {
  const [found, setFound] = useState<readonly Finding[]>([]);
  const [done, setDone] = useState(false);
  useEffect(() => {
    let gone = false;
    setFound([]);
    setDone(false);
    void (async () => {
      const list: Finding[] = [];
      for await (const one of sessionFindings(session, trust)) {
        if (gone) return;
        list.push(one);
        setFound([...list]);
      }
      setDone(true);
    })();
    return () => {
      gone = true;
    };
  }, [session, trust]);
  const wrong = found.some((one) => one.verdict === "wrong");
  return (
    <section class="card" aria-labelledby="session">
      <h2 id="session">Exported session</h2>
      <ul class="findings">{found.map((one) => <FindingLine key={one.name} finding={one} />)}</ul>
      {!done && !wrong && <Waiting>Checking…</Waiting>}
      {wrong && found.length <= session.jobs.size && <p class="muted small">The remaining jobs were not checked.</p>}
      {session.jobs.size > 0 && <h3>Jobs</h3>}
      <ul class="numbers">
        {[...session.jobs.keys()].map((job) => (
          <li><button type="button" class="chip" aria-pressed={chosen === job} onClick={() => choose(job)}>job <code>{job.slice(0, 8)}</code></button></li>
        ))}
      </ul>
    </section>
  );
}
