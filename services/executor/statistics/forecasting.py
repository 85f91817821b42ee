"""The next values of a series, with intervals that come from how wrong forecasts would have been.

Models are those of Hyndman et al. (2008) with additive parts, and two plain ones: the last value,
and that of a season ago. Each foretells from many past origins (a rolling origin, Tashman 2000).
The one with the smallest mean absolute error there is taken, and its errors give the intervals:
split conformal (Vovk et al., 2005), which hold for errors to come that are as the past ones.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from mesh.tool import ErrorCategory, ToolError
from services.executor.statistics.outcome import Outcome
from services.executor.statistics.reading import as_days, as_numbers, at_least, complete

_LEAST, _FEWEST_FITTED, _MOST_ORIGINS, _FEW_ERRORS = 16, 8, 40, 10
_SEASONS = {"h": 24, "D": 7, "W": 52, "M": 12, "Q": 4, "Y": 1}
Series = npt.NDArray[np.float64]


class Plain:
    """Repeats the last values: one, or those of a season."""

    def __init__(self, season: int = 1) -> None:
        self.season = season

    def ahead(self, known: Series, steps: int) -> Series:
        """The next values."""
        return np.resize(known[-self.season :], steps)

    def past(self, values: Series, first: int, steps: int) -> list[Series]:
        """What would have been foretold at each origin from the first on."""
        return [self.ahead(values[:at], steps) for at in _origins(values, first, steps)]


class Smoothing:
    """Exponential smoothing as a state space, with a damped trend or a season."""

    def __init__(self, *, trend: bool = False, season: int = 1) -> None:
        self._terms = {
            "trend": trend,
            "damped_trend": trend,
            "seasonal": season if season > 1 else None,
        }

    def _fitted(self, known: Series) -> Any:
        from statsmodels.tsa.statespace.exponential_smoothing import ExponentialSmoothing

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a fit that does not converge shows in its errors
            model = ExponentialSmoothing(known, initialization_method="heuristic", **self._terms)
            return model.fit(disp=0)

    def ahead(self, known: Series, steps: int) -> Series:
        """The next values, fitted to all that is known."""
        return np.asarray(self._fitted(known).forecast(steps), dtype="float64")

    def past(self, values: Series, first: int, steps: int) -> list[Series]:
        """What would have been foretold at each origin, fitted to what was known at the first."""
        fit, found = self._fitted(values[:first]), list[Series]()
        for at in _origins(values, first, steps):
            fit = fit.append(values[at - 1 : at], refit=False) if at > first else fit
            found.append(np.asarray(fit.forecast(steps), dtype="float64"))
        return found


Model = Plain | Smoothing


def forecast(
    data: pd.DataFrame, column: str, time: str, horizon: int, confidence: float
) -> Outcome:
    """The next `horizon` values of a series with one row for each unit of time.

    An interval holds the share of past errors that `confidence` says; where these are too few to
    tell, the forecast is refused. Raises ToolError.
    """
    outcome = Outcome()
    frame = pd.DataFrame({"value": as_numbers(data, column), "time": as_days(data, time)})
    kept = complete(frame, outcome).sort_values("time")
    at_least(len(kept), _LEAST, "a forecast")
    periods = _periods(kept["time"], time)
    season = _SEASONS.get(periods.freqstr[0], 1)
    values = kept["value"].to_numpy(dtype="float64")
    first = _first_origin(values, season, horizon)
    models = _models(season, first)
    errors = {name: _past_errors(values, model, first, horizon) for name, model in models.items()}
    typical = {name: float(np.abs(found).mean()) for name, found in errors.items()}
    best = min(typical, key=lambda name: typical[name])
    _check_errors(errors[best], confidence)
    ahead = models[best].ahead(values, horizon)
    outcome.add_sentence("test", f"forecast by {best}")
    plain = min((one for one in typical if one.startswith("the ")), key=lambda name: typical[name])
    outcome.add_sentence("conclusion", _conclude(column, best, plain, typical))
    for step in range(horizon):
        about = str(periods[-1] + step + 1)
        outcome.add("forecast", ahead[step], about)
        width = _width(errors[best][:, step], confidence)
        outcome.interval("forecast", ahead[step] - width, ahead[step] + width, about)
    outcome.add("mean absolute error", typical[best], text="of past forecasts")
    outcome.add(f"mean absolute error of {plain}", typical[plain], text="of past forecasts")
    outcome.add("past forecasts", len(errors[best]), text="each by what was known then")
    outcome.assume("what moved the series goes on as it did", "errors to come are as the past ones")
    return outcome


def _periods(times: pd.Series[Any], name: str) -> pd.PeriodIndex:
    """The units of time, without a gap. Raises ToolError(INVALID_ARGUMENTS)."""
    days = pd.DatetimeIndex(times)
    for unit in ("Y", "Q", "M", "W", "D", "h"):
        periods = days.to_period(unit)
        if periods.is_unique and len(periods) >= 0.8 * ((periods[-1] - periods[0]).n + 1):
            break
    else:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"{name} does not step by years, quarters, months, weeks, days or hours with one row "
            "each.",
            hint="Sum the rows by a unit of time first: select date_trunc('month', day), sum(x).",
            details={"column": name},
        )
    every = pd.period_range(periods[0], periods[-1], freq=periods.freq)
    missing = every.difference(periods)
    if len(missing):
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"{len(missing)} of {len(every)} periods have no row, {missing[0]} the first.",
            hint="Say in the statement what stands in them: nought, or nothing known.",
            details={"column": name},
        )
    return periods


def _models(season: int, first: int) -> dict[str, Model]:
    """Plain models, and those of exponential smoothing that the values are enough for."""
    found: dict[str, Model] = {
        "the last value": Plain(),
        "exponential smoothing": Smoothing(),
        "exponential smoothing with a damped trend": Smoothing(trend=True),
    }
    if season > 1 and 2 * season + _FEWEST_FITTED // 2 <= first:
        found["the value of a season ago"] = Plain(season)
        found["exponential smoothing with a season"] = Smoothing(trend=True, season=season)
    return found


def _first_origin(values: Series, season: int, horizon: int) -> int:
    """How many values are known at the first origin: half of them, or two seasons and some, where
    enough origins are left."""
    last = len(values) - horizon
    wanted = max(_FEWEST_FITTED, len(values) // 2, 2 * season + _FEWEST_FITTED // 2)
    if wanted > last - _FEW_ERRORS:
        wanted = max(_FEWEST_FITTED, last - _FEW_ERRORS)
    return max(wanted, last - _MOST_ORIGINS)


def _origins(values: Series, first: int, steps: int) -> range:
    return range(first, len(values) - steps + 1)


def _past_errors(values: Series, model: Model, first: int, horizon: int) -> npt.NDArray[np.float64]:
    """What came less what would have been foretold: a row for each origin, a column for each
    step."""
    came = [values[at : at + horizon] for at in _origins(values, first, horizon)]
    foretold = model.past(values, first, horizon)
    return (np.asarray(came) - np.asarray(foretold)).astype("float64").reshape(-1, horizon)


def _check_errors(errors: npt.NDArray[np.float64], confidence: float) -> None:
    needed = max(_FEW_ERRORS, int(np.ceil(confidence / (1 - confidence) - 1e-9)))
    if len(errors) < needed:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"only {len(errors)} past forecasts of that length can be tried, and an interval of "
            f"{confidence:.0%} needs {needed}.",
            hint="Forecast fewer steps, or with a lower confidence.",
            details={"seen": len(errors), "limit": needed},
        )


def _width(errors: Series, confidence: float) -> float:
    """The size that errors do not pass as often as `confidence` says, the next one among them."""
    place = int(np.ceil((len(errors) + 1) * confidence))
    return float(np.sort(np.abs(errors))[place - 1])


def _conclude(column: str, best: str, plain: str, typical: dict[str, float]) -> str:
    if best == plain or typical[best] > 0.95 * typical[plain]:
        return f"nothing foretold {column} clearly better than {plain}"
    better = 1 - typical[best] / typical[plain]
    return f"past forecasts of {column} were {better:.0%} less wrong than {plain}"
