"""data_profiler: types and statistics of every column, and which causal role it may play."""

from __future__ import annotations

import json
from typing import Any

from services.planner.domain.causal.agent import Brief, Row, Seen
from services.planner.domain.causal.data_models import DataProfile
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.status import JobStatus
from services.planner.domain.causal.tasks import DATA, PROFILE, call
from services.planner.domain.plan import Subtask

_CANDIDATE = 0.5
_NUMBERS = ("mean", "std", "min", "max")


class DataProfiler:
    """Reads `causal.profile`."""

    name = "data_profiler"
    status = JobStatus.PROFILING

    def calls(self, state: AnalysisState, seen: Seen, brief: Brief) -> tuple[Subtask, ...]:
        """One profile of the data."""
        if seen.ended(PROFILE):
            return ()
        arguments = {
            "input": DATA,
            "treatment": state.treatment_variable,
            "outcome": state.outcome_variable,
            "tiers": brief.knowledge.tier_of or None,
        }
        return (
            call(PROFILE, "types and causal roles of every column", "profile", arguments, DATA),
        )

    def writes(self, state: AnalysisState, seen: Seen, brief: Brief) -> tuple[dict[str, Any], str]:
        """The profile, and where the data are."""
        rows = seen.rows(PROFILE)
        profile = profile_of(rows)
        unusable = [f"{row['column']} ({row['why_not']})" for row in rows if not row["usable"]]
        left_out = f"; left out: {', '.join(unusable)}" if unusable else ""
        return (
            {"data_profile": profile.model_dump(), "dataframe_path": seen.frames.get(DATA)},
            f"{profile.n_samples:,} rows, {profile.n_features} columns{left_out}",
        )


def profile_of(rows: list[Row]) -> DataProfile:
    """The profile that rows of `causal.profile` tell; what is of no use plays no role."""
    usable = [row for row in rows if row["usable"]]
    times = [row["column"] for row in rows if row["is_time"]]
    return DataProfile(
        n_samples=max((int(row["rows"]) for row in rows), default=0),
        n_features=len(rows),
        feature_names=tuple(row["column"] for row in rows),
        feature_types={row["column"]: row["type"] for row in rows},
        missing_values={row["column"]: int(row["missing"]) for row in rows},
        numeric_stats={
            row["column"]: {name: float(row[name]) for name in _NUMBERS if row[name] is not None}
            for row in rows
            if row["mean"] is not None
        },
        categorical_stats={
            row["column"]: {str(k): int(n) for k, n in json.loads(row["values"] or "{}").items()}
            for row in rows
            if row["type"] != "numeric"
        },
        treatment_candidates=_candidates(usable, "treatment_score"),
        outcome_candidates=_candidates(usable, "outcome_score"),
        potential_confounders=_candidates(usable, "confounder_score"),
        potential_instruments=_candidates(usable, "instrument_score"),
        has_time_dimension=bool(times),
        time_column=times[0] if times else None,
        discontinuity_candidates=tuple(
            row["column"] for row in usable if row["discontinuity"] is not None
        ),
    )


def _candidates(rows: list[Row], score: str) -> tuple[str, ...]:
    """The columns that score well, the best first; ties by name, whatever order they came in."""
    ranked = sorted(rows, key=lambda row: (-(row[score] or 0.0), row["column"]))
    return tuple(row["column"] for row in ranked if (row[score] or 0.0) >= _CANDIDATE)
