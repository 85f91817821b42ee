"""How well methods do on the user's own data: known effects are planted on it and estimated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from mesh.tool import ErrorCategory, ToolContext, ToolError, ToolResult
from services.executor.causal.estimation.arguments import CausalCalibrateArguments
from services.executor.causal.estimation.asking import NEEDED, require_time, studies_for
from services.executor.causal.estimation.calibration_designs import design_plantings
from services.executor.causal.estimation.calibration_plantings import (
    Planting,
    adjusted_plantings,
)
from services.executor.causal.estimation.result import Rejected
from services.executor.causal.estimation.run import HELD, estimated
from services.executor.causal.estimation.support import FEWEST_IN_GROUP
from services.executor.causal.frame import Study, table_of
from services.executor.causal.pooling import interval
from services.executor.causal.threads import one_thread

if TYPE_CHECKING:
    import numpy as np

SCHEMA = pa.schema(
    [
        ("method", pa.string()),
        ("kind", pa.string()),
        ("planted", pa.float64()),
        ("repetitions", pa.int64()),
        ("bias", pa.float64()),
        ("rmse", pa.float64()),
        ("coverage", pa.float64()),
        ("coverage_low", pa.float64()),
        ("coverage_high", pa.float64()),
        ("mean_width", pa.float64()),
        ("failed", pa.int64()),
    ]
)

FEWEST_ROWS = 400
# Seconds that one run of a method takes: at once, and for each million of cells, on one thread of a
# plain machine. They choose how many rows are used, so that the frame depends on no clock.
COSTS = {
    "OLS": (0.01, 2.0),
    "IPW": (0.03, 4.0),
    "PSM": (0.03, 4.0),
    "stratification": (0.03, 4.0),
    "AIPW": (0.6, 40.0),
    "DML": (0.9, 60.0),
    "causal_forest": (1.5, 120.0),
    "IV": (0.05, 6.0),
    "RDD": (0.2, 6.0),
    "DiD": (0.3, 6.0),
}


def calibrated(arguments: CausalCalibrateArguments, context: ToolContext) -> ToolResult:
    """Plant, estimate and count. Raises ToolError."""
    import numpy as np

    methods = list(dict.fromkeys(arguments.methods))
    design = _design(methods)
    # Folds are drawn once: three draws take three times as long and narrow nothing that is told.
    study = replace(
        studies_for(arguments, table_of(arguments.input, context), design)[0], trial=True
    )
    if study.binary:
        _require_both(study)
    plans = len(arguments.effects) * (2 if study.covariates.shape[1] else 1)
    texts: list[str] = []
    if design != "DiD":  # a panel is short or long by its units, and a part of its rows is none
        study, texts = _sampled(study, methods, arguments.repetitions * plans, arguments)
    plantings = _planted(design, study, arguments.effects)
    rows = []
    done, most = 0, len(methods) * len(plantings)
    with one_thread(*HELD):
        for method in methods:
            for number, planting in enumerate(plantings):
                random = np.random.default_rng([arguments.seed, number])
                found = []
                for each in range(arguments.repetitions):
                    require_time(context)
                    made = planting.drawn(replace(study, seed=arguments.seed + each), random)
                    found.append(_once(method, made))
                rows.append(_counted(method, planting, found))
                done += 1
                context.progress(f"{method} on planted effects", done / most)
    return ToolResult(
        frame=pa.Table.from_pylist(rows, schema=SCHEMA),
        summary=f"{len(methods)} methods tried on {len(plantings)} planted effects",
        notes=(*study.notes, *texts),
    )


def _design(methods: Sequence[str]) -> str | None:
    """The design among the methods; None where all adjust. Raises ToolError for both."""
    designs = [each for each in methods if each in NEEDED]
    if designs and len(methods) > 1:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"effects are planted for {designs[0]} in a call of its own.",
            hint=f"Ask for {designs[0]} alone.",
        )
    return designs[0] if designs else None


def _planted(design: str | None, study: Study, effects: Sequence[float]) -> Sequence[Planting]:
    """What to plant. Raises ToolError for a design that these rows do not make."""
    if design is None:
        return adjusted_plantings(study, effects)
    try:
        return design_plantings(design, study, effects)
    except Rejected as rejected:
        raise ToolError(ErrorCategory.INVALID_ARGUMENTS, rejected.reason) from rejected


def _require_both(study: Study) -> None:
    fewest = int(min(study.treatment.sum(), len(study) - study.treatment.sum()))
    if fewest < FEWEST_IN_GROUP:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"only {fewest} rows are in one of the groups: too few to calibrate on.",
            hint=f"Bring {FEWEST_IN_GROUP} rows of each group at least.",
        )


def _sampled(
    study: Study, methods: Sequence[str], runs: int, arguments: CausalCalibrateArguments
) -> tuple[Study, list[str]]:
    """As many rows as are predicted to keep within `seconds`, 400 at least."""
    import numpy as np

    fixed = sum(COSTS[each][0] for each in methods) * runs
    cell = sum(COSTS[each][1] for each in methods) * runs / 1e6
    columns = study.covariates.shape[1] + 1
    room = max(arguments.seconds - fixed, 0.0) / (cell * columns)
    rows = int(min(len(study), max(room, FEWEST_ROWS)))
    texts = []
    predicted = fixed + cell * columns * rows
    if predicted > arguments.seconds * 1.05:
        texts.append(
            f"The calibration is predicted to take {predicted:,.0f} s rather than "
            f"{arguments.seconds:,.0f} s, for it needs {FEWEST_ROWS} rows at least."
        )
    if rows == len(study):
        return study, texts
    mask, rare = _drawn(study, rows, np.random.default_rng(arguments.seed))
    how = (
        f"drawn so that {rare:,} of them are of the rarer group: effects are "
        "planted where it is less rare"
        if rare
        else "drawn evenly; on all of them errors are about "
        f"{np.sqrt(rows / len(study)):.2f} times as large"
    )
    texts.append(f"Calibrated on {rows:,} of {len(study):,} rows, {how}.")
    return study.part(mask), texts


def _drawn(study: Study, rows: int, random: np.random.Generator) -> tuple[np.ndarray, int]:
    """Which rows (n booleans) are calibrated on, drawn evenly; of a group of which methods would
    have too few by that, twice as many as they need, and how many these are (else 0)."""
    import numpy as np

    mask = np.zeros(len(study), dtype=bool)
    rarer = study.treatment == float(study.treatment.mean() < 0.5)
    wanted = min(2 * FEWEST_IN_GROUP, int(rarer.sum()))
    if study.binary and study.units is None and rows * rarer.mean() < wanted:
        mask[random.choice(np.flatnonzero(rarer), wanted, replace=False)] = True
        mask[random.choice(np.flatnonzero(~rarer), rows - wanted, replace=False)] = True
        return mask, wanted
    mask[random.choice(len(study), rows, replace=False)] = True
    return mask, 0


def _once(method: str, study: Study) -> tuple[float, float, float] | None:
    """Estimate and interval over all rows, or None where the method declines."""
    try:
        found = estimated(method, replace(study, modifiers=study.modifiers[[]]))[0]
    except Rejected:
        return None
    if found.reason:
        return None
    low, high = found.bounds or interval(found.estimate, found.std_error, found.df)[:2]
    return found.estimate, low, high


def _counted(
    method: str, planting: Planting, found: Sequence[tuple[float, float, float] | None]
) -> dict[str, Any]:
    import numpy as np
    from statsmodels.stats.proportion import proportion_confint

    truth = float(planting.effects.mean())
    values = np.array([each for each in found if each is not None])
    contents: dict[str, Any] = {
        "method": method,
        "kind": planting.kind,
        "planted": truth,
        "repetitions": len(found),
        "failed": len(found) - len(values),
    }
    if len(values) == 0:
        return contents
    error = values[:, 0] - truth
    hits = int(((values[:, 1] <= truth) & (truth <= values[:, 2])).sum())
    low, high = proportion_confint(hits, len(values), method="wilson")
    return contents | {
        "bias": float(error.mean()),
        "rmse": float(np.sqrt((error**2).mean())),
        "coverage": hits / len(values),
        "coverage_low": float(low),
        "coverage_high": float(high),
        "mean_width": float((values[:, 2] - values[:, 1]).mean()),
    }
