"""Ranks and calibrates the candidates of each fold by what the other folds teach."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bench.reading.sets import FOLDS, Item
from bench.training.calibrating import RIGHT, calibrated, chosen, reliability, risk, seen_of
from bench.training.learning import ranker
from bench.training.reporting import report
from bench.training.stages import Tried
from services.planner.domain.reader.choice.linear import LogLinear
from services.planner.domain.reader.choice.model import Ranker


@dataclass(frozen=True)
class Judged:
    """What calibration saw of each choice and whether it was right; the models of each fold."""

    examples: Sequence[tuple[dict[str, float], bool]]
    rankers: Sequence[Ranker]
    calibrations: Sequence[LogLinear]


def judge_ranking(
    items: Sequence[Item],
    tried: Mapping[str, Tried],
    fold: Mapping[str, int],
    clock: Callable[[str], None],
) -> Judged:
    """Ranks each fold by what the others teach, then calibrates likewise, and reports."""
    rankers = [ranker([tried[i.id] for i in items if fold[i.id] != k]) for k in range(FOLDS)]
    order = {i.id: chosen(tried[i.id], rankers[fold[i.id]])[0] for i in items}
    seen = {i.id: seen_of(tried[i.id], rankers[fold[i.id]]) for i in items if order[i.id]}
    clock("ranked")
    report(items, tried, order)
    right = {i.id: bool(order[i.id]) and tried[i.id].is_fair(order[i.id][0]) for i in items}
    known = [item for item in items if item.id in seen]
    calibrations = [
        calibrated([(seen[i.id], right[i.id]) for i in known if fold[i.id] != k])
        for k in range(FOLDS)
    ]
    sure = dict.fromkeys((item.id for item in items), 0.0)
    for item in known:
        sure[item.id] = calibrations[fold[item.id]].probabilities(seen[item.id])[RIGHT]
    for name in sorted({item.set for item in items}):
        pairs = [(sure[i.id], right[i.id]) for i in items if i.set == name]
        print(
            f"{name:9} right at coverage {risk(pairs)}\n          {reliability(pairs)}", flush=True
        )
    clock("calibrated")
    return Judged([(seen[i.id], right[i.id]) for i in known], rankers, calibrations)
