"""Columns that suddenly have no values, and numerators that suddenly are nought."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from services.executor.metric.arguments import MetricRows
from services.executor.metric.quality.days import Days
from services.executor.metric.quality.found import Found, Severity, days_in_words, runs

_FEW = 20
"""Rows of a day, or of a period, below which a share says nothing."""

_SELDOM, _MOSTLY, _JUMP = 0.05, 0.5, 0.2
"""A column that is seldom empty on the usual day and mostly on another was not filled that day. A
jump by this much alone may be the business: more sales without a coupon, say."""


_RECURS = 0.05
"""Share of other days on which the same is seen, from which it is how these data are."""


def null_floods(days: Days, rows: MetricRows, columns: Sequence[str]) -> list[Found]:
    """Days on which a column is empty far more often than usual."""
    found = []
    for place, column in enumerate(columns):
        empty = days.rows - days.figures[f"c{place}"]
        found += _flood(days, rows, empty, column, "null_flood", "is empty", sure=True)
    if rows.numerator in columns:
        zeros = days.figures["zeros"]
        found += _flood(days, rows, zeros, rows.numerator, "zero_flood", "is nought", sure=False)
    return found


def _flood(
    days: Days,
    rows: MetricRows,
    empty: npt.NDArray[np.float64],
    column: str,
    check: str,
    what: str,
    *,
    sure: bool,
) -> list[Found]:
    if not empty.any():
        return []
    shares = _share(days, empty, rows, "baseline"), _share(days, empty, rows, "comparison")
    value = np.flatnonzero(days.rows >= _FEW)
    if len(value) < 4:
        return _of_periods(rows, shares, column, check, what, sure=sure)
    by_day = empty[value] / days.rows[value]
    usual = float(np.quantile(by_day, 0.25))
    spread = np.sqrt(max(usual * (1 - usual), 0.01) / days.rows[value])
    ordinary = by_day[by_day <= np.median(by_day)]
    wide = float(np.max(ordinary) - np.min(ordinary)) if len(ordinary) else 0.0
    over = by_day - usual > np.maximum(_JUMP, 6 * spread + 2 * wide)
    flagged = np.zeros(len(days.rows), dtype=np.bool_)
    flagged[value[over]] = True
    chosen = [
        int(place)
        for name in ("baseline", "comparison")
        for place in np.flatnonzero(flagged & days.within(getattr(rows, name)))
        if not _recurs(flagged, days.within(getattr(rows, name)), days.rows >= _FEW)
    ]
    found = []
    if flagged.any() and not chosen:
        detail = f"{column} {what} far more often on some days, before and after alike"
        found.append(Found(check, "note", detail, *shares, column=column))
    for first, until in runs([days.days[p] for p in chosen], apart=3):
        here = [p for p in chosen if first <= days.days[p] <= until]
        share = float(empty[here].sum() / days.rows[here].sum())
        severity: Severity = "fault" if sure and usual <= _SELDOM and share >= _MOSTLY else "doubt"
        when = days_in_words(first, until, len(here))
        detail = f"{column} {what} in {share:.0%} of rows on {when}; usually in {usual:.1%}"
        found.append(
            Found(
                check,
                severity,
                detail,
                *shares,
                column=column,
                bucket=first,
                until=until,
                weight=float(empty[here].sum()),
            )
        )
    return found


def _recurs(
    flagged: npt.NDArray[np.bool_], period: npt.NDArray[np.bool_], value: npt.NDArray[np.bool_]
) -> bool:
    """Whether what happens in a period happens on other days too: on every Sunday, say."""
    here, elsewhere = flagged[period & value], flagged[~period & value]
    if not len(here) or not len(elsewhere):
        return False
    return float(np.mean(elsewhere)) >= max(_RECURS, float(np.mean(here)) / 3)


def _share(days: Days, empty: npt.NDArray[np.float64], rows: MetricRows, name: str) -> float | None:
    here = days.within(getattr(rows, name))
    total = float(days.rows[here].sum())
    return float(empty[here].sum()) / total if total >= _FEW else None


def _of_periods(
    rows: MetricRows,
    shares: tuple[float | None, float | None],
    column: str,
    check: str,
    what: str,
    *,
    sure: bool,
) -> list[Found]:
    """Where days have few rows, the periods as wholes."""
    if shares[0] is None or shares[1] is None:
        return []
    low, high = min(shares[0], shares[1]), max(shares[0], shares[1])
    if high - low < _JUMP:
        return []
    certain = sure and low <= _SELDOM and high >= _MOSTLY
    detail = f"{column} {what} in {shares[0]:.0%} of rows of the baseline, then in {shares[1]:.0%}"
    severity: Severity = "fault" if certain else "doubt"
    return [Found(check, severity, detail, *shares, column=column, weight=high)]
