"""Estimating again: the same method on changed studies, for tests that compare."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mesh.tool import ErrorCategory, ToolContext, ToolError
from services.executor.causal.estimation.result import Rejected
from services.executor.causal.estimation.run import estimated
from services.executor.causal.frame import Study

if TYPE_CHECKING:
    import numpy as np

MOST_ROWS = 2_000
"""Rows of each repetition: an even sample of more. A test asks whether an estimator errs, which it
shows as well on these."""
REPETITIONS = 20


@dataclass(frozen=True)
class Again:
    """An estimate and its 95 % interval."""

    estimate: float
    std_error: float
    low: float
    high: float


def estimated_again(method: str, study: Study, *, once: bool = True) -> Again | None:
    """The method's first estimate on a study; None where it declines.

    Folds are drawn `once`: where many estimates are compared, what a draw of folds decides is in
    all of them.
    """
    from services.executor.causal.pooling import interval

    try:
        first = estimated(method, replace(study, trial=True) if once else study)[0]
    except Rejected:
        return None
    if first.reason:
        return None
    low, high, _ = interval(first.estimate, first.std_error, first.df)
    if first.bounds is not None:
        low, high = first.bounds
    return Again(first.estimate, first.std_error, low, high)


def sampled(study: Study, rows: int, generator: np.random.Generator) -> Study:
    """So many rows of a study at random, in their order; all where there are no more."""
    import numpy as np

    if len(study) <= rows:
        return study
    chosen = np.zeros(len(study), dtype=bool)
    chosen[generator.choice(len(study), rows, replace=False)] = True
    return study.part(chosen)


def with_treatment(study: Study, treatment: np.ndarray) -> Study:
    """The study under another treatment (n)."""
    return replace(study, treatment=treatment)


def check_time(context: ToolContext) -> None:
    """Raises ToolError where the call is to stop."""
    if context.cancelled.is_set():
        raise ToolError(ErrorCategory.CANCELLED, "the test was cancelled.")
    if context.seconds_left <= 0:
        raise ToolError(
            ErrorCategory.RESOURCE_EXHAUSTED,
            "no time is left for the test.",
            details={"limit": 0, "unit": "seconds"},
        )
