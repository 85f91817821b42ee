"""What the data said of a reading: how many rows, which of them repeat, what is missing."""

from __future__ import annotations

import math
from collections.abc import Mapping

from services.planner.domain.reader.choice.candidate import Candidate


def outcome_features(candidate: Candidate, shared: Mapping[str, float]) -> dict[str, float]:
    """What the data said of a candidate. Its query has been run."""
    told = candidate.outcome
    assert told is not None
    chart = shared["chart"]
    first = told.glimpse[0] if told.glimpse else ()
    repeats = 1 - told.columns[0].distinct_share if told.columns and told.rows else 0.0
    again = 1 - told.distinct_share if told.rows else 0.0
    same = bool(told.columns) and told.columns[-1].distinct_share * told.rows <= 1
    return {
        "rows": math.log1p(told.rows), "no rows": told.rows == 0, "one row": told.rows == 1,
        "more rows": told.more, "chart of one row": chart * (told.rows == 1),
        "nothing": told.rows == 1 and first[:1] in ((0,), (None,)),
        "missing": max((c.empty_share for c in told.columns), default=0.0),
        "axis repeats": repeats, "chart axis repeats": repeats * chart,
        "same number": same and told.rows > 1, "repeated rows": again,
        "repeated rows and p distinct": again * shared["p distinct"],
    }  # fmt: skip
