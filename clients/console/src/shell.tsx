// The frame of every page: navigation, the current page, and who is signed in.
import type { ComponentChildren } from "preact";
import { ErrorBoundary, lazy, useLocation } from "preact-iso";

import { signOut, type Who } from "./mesh/who";
import { Icon, type IconName } from "./parts/icons";
import { PartMissing } from "./parts/part_missing";
import { theme, turnTheme } from "./parts/theme";

// It asks the mesh, whose messages are not loaded yet when the page is first drawn.
const WorkspaceOver = lazy(() => import("./parts/workspace_over").then((part) => part.WorkspaceOver));

const PLACES: readonly (readonly [string, IconName, string])[] = [
  ["/", "start", "Home"],
  ["/look", "look", "Look"],
  ["/ask", "ask", "Ask"],
  ["/why", "why", "Why"],
  ["/cause", "cause", "Cause"],
  ["/boards", "boards", "Boards"],
  ["/proof", "proof", "Proof"],
];

export function Shell({ who, children }: { who: Who; children: ComponentChildren }) {
  const { path } = useLocation();
  const places = who.role === "operator" ? [...PLACES, ["/operate", "operate", "Operate"] as const] : PLACES;
  const here = (place: string) => (place === "/" ? path === "/" : path === place || path.startsWith(`${place}/`));
  return (
    <div class="shell">
      <a class="out-of-sight" href="#main">Skip to content</a>
      <aside class="side">
        <a class="brand" href="/"><img src="/mark.svg" alt="" />Assay</a>
        <nav aria-label="Pages">
          {places.map(([place, icon, name]) => (
            <a href={place} aria-current={here(place) ? "page" : undefined}><Icon name={icon} /><span>{name}</span></a>
          ))}
        </nav>
        <div class="foot small">
          <p class="muted breaks">{who.user === "local" ? "This machine's user" : who.user}<br />{who.role}</p>
          <div class="row">
            <button type="button" class="button little" onClick={turnTheme}>
              <Icon name={theme.value === "dark" ? "sun" : "moon"} />{theme.value === "dark" ? "Light" : "Dark"}
            </button>
            <button type="button" class="button little" onClick={() => void signOut(false)}><Icon name="out" />Sign out</button>
          </div>
        </div>
      </aside>
      <main id="main" class="page" tabIndex={-1}><PartMissing /><ErrorBoundary><WorkspaceOver /></ErrorBoundary>{children}</main>
    </div>
  );
}
