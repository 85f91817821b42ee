import { render } from "preact";
import { ErrorBoundary, lazy, LocationProvider, Route, Router } from "preact-iso";

import "./styles/base.css";
import "./styles/parts.css";
import "./styles/start_and_ask.css";
import { findWho, who } from "./mesh/who";
import { Start } from "./pages/start";
import { watchForMissingParts } from "./parts/part_missing";
import { Waiting } from "./parts/states";
import { Shell } from "./shell";

// Each page is loaded on first use; the first paint needs only Home.
const AnswerAlone = lazy(() => import("./pages/answer").then((page) => page.AnswerAlone));
const Ask = lazy(() => import("./pages/ask").then((page) => page.Ask));
const Boards = lazy(() => import("./pages/boards").then((page) => page.Boards));
const Cause = lazy(() => import("./pages/cause").then((page) => page.Cause));
const Look = lazy(() => import("./pages/look").then((page) => page.Look));
const Operate = lazy(() => import("./pages/operate").then((page) => page.Operate));
const Proof = lazy(() => import("./pages/proof").then((page) => page.Proof));
const SignIn = lazy(() => import("./pages/sign_in").then((page) => page.SignIn));
const Why = lazy(() => import("./pages/why").then((page) => page.Why));

function Missing() {
  return <><header><div><h1>Page not found</h1></div></header><p><a href="/">Go to Home</a></p></>;
}

function Console() {
  if (who.value === undefined) return <Waiting />;
  if (who.value === null) return <ErrorBoundary><SignIn /></ErrorBoundary>;
  return (
    <Shell who={who.value}>
      <ErrorBoundary>
        <Router>
          <Route path="/" component={Start} />
          <Route path="/look" component={Look} />
          <Route path="/ask/:conversation?" component={Ask} />
          <Route path="/answer/:job" component={AnswerAlone} />
          <Route path="/why/:job?" component={Why} />
          <Route path="/cause/:job?" component={Cause} />
          <Route path="/boards/:board?" component={Boards} />
          <Route path="/proof/:job?" component={Proof} />
          <Route path="/operate" component={Operate} />
          <Route default component={Missing} />
        </Router>
      </ErrorBoundary>
    </Shell>
  );
}

watchForMissingParts();
void findWho();
render(<LocationProvider><Console /></LocationProvider>, document.getElementById("app")!);
