"""How sure answers are told, fitted and measured: `python -m bench.proposals.confidence fit|table`.

`fit` has every question of the sets decided (`decisions.py`), fits a curve for each kind of
decision by the databases that are open, measures what is told of those that are kept apart, and
writes mesh/reliability.json and docs/confidence.md. `--kept FILE` keeps the decisions, or takes
them from there without deciding anew. `table` prints what was measured.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from bench.proposals.confidence_page import PAGE, page
from bench.proposals.decisions import Collecting, Decision, items_of
from bench.proposals.weighing import (
    Assumed,
    Weighed,
    alike_in,
    balanced,
    for_fitting,
    proposed,
    share_of,
    weigh_decisions,
)
from bench.reading.sets import FOLDS, fold_of
from mesh import sureness
from mesh.reliability import FILE, Curve, Measured, measured, read, wilson
from services.planner.domain.confidence.seen import KINDS, RAISING, ConfidenceLevel, Kind
from services.planner.domain.confidence.telling import may_be_sure, may_gain_by_sample

SETS = ("everyday", "beside", "analytical", "talks", "short", "queries")
_SURE, _DOUBTFUL = 0.95, 0.7
_NEVER: tuple[Kind, ...] = ("model",)
"""Nothing independent speaks for one sample of a model, and how good a model is configured is not
known: that it is likelier right than so depends on what is assumed of it alone."""
_LIKE: Mapping[Kind, Kind] = {"edit twice": "twice"}
_PRIORS, _STEEPEST = (0.1, 0.3, 1.0, 3.0, 10.0), 8.0
_ONE_SIDED = 1.645
_FEWEST = 30
"""Decisions that a curve of their own is fitted by."""
_ERRING = (0.03, 0.05, 0.1, 0.2, 0.3)


async def collected(limit: int | None, part: int = 0, of: int = 1) -> list[Decision]:
    """Every decision on every question of the sets, or on those over one part of the databases.
    What is not there is told and left out."""
    collecting, found = Collecting(), list[Decision]()
    mine = (one for one in items_of(SETS, limit) if fold_of(one.database, of) == part)
    for number, item in enumerate(mine, start=1):
        found += [one async for one in collecting.of(item)]
        if number % 50 == 0:
            print(f"  {number} questions", file=sys.stderr, flush=True)
    return found


def _part(limit: int | None, part: int, of: int) -> list[Decision]:
    return asyncio.run(collected(limit, part, of))


def fitted(decisions: Sequence[Decision], assumed: Assumed) -> dict[str, Any]:
    """The measure as the file holds it, from decisions on databases that are open, with the table
    of those that are kept apart."""
    groups = for_fitting([one for one in decisions if not kept_apart(one)], assumed)
    curves = {kind: _curve(kind, of) for kind, of in groups.items() if len(of) >= _FEWEST}
    values: dict[str, Any] = {
        "curves": {kind: curves.get(kind) or _as(kind, curves) for kind in KINDS},
        "doubtful": _DOUBTFUL,
        "table": [],
        "made_from": {},
    }
    apart = [one for one in decisions if kept_apart(one)]
    by = read(values)
    values["table"] = list(_table(apart, assumed, by))
    values["made_from"] = _made_from(decisions, apart, assumed, by)
    return values


def kept_apart(one: Decision) -> bool:
    """Whether the table is made from it: of the databases that nobody looks at the half, where a
    set is small and the others must tell what the rules do over such."""
    return one.apart and (one.of_template or fold_of(one.database, 2) == 0)


def _curve(kind: Kind, group: Sequence[Weighed]) -> dict[str, Any]:
    """The curve of one kind, held back as much as serves databases that it was not fitted by."""
    prior = min(_PRIORS, key=lambda prior: _missed(group, prior))
    curve = logistic(group, prior)
    if kind not in _NEVER:
        curve["sure"] = _threshold(curve, group)
    return curve


def _as(kind: Kind, curves: Mapping[Kind, dict[str, Any]]) -> dict[str, Any]:
    """The curve of a kind of which too little is known: another's, by which nothing is sure."""
    nothing: dict[str, Any] = {"constant": 0.0, "weights": {}}
    return {**curves.get(_LIKE.get(kind, "rules"), nothing), "sure": None}


def _missed(group: Sequence[Weighed], prior: float) -> float:
    """How far curves miss decisions over databases that they were not fitted by: log loss."""
    value = 0.0
    for fold in range(FOLDS):
        inside = [one for one in group if fold_of(one.database, FOLDS) != fold]
        curve = Curve(**logistic(inside, prior))
        for one in group:
            if fold_of(one.database, FOLDS) == fold:
                probability = curve.probability(one.seen.features)
                value -= one.weight * math.log(probability if one.right else 1 - probability)
    return value


def logistic(group: Sequence[Weighed], prior: float) -> dict[str, Any]:
    """The likeliest logistic curve in which nothing raises what may not, with a Gaussian prior of
    that precision."""
    names = sorted({name for one in group for name in one.seen.features})
    seen = [one.seen.features for one in group]
    table = np.array([[1.0, *(one.get(name, 0.0) for name in names)] for one in seen])
    right = np.array([one.right for one in group], dtype=float)
    weight = np.array([one.weight for one in group])

    def loss(values: Any) -> tuple[float, Any]:
        scores = table @ values
        penalty = np.concatenate([[0.0], values[1:]])
        slope = table.T @ (weight * (1 / (1 + np.exp(-scores)) - right))
        value = (weight * (np.logaddexp(0, scores) - right * scores)).sum()
        return float(value + prior / 2 * (penalty**2).sum()), slope + prior * penalty

    bounds = [
        (-_STEEPEST, _STEEPEST),
        *((0, None) if name in RAISING else (None, 0) for name in names),
    ]
    found = minimize(loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B", bounds=bounds).x
    weights = {
        name: round(float(value), 3)
        for name, value in zip(names, found[1:], strict=True)
        if abs(value) >= 0.001
    }
    return {"constant": round(float(found[0]), 3), "weights": weights, "sure": None}


def _threshold(curve: dict[str, Any], group: Sequence[Weighed]) -> float | None:
    """The lowest probability from which on decisions are told as sure: their own is high enough,
    of all from there on the share that is right is so, with 95 % certainty (one-sided), templates
    being a quarter of them at most; and it is so of people's own questions alone. Where people
    looked while they wrote the rules counts for nothing here."""
    by = Curve(**curve)
    weigheds = [one for one in group if may_be_sure(one.seen) and not one.looked_at]
    may = [(by.probability(one.seen.features), one) for one in weigheds]
    for least in sorted({round(p - 0.0005, 3) for p, _ in may if p >= _SURE}):
        sure = [one for p, one in may if p >= least]
        share, number, *_ = share_of(balanced(sure))
        of_people, *_ = share_of([one for one in sure if not one.of_template])
        bound = wilson(share * number, number, _ONE_SIDED)[0]
        if bound >= _SURE and of_people >= _SURE:
            return least
    return None


def _table(apart: Sequence[Decision], assumed: Assumed, by: Measured) -> Iterator[dict[str, Any]]:
    """A line for each kind and word, and in each how people's own questions came out."""
    found: dict[tuple[str, ConfidenceLevel], list[Weighed]] = defaultdict(list)
    for text, one in weigh_decisions(apart, assumed, by):
        found[one.seen.kind, text].append(one)
    for kind in KINDS:
        for text, word in sureness.WORDS.items():
            if group := found.get((kind, text)):
                share, number, low, high = share_of(balanced(group))
                of_people, people, *_ = share_of([one for one in group if not one.of_template])
                figures = {"share": share, "low": low, "high": high, "of_people": of_people}
                line = {name: round(value, 3) for name, value in figures.items()}
                yield {"kind": kind, "label": word, "number": number, "people": people, **line}


def _made_from(
    decisions: Sequence[Decision], apart: Sequence[Decision], assumed: Assumed, by: Measured
) -> dict[str, Any]:
    """Where it comes from: sets and counts, what was assumed, and what it would be otherwise."""
    asked = {(o.set, kept_apart(o), o.database, o.question) for o in decisions}
    sets = Counter((name, is_apart) for name, is_apart, *_ in asked)
    return {
        "sets": [
            {"set": name, "fitted": sets[name, False], "apart": sets[name, True]}
            for name in sorted({name for name, _ in sets})
        ],
        "decisions": dict(sorted(Counter(one.case for one in decisions).items())),
        "assumed": assumed.to_json(),
        "alike": round(alike_in(decisions), 3),
        "asked_again": round(_asked_again(apart, assumed, by), 3),
        "rules_by_set": list(_rules_by_set(apart, assumed, by)),
        "erring": [{"errs": errs, **_when_sure(apart, Assumed(errs=errs), by)} for errs in _ERRING],
    }


def _asked_again(apart: Sequence[Decision], assumed: Assumed, by: Measured) -> float:
    """Of how many questions a second sample is asked for."""
    of_model = [o for o in proposed(apart, assumed) if o.seen.kind in ("model", "agreed")]
    again = sum(one.weight for one in of_model if may_gain_by_sample(one.seen, by))
    return again / max(sum(one.weight for one in of_model), 1)


def _rules_by_set(
    apart: Sequence[Decision], assumed: Assumed, by: Measured
) -> Iterator[dict[str, Any]]:
    for name in sorted({one.set for one in apart if one.case == "rules"}):
        own = [one for one in apart if one.set == name and one.case == "rules"]
        sure = [one for text, one in weigh_decisions(own, assumed, by) if text == "high"]
        yield {
            "set": name,
            "answered": len(own),
            "sure": len(sure),
            "right": sum(one.right for one in sure),
        }


def _when_sure(apart: Sequence[Decision], assumed: Assumed, by: Measured) -> dict[str, float]:
    """Shares that are right of what is told as sure, by kind, and of all of a model's questions."""
    sure = [one for text, one in weigh_decisions(apart, assumed, by) if text == "high"]
    every: dict[str, list[Weighed]] = defaultdict(list)
    for one in sure:
        every[one.seen.kind].append(one)
    return {kind: round(share_of(every[kind])[0], 3) for kind in ("agreed", "twice") if every[kind]}


def kept(path: Path | None, limit: int | None, processes: int = 1) -> list[Decision]:
    """The decisions of a file; without one they are made, and kept where it is named."""
    if path is not None and path.exists():
        return [Decision.read(json.loads(line)) for line in path.read_text().splitlines()]
    with ProcessPoolExecutor(processes) as pool:
        parts = [pool.submit(_part, limit, part, processes) for part in range(processes)]
        found = [one for part in parts for one in part.result()]
    if path is not None:
        path.write_text("".join(json.dumps(one.to_json()) + "\n" for one in found))
    return found


def main() -> None:
    """Fit and write, or print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("fit", "table"))
    parser.add_argument("--kept", type=Path, help="a file of decisions")
    parser.add_argument("--limit", type=int, help="most questions of a set")
    parser.add_argument("--processes", type=int, default=1, help="that decide at once")
    given = parser.parse_args()
    if given.what == "fit":
        values = fitted(kept(given.kept, given.limit, given.processes), Assumed())
        FILE.write_text(json.dumps(values, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        measured.cache_clear()
        PAGE.write_text(page(measured()), encoding="utf-8")
    for one in measured().table:
        print(
            f"{one.kind:<8} {one.label:<9} {one.number:>5}  {100 * one.share:5.1f} %  "
            f"{100 * one.low:.1f} to {100 * one.high:.1f}"
        )


if __name__ == "__main__":
    main()
