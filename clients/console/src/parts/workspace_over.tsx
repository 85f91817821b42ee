// That the workspace of this page is over, in words, with the way on: nothing that was typed is lost.
import { useLocation } from "preact-iso";

import { moveDraft } from "../mesh/kept";
import { vocabulary } from "../mesh/vocabulary";
import { leaveWorkspace, over } from "../mesh/workspace";

const WORDS = {
  expired: "This workspace has expired, and its files were deleted.",
  deleted: "This workspace was deleted, with its files and conversations.",
} as const;

export function WorkspaceOver() {
  const { route } = useLocation();
  if (!over.value) return null;

  function begin(): void {
    moveDraft(location.pathname, "/");
    vocabulary.value = [];
    leaveWorkspace();
    route("/");
  }

  return (
    <div class="note warn workspace-over" role="alert">
      <p><strong>{WORDS[over.value]}</strong></p>
      <p>What you typed is kept. Start a new workspace, and add the files that you want to ask about.</p>
      <p><button type="button" class="button first" onClick={begin}>Start a new workspace</button></p>
    </div>
  );
}
