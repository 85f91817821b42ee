"""ps_diagnostics: overlap, balance before and after weighting, trimming, effective sample size."""

from __future__ import annotations

from typing import Any

from services.planner.domain.causal.agent import Brief, Row, Seen
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.status import JobStatus
from services.planner.domain.causal.study import is_binary, study_of
from services.planner.domain.causal.tasks import call, data_task
from services.planner.domain.plan import Subtask

OVERLAP = "overlap"
BALANCED = 0.1
"""Standardised mean difference up to which groups are alike (Austin 2009)."""


class PSDiagnostics:
    """Reads `causal.overlap`; a treatment in amounts has no propensity, and it says so."""

    name = "ps_diagnostics"
    status = JobStatus.ESTIMATING_EFFECTS

    def calls(self, state: AnalysisState, seen: Seen, brief: Brief) -> tuple[Subtask, ...]:
        """One look at the propensities."""
        study = study_of(state, brief)
        if seen.ended(OVERLAP) or not is_binary(state, brief) or not study["adjustment"]:
            return ()
        data = data_task(state)
        return (call(OVERLAP, "whether the groups can be compared", "overlap", study, data),)

    def writes(self, state: AnalysisState, seen: Seen, brief: Brief) -> tuple[dict[str, Any], str]:
        """Overlap, balance, weights and trimming, by name."""
        if OVERLAP in seen.failed:
            why = seen.failed[OVERLAP]
            return {"ps_diagnostics": {"applies": False, "reason": why}}, why
        rows = seen.rows(OVERLAP)
        if not rows:
            why = (
                "there is no propensity to look at: the treatment has no two groups, or nothing "
                "is adjusted for"
            )
            return {"ps_diagnostics": {"applies": False, "reason": why}}, why
        found = diagnostics_of(rows)
        worst = found["worst_after"]
        text = f"{found['summary']}".strip() or (
            f"largest imbalance {found['worst_before']:.2f} before and {worst:.2f} after weighting"
        )
        return {"ps_diagnostics": found}, text


def diagnostics_of(rows: list[Row]) -> dict[str, Any]:
    """The sections of `causal.overlap` by name, with the worst imbalance on both sides."""
    sections: dict[str, dict[str, Any]] = {}
    summary = ""
    for row in rows:
        if row["section"] == "histogram":
            continue
        if not row["name"] and row["text"]:
            summary = summary or row["text"]
        values = {"before": row["before"], "after": row["after"]}
        name = row["name"] or "all"
        sections.setdefault(row["section"], {}).setdefault(name, {})[row["statistic"]] = values
    smd = [row for row in rows if row["section"] == "balance" and "smd" in row["statistic"]]
    return {
        "applies": True,
        **sections,
        "worst_before": max(
            (abs(r["before"]) for r in smd if r["before"] is not None), default=0.0
        ),
        "worst_after": max((abs(r["after"]) for r in smd if r["after"] is not None), default=0.0),
        "summary": summary,
    }
