"""The E-value (VanderWeele & Ding 2017): how strong an unseen cause would have to be."""

from __future__ import annotations

import math

from services.executor.causal.frame import Study
from services.executor.causal.sensitivity.arguments import CausalSensitivityArguments
from services.executor.causal.sensitivity.result import Tested, figure

# A standardised difference d stands for a risk ratio of about exp(0.91 d) (Chinn 2000).
_RATIO_OF_DIFFERENCE = 0.91


def tested(study: Study, arguments: CausalSensitivityArguments) -> Tested:
    """The risk ratio with treatment and with outcome that would explain all of it, and its
    interval."""
    low = arguments.estimate - 1.959964 * arguments.std_error
    high = arguments.estimate + 1.959964 * arguments.std_error
    near = 0.0 if low <= 0 <= high else min(low, high, key=abs)
    whole = e_value(_ratio(arguments.estimate, study))
    limit = e_value(_ratio(near, study))
    unit = "" if study.binary else " (for one standard deviation of the treatment)"
    text = (
        f"An unseen cause would have to go with both {study.treatment_name} and "
        f"{study.outcome_name} by a risk ratio of {figure(whole)} to explain all of it{unit}"
    )
    text += (
        f", and of {figure(limit)} to leave it in doubt."
        if limit > 1
        else "; its interval holds no effect as it is."
    )
    return Tested(
        whole, text, None, {"interval": limit, "risk_ratio": _ratio(arguments.estimate, study)}
    )


def e_value(ratio: float) -> float:
    """E-value of a risk ratio; 1 for none."""
    above = ratio if ratio >= 1 else 1 / ratio if ratio > 0 else math.inf
    return above + math.sqrt(above * (above - 1)) if math.isfinite(above) else math.inf


def _ratio(effect: float, study: Study) -> float:
    """The effect as a risk ratio: of the risks themselves where the outcome is yes or no, else by
    the standardised difference."""
    import numpy as np

    step = 1.0 if study.binary else float(np.std(study.treatment))
    if study.binary_outcome and study.binary:
        base = float(study.outcome[study.treatment == 0].mean())
        if 0 < base < 1 and 0 < base + effect < 1:
            return (base + effect) / base
    spread = float(np.std(study.outcome))
    return math.exp(_RATIO_OF_DIFFERENCE * effect * step / spread) if spread > 0 else 1.0
