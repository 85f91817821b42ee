"""The whole of a metric in two periods: how far it moved, and whether so much is usual."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import numpy as np
import pyarrow as pa

from services.executor.metric.amounts import amounts_of
from services.executor.metric.cube import Cube, Numbers
from services.executor.metric.design import Design, design_of, memory_of, without_means
from services.executor.metric.effects import half_width
from services.executor.metric.finding import p_of, threshold_of
from services.executor.metric.onset import onset_of, within_periods
from services.executor.metric.spans import Frame, Span, frame_of, width_of
from services.executor.metric.usual import Pair, Statistic, Usual, usual_rows
from services.executor.metric.year import year_earlier

SCHEMA = pa.schema(
    [
        ("statistic", pa.string()),
        ("value", pa.float64()),
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("text", pa.string()),
        ("p_at_most", pa.bool_()),
    ]
)
FEWEST_PAIRS = 19
"""Placebo pairs below which they cannot show a p-value of 0.05."""
RELABELLINGS = 1_999
FORECAST = "forecast"
"""What is told of the baseline where a forecast stands for it."""
_MOST_PAIRS = 400
_ALPHA = 0.05
_INSIDE = 0.999
"""Of a change that is unusual, how far its interval reaches to nought at most."""


@dataclass
class _Findings:
    rows: list[dict[str, Any]] = field(default_factory=list)

    def add(
        self,
        statistic: str,
        value: float | None,
        text: str | None = None,
        around: float | None = None,
        at_most: bool = False,
    ) -> None:
        there = value is not None and np.isfinite(value)
        wide = there and around is not None and np.isfinite(around)
        self.rows.append(
            {
                "statistic": statistic,
                "value": value if there else None,
                "low": value - around if wide else None,  # type: ignore[operator]
                "high": value + around if wide else None,  # type: ignore[operator]
                "text": text,
                "p_at_most": at_most,
            }
        )

    def put(self, one: Statistic) -> None:
        """One of what the change is held against."""
        self.rows.append(
            {
                "statistic": one.name,
                "value": one.value,
                "low": one.low,
                "high": one.high,
                "text": one.text,
                "p_at_most": False,
            }
        )


def change_rows(
    cube: Cube, baseline: Span | None, comparison: Span | None, seed: int
) -> tuple[list[dict[str, Any]], list[str]]:
    """One row for each statistic of the whole, and notes. Raises ToolError."""
    whole = cube.kept([], {})
    frame = frame_of(whole, baseline, comparison)
    amounts = amounts_of(whole, frame)
    design = design_of(frame)
    series, per_step = amounts.series[0], amounts.per_step
    before, after = amounts.totals
    raw = before if amounts.ratio else before / frame.scale
    difference = after - before
    findings = _Findings()
    findings.add("baseline", raw, FORECAST if whole.leaf_form else None)
    findings.add("comparison", after)
    memory = memory_of(design, series) if frame.in_time else 0.0
    around = half_width(design, series, memory) * per_step if frame.in_time else None
    if not amounts.ratio:
        scaled = frame.scale != 1
        how = "the baseline's sum scaled to the comparison's length" if scaled else None
        findings.add("baseline_comparable", before, how)
        findings.add("baseline_per_bucket", float(raw / frame.baseline.sum()))
        findings.add("comparison_per_bucket", float(after / frame.comparison.sum()))
    chance = _chance(whole, frame, design, series, memory, (baseline, comparison), seed)
    around = _coherent(around, difference, chance)
    findings.add("difference", difference, None, around)
    _relative(findings, before, difference, around)
    if frame.in_time and frame.strata.any():
        step = float(series @ design.contrast) * per_step
        findings.add(
            "same_weekdays_difference",
            step,
            "each weekday compared with the same weekday",
            _coherent(half_width(design, series, memory) * per_step, step, chance),
        )
    findings.add("p_value", chance.p)
    findings.add("p_at_most", float(chance.at_most))
    findings.add("pairs", float(chance.pairs))
    findings.add("null", None, chance.how)
    began = onset_of(series, frame.times, frame.strata) if frame.in_time else None
    began = within_periods(began, frame.spans)
    if began is not None:
        text = began.day.isoformat()
        findings.add("onset", None, text)
        findings.add("onset_between", None, f"{began.low.isoformat()} and {began.high.isoformat()}")
    _year_earlier(findings, whole, baseline, comparison)
    if chance.usual is not None:
        for one in usual_rows(chance.usual):
            findings.put(one)
    return findings.rows, list(frame.notes)


def _relative(findings: _Findings, before: float, difference: float, around: float | None) -> None:
    if before > 0:
        findings.add(
            "relative", difference / before, None, None if around is None else around / before
        )
    elif before == 0:
        findings.add(
            "relative", None, "the baseline is zero: a change relative to it has no meaning"
        )
    elif before < 0:
        findings.add("relative", None, "the baseline is negative: a change relative to it misleads")
    else:
        findings.add("relative", None, "the baseline has no value")


@dataclass(frozen=True)
class _Chance:
    """How likely so much is by chance, and how that was seen. `least` is the change from which on
    it is unusual, as a part of the one that was seen; None where chance is not known. `usual` is
    what it was held against; None where periods do not lie in time."""

    p: float | None
    at_most: bool
    how: str
    pairs: int
    least: float | None
    usual: Usual | None


def _coherent(around: float | None, value: float, chance: _Chance) -> float | None:
    """Half the interval of a change, by the same chance as the p-value: it leaves nought out just
    where the change is called unusual. What days within the periods say alone may be too narrow
    where levels wander from period to period."""
    if around is None or not np.isfinite(around) or chance.least is None:
        return around
    usual = abs(value) * chance.least
    if chance.p is not None and chance.p > _ALPHA:
        return max(around, usual)
    return min(max(around, usual if chance.pairs >= FEWEST_PAIRS else 0.0), abs(value) * _INSIDE)


def _chance(
    whole: Cube,
    frame: Frame,
    design: Design,
    series: Numbers,
    memory: float,
    spans: tuple[Span | None, Span | None],
    seed: int,
) -> _Chance:
    """The p-value: relabelled buckets, and placebo pairs where the history has enough of them."""
    pairs, dealt = _placebo(whole, *spans), np.zeros(0)
    placebo = np.array([pair.movement for pair in pairs])
    p, at_most, how = None, False, "there are too few buckets to tell chance from"
    least: float | None = None
    if frame.in_time:
        if memory > 0:
            series, design = design.filter(series[None, :], np.array([memory]))[0], design.filtered
        ready = without_means(series[None, :], design.strata)[0]
        drawn, own_step = ready @ design.relabelled(RELABELLINGS, seed), ready @ design.centred
        null, seen = np.abs(drawn), float(abs(own_step))
        dealt = drawn / own_step if seen else dealt
        p, at_most = p_of(seen * (1 - 1e-12), null)
        least = threshold_of(null, _ALPHA) / max(seen, 1e-300)
        how = f"{RELABELLINGS:,} relabellings of the buckets of both periods"
        how += ", weekdays kept" if design.strata.any() else ""
        how += f"; autocorrelation {memory:.2f} allowed for" if memory > 0 else ""
    own = _movement(whole, *spans) if frame.in_time or pairs else np.nan
    if len(placebo) >= FEWEST_PAIRS:
        theirs = p_of(abs(own) * (1 - 1e-12), np.abs(placebo))
        both = "the larger of both" if p is not None else "alone"
        of_pairs = threshold_of(np.abs(placebo), _ALPHA) / max(abs(own), 1e-300)
        least = max(least or 0.0, of_pairs) if np.isfinite(of_pairs) else least
        if p is None or theirs[0] > p:
            p, at_most = theirs
        more = f"{len(placebo)} earlier pairs of periods of the same lengths and weekdays"
        how = f"{how}; {more} ({both})" if frame.in_time else more
    usual = Usual(own, tuple(pairs), dealt) if frame.in_time or pairs else None
    return _Chance(p, at_most, how, len(placebo), least, usual)


def _placebo(whole: Cube, baseline: Span | None, comparison: Span | None) -> list[Pair]:
    """Pairs of periods that end before the earlier one of the question, each with its change."""
    if baseline is None or comparison is None or whole.leaf_form:
        return []
    days = [day for day in whole.buckets if isinstance(day, date)]
    width = width_of(days)
    unit = 7 if width == 1 else width
    first = min(baseline.start, comparison.start)
    reach = max(baseline.end, comparison.end)
    pairs: list[Pair] = []
    taken, back = 0, -(-((reach - first).days + 1) // unit)
    while taken < _MOST_PAIRS and first - timedelta(days=back * unit) >= days[0]:
        shift = timedelta(days=back * unit)
        earlier = Span(start=baseline.start - shift, end=baseline.end - shift)
        later = Span(start=comparison.start - shift, end=comparison.end - shift)
        if np.isfinite(moved := _movement(whole, earlier, later)):
            pairs.append(Pair(earlier, later, moved))
        taken, back = taken + 1, back + 1
    return pairs


def _movement(whole: Cube, baseline: Span | None, comparison: Span | None) -> float:
    """The change between two periods as a part of their mean; not a number without either."""
    before, after = amounts_of(whole, frame_of(whole, baseline, comparison)).totals
    if not (np.isfinite(before) and np.isfinite(after)):
        return float("nan")
    size = (abs(before) + abs(after)) / 2
    return (after - before) / size if size else 0.0


def _year_earlier(
    findings: _Findings, whole: Cube, baseline: Span | None, comparison: Span | None
) -> None:
    """Both periods 52 weeks earlier, where the cube reaches."""
    found = year_earlier(whole, baseline, comparison, {})
    if found is None:
        return
    before, after = found
    findings.add("year_earlier_baseline", before, "52 weeks earlier, made comparable")
    findings.add("year_earlier_comparison", after, "52 weeks earlier")
    findings.add("year_earlier_difference", after - before)
