// One turn of a conversation while it runs: the message, its steps, and its result.
import { create } from "@bufbuild/protobuf";
import { signal, type Signal } from "@preact/signals";
import { type AgentResponse, AgentResponseSchema } from "@gen/assay/common/v1/conversation_pb";
import { type Job, type Step, StepState } from "@gen/assay/common/v1/job_pb";
import { type Message, MessageRole } from "@gen/assay/gateway/v1/conversation_service_pb";

import { conversations, jobs } from "./calls";
import { type Trouble, troubleOf } from "./errors";
import { newId } from "./ids";

export interface Turn {
  readonly requestId: string;
  /** Zero until the message is stored. */
  readonly messageId: bigint;
  readonly said: string;
  readonly understood: string;
  readonly steps: readonly Step[];
  readonly response: AgentResponse | null;
  readonly job: Job | null;
  readonly trouble: Trouble | null;
  readonly takenBack: boolean;
}

export function turnOf(said: string, requestId = newId()): Turn {
  return { requestId, messageId: 0n, said, understood: "", steps: [], response: null, job: null, trouble: null, takenBack: false };
}

/** Whether there is nothing yet to be seen of what came of it. */
export function isOpen({ response, job, trouble }: Turn): boolean {
  return response === null && job === null && trouble === null;
}

/** An answer that was asked for elsewhere, as the first turn of a conversation. */
export function turnOfJob(job: Job): Turn {
  const asked = job.work.case === "analysis" ? job.work.value.intent : "";
  return { ...turnOf(asked || job.understood || "A statement", job.jobId), job, steps: job.steps };
}

const AGAIN_MILLISECONDS = [300, 1000, 2000, 4000, 8000];

export interface Saying {
  readonly sessionId: string;
  /** Empty for a new one. */
  readonly conversationId: string;
  /** A known source that it is about; empty for the files of the session. */
  readonly source: string;
  /** A job that a new conversation goes on from. */
  readonly continuesJobId: string;
  /** The last message that stands, as far as this page knows. */
  readonly afterMessageId: bigint;
  readonly began: (conversationId: string) => void;
  readonly stop: AbortSignal;
}

/** Say it, and follow what becomes of it; a broken stream resumes where it broke. */
export async function converse(turn: Signal<Turn>, saying: Saying): Promise<void> {
  const { stop, sessionId, source, continuesJobId } = saying;
  const named = { place: { case: "sourceName" as const, value: source } };
  const terms = source ? { terms: { dataSources: [named] } } : {};
  let { conversationId } = saying;
  let after = 0n;
  const follows = conversationId ? { afterMessageId: saying.afterMessageId } : {};
  for (let failures = 0; ; failures++) {
    try {
      const { requestId, said } = turn.value;
      const request = { requestId, conversationId, sessionId, content: said, afterSequence: after, continuesJobId, ...follows, ...terms };
      for await (const { told } of conversations.ask(request, { signal: stop })) {
        failures = 0;
        if (told.case === "asked") {
          conversationId = told.value.conversation?.conversationId ?? conversationId;
          turn.value = { ...turn.value, messageId: told.value.message?.messageId ?? 0n };
          saying.began(conversationId);
        } else if (told.case === "event") {
          after = told.value.sequence;
          const event = told.value.event;
          if (event.case === "understood") turn.value = { ...turn.value, understood: event.value };
          if (event.case === "plan") turn.value = { ...turn.value, steps: event.value.subtasks.map(waiting) };
          if (event.case === "step") turn.value = { ...turn.value, steps: changed(turn.value.steps, event.value) };
        } else if (told.case === "response") {
          turn.value = { ...turn.value, response: told.value, trouble: null };
        }
      }
      const found = turn.value.response?.jobId;
      if (found) turn.value = { ...turn.value, job: (await jobs.getJob({ jobId: found })).job ?? null };
      return;
    } catch (thrown) {
      const trouble = troubleOf(thrown);
      if (stop.aborted) return;
      turn.value = { ...turn.value, trouble };
      const pause = AGAIN_MILLISECONDS[failures];
      if (!trouble?.retryable || pause === undefined) return;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

function waiting(task: { taskId: string; description: string; toolName: string }): Step {
  return { ...task, state: StepState.WAITING, attempt: 0, detail: "" } as unknown as Step;
}

function changed(steps: readonly Step[], step: Step): readonly Step[] {
  const found = steps.some((one) => one.taskId === step.taskId);
  return found ? steps.map((one) => (one.taskId === step.taskId ? step : one)) : [...steps, step];
}

/** An earlier conversation, as turns. Throws ConnectError. */
export async function readTurns(conversationId: string): Promise<Signal<Turn>[]> {
  const { messages } = await conversations.listMessages({ conversationId, pageSize: 60 });
  const turns: Turn[] = [];
  for (const message of messages) {
    if (message.role === MessageRole.USER) turns.push(turnSaid(message));
    else if (turns.length > 0) turns.push({ ...turns.pop()!, response: responseIn(message) });
  }
  return Promise.all(turns.map(async (turn) => {
    const jobId = turn.response?.jobId;
    const job = jobId ? (await jobs.getJob({ jobId })).job ?? null : null;
    return signal({ ...turn, job, steps: job?.steps ?? [] });
  }));
}

function turnSaid({ content, requestId, messageId, takenBackAt }: Message): Turn {
  return { ...turnOf(content, requestId || newId()), messageId, takenBack: takenBackAt !== undefined };
}

/** What was answered; of a message that no job stands behind, its words and why there is no more. */
function responseIn({ response, content, metadataJson }: Message): AgentResponse {
  if (response) return response;
  const { reason } = JSON.parse(metadataJson || "{}") as { reason?: string };
  return create(AgentResponseSchema, { answer: content, ...(reason ? { failure: { reason, message: content } } : {}) });
}

/** Have messages stand no more, or again; tells which. Throws ConnectError. */
export async function standing(conversationId: string, messageId: bigint, afterMessageId: bigint, stands: boolean): Promise<readonly bigint[]> {
  const request = { conversationId, messageId, afterMessageId };
  return (stands ? await conversations.bringBack(request) : await conversations.takeBack(request)).messageIds;
}
