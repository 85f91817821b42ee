// Start: a question, and what it can be asked of.
import { ErrorBoundary, lazy, useLocation } from "preact-iso";

import { QuestionBox } from "../parts/question_box";

// The question can be typed while the contract's messages, which the cards need, are loaded.
const StartCards = lazy(() => import("../parts/start_cards").then((part) => part.StartCards));

export function Start() {
  const { route } = useLocation();
  return (
    <>
      <header><div><h1>What do you want to know?</h1><p class="muted">Assay answers from your data, says how sure it is, and proves every number.</p></div></header>
      <QuestionBox label="Question" page="/" placeholder="revenue by month" say={(words) => route(`/ask?q=${encodeURIComponent(words)}`)} />
      <ErrorBoundary><StartCards /></ErrorBoundary>
    </>
  );
}
