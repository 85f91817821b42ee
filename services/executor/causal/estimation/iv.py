"""Instrumental variables: two-stage least squares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from services.executor.causal.coding import coded_columns
from services.executor.causal.estimation.result import Assumption, Estimate, Rejected
from services.executor.causal.estimation.support import FEWEST_IN_GROUP, with_intercept
from services.executor.causal.estimation.units import by_unit
from services.executor.causal.frame import Study, without_combinations
from services.executor.causal.pooling import interval

if TYPE_CHECKING:
    import numpy as np

WEAK = 10.0


def estimate(study: Study) -> list[Estimate]:
    """The LATE by two-stage least squares with robust errors (Imbens & Angrist 1994).

    Rejected where the first stage's effective F (Montiel Olea & Pflueger 2013) is below 10. With
    one instrument, interval and p-value are those of Anderson & Rubin (1949), which hold however
    strong the instrument is; with more they are Wald's (Anderson and Rubin's are in the details),
    and Wooldridge's score test (1995) holds the instruments against one another.
    """
    from linearmodels.iv import IV2SLS

    instruments = instruments_of(study)
    n, count = instruments.shape
    controls = with_intercept(study)
    if n < FEWEST_IN_GROUP + controls.shape[1] + count:
        raise Rejected(f"{n} rows are too few for so many instruments and columns.")
    together: dict[str, Any] = {} if study.units is None else {"clusters": study.units}
    fitted: Any = IV2SLS(study.outcome, controls, study.treatment, instruments).fit(
        cov_type="clustered" if together else "robust", **together
    )
    value, error = float(fitted.params["endog"]), float(fitted.std_errors["endog"])
    outcome, treatment, instruments = (
        _without(controls, each) for each in (study.outcome, study.treatment, instruments)
    )
    strength, robust = _effective_f(instruments, treatment, controls.shape[1], study.units)
    tested = [*_beliefs(study), _relevance(strength, robust)]
    region, p_none = _anderson_rubin((outcome, treatment, instruments), value, error, study.units)
    details: dict[str, Any] = {
        "effective_f": strength,
        "robust_f": robust,
        "instruments": count,
        "anderson_rubin": region,
        "anderson_rubin_p_value": p_none,
    }
    reasons = []
    if strength < WEAK:
        reasons.append(f"the instrument is weak: effective F {strength:.1f}, below {WEAK:.0f}.")
    if count > 1:
        disputed = fitted.wooldridge_overid
        tested.append(_agreement(float(disputed.stat), float(disputed.pval)))
        if disputed.pval < 0.05:
            reasons.append("the instruments contradict one another (Wooldridge's test).")
    exact = count == 1 and region is not None and region[0] <= value <= region[1]
    if region is None and not reasons:
        reasons.append("no bounded range of effects is compatible with the instrument.")
    found = Estimate(
        "LATE",
        value,
        error,
        n,
        bounds=(region[0], region[1]) if exact and region is not None else None,
        p_value=p_none if exact else interval(value, error)[2],
        assumptions=tuple(tested),
        details=details,
        reason=" ".join(reasons),
    )
    return [found]


def instruments_of(study: Study) -> np.ndarray:
    """The instruments as numbers, n by m. Raises Rejected where they say nothing."""
    import numpy as np
    import pyarrow as pa

    names = sorted(study.roles["instruments"])
    table = pa.Table.from_pandas(study.others[names], preserve_index=False)
    columns, _ = without_combinations(coded_columns(table, names).columns)
    if columns.shape[1] == 0:
        raise Rejected("the instrument is constant.")
    values = columns.to_numpy(dtype=float)
    values = (values - values.mean(axis=0)) / values.std(axis=0)
    controls = with_intercept(study)
    left = _without(controls, values)
    moves = left.std(axis=0) > 1e-6
    if not moves.any():
        raise Rejected("the columns adjusted for say all that the instrument says.")
    if np.isclose(np.abs(np.corrcoef(values[:, 0], study.treatment)[0, 1]), 1):
        raise Rejected("the instrument is a copy of the treatment.")
    return np.asarray(values[:, moves])


def _without(controls: np.ndarray, values: np.ndarray) -> np.ndarray:
    """What values have beyond the controls."""
    import numpy as np

    return np.asarray(values - controls @ np.linalg.lstsq(controls, values, rcond=None)[0])


def _effective_f(
    instruments: np.ndarray, treatment: np.ndarray, controls: int, units: np.ndarray | None
) -> tuple[float, float]:
    """Montiel Olea & Pflueger's effective F and the robust F of the first stage (equal for one)."""
    import numpy as np

    n, count = instruments.shape
    gram = instruments.T @ instruments
    slopes = np.linalg.lstsq(instruments, treatment, rcond=None)[0]
    left = treatment - instruments @ slopes
    scores = by_unit(instruments * left[:, None], units)
    meat = scores.T @ scores * n / max(n - controls - count, 1)
    inverse = np.linalg.pinv(gram, hermitian=True)
    effective = float(slopes @ gram @ slopes) / float(np.trace(meat @ inverse))
    covariance = inverse @ meat @ inverse
    robust = float(slopes @ np.linalg.pinv(covariance, hermitian=True) @ slopes) / count
    return effective, robust


def _anderson_rubin(
    parts: tuple[np.ndarray, np.ndarray, np.ndarray],
    value: float,
    error: float,
    units: np.ndarray | None,
) -> tuple[list[float] | None, float]:
    """The effects that the robust Anderson-Rubin test does not refuse at 5 %, as an interval (None
    where it is empty or has no end within 50 standard errors), and its p-value against none.
    `parts` are outcome, treatment and instruments."""
    import numpy as np
    from scipy import optimize, stats

    outcome, treatment, instruments = parts
    count = instruments.shape[1]

    def statistic(effect: float) -> float:
        left = outcome - effect * treatment
        moments = by_unit(instruments * left[:, None], units)
        total = moments.sum(axis=0)
        centred = moments - total / len(moments)
        return float(total @ np.linalg.pinv(centred.T @ centred, hermitian=True) @ total)

    limit = float(stats.chi2.ppf(0.95, count))
    p_none = float(stats.chi2.sf(statistic(0.0), count))
    inside = value
    if statistic(inside) >= limit:
        return None, p_none
    ends = []
    for sign in (-1, 1):
        far = next(
            (
                reach
                for reach in (2, 3, 5, 8, 15, 50)
                if statistic(value + sign * reach * error) > limit
            ),
            None,
        )
        if far is None:
            return None, p_none
        ends.append(
            float(
                optimize.brentq(
                    lambda each: statistic(each) - limit, inside, value + sign * far * error
                )
            )
        )
    return ends, p_none


def _beliefs(study: Study) -> list[Assumption]:
    names = sorted(study.roles["instruments"])
    named, one = " and ".join(names), len(names) == 1
    outcome, treatment = study.outcome_name, study.treatment_name
    return [
        Assumption(
            "exclusion",
            f"{named} {'moves' if one else 'move'} {outcome} through {treatment} alone, and "
            f"{'shares' if one else 'share'} no cause with {outcome} beyond the columns adjusted "
            "for; the data cannot tell.",
        ),
        Assumption(
            "monotonicity",
            f"{named} {'moves' if one else 'move'} nobody's {treatment} the other way; the effect "
            f"is that of those whom {'it moves' if one else 'they move'}.",
        ),
    ]


def _relevance(strength: float, robust: float) -> Assumption:
    return Assumption(
        "relevance",
        f"The first stage's effective F is {strength:.1f} (robust F {robust:.1f}); below "
        f"{WEAK:.0f} an instrument is weak.",
        strength >= WEAK,
        strength,
    )


def _agreement(statistic: float, p_value: float) -> Assumption:
    return Assumption(
        "overidentification",
        "The instruments " + ("disagree about the effect." if p_value < 0.05 else "agree."),
        p_value >= 0.05,
        statistic,
        p_value,
    )
