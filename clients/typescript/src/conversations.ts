// One message of a conversation and what is told of it, through broken connections.
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { CallOptions, Client } from "@connectrpc/connect";

import { AskRequestSchema, type AskResponse, type ConversationService } from "../gen/assay/gateway/v1/conversation_service_pb.js";
import { newId, patiently } from "./calling.js";
import { cancelling } from "./cancelling.js";
import { AssayError } from "./errors.js";

export async function* say(
  conversations: Client<typeof ConversationService>,
  delays: readonly number[],
  said: MessageInitShape<typeof AskRequestSchema>,
  options: CallOptions,
): AsyncGenerator<AskResponse, void> {
  const request = create(AskRequestSchema, said);
  request.requestId ||= newId();
  const known = new Set<string | undefined>();
  for (let failures = 0; ; failures++) {
    try {
      for await (const one of cancelling((more) => conversations.ask(request, more), options)) {
        if (one.told.case === "event") {
          const { sequence } = one.told.value;
          request.afterSequence = sequence > request.afterSequence ? sequence : request.afterSequence;
        } else if (known.has(one.told.case)) {
          continue; // what a broken stream had told already
        } else {
          known.add(one.told.case);
        }
        failures = 0;
        yield one;
      }
      return;
    } catch (thrown) {
      await patiently(AssayError.of(thrown), delays, failures, options.signal);
    }
  }
}
