"""Learns the parts of the model: local models from labels, rankers from judged candidates."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bench.training.fitting import fitted, ranked_weights
from bench.training.stages import Seen, Tried
from services.planner.domain.reader.chart.pieces import Role
from services.planner.domain.reader.choice.forms import DECLARED
from services.planner.domain.reader.choice.model import KINDS, Ranker, ReaderModel
from services.planner.domain.reader.choice.shape import HEADS, NO, YES, ShapeModel

_AFTERWARDS = frozenset(
    (
        "rank",
        "score",
        "below the best",
        "votes",
        "candidates",
        "joins",
        "multiplied",
        "nothing",
        "missing",
        "axis repeats",
        "same number",
        "repeated rows",
        "more rows",
        "repeated rows and p distinct",
    )
)
_AFTERWARDS_BY_NAME = ("rows", "no rows", "one row", "chart of", "chart axis")


def locally(seen: Sequence[Seen]) -> ReaderModel:
    """The local models from labelled questions."""
    known = [s for s in seen if s.shape]
    roles = fitted(
        [f for s in known for f in s.mentions],
        [r for s in known for r in s.roles],
        [str(role) for role in Role],
        seen=3,
        prior=2.5,
        places=[s.database for s in known for _ in s.mentions],
    )
    conditions = fitted(
        [f for s in known for f in s.conditions],
        [m for s in known for m in s.intended],
        (NO, YES),
        seen=3,
        prior=2.5,
        places=[s.database for s in known for _ in s.conditions],
    )
    heads = {
        head: fitted(
            [s.wording for s in known],
            [s.shape[head] for s in known],
            choices,
            seen=4,
            prior=2.0,
            rounds=80,
            places=[s.database for s in known],
        )
        for head, choices in HEADS.items()
    }
    return ReaderModel(roles, conditions, ShapeModel(heads))


def ranker(tried: Sequence[Tried], *, names: Callable[[str], bool] = lambda _: True) -> Ranker:
    """The weights of candidates' features with these names, of charts and of tables apart."""
    weights: dict[str, dict[str, float]] = {}
    for kind in KINDS:
        groups = [
            (
                [
                    {n: v for n, v in f.items() if names(n) and n not in DECLARED}
                    for f in t.features
                ],
                t.right,
            )
            for t in tried
            if t.charted == (kind == "chart") and t.features
        ]
        weights[kind] = ranked_weights(groups, prior=1.0)
    return Ranker(weights)


def pruner(tried: Sequence[Tried]) -> Ranker:
    """A ranker by what is known before a query is run."""
    return ranker(tried, names=_known_before)


def _known_before(name: str) -> bool:
    return name not in _AFTERWARDS and not name.startswith(_AFTERWARDS_BY_NAME)
