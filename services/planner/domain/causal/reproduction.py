"""Whether the notebook, run once, gave the figures that the study tells: where not, nothing may be
concluded from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from services.planner.domain.causal.agent import Seen
from services.planner.domain.causal.results import TreatmentEffectResult
from services.planner.domain.causal.scoring import Score
from services.planner.domain.causal.tasks import NOTEBOOK

_MOST_NAMED = 6
_HELD_DOWN = 2


def differing(seen: Seen) -> list[str]:
    """The figures that the notebook gave otherwise or not at all, by their names."""
    return [str(row["name"]) for row in seen.rows(NOTEBOOK) if row.get("same") is False]


def describe_difference(seen: Seen) -> str:
    """What differs, in one sentence; empty where nothing does."""
    names = differing(seen)
    if not names:
        return ""
    shown = ", ".join(names[:_MOST_NAMED]) + (", …" if len(names) > _MOST_NAMED else "")
    return (
        f"Run again, {len(names)} of {len(seen.rows(NOTEBOOK))} figures of the notebook are not "
        f"those of the study: {shown}"
    )


def describe_unreproduced(seen: Seen, effects: Iterable[TreatmentEffectResult]) -> str:
    """Which of the effects the notebook does not compute again, in one sentence; empty where there
    are none, or no notebook."""
    again = {str(row["name"]).partition(",")[0] for row in seen.rows(NOTEBOOK)}
    names = [f"{effect.method} {effect.estimand}" for effect in effects]
    missing = list(dict.fromkeys(name for name in names if name not in again))
    if not again or not missing:
        return ""
    return (
        f"The notebook tells {', '.join(missing)} as recorded and does not compute "
        f"{'it' if len(missing) == 1 else 'them'} again"
    )


def held_to_notebook(scores: Sequence[Score], seen: Seen) -> list[Score]:
    """The scores; that of robustness at most 2 where the notebook gave other figures, so that the
    question stays open."""
    text = describe_difference(seen)
    if not text:
        return list(scores)
    return [
        replace(
            score,
            score=_HELD_DOWN,
            objection=f"{text}.",
            improvement="Find out why the notebook differs before any of its figures is used: "
            "compare its packages' versions with those it lists, and run the study again.",
        )
        if score.dimension == "robustness" and score.score > _HELD_DOWN
        else score
        for score in scores
    ]
