// What people know beside the data, as the form and the graph say it, and as the mesh takes it.
import { clone, create } from "@bufbuild/protobuf";
import { type CausalArrow, CausalArrowSchema, type CausalKnowledge, CausalKnowledgeSchema, type CausalRequest, CausalRequestSchema, CausalTierSchema } from "@gen/assay/common/v1/causal_pb";
import type { Job } from "@gen/assay/common/v1/job_pb";

import { jobs } from "../mesh/calls";
import { newId } from "../mesh/ids";

/** What is said of an edge: that it must be, or must not. */
export type Said = "required" | "forbidden";

export interface Arrow {
  readonly source: string;
  readonly target: string;
  readonly said: Said;
}

export function saidOf(knowledge: CausalKnowledge | undefined): readonly Arrow[] {
  const arrows = (said: Said) => ({ source, target }: CausalArrow): Arrow => ({ source, target, said });
  return [...(knowledge?.required ?? []).map(arrows("required")), ...(knowledge?.forbidden ?? []).map(arrows("forbidden"))];
}

/** The same study with other edges required and forbidden; tells the new job's id. Throws ConnectError. */
export async function studyAgain(job: Job, arrows: readonly Arrow[]): Promise<string> {
  if (job.work.case !== "causal") throw new Error("this is not a causal study");
  const asked: CausalRequest = clone(CausalRequestSchema, job.work.value);
  const knowledge = asked.knowledge ?? create(CausalKnowledgeSchema);
  const chosen = (said: Said) => arrows.filter((one) => one.said === said).map(({ source, target }) => create(CausalArrowSchema, { source, target }));
  knowledge.required = chosen("required");
  knowledge.forbidden = chosen("forbidden");
  asked.knowledge = knowledge;
  const requestId = newId();
  await jobs.createJob({ requestId, sessionId: job.sessionId, work: { case: "causal", value: asked } });
  return requestId;
}

/** That columns came before the treatment, and the outcome after it. */
export function orderOf(before: readonly string[], treatment: string, outcome: string): CausalKnowledge {
  const tiers = [before.filter((one) => one !== treatment && one !== outcome), [treatment], [outcome]].filter((columns) => columns.some(Boolean));
  return create(CausalKnowledgeSchema, { tiers: tiers.map((columns) => create(CausalTierSchema, { columns })) });
}
