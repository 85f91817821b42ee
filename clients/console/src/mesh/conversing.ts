// One turn of a conversation as it goes: what was said, what is being done, and what came of it.
import { signal, type Signal } from "@preact/signals";
import type { AgentResponse } from "@gen/assay/common/v1/conversation_pb";
import { type Job, type Step, StepState } from "@gen/assay/common/v1/job_pb";

import { conversations, jobs } from "./calls";
import { type Trouble, troubleOf } from "./errors";
import { newId } from "./ids";

export interface Turn {
  readonly requestId: string;
  readonly said: string;
  readonly understood: string;
  readonly steps: readonly Step[];
  readonly response: AgentResponse | null;
  readonly job: Job | null;
  readonly trouble: Trouble | null;
}

export function turnOf(said: string, requestId = newId()): Turn {
  return { requestId, said, understood: "", steps: [], response: null, job: null, trouble: null };
}

const AGAIN_MILLISECONDS = [300, 1000, 2000, 4000, 8000];

/** Say it, of a known source where one is named, and follow what becomes of it; a broken stream is taken up where it broke. */
export async function converse(
  turn: Signal<Turn>,
  sessionId: string,
  conversationId: string,
  source: string,
  began: (conversationId: string) => void,
  stop: AbortSignal,
): Promise<void> {
  let after = 0n;
  for (let failures = 0; ; failures++) {
    try {
      const { requestId, said } = turn.value;
      const named = { place: { case: "sourceName" as const, value: source } };
      const terms = source ? { terms: { dataSources: [named] } } : {};
      const request = { requestId, conversationId, sessionId, content: said, afterSequence: after, ...terms };
      for await (const { told } of conversations.ask(request, { signal: stop })) {
        failures = 0;
        if (told.case === "asked") {
          conversationId = told.value.conversation?.conversationId ?? conversationId;
          began(conversationId);
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

/** A conversation of before, as turns. Throws ConnectError. */
export async function readTurns(conversationId: string): Promise<Signal<Turn>[]> {
  const { messages } = await conversations.listMessages({ conversationId, pageSize: 60 });
  const turns: Signal<Turn>[] = [];
  for (const message of messages) {
    if (message.response) {
      const before = turns.at(-1);
      if (!before) continue;
      const found = message.response.jobId ? (await jobs.getJob({ jobId: message.response.jobId })).job ?? null : null;
      before.value = { ...before.value, response: message.response, job: found, steps: found?.steps ?? [] };
    } else {
      turns.push(signal(turnOf(message.content)));
    }
  }
  return turns;
}
