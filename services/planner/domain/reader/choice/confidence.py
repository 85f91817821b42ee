"""How sure a choice is: what is seen of the best candidate and of its rivals, calibrated."""

from __future__ import annotations

import math
from collections.abc import Sequence

from services.planner.domain.reader.choice.candidate import Candidate

_UNREAD_FEATURES = (
    "unread",
    "unread share",
    "values unread",
    "numbers unread",
    "columns unread",
    "quotes unread",
    "tables missed",
    "role lost",
    "roles lost",
    "joins",
    "multiplied",
    "shape",
    "least shape",
    "least named",
    "named",
    "same names",
    "better rivals",
    "least odds of filters",
    "aggregates unsaid",
    "aggregates unused",
    "counted missed",
    "no rows",
    "one row",
    "votes",
    "candidates",
    "set",
    "having",
    "filters",
    "limit",
    "series",
    "grouped",
    "filters of parts",
    "filters hardly named",
    "or missed",
    "denial missed",
    "direction",
    "order unused",
    "sum of intensive",
    "sum of ids",
    "chart axis repeats",
    "tables unsaid",
    "rank",
    "below the best",
    "missing",
    "same number",
    "more rows",
    "repeated rows",
    "extra tables",
    "columns",
    "left out",
    "nothing left out",
    "grain missed",
    "thing missed",
    "count missed",
    "kinds unsaid",
)


def odds_of(scores: Sequence[float]) -> list[float]:
    """Softmax of the ranker's scores."""
    if not scores:
        return []
    top = max(scores)
    parts = [math.exp(score - top) for score in scores]
    whole = sum(parts)
    return [part / whole for part in parts]


def confidence_features(
    features: Sequence[dict[str, float]], scores: Sequence[float], *, charted: bool
) -> dict[str, float]:
    """What calibration sees; the candidates are in the ranker's order, the best first."""
    odds = odds_of(scores)
    best = features[0]
    margin = scores[0] - scores[1] if len(scores) > 1 else 4.0
    found: dict[str, float] = {
        "odds": odds[0],
        "odds of two": sum(odds[:2]),
        "margin": min(margin, 4.0),
        "log odds": math.log(odds[0] + 1e-6),
        "top": max(-20.0, min(20.0, scores[0])) / 10,
        "entropy": -sum(p * math.log(p + 1e-9) for p in odds),
        "chart": float(charted),
        "sure": float(odds[0] > 0.9),
    }
    for name in _UNREAD_FEATURES:
        value = best.get(name, 0.0)
        found[f"best {name}"] = max(-5.0, min(5.0, value))
    found["chart odds"] = odds[0] * charted
    return found


def of_candidates(ranked: Sequence[Candidate], *, charted: bool) -> dict[str, float]:
    """What calibration sees of ranked candidates, the best first."""
    return confidence_features(
        [c.features for c in ranked], [c.score for c in ranked], charted=charted
    )
