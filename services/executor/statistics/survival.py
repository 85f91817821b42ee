"""How long things last or customers stay, those that have not ended yet counted as such."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from mesh.tool import ErrorCategory, ToolError
from services.executor.statistics.outcome import Outcome
from services.executor.statistics.reading import as_days, at_least, group_name

_LEAST, _MOST_GROUPS = 10, 12
_DAYS = (30, 90, 180, 365, 730)
_AT_ONCE = 20.0  # times as many begin on the first day as on others: they were there before
_FEW_AT_ONCE = 5
_FEW_LEFT = 5  # at risk: a share of fewer tells nothing


def survived(
    data: pd.DataFrame, start: str, end: str, by: str, span: tuple[str, str], confidence: float
) -> Outcome:
    """The share that is left after so many days, by Kaplan and Meier (1958), groups compared by
    the log-rank test.

    `data` holds a row for each thing: the day on which it began, and that on which it ended, empty
    while it goes on. `span` is the first and the last day that was watched; empty, the days of the
    data. What began before it has an unknown age and is left out, as are those that all begin on
    the first day. Raises ToolError.
    """
    outcome = Outcome()
    frame = pd.DataFrame({"start": as_days(data, start), "end": as_days(data, end)})
    frame["group"] = [group_name(by, one) for one in data[by]] if by else ""
    whole = len(frame)
    frame = frame.dropna(subset=["start"])
    outcome.add("rows used", len(frame))
    if whole > len(frame):
        outcome.caveats.append(f"{whole - len(frame):,} rows without {start} were left out.")
    frame = _watched(outcome, frame, start, span)
    at_least(len(frame), _LEAST, "a cohort")
    kept = _lasting(outcome, frame, start, end)
    outcome.add_sentence("test", "survival by Kaplan and Meier")
    groups = sorted(kept["group"].unique())
    if len(groups) > _MOST_GROUPS:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"{by} has {len(groups)} values; at most {_MOST_GROUPS} cohorts are compared.",
            details={"column": by, "limit": _MOST_GROUPS, "seen": len(groups)},
        )
    for name in groups:
        _add_curve(outcome, kept[kept["group"] == name], name, confidence)
    outcome.add_sentence("conclusion", _conclude(outcome, kept, groups, by, 1 - confidence))
    outcome.assume("what has not ended yet would end as the others do, whenever it was last seen")
    return outcome


def _watched(
    outcome: Outcome, frame: pd.DataFrame, start: str, span: tuple[str, str]
) -> pd.DataFrame:
    """Those that began while somebody watched, with the last day that was watched."""
    first, last = (pd.Timestamp(one) if one else None for one in span)
    until = last if last is not None else frame[["start", "end"]].max().max()
    frame = frame.assign(until=until)
    if first is not None:
        early = frame["start"] < first
        why = f"began before {first.date()}, the first day that was watched"
    else:
        earliest = frame["start"].min()
        early = frame["start"] == earliest
        days = max((frame["start"].max() - earliest).days, 1)
        usual = (len(frame) - early.sum()) / days
        if early.sum() < max(_FEW_AT_ONCE, _AT_ONCE * usual):
            return frame
        why = f"all begin on {earliest.date()}, the first day of {start}: they may be far older"
    if early.any():
        outcome.add("rows left out", int(early.sum()), text="their age is not known")
        outcome.caveats.append(
            f"{int(early.sum()):,} rows were left out (censored on the left): they {why}."
        )
    return frame[~early]


def _lasting(outcome: Outcome, frame: pd.DataFrame, start: str, end: str) -> pd.DataFrame:
    """Days until each ended, or was last seen; those that end before they begin are refused."""
    ended = frame["end"].notna() & (frame["end"] <= frame["until"])
    last = frame["end"].where(ended, frame["until"])
    days = (last - frame["start"]).dt.total_seconds() / 86_400
    odd = days < 0
    if odd.any():
        outcome.caveats.append(
            f"{int(odd.sum()):,} rows were left out: {end}, or the last day, is before {start}."
        )
    kept = frame.assign(days=days, ended=ended)[~odd]
    outcome.add("ended", int(kept["ended"].sum()))
    outcome.add("not ended yet", int((~kept["ended"]).sum()), text="counted up to the last day")
    if not kept["ended"].any():
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"no row has ended by the last day ({frame['until'].max().date()}), so how long they "
            "last cannot be told.",
            details={"column": end},
        )
    return kept


def _add_curve(outcome: Outcome, rows: pd.DataFrame, name: str, confidence: float) -> None:
    from scipy import stats
    from statsmodels.duration.survfunc import SurvfuncRight

    found: Any = SurvfuncRight(rows["days"].to_numpy(), rows["ended"].to_numpy(dtype=int))
    with np.errstate(divide="ignore", invalid="ignore"):  # where all, or none, are left
        low, high = found.quantile_ci(0.5, alpha=1 - confidence, method="cloglog")
    outcome.add("n", len(rows), name)
    median = float(found.quantile(0.5))
    outcome.add("median days", median, name, "" if np.isfinite(median) else "not reached")
    outcome.interval("median days", float(low), float(high), name)
    z = float(stats.norm.ppf(0.5 + confidence / 2))
    for day in _DAYS:
        at_risk = int((rows["days"] >= day).sum())
        passed = np.flatnonzero(found.surv_times <= day)
        if at_risk < _FEW_LEFT or not passed.size:
            continue
        share, error = found.surv_prob[passed[-1]], found.surv_prob_se[passed[-1]]
        outcome.add(f"share left after {day} days", share, name)
        if 0 < share < 1:  # the interval of the complementary log-log, which stays within 0 and 1
            width = z * error / abs(share * np.log(share))
            low, high = share ** np.exp(width), share ** np.exp(-width)
            outcome.interval(f"share left after {day} days", float(low), float(high), name)


def _conclude(
    outcome: Outcome, kept: pd.DataFrame, groups: list[str], by: str, alpha: float
) -> str:
    from statsmodels.duration.survfunc import survdiff

    if len(groups) < 2:
        median = next(row[2] for row in outcome.rows if row[1] == "median days")
        if median is None:
            return "fewer than half have ended by the last day"
        return f"half have ended after {median:,.4g} days"
    value, p = survdiff(kept["days"], kept["ended"].astype(int), kept["group"])
    outcome.add("log-rank chi-square", float(value))
    outcome.add("p-value", float(p), text="log-rank test")
    differ = "differ" if p < alpha else "do not clearly differ"
    return f"the groups of {by} {differ} in how long they last"
