"""The search over a metric: rows of what explains its change, best first."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from services.executor.metric.amounts import Amounts, amounts_of
from services.executor.metric.cube import Cube, Numbers, Whole
from services.executor.metric.design import design_of, memory_of
from services.executor.metric.effects import Effect, effects_of, half_width
from services.executor.metric.field import Field, field_of
from services.executor.metric.finding import Found, Outcome, searched
from services.executor.metric.onset import onset_of, within_periods
from services.executor.metric.placebo import History, history_of, leaves_within
from services.executor.metric.search_rows import extent_of, search_notes
from services.executor.metric.segments import Segments, segments_of
from services.executor.metric.spans import Frame
from services.executor.metric.whole_rows import (
    Row,
    alike_row,
    began_of,
    mark_reversals,
    share_of,
    total_row,
)
from services.executor.metric.year import year_earlier

SPENT = 0.4
"""Of the chance of a false cause that is allowed, what the search for segments takes (of a ratio
half each for rates and for shares), beside SPENT_ON_ALL. The rest is kept in hand: a null is
estimated from the same days, and with few of them not quite as wide as it should be."""
USUAL = "usual"
"""The kind of a segment that moved as far between earlier pairs of periods: no news."""
LEAST_MIX = 0.05
"""A changed share is told where it moved the metric by at least this part of its change, and by
more than its standard error: shares move all the time, most without a bearing on the ratio."""
_MOST_SEGMENT_TIMES = 12_000_000


@dataclass(frozen=True)
class Wanted:
    """How to search: see the arguments of metric.search."""

    most: int = 10
    deepest: int | None = None
    times: int = 199
    alpha: float = 0.05
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Search:
    """One search under way, and what its rows are made of."""

    cube: Cube
    frame: Frame
    amounts: Amounts
    segments: Segments
    wanted: Wanted
    within: Mapping[str, str | None]
    history: History

    @property
    def spent(self) -> float:
        """What p-values of a search for segments are multiplied by: see SPENT."""
        return (2.0 if self.amounts.ratio else 1.0) / SPENT

    def rows(self) -> tuple[list[Row], list[str]]:
        """The rows, and notes on how they were found."""
        design = design_of(self.frame)
        in_time = self.frame.in_time
        amounts = self.amounts
        counts = None if self.cube.leaf_form else self.frame.values(self.cube.rows)
        main = field_of(
            amounts.series, self.segments, design, in_time, amounts.size, amounts.plain, counts
        )
        found = self._searched(main, 0, self.history.amounts)
        rows, effects = self._main_rows(main, found)
        rows += self._mix_rows(main) if self.amounts.ratio else []
        values = [row for row in rows if row["p_corrected"] <= self.wanted.alpha]
        values.sort(key=lambda row: (-abs(row["effect"]), row["segment"]))
        left = [row for row in rows if row["p_corrected"] > self.wanted.alpha]
        left.sort(key=lambda row: (row["p_corrected"], -row["gain"], row["segment"]))
        self._beside_last_year(rows)
        total = {**total_row(self.amounts, self.within), **extent_of(self.segments)}
        wanted = self.wanted
        alike = alike_row(
            total, self.amounts, self.frame, main, effects[0], wanted.times, wanted.seed + 7
        )
        ordered = [*values[: wanted.most], *left, alike, total]
        if alike["p_corrected"] <= wanted.alpha:
            ordered = [*values[: wanted.most], alike, *left, total]
        self._beside_last_year([alike])
        mark_reversals(self.amounts, ordered)
        for rank, row in enumerate(ordered, 1):
            row["rank"] = rank
        pairs = len(self.history.pairs.frames)
        return ordered, search_notes(self.frame, self.segments, found, pairs)

    def _beside_last_year(self, rows: list[Row]) -> None:
        """What each segment was in both periods a year earlier, where the history has them."""
        if self.frame.spans is None:
            return
        for row in rows:
            found = year_earlier(self.history.cube, *self.frame.spans, json.loads(row["segment"]))
            if found is not None:
                row["year_baseline"], row["year_comparison"] = found

    def _searched(
        self,
        field: Field,
        number: int,
        unrest: Callable[[], Numbers | None],
        allowed: Callable[[Whole], Numbers] | None = None,
    ) -> Outcome:
        wanted = self.wanted
        alpha, seed = wanted.alpha / self.spent, wanted.seed + number
        beside = None if number else self.history.unrest_beside
        return searched(
            field, wanted.most, wanted.times, alpha, seed, allowed, unrest(), beside=beside
        )

    def _main_rows(self, field: Field, outcome: Outcome) -> tuple[list[Row], list[Effect]]:
        memory = None if outcome.test is None else outcome.test.memory

        def fitted(numbers: list[int]) -> list[Effect]:
            sets = [self.segments.leaves(k) for k in numbers]
            memories = [0.0 if memory is None else float(memory[k]) for k in numbers]
            return effects_of(self.amounts, field, sets, memories)

        taken = [*outcome.found, *outcome.usual]
        numbers = [one.segment for one in taken]
        effects = fitted(numbers)
        rows = [self._row(one, effect) for one, effect in zip(taken, effects[1:], strict=True)]
        for row in rows[len(outcome.found) :]:
            row["kind"] = USUAL
        for one in outcome.left:
            rows.append(self._row(one, fitted([*numbers, one.segment])[-1]))
        return rows, effects

    def _row(self, one: Found, effect: Effect) -> Row:
        inside = self.segments.leaves(one.segment)
        before, after = self.amounts.metric(inside)
        kind = self._kind(inside, "rate" if self.amounts.ratio else "segment")
        value, low, high = effect.value, effect.low, effect.high
        expected = after - value
        if self.amounts.base_after is not None:
            share = self.amounts.base_after[inside].sum() / max(
                self.amounts.base_after.sum(), 1e-300
            )
            expected = after - value / share if share else float("nan")
        elif kind == "new":
            low, high, value, expected = low + after - value, high + after - value, after, 0.0
        return self._filled(
            one, kind, inside, (before, after, expected), (value, low, high), effect
        )

    def _mix_rows(self, main: Field) -> list[Row]:
        """Segments whose share of the denominator moved, where that moved the ratio."""
        assert self.cube.denominator is not None
        base = self.frame.values(self.cube.denominator)
        counts = None if self.cube.leaf_form else self.frame.values(self.cube.rows)
        field = field_of(base, self.segments, main.design, main.in_time, rows=counts)
        change = self.amounts.totals[1] - self.amounts.totals[0]
        whole = self.amounts.series.sum(axis=0)
        error = (
            half_width(main.design, whole, memory_of(main.design, whole)) / 2
            if main.in_time
            else 0.0
        )
        least = max(LEAST_MIX * abs(change), error if np.isfinite(error) else 0.0)

        def matters(numbers: Whole) -> Numbers:
            effects = [self.amounts.share_effect(self.segments.leaves(int(k))) for k in numbers]
            return np.asarray(np.abs(effects) - least)

        outcome = self._searched(field, 1, self.history.shares, matters)
        return [self._mix_row(one) for one in [*outcome.found, *outcome.left[:1]]]

    def _mix_row(self, one: Found) -> Row:
        inside = self.segments.leaves(one.segment)
        before, after = self.amounts.metric(inside)
        value = self.amounts.share_effect(inside)
        assert self.cube.denominator is not None
        base = self.frame.values(self.cube.denominator)
        whole = np.maximum(base.sum(axis=0), 1e-300)
        series = base[inside].sum(axis=0) / whole
        assert self.amounts.base_before is not None and self.amounts.base_after is not None
        shares = [
            b[inside].sum() / max(b.sum(), 1e-300)
            for b in (self.amounts.base_before, self.amounts.base_after)
        ]
        gap = value / (shares[1] - shares[0]) if shares[1] != shares[0] else 0.0
        design = design_of(self.frame)
        around = float("nan")
        if self.frame.in_time:
            around = abs(gap) * half_width(design, series, memory_of(design, series))
        effect = Effect(value, value - around, value + around, series)
        kind = self._kind(inside, "mix")
        figures = before, after, float("nan")
        return self._filled(one, kind, inside, figures, (value, effect.low, effect.high), effect)

    def _kind(self, inside: Whole, usual: str) -> str:
        if not self.amounts.rows_before[inside].any():
            return "new"
        return "vanished" if not self.amounts.rows_after[inside].any() else usual

    def _filled(
        self,
        one: Found,
        kind: str,
        inside: Whole,
        figures: tuple[float, float, float],
        effect: tuple[float, float, float],
        whole: Effect,
    ) -> Row:
        named = {**self.within, **self.segments.named(one.segment)}
        began = onset_of(whole.series, self.frame.times, self.frame.strata)
        return {
            "kind": kind,
            "segment": json.dumps(dict(sorted(named.items())), ensure_ascii=False),
            "depth": int(self.segments.depth[one.segment]),
            "baseline": figures[0],
            "comparison": figures[1],
            "expected": figures[2],
            "effect": effect[0],
            "low": effect[1],
            "high": effect[2],
            "share": share_of(self.amounts, effect[0]),
            "p_value": one.p_value,
            "p_corrected": min(1.0, one.p_corrected * self.spent),
            "p_at_most": one.at_most,
            "gain": one.gain,
            **began_of(within_periods(began, self.frame.spans)),
            "reversal": False,
        }


def search_of(cube: Cube, frame: Frame, wanted: Wanted, within: Mapping[str, str | None]) -> Search:
    """A search over a cube, made ready; what the cube has beside both periods is its history."""
    inside = leaves_within(cube, frame)
    amounts = amounts_of(inside, frame)
    size = np.abs(amounts.before) + np.abs(amounts.after)
    most = _MOST_SEGMENT_TIMES // max(len(frame.times), 1)
    rows = None if cube.leaf_form else amounts.rows_before + amounts.rows_after
    segments = segments_of(inside, size, wanted.deepest, most, rows)
    history = history_of(cube, frame, design_of(frame), segments)
    return Search(inside, frame, amounts, segments, wanted, within, history)
