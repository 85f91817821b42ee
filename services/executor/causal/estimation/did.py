"""Difference in differences for panels, also where units are treated at different times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from services.executor.causal.estimation.panel import Panel, panel_of
from services.executor.causal.estimation.result import Assumption, Estimate, Rejected
from services.executor.causal.frame import Study
from services.executor.causal.pooling import interval

if TYPE_CHECKING:
    import numpy as np

FEWEST_UNITS = 10
FEWEST_IN_COHORT = 5
LEVEL = 0.05


@dataclass(frozen=True)
class _Cell:
    """The effect on the units first treated at `group`, at `time` (places in order), with each
    unit's influence on it (u)."""

    group: int
    time: int
    effect: float
    influence: np.ndarray


def estimate(study: Study) -> list[Estimate]:
    """The ATT averaged over groups and times, and by time since treatment, from group-time effects
    (Callaway & Sant'Anna 2021) against units never or not yet treated.

    Each cell compares changes since the last period before treatment, doubly robustly given the
    covariates of that period (Sant'Anna & Zhao 2020). Errors are of influence functions summed by
    unit, with a t distribution on as many degrees of freedom as the smaller side has units, less
    one. Rejected where trends before treatment differ (p < 0.05), and with fewer than 10 treated or
    untreated units.
    """
    panel = panel_of(study)
    cells = [
        cell
        for group in panel.groups
        for time in range(1, len(panel.times))
        if (cell := _cell(panel, group, time)) is not None
    ]
    after = [each for each in cells if each.time >= each.group]
    if not after:
        raise Rejected("no period has both treated units and units that are not treated yet.")
    df = float(max(min(panel.treated_units, panel.control_units) - 1, 1))
    trends = _trends(panel, [each for each in cells if each.time < each.group])
    tested = (_parallel(), trends, _anticipation())
    reasons = []
    if min(panel.treated_units, panel.control_units) < FEWEST_UNITS:
        reasons.append(
            f"{panel.treated_units} {'unit is' if panel.treated_units == 1 else 'units are'} ever "
            f"treated and {panel.control_units} can be compared with; an error needs "
            f"{FEWEST_UNITS} of each to be believed."
        )
    if trends.passed is False:
        reasons.append("trends differ already before the treatment.")
    reason = " ".join(reasons)
    details: dict[str, Any] = {
        "units": len(panel.first),
        "treated_units": panel.treated_units,
        "periods": len(panel.times),
        "cohorts": len(panel.groups),
        "two_way": two_way(panel),
        "adjusted": [] if _alone(panel) else list(study.covariates.columns),
    }
    found = [_averaged(panel, after, "", df, tested, details, reason)]
    for since in sorted({each.time - each.group for each in after}):
        part = [each for each in after if each.time - each.group == since]
        label = f"{since} periods after the first treated one"
        found.append(_averaged(panel, part, label, df, (), {}, reason))
    return found


def effects_since(study: Study) -> dict[int, float]:
    """The ATT by periods since treatment began. Raises Rejected as `estimate` does where there is
    no panel."""
    panel = panel_of(study)
    found: dict[int, list[tuple[float, float]]] = {}
    for group in panel.groups:
        size = float((panel.first == group).sum())
        for time in range(group, len(panel.times)):
            if (cell := _cell(panel, group, time)) is not None:
                found.setdefault(time - group, []).append((size, cell.effect))
    return {
        since: sum(size * effect for size, effect in each) / sum(size for size, _ in each)
        for since, each in found.items()
    }


def _cell(panel: Panel, group: int, time: int) -> _Cell | None:
    """A group-time effect; before treatment against the period before, so that trends show."""
    import numpy as np

    base = group - 1 if time >= group else time - 1
    treated = panel.first == group
    control = (panel.first > time) & (panel.first != group)
    there = ~np.isnan(panel.outcome[:, time]) & ~np.isnan(panel.outcome[:, base])
    treated, control = treated & there, control & there
    if treated.sum() < 1 or control.sum() < 2:
        return None
    change = np.where(there, panel.outcome[:, time] - panel.outcome[:, base], 0.0)
    effect, influence = _doubly_robust(panel.covariates[:, base], change, treated, control)
    return _Cell(group, time, effect, influence)


def _doubly_robust(
    covariates: np.ndarray, change: np.ndarray, treated: np.ndarray, control: np.ndarray
) -> tuple[float, np.ndarray]:
    """The ATT of a change and each unit's influence (u), scaled so that its sum of squares is the
    variance (Sant'Anna & Zhao 2020, the traditional doubly robust estimator)."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    units = len(change)
    used = treated | control
    terms = np.column_stack([np.ones(units), np.nan_to_num(covariates)])
    if _crowded(treated, control, terms.shape[1]):
        terms = terms[:, :1]
    score = np.full(units, treated[used].mean())
    if terms.shape[1] > 1:
        model = LogisticRegression(C=1e4, solver="newton-cholesky", max_iter=200)
        model.fit(terms[used, 1:], treated[used])
        score = model.predict_proba(terms[:, 1:])[:, 1].clip(0.001, 0.99)
    on, off = treated.astype(float), control * score / (1 - score)
    gram = (terms * control[:, None]).T @ terms
    slopes = np.linalg.pinv(gram, hermitian=True) @ (terms.T @ (control * change))
    left = change - terms @ slopes
    first, second = on @ left / on.sum(), off @ left / off.sum()
    own = left - first
    if on.sum() < FEWEST_IN_COHORT:
        # So few cannot show how much they vary: they are taken to vary as the controls do.
        own = np.full(units, np.sqrt(off @ (left - second) ** 2 / off.sum()))
    influence = on * own / on.sum() - off * (left - second) / off.sum()
    # The outcome's regression and the propensity are estimated: both move the effect.
    moves = terms.T @ on / on.sum() - terms.T @ off / off.sum()
    by_outcome = (control * left)[:, None] * terms @ np.linalg.pinv(gram, hermitian=True) @ moves
    information = (terms * (used * score * (1 - score))[:, None]).T @ terms
    scores = (used * (on - score))[:, None] * terms
    gradient = terms.T @ (off * (left - second)) / off.sum()
    by_score = scores @ np.linalg.pinv(information, hermitian=True) @ gradient
    small = np.sqrt(1 / max(1 - 1 / min(treated.sum(), control.sum()), 0.5))
    return float(first - second), (influence - by_outcome - by_score) * small


def _crowded(treated: np.ndarray, control: np.ndarray, terms: int) -> bool:
    """Whether a cell has too few units to adjust for anything."""
    return bool(min(treated.sum(), control.sum()) < 5 * terms)


def _alone(panel: Panel) -> bool:
    """Whether no cell after a treatment has the units to adjust for covariates."""
    terms = 1 + panel.covariates.shape[2]
    return all(
        _crowded(panel.first == group, (panel.first > time) & (panel.first != group), terms)
        for group in panel.groups
        for time in range(group, len(panel.times))
    )


def _averaged(
    panel: Panel,
    cells: list[_Cell],
    label: str,
    df: float,
    tested: tuple[Assumption, ...],
    details: dict[str, Any],
    reason: str,
) -> Estimate:
    """Cells weighted by how many units are first treated then; the weights are estimated too."""
    import numpy as np

    effects = np.array([each.effect for each in cells])
    sizes = np.array([float((panel.first == each.group).sum()) for each in cells])
    shares = sizes / sizes.sum()
    mean = float(shares @ effects)
    influence = np.sum([w * each.influence for w, each in zip(shares, cells, strict=True)], axis=0)
    groups = np.array([each.group for each in cells])
    of_group = {each: float((effects - mean)[groups == each].sum()) for each in panel.groups}
    drawn = np.array([of_group.get(int(each), 0.0) for each in panel.first]) / sizes.sum()
    total = influence + drawn - drawn.mean()
    error = float(np.sqrt((total**2).sum()))
    rows = int(sum(np.count_nonzero(each.influence) for each in cells))
    return Estimate(
        "ATT",
        mean,
        error,
        rows,
        group=label,
        df=df,
        assumptions=tested,
        details=details,
        reason=reason,
    )


def _trends(panel: Panel, cells: list[_Cell]) -> Assumption:
    """Whether treated and others moved alike before the treatment.

    Two tests, each at half the level: the effects by time before treatment, jointly by the largest
    of them with Holm's first step, which sees a sudden change; and the slope that the changes
    between the first and the last period before make together, which sees a steady drift that is
    too small in every single change (Roth 2022: tests of single periods miss those).
    """
    if not cells:
        return Assumption("parallel trends before", "There is one period before: no trend to test.")
    tests = []
    df = float(max(min(panel.treated_units, panel.control_units) - 1, 1))
    for before in sorted({each.group - each.time for each in cells}):
        part = [each for each in cells if each.group - each.time == before]
        found = _averaged(panel, part, "", df, (), {}, "")
        if found.std_error > 0:
            tests.append(interval(found.estimate, found.std_error, df)[2])
    slope, error = _drift(panel, cells)
    both = [min(1.0, min(tests) * len(tests))] if tests else []
    both += [interval(slope, error, df)[2]] if error > 0 else []
    p_value = min(1.0, min(both) * len(both)) if both else 1.0
    text = "differ" if p_value < LEVEL else "are not seen to differ"
    return Assumption(
        "parallel trends before",
        f"Trends before the treatment {text} ({len(tests)} changes, and a drift of {slope:.3g} a "
        f"period, p = {p_value:.3g}).",
        p_value >= LEVEL,
        None,
        p_value,
    )


def _drift(panel: Panel, cells: list[_Cell]) -> tuple[float, float]:
    """How much more the treated move in a period before treatment than the others, with its error.

    Of a group, the slope of a line through its periods before: with m of them the change into the
    j-th counts as j (m - j), which is least squares. Groups count as they have units and leverage.
    """
    import numpy as np

    total, weight = np.zeros(len(panel.first)), 0.0
    slope = 0.0
    for group in sorted({each.group for each in cells}):
        size = float((panel.first == group).sum())
        for each in (cell for cell in cells if cell.group == group):
            share = size * each.time * (group - each.time)
            slope, weight = slope + share * each.effect, weight + share
            total = total + share * each.influence
    if weight == 0:
        return 0.0, 0.0
    return slope / weight, float(np.sqrt((total**2).sum())) / weight


def two_way(panel: Panel) -> dict[str, float]:
    """The coefficient of treatment with unit and time effects, clustered by unit: what is usually
    told, and wrong where effects grow with time since treatment (Goodman-Bacon 2021)."""
    import pandas as pd
    from linearmodels.panel import PanelOLS

    frame = pd.DataFrame(
        {
            "unit": panel.rows_unit,
            "time": panel.rows_time,
            "y": panel.rows_outcome,
            "d": panel.rows_treatment,
        }
    ).set_index(["unit", "time"])
    fitted = PanelOLS(frame["y"], frame[["d"]], entity_effects=True, time_effects=True).fit(
        cov_type="clustered", cluster_entity=True
    )
    return {"estimate": float(fitted.params["d"]), "std_error": float(fitted.std_errors["d"])}


def _parallel() -> Assumption:
    return Assumption(
        "parallel trends",
        "Without treatment, treated units would have moved like the others; after treatment the "
        "data cannot tell.",
    )


def _anticipation() -> Assumption:
    return Assumption("no anticipation", "Nobody responds before being treated.")
