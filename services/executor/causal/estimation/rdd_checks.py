"""What a regression discontinuity takes for granted, as far as data can tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.executor.causal.estimation.local_polynomial import Side, jump_of, limit
from services.executor.causal.estimation.result import Assumption
from services.executor.causal.frame import Study
from services.executor.causal.pooling import interval

if TYPE_CHECKING:
    import numpy as np

# A design is refused on these tests; at 5 % one good design in seven would be.
LEVEL = 0.01
FEWEST_FOR_PLACEBO = 60
DONUT = 0.02


def density_test(distance: np.ndarray) -> Assumption:
    """Whether rows pile up at one side of the cutoff (McCrary 2008): the log difference of the
    density's local linear limits over a histogram."""
    import numpy as np

    n = len(distance)
    near = np.unique(distance)
    if len(near) < 40:
        return Assumption(
            "density", f"The running variable has {len(near)} values: too few to test its density."
        )
    bin_width = 2 * distance.std() / np.sqrt(n)
    number = np.floor(distance / bin_width).astype(int)
    counts = np.bincount(number - number.min()) / (n * bin_width)
    middles = (np.arange(len(counts)) + number.min() + 0.5) * bin_width
    sides = [Side(middles[part], counts[part, None]) for part in (middles < 0, middles > 0)]
    if min(len(side.distance) for side in sides) < 10:
        return Assumption("density", "Too few rows lie on one side to test the density.")
    width = float(np.mean([_density_width(side) for side in sides]))
    heights = [float(limit(side, width).conventional[0]) for side in sides]
    if min(heights) <= 0:
        return Assumption("density", "Rows are missing at the cutoff.", False)
    gap = float(np.log(heights[1] / heights[0]))
    error = float(np.sqrt(24 / 5 / (n * width) * (1 / heights[0] + 1 / heights[1])))
    p_value = interval(gap, error)[2]
    text = (
        "Rows pile up at one side of the cutoff" if p_value < LEVEL else "No pile of rows is seen"
    )
    return Assumption(
        "density", f"{text} (McCrary's test, p = {p_value:.3g}).", p_value >= LEVEL, gap, p_value
    )


def _density_width(side: Side) -> float:
    """McCrary's rule of thumb: from a polynomial of degree four over the whole side."""
    import numpy as np

    x = side.distance
    scale = float(np.abs(x).max())
    terms = (x / scale)[:, None] ** np.arange(5)
    fit = np.linalg.lstsq(terms, side.values[:, 0], rcond=None)[0]
    noise = float(((side.values[:, 0] - terms @ fit) ** 2).sum() / max(len(x) - 5, 1))
    bend = (2 * fit[2] + 6 * fit[3] * x / scale + 12 * fit[4] * (x / scale) ** 2) / scale**2
    width = 3.348 * (noise * scale / float((bend**2).sum())) ** 0.2
    return float(min(max(width, float(np.sort(np.abs(x))[9])), scale))


def continuous_covariates(study: Study, distance: np.ndarray) -> Assumption:
    """Whether a covariate jumps at the cutoff, which the treatment cannot have caused."""
    least, worst = 1.0, ""
    columns = study.covariates
    for name in columns.columns:
        jump, error = jump_of(distance, columns[name].to_numpy(dtype=float))
        if error > 0 and (p_value := interval(jump, error)[2]) < least:
            least, worst = p_value, str(name)
    if not worst:
        return Assumption("continuity of covariates", "No covariates were given to test.")
    p_value = min(1.0, least * columns.shape[1])
    text = f"{worst} jumps at the cutoff" if p_value < LEVEL else "No covariate jumps at the cutoff"
    return Assumption(
        "continuity of covariates",
        f"{text} (p = {p_value:.3g}, corrected for {columns.shape[1]} tests).",
        p_value >= LEVEL,
        None,
        p_value,
    )


def placebo_cutoffs(distance: np.ndarray, outcome: np.ndarray) -> Assumption:
    """Whether the outcome jumps where nothing happens: at the median of either side alone."""
    import numpy as np

    tests = []
    for part in (distance < 0, distance >= 0):
        if part.sum() < FEWEST_FOR_PLACEBO:
            continue
        moved = distance[part] - np.median(distance[part])
        if min((moved < 0).sum(), (moved >= 0).sum()) < FEWEST_FOR_PLACEBO // 3:
            continue
        jump, error = jump_of(moved, outcome[part])
        if error > 0:
            tests.append(interval(jump, error)[2])
    if not tests:
        return Assumption("placebo cutoffs", "Too few rows to try other cutoffs.")
    p_value = min(1.0, min(tests) * len(tests))
    text = "The outcome jumps" if p_value < LEVEL else "The outcome does not jump"
    return Assumption(
        "placebo cutoffs",
        f"{text} at cutoffs where nothing happens (p = {p_value:.3g}).",
        p_value >= LEVEL,
        None,
        p_value,
    )


def donut(
    distance: np.ndarray, values: np.ndarray, width: float, sharp: bool, found: tuple[float, float]
) -> Assumption:
    """Whether the effect stands without the rows nearest to the cutoff, which are the easiest to
    have been moved across it."""
    import numpy as np

    near = np.abs(distance) < width
    hole = float(np.quantile(np.abs(distance[near]), DONUT * 2)) if near.any() else 0.0
    kept = np.abs(distance) > hole
    jump, error = jump_of(distance[kept], values[kept, 0])
    if not sharp:
        jump, error = _over_first_stage(distance[kept], values[kept], jump, error)
    apart = abs(jump - found[0])
    return Assumption(
        "donut",
        f"Without the rows nearest to the cutoff the effect is {jump:.4g}.",
        bool(apart <= 1.96 * max(error, found[1])),
        jump,
    )


def _over_first_stage(
    distance: np.ndarray, values: np.ndarray, jump: float, error: float
) -> tuple[float, float]:
    first, _ = jump_of(distance, values[:, 1])
    return jump / first, abs(error / first)
