"""data_repair: decides which proposed repairs are made; each is recorded and reversible."""

from __future__ import annotations

import json
from typing import Any

from services.planner.domain.causal.agent import Brief, Row, Seen
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.status import JobStatus
from services.planner.domain.causal.tasks import DATA, REPAIRED, REPAIRS, call
from services.planner.domain.plan import Subtask


class DataRepair:
    """Asks for proposals, then for those to be made that change what is estimated."""

    name = "data_repair"
    status = JobStatus.PROFILING

    def calls(self, state: AnalysisState, seen: Seen, brief: Brief) -> tuple[Subtask, ...]:
        """The proposals, then the repaired data."""
        roles = {"treatment": state.treatment_variable, "outcome": state.outcome_variable}
        if not seen.ended(REPAIRS):
            arguments = {"input": DATA, **roles}
            return (call(REPAIRS, "what is wrong with the data", "repairs", arguments, DATA),)
        chosen = [_asked(row) for row in seen.rows(REPAIRS) if row["applied"]]
        if not chosen or seen.ended(REPAIRED):
            return ()
        chosen_arguments = {"input": DATA, "repairs": chosen, "seed": brief.seed}
        return (call(REPAIRED, f"{len(chosen)} repairs made", "repair", chosen_arguments, DATA),)

    def writes(self, state: AnalysisState, seen: Seen, brief: Brief) -> tuple[dict[str, Any], str]:
        """Every proposal with whether it was made, and how to get the original back."""
        made = REPAIRED in seen.frames
        repairs = [_recorded(row, made, seen) for row in seen.rows(REPAIRS)]
        done = sum(bool(repair["applied"]) for repair in repairs)
        failed = seen.failed.get(REPAIRED, "")
        text = f"{done} repairs made, {len(repairs) - done} told and left as they are"
        return {"data_repairs": repairs}, f"{text}; not made: {failed}" if failed else text


def _asked(row: Row) -> dict[str, Any]:
    return {
        "repair_id": row["repair_id"],
        "column": row["column"],
        "kind": row["kind"],
        "method": row["method"],
        "parameters": json.loads(row.get("parameters") or "{}"),
    }


def _recorded(row: Row, made: bool, seen: Seen) -> dict[str, Any]:
    applied = bool(row["applied"]) and made
    kept = {name: value for name, value in row.items() if name != "applied"}
    return {
        **kept,
        "applied": applied,
        "original_frame": seen.frames.get(DATA, ""),
        "undone_by": "the loaded frame, row by row under _row" if applied else "",
    }
