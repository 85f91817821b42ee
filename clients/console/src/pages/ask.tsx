// Ask: a conversation of questions and answers, which has an address of its own from its first message on.
import { useLocation, useRoute } from "preact-iso";
import { useRef } from "preact/hooks";

import { Thread } from "../parts/thread";

export function Ask() {
  const { params, query } = useRoute();
  const { route } = useLocation();
  const conversation = params["conversation"] ?? "";
  const asked = conversation ? "" : JSON.stringify(query);
  const shown = useRef({ thread: 0, conversation, asked });
  // A thread that began here goes on when its address changes; any other address is another thread.
  if (conversation !== shown.current.conversation || (asked !== shown.current.asked && !conversation)) {
    shown.current = { thread: shown.current.thread + 1, conversation, asked };
  }

  function began(id: string): void {
    shown.current.conversation = id;
    route(`/ask/${id}`, true);
  }

  return (
    <Thread key={shown.current.thread} conversationId={conversation} question={query["q"] ?? ""} source={query["source"] ?? ""}
      continuesJobId={query["job"] ?? ""} began={began} />
  );
}
