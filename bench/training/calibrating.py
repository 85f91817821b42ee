"""How sure choices are, and how often such choices are right."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from bench.training.fitting import fitted
from bench.training.stages import Tried
from services.planner.domain.reader.choice.confidence import confidence_features
from services.planner.domain.reader.choice.linear import LogLinear
from services.planner.domain.reader.choice.model import Ranker

RIGHT, WRONG = "right", "wrong"


def chosen(tried: Tried, learnt: Ranker) -> tuple[list[int], list[float]]:
    """The candidates in the ranker's order, and their scores."""
    kind = "chart" if tried.charted else "table"
    scores = [learnt.score(f, kind) for f in tried.features]
    order = sorted(range(len(scores)), key=lambda k: -scores[k])
    return order, [scores[k] for k in order]


def seen_of(tried: Tried, learnt: Ranker) -> dict[str, float]:
    """What calibration sees of one question: as the product, without the answers that are the best
    one's with columns more or fewer."""
    order, scores = chosen(tried, learnt)
    best = order[0]
    kept = [at for at, k in enumerate(order) if k == best or tried.same[k] != tried.same[best]]
    features = [tried.features[order[at]] for at in kept]
    return confidence_features(features, [scores[at] for at in kept], charted=tried.charted)


def calibrated(examples: Sequence[tuple[dict[str, float], bool]]) -> LogLinear:
    """A model of whether the first choice is right, from choices on databases not learnt from."""
    return fitted(
        [features for features, _ in examples],
        [RIGHT if right else WRONG for _, right in examples],
        (WRONG, RIGHT),
        seen=10,
        prior=2.0,
    )


def risk(pairs: Sequence[tuple[float, bool]]) -> str:
    """How right the surest choices are, and how many can be told at 95 and 90 % right."""
    ordered = sorted(pairs, key=lambda t: -t[0])
    right, best = 0, {0.95: 0, 0.9: 0}
    shares: list[str] = []
    marks = {int(len(ordered) * share / 10): share for share in range(1, 11)}
    for count, (_, good) in enumerate(ordered, 1):
        right += good
        for level in best:
            if right / count >= level:
                best[level] = count
        if count in marks:
            shares.append(f"{marks[count]}0%:{right / count:.3f}")
    size = max(1, len(ordered))
    at = ordered[best[0.95] - 1][0] if best[0.95] else 1.0
    return (
        f"{' '.join(shares)} | 95 % right over {best[0.95] / size:.3f} (from {at:.3f}), "
        f"90 % over {best[0.9] / size:.3f}"
    )


def reliability(pairs: Sequence[tuple[float, bool]]) -> str:
    """Stated confidence against how often right."""
    edges = (0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 1.01)
    parts: list[str] = []
    for low, high in pairwise(edges):
        inside = [(p, good) for p, good in pairs if low <= p < high]
        if inside:
            value = sum(p for p, _ in inside) / len(inside)
            was = sum(good for _, good in inside) / len(inside)
            parts.append(
                f"{low:.2f}-{min(high, 1):.2f}: {len(inside)} said {value:.2f} was {was:.2f}"
            )
    return " | ".join(parts)
