"""notebook_generator: charts, and a notebook that anyone can run again, executed once to see."""

from __future__ import annotations

from typing import Any

from services.planner.domain.causal.agent import Brief, Seen, file_name
from services.planner.domain.causal.drawing import drawings
from services.planner.domain.causal.notebook import notebook_arguments
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.status import JobStatus
from services.planner.domain.causal.tasks import NOTEBOOK, call, data_task
from services.planner.domain.plan import Subtask


class NotebookGenerator:
    """Has the charts drawn and the notebook run, side by side."""

    name = "notebook_generator"
    status = JobStatus.GENERATING_NOTEBOOK

    def calls(self, state: AnalysisState, seen: Seen, brief: Brief) -> tuple[Subtask, ...]:
        """A call for each chart that there is something to draw for, and the notebook."""
        asked = [task for task in drawings(state, seen) if not seen.ended(task.task_id)]
        if not seen.ended(NOTEBOOK):
            data = data_task(state)
            arguments = {"input": data, **notebook_arguments(state, seen, brief)}
            what = "a notebook of it all, run from its first cell to its last"
            asked.append(call(NOTEBOOK, what, "notebook", arguments, data, seconds=20.0))
        return tuple(asked)

    def writes(self, state: AnalysisState, seen: Seen, brief: Brief) -> tuple[dict[str, Any], str]:
        """Where the notebook is, and whether running it gave the same numbers."""
        files = seen.files.get(NOTEBOOK, ())
        path = next((f.content_ref for f in files if file_name(f).endswith(".ipynb")), None)
        if path is None:
            return {}, f"no notebook was made: {seen.failed.get(NOTEBOOK, 'the call gave no file')}"
        rows = seen.rows(NOTEBOOK)
        same = sum(bool(row["same"]) for row in rows)
        text = f"run again, {same} of {len(rows)} numbers came out the same"
        return {"notebook_path": path}, text
