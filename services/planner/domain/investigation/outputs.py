"""All that the calls of an iteration gave, as text."""

from __future__ import annotations

import json
from collections.abc import Mapping

from services.planner.domain.analysis.past import Evidence
from services.planner.domain.investigation.iteration import NextStep
from services.planner.domain.reporting.evidence import EvidenceTable


def raw_output(
    step: NextStep, evidence: Mapping[str, Evidence], tables: Mapping[str, EvidenceTable]
) -> str:
    """Each call with its rows, one JSON object a line; a frame too large to be read is named."""
    lines = [f"{step.move.value}: {step.reason}", ""]
    for task in step.subtasks:
        item = evidence.get(task.task_id)
        if item is None:
            lines += [f"{task.task_id} ({task.tool_name}): no result", ""]
            continue
        seen = item.observation
        lines.append(f"{task.task_id} ({task.tool_name}): {seen.summary}")
        lines += [f"note: {note}" for note in seen.notes]
        table = tables.get(task.task_id)
        if table is not None:
            rows = table.rows.to_pylist()
            lines += [json.dumps(row, default=str, ensure_ascii=False) for row in rows]
        elif seen.frame is not None:
            lines.append(f"frame {seen.frame.digest}: {seen.frame.rows:,} rows, kept as a frame")
        lines.append("")
    return "\n".join(lines)
