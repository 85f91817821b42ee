"""What the data said of a reading: how many rows, which of them repeat, what is missing."""

from __future__ import annotations

import math
from collections.abc import Mapping

from services.planner.domain.reader.choice.candidate import Candidate


def outcome_features(candidate: Candidate, shared: Mapping[str, float]) -> dict[str, float]:
    """What the data said of a candidate. Its query has been run."""
    outcome = candidate.outcome
    assert outcome is not None
    chart = shared["chart"]
    first = outcome.glimpse[0] if outcome.glimpse else ()
    repeats = 1 - outcome.columns[0].distinct_share if outcome.columns and outcome.rows else 0.0
    again = 1 - outcome.distinct_share if outcome.rows else 0.0
    same = bool(outcome.columns) and outcome.columns[-1].distinct_share * outcome.rows <= 1
    return {
        "rows": math.log1p(outcome.rows),
        "no rows": outcome.rows == 0,
        "one row": outcome.rows == 1,
        "more rows": outcome.more,
        "chart of one row": chart * (outcome.rows == 1),
        "nothing": outcome.rows == 1 and first[:1] in ((0,), (None,)),
        "missing": max((c.empty_share for c in outcome.columns), default=0.0),
        "axis repeats": repeats,
        "chart axis repeats": repeats * chart,
        "same number": same and outcome.rows > 1,
        "repeated rows": again,
        "repeated rows and p distinct": again * shared["p distinct"],
    }
